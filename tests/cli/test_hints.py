"""Hints are what is typed: in the words of the shell, with --trust where it was typed."""

import shutil

import pytest

import corpuskit
from corpuskit.crawl.wording import command, on_command_line

PAGE = "<html><head><title>{0}</title></head><body><p>About {0} and what an insurer says of it.</p></body></html>"


def test_commands_repeat_trust_and_quote_a_folder():
    assert command("failures", "my corpus") == 'corpuskit failures "my corpus"'
    ways = on_command_line("c", trust=True)
    assert ways.resume == "corpuskit --trust crawl c --resume"
    assert ways.show == "corpuskit --trust failures c"
    assert on_command_line("c").show == "corpuskit failures c"


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("ftp://a.example/x", "scheme ftp; expected http:// or https://"),
        ("http://a b/", "no valid host; expected a site's name as in https://www.example.org/page"),
    ],
)
def test_a_seed_that_cannot_be_says_what_to_type_and_leaves_no_corpus(typed, tmp_path, url, told):
    done = typed("crawl", "c", url)
    assert done.code == 1
    assert told in done.err
    assert not (tmp_path / "c").exists()


def test_the_next_step_of_a_corpus_is_typed_with_trust(typed, tmp_path):
    (tmp_path / "flood.html").write_text(PAGE.format("flood"), "utf-8")
    with corpuskit.open(tmp_path / "c") as corpus:
        corpus.add(tmp_path / "flood.html", progress=False)
    assert "next: corpuskit label c labels.csv, then corpuskit train c" in typed("status", "c").out
    assert (
        "next: corpuskit --trust label c labels.csv, then corpuskit --trust train c"
        in typed("--trust", "status", "c").out
    )
    assert "corpuskit train c trains one" in typed("audit", "c").err


def test_an_export_counts_its_files_one_by_one(typed, tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for i in range(5):
        (folder / f"{i}.html").write_text(PAGE.format(f"flood {i}"), "utf-8")
    with corpuskit.open(tmp_path / "c") as corpus:
        corpus.add(folder, progress=False)
    told = typed("export", "c", "out").out
    number = sum(1 for file in (tmp_path / "out").rglob("*") if file.is_file())
    assert told.startswith(f"5 documents, {number} files, ")
    assert typed("export", "c", "out").out.startswith(f"5 documents, {number} files, ")
    shutil.rmtree(tmp_path / "out")
