"""One document in any format: doc.to()."""

import csv
import io
import json

import pytest
from lxml import etree, html

import corpuskit
from corpuskit.document import DocumentBuilder
from corpuskit.document.elements import TABLE as TABLE_TYPE
from corpuskit.document.elements import TABLE_CELL, TABLE_HEADER
from corpuskit.errors import ExportError
from corpuskit.export.render import CSV_COLUMNS, FORMATS
from corpuskit.export.xml_check import check_xml
from corpuskit.extraction import ExtractOptions

SENTENCE = "The keeper moves the hives to the heather in August, when the lime trees have finished flowering. "
TABLE = "<table><tr><th>Year</th><td>1987 was <b>best</b> &amp; warm</td></tr></table>"
PAGE = """<html lang="en"><head><title>Heather honey</title><meta name="author" content="Ann Marlow">
<meta property="og:site_name" content="Hilltop"><meta name="keywords" content="bees; heather">
<meta property="article:published_time" content="2019-08-01"></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/shop">Shop</a></li></ul></nav>
<article><h1>Heather</h1><p>{text}<a href="https://b.example/">More of it</a></p>
<h2>The moor</h2><ul><li>one hive</li><li>two hives</li></ul>{table}</article>
<footer>Imprint of the hives</footer></body></html>"""


@pytest.fixture(scope="module")
def document():
    page = PAGE.format(text=SENTENCE * 3, table=TABLE).encode()
    made = corpuskit.extract(page, uri="https://a.example/x", options=ExtractOptions(main="rules"))
    assert "Imprint" not in made.to_text(main=True)
    return made


@pytest.mark.parametrize("format", FORMATS)
def test_each_format_has_the_main_content_or_all(document, format):
    main, everything = document.to(format), document.to(format, main=False)
    for text in ("moves the hives", "The moor", "two hives", "1987"):
        assert text in main
    assert ("Imprint" in main) == (format == "nlp.txt")
    assert "Imprint" in everything


def test_text_and_markdown_have_metadata_where_asked(document):
    assert document.to("txt") == document.to_text(main=True) + "\n"
    assert document.to("txt", metadata=True).startswith(
        "title: Heather honey\nauthor: Ann Marlow\nurl: https://a.example/x\n"
    )
    assert document.to("markdown").startswith("# Heather honey\n")
    assert document.to() == document.to("markdown")
    assert document.to("markdown", metadata=True).startswith("---\n")


def test_json_has_the_fields_of_trafilatura(document):
    import trafilatura

    page = PAGE.format(text=SENTENCE * 3, table="").encode()
    theirs = json.loads(trafilatura.extract(page, url="https://a.example/x", output_format="json", with_metadata=True))
    ours = json.loads(document.to("json"))
    assert set(ours) == set(theirs)
    for name in ("author", "source", "source-hostname", "date"):
        assert ours[name] == theirs[name]
    assert ours["tags"] == "bees; heather"
    assert ours["text"] == document.to_text(main=True)
    assert set(json.loads(document.to("json", metadata=False))) == {"text", "comments"}


def test_csv_is_read_back_and_starts_no_formula(document):
    (row,) = csv.DictReader(io.StringIO(document.to("csv")))
    assert tuple(row) == CSV_COLUMNS
    assert (row["url"], row["hostname"], row["date"]) == ("https://a.example/x", "a.example", "2019-08-01")
    assert row["text"] == document.to_text(main=True)
    hostile = corpuskit.extract(b"<title>=1+1</title><p>=HYPERLINK(1)</p>")
    (row,) = csv.DictReader(io.StringIO(hostile.to("csv", main=False)))
    assert (row["title"], row["text"]) == ("'=1+1", "'=HYPERLINK(1)")


def test_xml_has_the_elements_of_trafilatura(document):
    root = etree.fromstring(document.to("xml"))
    assert (root.tag, root.get("title"), root.get("author"), root.get("sitename")) == (
        "doc", "Heather honey", "Ann Marlow", "Hilltop",
    )  # fmt: skip
    assert [(head.get("rend"), head.text) for head in root.iter("head")] == [("h1", "Heather"), ("h2", "The moor")]
    assert [item.findtext("p") for item in root.iter("item")] == ["one hive", "two hives"]
    assert [(cell.get("role"), cell.findtext("p")) for cell in root.iter("cell")] == [
        ("head", "Year"), (None, "1987 was best & warm"),
    ]  # fmt: skip
    assert root.find(".//ref").get("target") == "https://b.example/"
    assert [child.tag for child in root] == ["main", "comments"]


def test_tei_is_valid_also_by_trafilaturas_own_check(document, tmp_path):
    from trafilatura.xml import validate_tei

    (tmp_path / "x.tei.xml").write_text(document.to("tei"), "utf-8")
    assert check_xml(tmp_path / "x.tei.xml") == []
    # Its document type has no tables: a page with one, in its own output too, is no valid TEI to it.
    plain = corpuskit.extract(PAGE.format(text=SENTENCE * 3, table="").encode(), uri="https://a.example/x")
    for main in (True, False):
        assert validate_tei(etree.fromstring(plain.to("tei", main=main).encode()))


def test_html_is_a_page(document):
    root = html.fromstring(document.to("html"))
    assert [heading.text for heading in root.iter("h2", "h3")] == ["Heather", "The moor"]
    assert not root.xpath("//*[@data-main]")
    assert root.xpath("//td/p/text()") == ["1987 was best & warm"]


def test_comments_are_apart():
    made = corpuskit.extract(PAGE.format(text=SENTENCE * 3, table="").encode())
    row = made.table.text.index("Imprint of the hives")
    made.table.main[row] = True
    made.table.mark("role", row, "comment")
    assert json.loads(made.to("json"))["comments"] == "Imprint of the hives"
    assert "Imprint" not in json.loads(made.to("json"))["text"]
    root = etree.fromstring(made.to("xml"))
    assert root.findtext("comments/p") == "Imprint of the hives"
    assert "Imprint" not in "".join(root.find("main").itertext())


@pytest.mark.parametrize("format", ["txt", "markdown", "json", "csv", "html", "xml", "tei"])
def test_what_trafilatura_chose_is_given_as_it_gives_it(format):
    import trafilatura

    page = PAGE.format(text=SENTENCE * 3, table=TABLE).encode()
    given = {"include_links": True, "include_formatting": True, "with_metadata": True}
    options = ExtractOptions(main="trafilatura", trafilatura=given)
    theirs = {"tei": "xmltei"}.get(format, format)
    expected = trafilatura.extract(
        page, url="https://a.example/x", output_format=theirs, include_comments=False, **given
    )
    assert corpuskit.extract(page, uri="https://a.example/x", options=options).to(format) == expected
    options = ExtractOptions(main="trafilatura", trafilatura={**given, "output_format": theirs})
    assert corpuskit.extract(page, uri="https://a.example/x", options=options).to() == expected


def test_an_unknown_format_is_told(document):
    with pytest.raises(ExportError, match=r"format 'docx' is unknown; there are: nlp\.txt, txt"):
        document.to("docx")


def test_empty_and_deep_documents_have_all_formats():
    from corpuskit.document import DocumentBuilder

    builder = DocumentBuilder("deep", "?")
    for depth in range(3000):
        builder.start_section(f"level {depth}")
    builder.add_text_block("ground")
    for _ in range(3000):
        builder.end_section()
    deep = builder.build()
    for format in FORMATS:
        assert "ground" in deep.to(format)
        assert DocumentBuilder("", "?").build().to(format) is not None


def test_markdown_of_a_printed_page_begins_with_what_stands_there():
    builder = DocumentBuilder("Microsoft Word - draft7", "a.pdf")
    builder.mark("page", builder.start_section("Heather honey"), 1)
    builder.mark("page", builder.start_section("The moor"), 1)
    builder.end_section()
    builder.end_section()
    assert builder.build().to("markdown") == "# Heather honey\n\n## The moor\n"


def test_a_table_with_spans_is_html_in_markdown_and_nothing_else_gets_through():
    builder = DocumentBuilder("Hives", "a.html")
    builder.start(TABLE_TYPE)
    for kind, place, text in (
        (TABLE_HEADER, (1, 1, 1, 2), "Year"),
        (TABLE_CELL, (2, 1, 1, 1), "1987"),
        (TABLE_CELL, (2, 1, 2, 1), "</table><script>\n\nmany & <b>"),
    ):
        builder.start(kind, cell=place)
        builder.add_text_block(text)
        builder.end(kind)
    builder.end(TABLE_TYPE)
    assert builder.build().to("markdown").splitlines()[2:] == [
        "<table>",
        '<tr><th colspan="2">Year</th></tr>',
        "<tr><td>1987</td><td>&lt;/table&gt;&lt;script&gt; many &amp; &lt;b&gt;</td></tr>",
        "</table>",
    ]


def test_markdown_has_the_title_once_where_the_first_heading_is_the_title():
    page = b"<html><head><title>Rates</title></head><body><main><h1>Rates</h1><p>Three per cent a year.</p></main></body></html>"
    markdown = corpuskit.extract(page, options=ExtractOptions(main="all")).to("markdown")
    assert markdown == "# Rates\n\nThree per cent a year.\n"
