"""What goes wrong, is left out or is empty: exit codes, counts and messages; docs/reference/exit-codes.md lists the codes."""

import pytest


@pytest.mark.feature("linguistics", "archives")
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
        ["add", "c", "nowhere.html"],
        ["crawl", "new"],
        ["extract", "nowhere.pdf"],
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


def test_a_new_class_is_named_as_it_is_typed(cli, tmp_path, corpus):
    (tmp_path / "labels.csv").write_text("target,label\npages/flood.html,insurance\n")
    done = cli("label", "c", "labels.csv")
    assert "pass new_class=True (--new-class) to add a class" in done.err


@pytest.mark.feature("compat")
def test_textworks_tells_that_nothing_matches(cli, artifacts):
    assert cli("textworks", "--init-corpus", "tw").out == "1 new entry in tw\n"
    done = cli("textworks", "--corpus", "tw", "--filter", "zzz")
    assert done == (0, "", "corpuskit: nothing to do: tw has no entry whose whole name matches --filter zzz\n")


@pytest.mark.slow
def test_a_second_run_of_a_list_skips_what_is_there(cli, tmp_path, artifacts):
    (tmp_path / "list.txt").write_text("tw/a.pdf\n")
    assert cli("textworks", "--input-list", "list.txt").out == "made     tw/a.pdf.textgrid.json\n"
    assert cli("textworks", "--input-list", "list.txt") == (0, "skipped  tw/a.pdf.textgrid.json\n", "")


@pytest.mark.slow
def test_an_output_that_cannot_be_written_is_told_by_its_name(cli, tmp_path, corpus, artifacts):
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
    assert done.err == ("1 of 5 URLs; left out: host without a domain (2), not a page by its name (1), in --drop (1)\n")


def test_a_log_has_no_progress_bars(cli, tmp_path, web):
    (tmp_path / "a.html").write_text("<p>About a", "utf-8")
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


@pytest.mark.feature("compat")
def test_what_a_config_txt_gives_is_told(cli, tmp_path, web):
    web.add("http://a.example/", "front")
    (tmp_path / "config.txt").write_text(
        "rootUrl=http://a.example/\nscope=subdomain\nmaxPageCount=3\nstorageDir=/data\n"
    )
    done = cli("crawl", "c", "--config", "config.txt", "--delay", 0, "--proxy", web.proxy)
    assert done.out.splitlines()[:2] == [
        "config.txt: http://a.example/ missing_counts=False scope='host' pages=3",
        "config.txt: storageDir is ignored, since documents are stored in the corpus folder",
    ]


def test_a_list_tells_what_it_leaves_out(cli, web):
    web.add("http://a.example/", "front", ["/p", "/q", "/r"])
    for name in "pqr":
        web.add(f"http://a.example/{name}", name)
    how = ["--delay", 0, "--proxy", web.proxy]
    cli("crawl", "c", "http://a.example/p", *how)
    done = cli("crawl", "c", "http://a.example/", "--list", "--pages", 2, *how)
    assert done.out == "http://a.example/q\n"
    assert done.err == ("1 URL; already fetched: 1, --refresh lists them too; 1 more than --pages allows\n")
