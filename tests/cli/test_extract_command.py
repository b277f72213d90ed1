"""``corpuskit extract``: what is typed, what is written where, and what is told."""

import pytest

PAGE = "<html><head><title>{0}</title></head><body><p>About {0} and what an insurer says of it.</p></body></html>"
PNG = b"\x89PNG\r\n\x1a\n123"


@pytest.fixture
def pages(tmp_path):
    """``p/x/r.html`` and ``q/x/r.html``."""
    for topic in "pq":
        (tmp_path / topic / "x").mkdir(parents=True)
        (tmp_path / topic / "x" / "r.html").write_text(PAGE.format(topic), "utf-8")
    return tmp_path


def files(folder):
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())


def test_each_file_without_an_extractor_is_a_short_line_and_the_list_comes_once(cli, pages):
    for name in ("x.png", "y.png"):
        (pages / "p" / name).write_bytes(PNG)
    done = cli("extract", "p", "-o", "out")
    lines = done.err.splitlines()
    assert lines[:2] == [f"corpuskit: p/{name}: no extractor for image/png" for name in ("x.png", "y.png")]
    assert lines[2].startswith("corpuskit: there are extractors for application/epub+zip, ")
    assert (done.code, len(lines), done.out) == (3, 3, "1 document in out, 2 failed\n")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["-i", "empty.txt"], 1, "nothing to extract: the list empty.txt is empty"),
        (["empty"], 0, "nothing to extract: there is no file in empty"),
        (["empty", "-o", "e"], 0, "nothing to extract: there is no file in empty"),
        (["p", "q", "--url-filter", "zzz"], 0, "nothing to extract: --url-filter and --blacklist leave none of 2 inputs"),
    ],
)  # fmt: skip
def test_nothing_to_extract_is_told_with_its_reason(cli, pages, arguments, code, told):
    (pages / "empty.txt").touch()
    (pages / "empty").mkdir()
    assert cli("extract", *arguments) == (code, "", f"corpuskit: {told}\n")
    assert not (pages / "e").exists()


def test_what_is_piped_in_is_extracted(cli, pages):
    page = (pages / "p" / "x" / "r.html").read_bytes()
    assert cli("extract", "-", "-f", "txt", stdin=page) == (0, "About p and what an insurer says of it.\n", "")
    cli("extract", "-", "-f", "txt", "-o", "out/", stdin=page)
    assert files(pages / "out") == ["stdin.txt"]
    assert cli("extract", "-", stdin=b"")[::2] == (1, "corpuskit: -: input: empty\n")


def test_a_slash_at_the_end_means_a_folder(cli, pages):
    assert cli("extract", "p/x/r.html", "-f", "txt", "-o", "new/").out == "1 document in new\n"
    assert files(pages / "new") == ["r.html.txt"]


def test_named_files_keep_the_folders_by_which_they_differ(cli, pages):
    cli("extract", "p/x/r.html", "./q/../q/x/r.html", "-f", "txt", "--keep-dirs", "-o", "out")
    assert files(pages / "out") == ["p/x/r.html.txt", "q/x/r.html.txt"]
    cli("extract", "../" + pages.name + "/p/x/r.html", "-f", "txt", "--keep-dirs", "-o", "one/")
    assert files(pages / "one") == ["r.html.txt"]


def test_two_lists_of_what_to_pass_over_both_count(cli, pages):
    (pages / "1.txt").write_text("p/x/r.html\n")
    (pages / "2.txt").write_text("q/x/r.html\n")
    done = cli("extract", "p/x/r.html", "q/x/r.html", "-b", "1.txt", "-b", "2.txt")
    assert done.err == "corpuskit: nothing to extract: --url-filter and --blacklist leave none of 2 inputs\n"


def test_the_words_of_the_text_are_counted_not_those_of_the_format(cli, pages):
    assert cli("extract", "p/x/r.html", "-f", "json", "-o", "x.json").out == "x.json: 9 words\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--main", "-f", "json"], "--main is --format txt: leave it or --format json out"),
        (["--keep-dirs"], "--keep-dirs: name the folder to write to with --out"),
        (["--precision", "--recall"], "--favor, --precision and --recall: name one"),
        (["--precision", "--favor", "recall"], "--favor, --precision and --recall: name one"),
        (["--probe", "-o", "pp"], "--probe writes nothing: leave --out out"),
        (["-o", "single.md", "q/x/r.html"], "--out single.md is a file: several documents need a folder"),
        (["--json"], "--json is Trafilatura's; here it is --format json"),
        (["--xmltei"], "--xmltei is Trafilatura's; here it is --format tei"),
        (["--output-format=xml"], "--output-format is Trafilatura's; here it is --format"),
        (["--input-dir", "p"], "--input-dir is Trafilatura's; here it is the folder alone, as corpuskit extract FOLDER"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_in_a_line(cli, pages, arguments, told):
    (pages / "single.md").write_text("mine")
    assert cli("extract", "p/x/r.html", *arguments) == (2, "", f"corpuskit: {told}\n")
    assert (pages / "single.md").read_text() == "mine"
    assert not (pages / "pp").exists()


def test_trafilaturas_short_switch_for_fast_is_told_apart(cli, pages):
    done = cli("extract", "-f", "p/x/r.html")
    assert done.code == 2
    assert done.err.startswith("corpuskit: --format p/x/r.html: expected one of nlp.txt, txt, ")
    assert "Trafilatura's -f, --fast, is here [extraction.trafilatura] fast = true" in done.err


def test_each_counterpart_of_a_switch_of_trafilatura_is_there():
    import re

    from typer.main import get_command

    from corpuskit.cli.commands import app
    from corpuskit.cli.usage import _TRAFILATURAS
    from corpuskit.export.one import FORMATS

    commands = get_command(app).commands
    there = {name for command in ("extract", "crawl") for option in commands[command].params for name in option.opts}
    named = {option for ours in _TRAFILATURAS.values() for option in re.findall(r"--[a-z-]+", ours)}
    assert named - there == set()
    assert not {*_TRAFILATURAS} & {name for option in commands["extract"].params for name in option.opts}
    formats = {found for ours in _TRAFILATURAS.values() for found in re.findall(r"--format (\w+)", ours)}
    assert formats <= set(FORMATS)


@pytest.mark.parametrize("option", [["--main-by", "bogus"], ["--favor", "x"], ["--link-density", "7"], ["-f", "bogus"]])
def test_a_value_that_cannot_be_is_wrong_usage(cli, pages, option):
    done = cli("extract", "p/x/r.html", *option)
    assert (done.code, done.out) == (2, "")
    assert option[0] in done.err or option[-1] in done.err
