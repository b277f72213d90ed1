"""Commands on a small corpus, what they print and how they are interrupted."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from cli_pages import PAGE

import corpuskit


@pytest.mark.feature("linguistics")
def test_the_whole_way_on_the_command_line(cli, tmp_path, pages):
    corpus = tmp_path / "c"
    assert cli("add", corpus, pages).out == "2 new\n"
    assert "flood" in cli("kwic", corpus, "flood").out
    (tmp_path / "labels.csv").write_text("target,label\nflood.html,relevant\nbread.html,other\nnowhere,other\n")
    labelled = cli("label", corpus, tmp_path / "labels.csv")
    assert (labelled.code, labelled.out) == (3, "2 labels imported\n")
    assert labelled.err.splitlines()[-1] == "  nowhere"
    status = cli("status", corpus)
    assert "2 documents" in status.out
    result = cli("export", corpus, tmp_path / "out", "-f", "jsonl", "-f", "txt")
    assert result.code == 0, result.err
    rows = [json.loads(line) for line in (tmp_path / "out" / "corpus.jsonl").read_text("utf-8").splitlines()]
    assert {row["label"] for row in rows} == {"relevant", "other"}


def test_a_second_export_does_not_remove_the_first_unsaid(cli, tmp_path, pages):
    corpus, out = tmp_path / "c", tmp_path / "out"
    cli("add", corpus, pages)
    cli("export", corpus, out, "-f", "jsonl")
    refused = cli("export", corpus, out, "-f", "txt")
    assert refused.code == 1
    assert refused.err == (
        f"corpuskit: {out} contains an export of jsonl: pass another folder, --replace, "
        "or all formats with -f jsonl -f txt\n"
    )
    assert (out / "corpus.jsonl").exists()
    assert "as it was" in cli("export", corpus, out, "-f", "jsonl").out
    (pages / "new.html").write_text(PAGE.format("new"), "utf-8")
    cli("add", corpus, pages)
    renewed = cli("export", corpus, out, "-f", "jsonl").out
    assert renewed.startswith("3 documents")
    assert renewed.endswith("in place of an earlier export of 2 documents\n")
    replaced = cli("export", corpus, out, "-f", "txt", "--replace").out
    assert replaced.endswith("in place of an earlier export of 3 documents\n")
    assert not (out / "corpus.jsonl").exists()


def test_copies_that_an_export_leaves_out_are_told(cli, tmp_path):
    (tmp_path / "pages").mkdir()
    for name, text in {"a": "The same text.", "b": "The same text.", "other": "Another text."}.items():
        (tmp_path / "pages" / f"{name}.txt").write_text(text, "utf-8")
    cli("add", "c", "pages")
    done = cli("export", "c", "out", "-f", "txt")
    assert done.out.startswith("2 documents")
    assert done.err == "1 copy of another document is left out: --keep-duplicates includes them\n"
    assert cli("export", "c", "all", "-f", "txt", "--keep-duplicates").out.startswith("3 documents")


def test_a_list_of_urls_is_filtered_and_sampled_without_a_request(cli, tmp_path):
    pages = [f"https://a.example.com/news/{i}.html" for i in range(20)]
    lines = [*pages, pages[0], "7\thttps://web.archive.org/web/20200102030405/https://b.example.com/about\t20200102",
             "https://a.example.com/picture.jpg", "ftp://a.example.com/x", "# none", "https://a.example.com/de/artikel.html"]  # fmt: skip
    (tmp_path / "urls.txt").write_text("\n".join(lines))
    done = cli("urls", tmp_path / "urls.txt", "--language", "en", "--no-navigation")
    assert done.out.splitlines() == [*pages, "https://b.example.com/about"]
    assert done.err == ("21 of 23 URLs; left out: not a page by its name (1), in another language (1)\n")
    sample = ["urls", "urls.txt", "--keep", "*/news/*", "--drop", "*/1.html", "--sample", 5]
    chosen = cli(*sample).out.splitlines()
    assert len(chosen) == 5
    assert set(chosen) <= set(pages) - {pages[1]}
    assert cli(*sample).out.splitlines() == chosen
    assert cli(*sample, "--seed", 1).out.splitlines() != chosen


def test_what_was_crawled_cannot_steer_the_terminal(cli, tmp_path, pages):
    (pages / "evil.html").write_text(PAGE.format("\x1b[2J[bold red]flood"), "utf-8")
    cli("add", tmp_path / "c", pages)
    assert "\x1b" not in cli("kwic", tmp_path / "c", "flood").out


def test_ctrl_c_stops_a_crawl_cleanly_and_resume_goes_on(cli, tmp_path, web):
    for i in range(400):
        web.add(f"http://a.example/p{i}", f"text {i}", [f"/p{i + 1}", f"/p{i + 2}"])
    options = ["--delay", "0", "--proxy", web.proxy]
    process = cli.spawn("crawl", "c", "http://a.example/p0", *options, stderr=subprocess.PIPE)
    while sum(web.fetched.values()) < 30 and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    with corpuskit.open(tmp_path / "c") as corpus:
        assert 0 < corpus._folder.catalog.value("SELECT count(*) FROM documents") < 400  # some may wait to be extracted
    assert cli("crawl", "c", "--resume", *options).code == 0
    assert set(web.fetched.values()) == {1}


@pytest.mark.parametrize("module", ["typer", "corpuskit.views.summary"])
def test_ctrl_c_at_any_moment_ends_in_one_line(cli, module, corpus):
    code = f"""
import sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
from corpuskit.cli import main
main()
"""
    command = [sys.executable, "-c", code, "status", str(corpus)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (130, "corpuskit: stopped\n")


def test_files_that_are_added_can_be_stopped_and_say_how_it_goes_on(cli, pages, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("corpuskit.corpus.collect.ingest", interrupt)
    done = cli("add", "c", pages)
    assert (done.code, done.err) == (
        130,
        "corpuskit: stopped; added documents are stored; repeat the command to continue\n",
    )


@pytest.mark.slow
def test_commands_that_read_say_so_and_make_no_folder(cli, tmp_path):
    for name in ("status", "label", "train", "audit", "kwic", "pack", "export", "repair"):
        assert "made if absent" not in cli(name, "--help").out
    for arguments in (["status", "c"], ["label", "c", "x.csv"], ["train", "c"], ["add", "c", "nowhere.html"]):
        assert cli(*arguments).code == 1
    assert list(tmp_path.iterdir()) == []


def test_documents_without_a_score_do_not_drop_silently(cli, tmp_path, corpus):
    done = cli("export", corpus, tmp_path / "out", "--min-relevance", "0.5")
    assert done.err == (
        f"2 documents have no relevance and are left out: corpuskit train {tmp_path / 'c'} scores all documents\n"
        "corpuskit: nothing to export: no document is left by these options\n"
    )
    assert done.code == 1


def test_a_second_crawl_is_told_when_the_first_began_to_the_minute(tmp_path):
    corpus = corpuskit.open(tmp_path / "c")
    with corpus._folder.crawl_lock(), pytest.raises(corpuskit.CorpusKitError) as caught, corpus._folder.crawl_lock():
        pass
    assert re.search(r"since \d{4}-\d\d-\d\d \d\d:\d\d$", str(caught.value))
    corpus.close()


@pytest.mark.slow
def test_the_version_and_help_can_be_asked_for_as_everywhere(cli, tmp_path):
    module = subprocess.run(
        [sys.executable, "-m", "corpuskit", "--version"], capture_output=True, text=True, check=True
    )
    assert module.stdout == cli("--version").out == f"corpuskit {corpuskit.__version__}\n"
    assert cli("-h").out == cli("--help").out
    assert cli("add", "-h").out == cli("add", "--help").out


def test_tables_of_a_corpus_are_shown_and_written(cli, tmp_path, pages):
    (pages / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    added = cli("add", "c", pages)
    assert (added.code, added.out.splitlines()[0]) == (3, "2 new, 1 failed")
    assert "broken.pdf" in cli("failures", "c").out
    assert cli("failures", tmp_path / "c", "-o", tmp_path / "f.csv").out == f"{tmp_path / 'f.csv'}: 1 row\n"
    assert (tmp_path / "f.csv").read_text("utf-8").splitlines()[1].startswith("pages/broken.pdf,extract,")
    assert cli("requests", "c").out == "no requests: run a crawl first\n"


@pytest.mark.feature("linguistics")
def test_nothing_found_and_nothing_to_export_are_told(cli, tmp_path, corpus):
    done = cli("kwic", corpus, "quaternion")
    assert (done.code, done.out, done.err) == (0, "", "corpuskit: nothing matches 'quaternion'\n")
    done = cli("kwic", corpus, "quaternion*")
    assert done.err.splitlines()[1].endswith('quaternion.*, or syntax="wildcards" (--syntax wildcards)')
    corpuskit.open(tmp_path / "empty").close()
    done = cli("export", tmp_path / "empty", tmp_path / "out")
    assert (done.code, done.err) == (1, "corpuskit: nothing to export: the corpus is empty\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_jupyterlab_gets_its_own_options(cli):
    process = cli.spawn("lab", "notebooks", "--no-browser", "--port=9", "--version", stdout=subprocess.PIPE)
    assert re.fullmatch(r"\d+\.\d+\.\d+", process.communicate(timeout=120)[0].splitlines()[-1])
