"""Tables on the terminal: what they are for is there in full, in windows of any width."""

import pandas as pd
import pytest

import corpuskit
from corpuskit.cli.printing import middle_cut, print_frame

ADDRESS = "https://news.example/2026/11/a-long-address-of-a-page"
WIDTHS = pytest.mark.parametrize("width", [60, 80, 120])
PAGE = "<html><head><title>Floods</title></head><body><p>{0} the premium {0}</p></body></html>"


@pytest.fixture
def in_window(cli, monkeypatch):
    """Runs a command line in a window of so many columns; gives its lines, none of them longer."""

    def run(width, *arguments):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = cli(*arguments).out.splitlines()
        assert [line for line in lines if len(line) > width and "│" in line] == []
        return lines

    return run


def table(lines, first):
    """The columns of the table that begins with a column: name → its cells, put together from their lines."""
    head = next(at for at, line in enumerate(lines) if line.split("┃")[0].strip() == first)
    names = [name.strip() for name in lines[head].split("┃")]
    rows = [[cell.strip() for cell in line.split("│")] for line in lines[head + 2 :]]
    return {name: [row[at] for row in rows if len(row) == len(names)] for at, name in enumerate(names)}


def test_a_long_message_leaves_an_address_its_room(capsys):
    print_frame(
        "Failures", pd.DataFrame({"uri": [ADDRESS], "stage": ["extract"], "message": ["there are many: " * 50]})
    )
    first = capsys.readouterr().out.splitlines()[3]
    assert len(first.split("│")[0].rstrip()) >= 25


def test_a_pipe_is_as_wide_as_columns_says_and_else_120(capsys, monkeypatch):
    frame = pd.DataFrame({"message": ["there are many " * 50]})
    for columns, width in (("60", 60), ("100", 100), (None, 120)):
        monkeypatch.delenv("COLUMNS") if columns is None else monkeypatch.setenv("COLUMNS", columns)
        print_frame("Failures", frame)
        assert width - 15 < max(map(len, capsys.readouterr().out.splitlines())) <= width


def test_columns_that_are_left_out_are_named(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    frame = pd.DataFrame({"tries": ["1"], "uri": [ADDRESS], "when": ["2026-11-23 13:30:42"]})
    print_frame("Failures", frame, spare=["when", "tries"])
    printed = capsys.readouterr().out.splitlines()
    assert table(printed, "tries").keys() == {"tries", "uri"}
    assert "hidden, since the window is too narrow: when" in printed
    monkeypatch.setenv("COLUMNS", "120")
    print_frame("Failures", frame, spare=["when", "tries"])
    printed = capsys.readouterr().out.splitlines()
    assert table(printed, "tries").keys() == {"tries", "uri", "when"}
    assert not any("left out" in line for line in printed)


def test_a_time_is_told_to_the_second(capsys):
    print_frame("Failures", pd.DataFrame({"when": [pd.Timestamp("2026-11-23 13:30:42.986225", tz="UTC")]}))
    assert capsys.readouterr().out.splitlines()[3].strip() == "2026-11-23 13:30:42"


@pytest.mark.parametrize(
    ("text", "width", "cut"),
    [
        ("a.html", 6, "a.html"),
        ("files/policy.pdf", 9, "file….pdf"),
        ("files/policy.pdf", 8, "file…pdf"),
        ("保険証券の約款", 8, "保険…款"),  # each letter is two columns wide
        ("policy", 1, "…"),
    ],
)
def test_a_name_is_shortened_in_the_middle(text, width, cut):
    assert middle_cut(text, width) == cut


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """A corpus ``c`` of a page of a crawl, a file and two failures."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "floods-along-the-river-in-spring.html").write_text(PAGE.format("Water in the house " * 8))
    (tmp_path / "in" / "a-policy-that-nobody-can-read.pdf").write_bytes(b"x")
    with corpuskit.open(tmp_path / "c") as opened:
        opened.add(tmp_path / "in", progress=False)


@pytest.fixture
def crawled(corpus, web):
    """The corpus, with pages of a crawl, one of which is missing."""
    web.add("http://riverside-insurance.example/", "About premiums.", ["/a-long-address/of-a-page-about-floods.html"])
    with corpuskit.open("c") as opened:
        opened.crawl(["http://riverside-insurance.example/"], proxy=web.proxy, delay=0).wait(progress=False)
    return web


@pytest.mark.feature("linguistics")
@WIDTHS
def test_a_concordance_shows_the_match_both_sides_and_the_file(in_window, corpus, width):
    [line] = in_window(width, "kwic", "c", "premium")
    assert len(line) <= width
    left, match, right, file = (part.strip() for part in line.split("  ") if part.strip())
    assert match == "premium"
    assert left.endswith("in the house the")
    assert right.startswith("Water in the ")
    assert file.startswith("floo")
    assert file.endswith("html")
    assert "…" in file or width == 120


@pytest.mark.feature("linguistics")
@WIDTHS
def test_matches_stand_below_each_other(in_window, corpus, width):
    lines = in_window(width, "kwic", "c", "premium|house", "--limit", 9)
    assert lines.pop().startswith("... ")
    assert len(lines) == 9
    starts = {max(line.find("  house  "), line.find("  premium  ")) for line in lines}
    assert len(starts) == 1
    assert starts != {-1}


@WIDTHS
def test_failures_show_address_and_message_in_full(in_window, corpus, width):
    shown = table(in_window(width, "failures", "c"), "uri")
    assert "".join(shown["uri"]) == "in/a-policy-that-nobody-can-read.pdf"
    assert "found b'x', expected a PDF" in " ".join(filter(None, shown["message"]))
    for name in {"stage", "error"} & shown.keys():
        assert [cell for cell in shown[name] if cell] in (["extract"], ["ExtractionError"])


@WIDTHS
def test_requests_show_address_and_status_in_full(in_window, crawled, width):
    shown = table(in_window(width, "requests", "c"), "clock" if width > 60 else "url")
    assert "http://riverside-insurance.example/a-long-address/of-a-page-about-floods.html" in "".join(shown["url"])
    assert {"200", "404"} <= set(shown["status_code"])


@WIDTHS
@pytest.mark.parametrize("command", ["sources", "status"])
def test_sources_show_host_pages_and_verdict_in_full(in_window, crawled, width, command):
    shown = table(in_window(width, command, "c"), "host")
    assert shown["host"][:2] == ["(files)", "riverside-insurance.example"]
    assert shown["pages"][:2] == ["1", "1"]
    assert shown["verdict"][:2] == ["none", "none"]


@WIDTHS
def test_the_plan_of_a_crawl_shows_address_and_verdict_in_full(in_window, web, width):
    address = "http://riverside-insurance.example/a-long-address/of-a-page-about-floods.html"
    web.add(address, "front")
    shown = table(in_window(width, "crawl", "new", address, "--plan", "--proxy", web.proxy, "--delay", 0), "url")
    assert "".join(shown["url"]) == address
    assert shown["verdict"][0] == "fetch"


@WIDTHS
def test_the_end_of_a_crawl_shows_hosts_and_requests_in_full(in_window, web, width):
    web.add("http://riverside-insurance.example/", "front")
    lines = in_window(width, "crawl", "new", "http://riverside-insurance.example/", "--proxy", web.proxy, "--delay", 0)
    shown = table(lines, "host")
    assert shown["host"][0] == "riverside-insurance.example"
    assert (shown["requests"][0], shown["ok"][0]) == ("1", "1")
