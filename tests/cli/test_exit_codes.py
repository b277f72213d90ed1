"""Each command, walked: 2 for what cannot be meant, 1 for what went wrong; docs/reference/exit-codes.md says it."""

import pytest
from typer.main import get_command

import corpuskit
from corpuskit.cli.commands import app

COMMANDS = get_command(app).commands
PASSED_ON = {"lab"}  # its options are JupyterLab's
NO_ARGUMENTS = {"demo", "lab", "textworks"}


@pytest.fixture
def corpus(tmp_path):
    """A corpus ``c`` of one page, and lists."""
    (tmp_path / "flood.html").write_text("<html><title>Flood</title><p>About floods and premiums.</p></html>", "utf-8")
    (tmp_path / "urls.txt").write_text("https://a.example.com/x\n", "utf-8")
    with corpuskit.open(tmp_path / "c") as opened:
        opened.add(tmp_path / "flood.html", progress=False)


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - PASSED_ON))
def test_an_option_that_no_command_has_ends_with_2(cli, name):
    done = cli(name, "--no-such-option")
    assert (done.code, done.out) == (2, "")
    assert "--no-such-option" in done.err


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - NO_ARGUMENTS))
def test_a_missing_argument_ends_with_2(cli, name):
    done = cli(name)
    assert (done.code, done.out) == (2, "")
    assert "Missing argument" in done.err or "extract" in done.err.partition("Error")[2]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["wikipedia", "new", "Tea", "--depth", "-1"], "--depth"),
        (["wikipedia", "new", "Tea", "--pages", "0"], "--pages"),
        (["wikipedia", "new", "Tea", "--lang", "bogus(("], "--lang"),
        (["crawl", "new", "http://a.example/", "--forget", "bogus"], "--forget"),
        (["crawl", "new", "http://a.example/", "--header", "bogus"], "--header"),
        (["crawl", "new", "http://a.example/", "--proxy", "bogus"], "--proxy"),
        (["crawl", "new", "http://a.example/", "--pages", "x"], "--pages"),
        (["urls", "urls.txt", "--language", "english"], "--language"),
        (["urls", "urls.txt", "--sample", "0"], "--sample"),
        (["extract", "flood.html", "--on", "processes"], "extract --on"),
        (["extract", "flood.html", "out", "--on", "bogus"], "--on bogus"),
        (["discover", "c", "index", "--threshold", "7"], "--threshold"),
        (["fetch", "c", "n", "--requests-per-second", "0"], "--requests-per-second"),
        (["failures", "c", "--limit", "0"], "--limit"),
        (["requests", "c", "--limit", "x"], "--limit"),
        (["sources", "c", "--limit", "x"], "--limit"),
        (["train", "c", "--seed", "-1"], "--seed"),
        (["fasttext", "c", "x.bin", "--seed", "-1"], "--seed"),
        (["audit", "c", "--precision", "7"], "--precision"),
        (["kwic", "c", "floods", "--sort", "bogus"], "--sort"),
        (["kwic", "c", "floods", "--syntax", "bogus"], "--syntax"),
        (["kwic", "c", "floods", "--window", "1000000000"], "--window 1000000000: expected at most 10,000 words"),
        (["check", "c", "--schema", "x.rng"], "--schema"),
        *(
            (["prelabel", "c", "--base-url", "http://127.0.0.1:1/v1", "--model", "m", *wrong], wrong[0])
            for wrong in (
                ["--requests", "-1"],
                ["--tokens", "-1"],
                ["--money", "-1"],
                ["--price", "-1", "0"],
                ["--concurrency", "0"],
            )
        ),
    ],
    ids=lambda part: " ".join(part[:1] + part[-2:]) if isinstance(part, list) else "",
)
def test_a_value_that_cannot_be_ends_with_2_and_is_named(cli, tmp_path, corpus, arguments, named):
    done = cli(*arguments)
    assert (done.code, done.out) == (2, "")
    assert named in done.err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        *([name, "nowhere"] for name in ("status", "failures", "requests", "sources", "train", "audit", "pack", "repair")),
        *([name, "nowhere", "x"] for name in ("label", "fasttext", "export", "kwic", "discover", "fetch")),
        ["label", "c", "nowhere.csv"],
        ["urls", "nowhere.txt"],
        ["crawl", "new", "--seeds", "nowhere.txt"],
        ["crawl", "new", "--config", "nowhere.txt"],
        ["check", "nowhere"],
        ["train", "c"],
        ["fetch", "c", "nowhere"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_goes_wrong_ends_with_1_in_a_line(cli, corpus, arguments):
    done = cli(*arguments)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("corpuskit: ")
    assert len(done.err.splitlines()) == 1
