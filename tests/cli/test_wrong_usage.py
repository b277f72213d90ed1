"""What is typed and cannot be meant ends with 2, in a line and in the words of the command line."""

import shutil

import pytest

import corpuskit
from corpuskit.demo import demo_data

PAGE = "<html><head><title>{0}</title></head><body><p>About {0} and what an insurer says of it.</p></body></html>"


@pytest.fixture
def corpus(tmp_path):
    """A corpus ``c`` of one page."""
    (tmp_path / "flood.html").write_text(PAGE.format("flood"), "utf-8")
    with corpuskit.open(tmp_path / "c") as corpus:
        corpus.add(tmp_path / "flood.html", progress=False)


@pytest.mark.parametrize(
    "arguments",
    [
        ["crawl", "new", "http://a.example/", "--scope", "subdomain"],
        ["crawl", "new", "http://a.example/", "--preset", "foo"],
        ["crawl", "new", "http://a.example/", "--min-unique", "10"],
        ["crawl", "new", "http://a.example/", "--language", "english"],
        ["crawl", "new", "http://a.example/", "--include", "news"],
        ["export", "c", "out", "-f", "bogus"],
        ["export", "c", "out", "-f", "fasttext", "--page-size-tokens"],
        ["export", "c", "out", "--chunk-tokens", "64"],
        ["kwic", "c", "(("],
        ["textworks", "--corpus", "tw", "--options", "bogus"],
        ["textworks", "--corpus", "tw", "--filter", "(("],
        ["textworks", "--corpus", "tw", "--output", "zz.json"],
        ["textworks", "--file", "x.pdf", "--annotations"],
    ],
)
def test_it_ends_with_2(cli, tmp_path, corpus, arguments):
    (tmp_path / "tw").mkdir()
    cli("textworks", "init", "--corpus", "tw")
    done = cli(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["crawl", "n", "http://a.example/", "--language", "english"], "--language 'english': expected ISO 639-1 codes"),
        (["export", "c", "out", "-f", "fasttext", "--page-size-tokens"], "--page-size-tokens is for -f pdf_trio: name"),
        (["textworks", "--corpus", "tw", "--output", "z.json"], "--output is for --file: leave it out"),
        (["textworks", "--file", "x.pdf", "--annotations"], "--annotations is for --corpus: leave it out"),
        (["kwic", "c", "(("], "--syntax simple reads it as regular expressions"),
        (["check", "nofile.xml"], "there is no file or folder 'nofile.xml'"),
    ],
)  # fmt: skip
def test_the_line_says_what_to_do(cli, corpus, arguments, told):
    assert told in cli(*arguments).err


def test_a_new_class_is_named_as_it_is_typed(cli, tmp_path, corpus):
    (tmp_path / "labels.csv").write_text("target,label\nflood.html,insurance\n")
    done = cli("label", "c", "labels.csv")
    assert "a class of your own is begun with --new-class" in done.err


@pytest.fixture
def root(tmp_path):
    """An artifact corpus ``tw`` of one PDF."""
    (tmp_path / "tw").mkdir()
    shutil.copy(demo_data() / "files" / "tram-noise-report.pdf", tmp_path / "tw" / "a.pdf")


def test_textworks_tells_that_nothing_matches(cli, root):
    assert cli("textworks", "--init-corpus", "tw").out == "1 new entry in tw\n"
    done = cli("textworks", "--corpus", "tw", "--filter", "zzz")
    assert done == (0, "", "corpuskit: nothing to do: tw has no entry whose whole name matches --filter zzz\n")


def test_a_second_run_of_a_list_skips_what_is_there(cli, tmp_path, root):
    (tmp_path / "list.txt").write_text("tw/a.pdf\n")
    assert cli("textworks", "--input-list", "list.txt").out == "made     tw/a.pdf.textgrid.json\n"
    assert cli("textworks", "--input-list", "list.txt") == (0, "skipped  tw/a.pdf.textgrid.json\n", "")


def test_an_output_that_cannot_be_written_is_told_by_its_name(cli, tmp_path, corpus, root):
    (tmp_path / "file").touch()
    done = cli("textworks", "--file", "tw/a.pdf", "--output", "file/x.json")
    assert (done.code, done.err.startswith("corpuskit: file/x.json cannot be written: ")) == (1, True)
    done = cli("export", "c", "file/out", "-f", "txt")
    assert (done.code, done.err.startswith("corpuskit: file/out cannot be written: ")) == (1, True)
    assert ".partial" not in done.err


def test_urls_that_are_left_out_are_counted_by_reason(cli, tmp_path):
    lines = [
        "http://127.0.0.1:8000/a",
        "http://localhost/b",
        "https://a.example.com/x.jpg",
        *["https://a.example.com/p"] * 2,
    ]
    (tmp_path / "urls.txt").write_text("\n".join([*lines, "https://a.example.com/q"]))
    done = cli("urls", "urls.txt", "--drop", "*/q")
    assert done.out == "https://a.example.com/p\n"
    assert done.err == ("1 of 5 URLs; left out: a host without a domain (2), no page by its name (1), in --drop (1)\n")


def test_a_log_has_no_progress_bars(cli, tmp_path, web, monkeypatch):
    import sys

    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    (tmp_path / "a.html").write_text(PAGE.format("a"), "utf-8")
    assert cli("add", "c", "a.html").err == ""
    web.add("http://a.example/", "front")
    assert cli("crawl", "c", "http://a.example/", "--delay", 0, "--proxy", web.proxy).err == ""
    assert cli("check", "c").err == ""


def test_faults_of_a_file_are_counted_and_told_as_a_whole(cli, tmp_path):
    long = "e" * 150
    (tmp_path / "x.rng").write_text(
        '<element name="a" xmlns="http://relaxng.org/ns/structure/1.0"><empty/></element>', "utf-8"
    )
    (tmp_path / "x.xml").write_text(f"<{long}/>", "utf-8")
    done = cli("check", "x.xml", "--schema", "x.rng")
    assert done.code == 3
    assert done.out.splitlines()[0].rstrip() == "x.xml: 1 fault"
    assert long in "".join(done.out.replace("│", "").split())


def test_what_a_config_txt_gives_is_told(cli, tmp_path, web):
    web.add("http://a.example/", "front")
    (tmp_path / "config.txt").write_text(
        "rootUrl=http://a.example/\nscope=subdomain\nmaxPageCount=3\nstorageDir=/data\n"
    )
    done = cli("crawl", "c", "--config", "config.txt", "--delay", 0, "--proxy", web.proxy)
    assert done.out.splitlines()[:2] == [
        "config.txt: http://a.example/ --no-missing-counts --scope host --pages 3",
        "config.txt: storageDir is not taken: documents go to the corpus folder",
    ]


def test_a_list_tells_what_it_leaves_out(cli, web):
    web.add("http://a.example/", "front", ["/p", "/q", "/r"])
    for name in "pqr":
        web.add(f"http://a.example/{name}", name)
    how = ["--delay", 0, "--proxy", web.proxy]
    cli("crawl", "c", "http://a.example/p", *how)
    done = cli("crawl", "c", "http://a.example/", "--list", "--pages", 2, *how)
    assert done.out == "http://a.example/q\n"
    assert done.err == (
        "1 URL; known already: 1, --refresh lists them too; 1 more behind the first that --pages allows\n"
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["discover", "c", "index", "--pages", "0"], "--pages 0: expected 1 or more"),
        (["discover", "c", "index", "--sample", "0"], "--sample 0: expected a share above 0 and up to 1"),
        (["discover", "c", "index", "--threshold", "2"], "--threshold 2: expected 1 or less"),
        (["fetch", "c", "tea", "--requests-per-second", "0"], "--requests-per-second 0: expected 0.01 or more"),
        (["crawl", "c", "http://a.example/", "--pages", "ten"], "--pages ten: expected a whole number"),
        (["crawl", "c", "http://a.example/", "--pages", "2.5"], "--pages 2.5: expected a whole number"),
        (["crawl", "c", "http://a.example/", "--min-unique", "3"], "--min-unique 3: expected 1 or less"),
        (["crawl", "c", "http://a.example/", "--delay", "soon"], "--delay soon: expected a number"),
        (["crawl", "c", "http://a.example/", "--scope", "moon"], "--scope moon: expected one of 'domain', 'host', 'path', 'web'"),
        (["kwic", "c", "flood", "--limit", "0"], "--limit 0: expected 1 or more"),
        (["kwic", "c", "flood", "--limit", "\x1b[2J"], "--limit  [2J: expected a whole number"),
    ],
)  # fmt: skip
def test_a_value_that_an_option_cannot_have_is_told_in_our_words(cli, corpus, arguments, told):
    done = cli(*arguments)
    assert (done.code, done.out, done.err) == (2, "", f"corpuskit: {told}\n")
