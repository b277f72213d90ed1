"""Large pages are read without a tree of them, into the same documents."""

from __future__ import annotations

import pickle
import tracemalloc
from pathlib import Path

import pytest

from corpuskit.document import NLPTextDocument
from corpuskit.extraction import ExtractOptions, extract_bytes
from corpuskit.extraction.html import extract as extract_module
from corpuskit.extraction.html.later import Later

PAGES = sorted((Path(__file__).parents[2] / "gate" / "html" / "pages").glob("*.html"))
HEAD = """<!DOCTYPE html><html lang="de"><head><title>Bees &amp; honey</title><meta name="author" content="Ann
Marlow"><meta name="description" content="Heather&nbsp;honey\u200bx">
<link rel="canonical" href="/bees"><base href="https://bees.example/a/"><style>.line { display: block }</style>
<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2019-08-01T10:00:00+02:00"}</script>
<script>if (1 < 2) { document.write("<p>no</p>") }</script></head><body>"""
ODD = [
    '<p title="a &quot;b&quot; &lt;c&gt;\n\td">1 &lt; 2 &amp;amp; <b>3</b><br>4</p><ul><li>x<li>y</ul><p hidden>z</p>',
    '<a href="?a=1&amp;b=&quot;">q</a><img alt="A &amp; B" src=x><p>a\r\nb&#13;c</p><pre>\n k  l\n</pre>',
    '<p <b="1" data-x="2">a</p><x<y>b</x<y><span class="line">c</span><span class="line">d</span><p>\U0001f41d é</p>',
    '<script type="text/x-a"><b>x</b></script><noscript><p>n</p></noscript><template><p>t</p></template><p>u</p>',
    '<time datetime="2020-01-02">then</time><title>no title</title><p>e<!-- c --><?p i?>f</p></body></html>',
    "<table><tr><td rowspan=9>a<td colspan=2>b<tr><th>c<td>d<table><tr><td>e</table></table><o:p>f</o:p>",
]


def extract(content: bytes) -> NLPTextDocument:
    return extract_bytes(content, media_type="text/html", uri="https://site.example/")


@pytest.fixture
def all_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **more: object) -> None:
        raise AssertionError("a tree of the page was made")

    monkeypatch.setattr(extract_module, "LARGE", 0)
    monkeypatch.setattr(extract_module, "parse", refuse)


@pytest.mark.parametrize("content", [*(HEAD.encode() + body.encode() for body in ODD)], ids=range(len(ODD)))
def test_a_page_of_odd_markup_is_the_same_document_without_a_tree(
    content: bytes, request: pytest.FixtureRequest
) -> None:
    expected = extract(content)
    request.getfixturevalue("all_are_large")
    assert extract(content) == expected


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_a_page_is_the_same_document_without_a_tree(path: Path, request: pytest.FixtureRequest) -> None:
    expected = extract(path.read_bytes())
    request.getfixturevalue("all_are_large")
    assert extract(path.read_bytes()) == expected


@pytest.mark.parametrize(
    ("around", "piece", "most"),
    [
        ("body", "<p>word {0} it</p>\n", 10),
        ("table", '<tr><td>{0}</td><td>ab cd</td><td><a href="/x/{0}">link</a></td></tr>\n', 15),
    ],
)
@pytest.mark.slow
def test_memory_is_bounded_by_the_size_of_a_page_of_small_elements(
    around: str, piece: str, most: int, all_are_large: None
) -> None:
    content = "".join([f"<{around}>", *(piece.format(number) for number in range(1_500_000 // len(piece)))]).encode()
    extract(b"<p>a</p>")
    tracemalloc.start()
    try:
        document = extract_bytes(content, media_type="text/html", options=ExtractOptions(classify=False))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(document.table) > len(content) / 30
    assert peak < most * len(content)


def test_places_are_made_when_somebody_asks() -> None:
    table = extract(b"<h1>a</h1><table><tr><td>b</table>").table
    made = []
    column = Later(lambda: made.append(1) or {1: "x"})
    assert type(table.marks["locator"]) is type(table.cells) is Later
    assert not made
    assert column == Later(lambda: {1: "x"})
    assert {**column} == dict(column) == {1: "x"} == column | {}
    assert made == [1]
    assert type(pickle.loads(pickle.dumps(Later(lambda: {2: "y"})))) is dict
    assert table.marks["locator"] == {
        0: "/html/body[1]/h1[1]",
        1: "/html/body[1]/table[1]",
        2: "/html/body[1]/table[1]/tr[1]/td[1]",
        3: "/html/body[1]/table[1]/tr[1]/td[1]",
    }
