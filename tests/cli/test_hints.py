"""Hints say what to type, as it is typed; what is stopped says what is kept."""

from pathlib import Path

import pytest

import corpuskit
from corpuskit.cli.common import command_line, trusted
from corpuskit.features.archives.accessor import ArchivesAccessor
from corpuskit.store.formatting import pluralize


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["crawl", "new", "ftp://a.example/"],
            "scheme ftp; expected http:// or https://; save other content as",
        ),
        (["crawl", "new", "http://"], "no valid host; expected a host name as in https://www.example.org/page"),
        (["extract", "ftp://a.example/x.pdf"], "scheme ftp; expected http:// or https://"),
        (["extract", "http:///x.pdf"], "no valid host; expected a host name"),
        (["crawl", "http://a.example/"], "expected a corpus folder, got a URL"),
        (["add", "https://a.example/", "pages"], "expected a corpus folder, got a URL"),
    ],
)
def test_a_url_that_cannot_be_fetched_is_told_with_what_to_do(cli, tmp_path, corpus, arguments, told):
    before = sorted(tmp_path.iterdir())
    done = cli(*arguments)
    assert done.code != 0
    assert told in " ".join(done.err.split())
    assert sorted(tmp_path.iterdir()) == before


def test_commands_repeat_trust_and_quote_a_folder():
    assert command_line("failures", Path("my corpus")) == 'corpuskit failures "my corpus"'
    assert command_line("failures", Path("c")) == "corpuskit failures c"
    token = trusted.set(True)
    try:
        assert command_line("failures", Path("c")) == "corpuskit --trust failures c"
    finally:
        trusted.reset(token)


@pytest.mark.parametrize("trust", [[], ["--trust"]])
def test_hints_are_typed_with_the_options_of_this_command(cli, corpus, trust):
    assert (
        f"corpuskit {' '.join([*trust, 'train'])} c scores all"
        in cli(*trust, "export", "c", "out", "--min-relevance", "0.5").err
    )
    status = cli(*trust, "status", "c").out
    assert f"next: corpuskit {' '.join([*trust, 'label'])} c" in " ".join(status.split())
    told = cli(*trust, "crawl", "c", "--steer", "http://127.0.0.1:1/").err
    assert f"corpuskit {' '.join([*trust, 'train'])} c" in told


def test_a_hint_never_calls_python(cli, corpus):
    for arguments in (["status", "c"], ["train", "c"], ["audit", "c"], ["prelabel", "c", "--help"], ["check", "c"]):
        done = cli(*arguments)
        assert "()" not in done.out + done.err, arguments
        assert "corpus." not in (done.out + done.err).replace("corpus.toml", ""), arguments


@pytest.mark.parametrize(
    ("arguments", "method", "kept"),
    [
        (["add", "c", "pages"], "add", "added documents are stored"),
        (["wikipedia", "c", "Tea"], "add_wikipedia", "added documents are stored"),
        (["merge", "c", "pages"], "merge", "merged shards are kept"),
    ],
)
def test_what_is_stopped_says_what_is_kept(cli, corpus, monkeypatch, arguments, method, kept):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    owner = ArchivesAccessor if method == "merge" else corpuskit.corpus.Corpus
    monkeypatch.setattr(owner, method, stopped)
    done = cli(*arguments)
    assert (done.code, done.err) == (130, f"corpuskit: stopped; {kept}; repeat the command to continue\n")


def test_an_export_counts_its_files_and_not_its_folders(cli, corpus, tmp_path):
    done = cli("export", "c", "out", "-f", "nlp.txt", "-f", "jsonl")
    there = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert f", {pluralize(len(there), 'file')}, " in done.out
    again = cli("export", "c", "out", "-f", "nlp.txt", "-f", "jsonl")
    assert f", {pluralize(len(there), 'file')}, " in again.out
