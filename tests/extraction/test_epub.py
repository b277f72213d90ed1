import io
import zipfile

import pytest

from corpuskit.errors import ExtractionError
from corpuskit.extraction import extract_bytes
from corpuskit.sources import detect_media_type

CONTAINER = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
PACKAGE = (
    '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
    "<dc:title>The book</dc:title><dc:creator>A</dc:creator><dc:creator>B</dc:creator><dc:date>2020-02-03</dc:date>"
    '</metadata><manifest><item id="two" href="b.xhtml" media-type="application/xhtml+xml"/>'
    '<item id="one" href="a%20a.xhtml" media-type="application/xhtml+xml"/>'
    '<item id="gone" href="c.xhtml" media-type="application/xhtml+xml"/>'
    '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>'
    '<spine><itemref idref="nav"/><itemref idref="one"/><itemref idref="two"/><itemref idref="gone"/></spine></package>'
)
PAGE = "<html><body><h1>{0}</h1><table><tr><td>{0}1</td></tr></table></body></html>"


def book(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


WHOLE = book(**{
    "META-INF/container.xml": CONTAINER, "OPS/book.opf": PACKAGE, "OPS/nav.xhtml": PAGE.format("N"),
    "OPS/b.xhtml": PAGE.format("B"), "OPS/a a.xhtml": PAGE.format("A"),
})  # fmt: skip


def test_a_book_is_read_in_the_order_of_its_spine():
    media_type = detect_media_type(WHOLE, "x.epub")
    assert media_type == "application/epub+zip"
    document = extract_bytes(WHOLE, media_type=media_type)
    assert [(e.type, e.nesting_level, document.table.text[i]) for i, e in enumerate(document)] == [
        ("Section", 1, "A"), ("Table", 2, None), ("TableCell", 3, None), ("TextBlock", 4, "A1"),
        ("Section", 1, "B"), ("Table", 2, None), ("TableCell", 3, None), ("TextBlock", 4, "B1"),
    ]  # fmt: skip
    assert [e.parent.text for e in document if e.type == "Table"] == ["A\nA1", "B\nB1"]
    assert (document.title, document.metadata["author"]) == ("The book", "A; B")
    assert document.timestamp.date().isoformat() == "2020-02-03"
    assert document.warnings == ["OPS/c.xhtml is missing or damaged"]


@pytest.mark.parametrize("content", [WHOLE[:-40], book(), b"PK", book(**{"META-INF/container.xml": CONTAINER})])
def test_a_broken_book_is_an_extraction_error(content):
    with pytest.raises(ExtractionError):
        extract_bytes(content, media_type="application/epub+zip")


def test_a_book_whose_mimetype_is_not_its_first_entry_is_a_book():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("OPS/book.opf", PACKAGE)
        archive.writestr("OPS/a a.xhtml", PAGE.format("A"))
        archive.writestr("mimetype", "application/epub+zip")
    assert detect_media_type(buffer.getvalue()) == "application/epub+zip"
    assert extract_bytes(buffer.getvalue(), media_type="application/epub+zip").title == "The book"
