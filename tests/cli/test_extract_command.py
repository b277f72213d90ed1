"""``corpuskit extract``: what is typed, what is written where, and what is told."""

import pytest
from cli_pages import PAGE

import corpuskit

PNG = b"\x89PNG\r\n\x1a\n123"


@pytest.fixture
def tree(tmp_path):
    """Directory with ``p/x/r.html`` and ``q/x/r.html``."""
    for topic in "pq":
        (tmp_path / topic / "x").mkdir(parents=True)
        (tmp_path / topic / "x" / "r.html").write_text(PAGE.format(topic), "utf-8")
    return tmp_path


def files(folder):
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())


def test_each_file_without_an_extractor_is_a_short_line_and_the_list_comes_once(cli, tree):
    for name in ("x.png", "y.png"):
        (tree / "p" / name).write_bytes(PNG)
    done = cli("extract", "p", "-o", "out")
    lines = done.err.splitlines()
    assert lines[:2] == [f"corpuskit: p/{name}: no extractor for image/png" for name in ("x.png", "y.png")]
    assert lines[2].startswith("corpuskit: supported media types: application/epub+zip, ")
    assert (done.code, len(lines), done.out) == (3, 3, "1 document in out, 2 failed\n")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["-i", "empty.txt"], 1, "nothing to extract: the list empty.txt is empty"),
        (["empty"], 0, "nothing to extract: no files found in empty"),
        (["empty", "-o", "e"], 0, "nothing to extract: no files found in empty"),
        (["p", "q", "--url-filter", "zzz"], 0, "nothing to extract: --url-filter and --blacklist exclude all of 2 inputs"),
    ],
)  # fmt: skip
def test_nothing_to_extract_is_told_with_its_reason(cli, tree, arguments, code, told):
    (tree / "empty.txt").touch()
    (tree / "empty").mkdir()
    assert cli("extract", *arguments) == (code, "", f"corpuskit: {told}\n")
    assert not (tree / "e").exists()


@pytest.mark.slow
def test_what_is_piped_in_is_extracted(cli, tree):
    page = (tree / "p" / "x" / "r.html").read_bytes()
    assert cli("extract", "-", "-f", "txt", stdin=page) == (0, "About p and what an insurer says of it.\n", "")
    cli("extract", "-", "-f", "txt", "-o", "out/", stdin=page)
    assert files(tree / "out") == ["stdin.txt"]
    assert cli("extract", "-", stdin=b"")[::2] == (1, "corpuskit: -: input: empty\n")


def test_a_slash_at_the_end_means_a_folder(cli, tree):
    assert cli("extract", "p/x/r.html", "-f", "txt", "-o", "new/").out == "1 document in new\n"
    assert files(tree / "new") == ["r.html.txt"]


def test_named_files_keep_the_folders_by_which_they_differ(cli, tree):
    cli("extract", "p/x/r.html", "./q/../q/x/r.html", "-f", "txt", "--keep-dirs", "-o", "out")
    assert files(tree / "out") == ["p/x/r.html.txt", "q/x/r.html.txt"]
    cli("extract", "../" + tree.name + "/p/x/r.html", "-f", "txt", "--keep-dirs", "-o", "one/")
    assert files(tree / "one") == ["r.html.txt"]


def test_two_lists_of_what_to_pass_over_both_count(cli, tree):
    (tree / "1.txt").write_text("p/x/r.html\n")
    (tree / "2.txt").write_text("q/x/r.html\n")
    done = cli("extract", "p/x/r.html", "q/x/r.html", "-b", "1.txt", "-b", "2.txt")
    assert done.err == "corpuskit: nothing to extract: --url-filter and --blacklist exclude all of 2 inputs\n"


def test_the_words_of_the_text_are_counted_not_those_of_the_format(cli, tree):
    assert cli("extract", "p/x/r.html", "-f", "json", "-o", "x.json").out == "x.json: 9 words\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--main", "-f", "json"], "--main means --format txt: omit --main or --format json"),
        (["--keep-dirs"], "--keep-dirs: expected --out with the folder to write to"),
        (["--precision", "--recall"], "--favor, --precision and --recall: expected only one of them"),
        (["--precision", "--favor", "recall"], "--favor, --precision and --recall: expected only one of them"),
        (["--probe", "-o", "pp"], "--probe does not write files: omit --out"),
        (["-o", "single.md", "q/x/r.html"], "--out single.md: expected a folder for several documents, got a file"),
        (["--json"], "--json is an option of Trafilatura; use --format json"),
        (["--xmltei"], "--xmltei is an option of Trafilatura; use --format tei"),
        (["--output-format=xml"], "--output-format is an option of Trafilatura; use --format"),
        (["--input-dir", "p"], "--input-dir is an option of Trafilatura; use the folder alone, as corpuskit extract FOLDER"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_in_a_line(cli, tree, arguments, told):
    (tree / "single.md").write_text("mine")
    assert cli("extract", "p/x/r.html", *arguments) == (2, "", f"corpuskit: {told}\n")
    assert (tree / "single.md").read_text() == "mine"
    assert not (tree / "pp").exists()


def test_trafilaturas_short_switch_for_fast_is_told_apart(cli, tree):
    done = cli("extract", "-f", "p/x/r.html")
    assert done.code == 2
    assert done.err.startswith("corpuskit: --format p/x/r.html: expected one of nlp.txt, txt, ")
    assert "Trafilatura's -f, --fast, is here [extraction.trafilatura] fast = true" in done.err


def test_each_counterpart_of_a_switch_of_trafilatura_is_there():
    import re

    from typer.main import get_command

    from corpuskit.cli.commands import app
    from corpuskit.cli.usage import _TRAFILATURA_OPTIONS
    from corpuskit.export.render import FORMATS

    commands = get_command(app).commands
    there = {name for command in ("extract", "crawl") for option in commands[command].params for name in option.opts}
    named = {option for ours in _TRAFILATURA_OPTIONS.values() for option in re.findall(r"--[a-z-]+", ours)}
    assert named - there == set()
    assert not {*_TRAFILATURA_OPTIONS} & {name for option in commands["extract"].params for name in option.opts}
    formats = {found for ours in _TRAFILATURA_OPTIONS.values() for found in re.findall(r"--format (\w+)", ours)}
    assert formats <= set(FORMATS)


@pytest.mark.parametrize("option", [["--main-by", "bogus"], ["--favor", "x"], ["--link-density", "7"], ["-f", "bogus"]])
def test_a_value_that_cannot_be_is_wrong_usage(cli, tree, option):
    done = cli("extract", "p/x/r.html", *option)
    assert (done.code, done.out) == (2, "")
    assert option[0] in done.err or option[-1] in done.err


def test_a_document_is_printed_or_written(cli, tmp_path, pages):
    printed = cli("extract", pages / "flood.html").out
    assert printed.startswith("## NLPTextDocument Title flood\n")
    assert cli("extract", pages / "flood.html", "--main").out == "About flood and what an insurer says of it.\n"
    cli("extract", pages / "flood.html", "-o", tmp_path / "x.nlp.txt")
    assert corpuskit.read_nlptext(tmp_path / "x.nlp.txt").title == "flood"


@pytest.mark.parametrize("format", ["markdown", "txt", "json", "csv", "html", "xml", "tei"])
def test_a_page_is_printed_in_any_format(cli, pages, format):
    printed = cli("extract", pages / "flood.html", "--format", format)
    assert (printed.code, printed.err) == (0, "")
    document = corpuskit.extract(pages / "flood.html")
    assert printed.out == document.to(format)


@pytest.fixture
def topics(tmp_path):
    """Directory with ``in/flood/page.html``, ``in/bread/page.html`` and a list of them."""
    files = [tmp_path / "in" / topic / "page.html" for topic in ("flood", "bread")]
    for file in files:
        file.parent.mkdir(parents=True)
        file.write_text(PAGE.format(file.parent.name), "utf-8")
    (tmp_path / "list.txt").write_text("".join(f"{file}\n" for file in files))
    return tmp_path


@pytest.mark.slow
def test_a_folder_is_extracted_into_another(cli, topics):
    done = cli("extract", topics / "in", "-o", topics / "flat", "-f", "txt", "--parallel", 2)
    assert done.out == f"2 documents in {topics / 'flat'}\n"
    assert files(topics / "flat") == ["bread_page.html.txt", "flood_page.html.txt"]
    cli("extract", topics / "in", "-o", topics / "kept", "-f", "markdown", "--keep-dirs")
    assert files(topics / "kept") == ["bread/page.html.md", "flood/page.html.md"]
    assert "an insurer says of it" in (topics / "kept" / "bread" / "page.html.md").read_text("utf-8")


def test_a_list_is_extracted_and_what_fails_is_told(cli, topics):
    (topics / "list.txt").write_text((topics / "list.txt").read_text() + "# a comment\nnowhere.html\n")
    done = cli("extract", "-i", topics / "list.txt", "-f", "csv")
    assert done.code == 3
    assert "nowhere.html cannot be read" in done.err
    assert done.out.count("url,id,fingerprint") == 1
    assert [topic for topic in ("flood", "bread") if f"About {topic}" in done.out] == ["flood", "bread"]


def test_texts_on_the_screen_end_their_lines(cli, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(f"Text {name}", "utf-8")
    done = cli("extract", tmp_path / "a.txt", tmp_path / "b.txt", "-f", "txt")
    assert done.out == "Text a\nText b\n"


def test_inputs_are_filtered(cli, topics):
    done = cli("extract", "-i", topics / "list.txt", "-f", "txt", "--url-filter", "flood")
    assert done.out == "About flood and what an insurer says of it.\n"
    (topics / "no.txt").write_text(str(topics / "in" / "bread" / "page.html"))
    assert cli("extract", "-i", topics / "list.txt", "-b", topics / "no.txt", "-f", "txt").out == done.out


@pytest.mark.slow
def test_options_of_extraction_are_options_of_the_command(cli, topics):
    page = topics / "in" / "flood" / "page.html"
    assert cli("extract", page, "-f", "txt", "--target-language", "fr").out == ""
    assert "an insurer" not in cli("extract", page, "-f", "txt", "--all", "--drop", "//p").out
    wrong = cli("extract", page, "--main-by", "magic")
    assert (wrong.code, "--main-by magic: expected one of" in wrong.err) == (2, True)
    import trafilatura

    theirs = trafilatura.extract(page.read_bytes(), url=page.as_uri(), output_format="xml", include_comments=False)
    assert (
        cli("extract", page, "-f", "xml", "--main-by", "trafilatura").out == f"{theirs}\n"
    )  # as its own command prints it


@pytest.mark.slow
def test_a_url_is_extracted(cli, topics, web):
    port = web.proxy.rpartition(":")[2]
    web.add(f"http://127.0.0.1:{port}/page", "the text of the page", title="On the web")
    web.add(f"http://127.0.0.1:{port}/other", "another text of the web", title="Other")
    urls = [f"http://127.0.0.1:{port}/{name}" for name in ("page", "other", "gone")]
    done = cli("extract", *urls, "-f", "txt", "-o", topics / "out")
    assert (done.code, "404" in done.err) == (3, True)
    assert files(topics / "out") == [f"127.0.0.1_{port}_other.txt", f"127.0.0.1_{port}_page.txt"]


def test_pages_can_be_probed_for_text_in_a_language(cli, tmp_path):
    texts = {"en": "The insurer pays for the damage that the water has done to the house when the river rises.",
             "de": "Die Versicherung bezahlt den Schaden, den das Wasser am Haus verursacht hat, wenn es regnet."}  # fmt: skip
    for name, text in {**texts, "none": ""}.items():
        (tmp_path / f"{name}.html").write_text(f"<html><body><article><p>{text}</p></article></body></html>", "utf-8")
    pages = [str(tmp_path / f"{name}.html") for name in ("en", "none", "de")]
    assert cli("extract", *pages, "--probe").out.splitlines() == [pages[0], pages[2]]
    assert cli("extract", *pages, "--probe", "--target-language", "de").out.splitlines() == [pages[2]]


TEXTS = {
    "en": "The storm took the slates of forty houses, and nobody was hurt when the old elm fell over the lane.",
    "fr": "La tempête a emporté les ardoises de quarante maisons, et personne ne fut blessé quand l'orme tomba.",
}


@pytest.fixture
def languages(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for lang, text in TEXTS.items():
        (folder / f"{lang}.html").write_text(f"<html lang={lang}><title>{lang}</title><p>{text}</p>", "utf-8")
    return folder


@pytest.mark.parametrize("by", ["model", "trafilatura"])
def test_pages_in_another_language_make_no_file_and_are_told(cli, languages, tmp_path, by):
    done = cli("extract", languages, "-o", tmp_path / "out", "--target-language", "fr", "-f", "txt", "--main-by", by)
    assert (done.code, done.out) == (0, f"1 document in {tmp_path / 'out'}, 1 left out\n")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["fr.html.txt"]
    assert done.err.startswith(f"corpuskit: {languages / 'en.html'} left out: ")
    if by == "model":
        assert "target_language is 'fr', and its text is in 'en'" in done.err


def test_pages_without_metadata_are_told(cli, languages):
    done = cli("extract", languages / "en.html", "--only-with-metadata", "-f", "txt")
    assert (done.code, done.out) == (0, "")
    assert "left out: only_with_metadata, and it has no date" in done.err


def test_a_second_word_behind_a_filter_is_no_input(cli, languages, tmp_path):
    done = cli(
        "extract", languages / "en.html", languages / "fr.html", "--url-filter", "en", "fr", "-o", tmp_path / "out"
    )
    assert done.code == 2
    assert done.err == "corpuskit: fr: no such file or folder; repeat --url-filter for each text\n"
    assert not (tmp_path / "out").exists()
