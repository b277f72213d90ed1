"""Nothing is lost in silence: text that is turned, slanted, without ink, white or outside the page."""

from pdf_builder import Page, pdf
from pdf_reading import PROSE, read, roles, table_cells

UP, SLANTED = "0 1 -1 0 {x} {y}", "0.7 0.7 -0.7 0.7 {x} {y}"


def turned(page, x, y, text, matrix=UP, **look):
    return page.text(0, 0, text, matrix=matrix.format(x=x, y=page.height - y), **look)


def test_turned_heads_belong_to_their_columns():
    page = Page().grid((80, 180, 230, 280), (100, 180, 200, 220))
    page.text(85, 176, "Grain")
    turned(turned(page, 205, 178, "Spring tons"), 255, 178, "Autumn tons")
    for y, row in ((195, ("Rye", "12", "14")), (215, ("Oats", "9", "8"))):
        for x, text in zip((85, 190, 240), row, strict=True):
            page.text(x, y, text)
    found = table_cells(read(pdf(page)))
    assert [found[1, col][0] for col in (1, 2, 3)] == ["Grain", "Spring tons", "Autumn tons"]


def test_turned_and_slanted_text_are_blocks_of_their_own():
    page = turned(Page().lines(60, 60, PROSE), 300, 400, "Height of the river")
    turned(page, 200, 300, "The lower meadow", SLANTED)
    document = read(pdf(page))
    assert sorted(roles(document, "figure")) == ["Height of the river", "The lower meadow"]
    assert document.warnings == []


def scan(text_mode=3):
    """A page that is one picture with its text behind it."""
    page = Page()
    page.content.append(b"q 600 0 0 800 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q")
    for k, line in enumerate(PROSE):
        page.text(60, 100 + 12 * k, line, mode=text_mode)
    return page


def test_the_text_of_a_scan_is_kept_beside_a_long_stamp():
    page = scan().lines(60, 700, ["Copied in the library of the mills on the third of May and not to be lent"])
    document = read(pdf(page))
    assert " ".join(PROSE) in document.to_text()
    assert document.warnings == []


def test_text_without_ink_over_nothing_is_set_aside_and_told():
    page = Page().lines(60, 100, PROSE).text(60, 300, "cheap mills", mode=3)
    document = read(pdf(page))
    drawn = sum(len(line.replace(" ", "")) for line in PROSE) + 10
    assert "cheap" not in document.to_text()
    assert document.warnings == [f"page 1: 10 of {drawn} characters set aside: 10 hidden"]
    assert document.metadata["set_aside_pages"] == "1"


def test_little_that_is_set_aside_is_told_but_no_flag():
    page = Page().lines(60, 100, 3 * PROSE).text(-100, 300, "cut")
    document = read(pdf(page))
    drawn = 3 * sum(len(line.replace(" ", "")) for line in PROSE) + 3
    assert document.warnings == [f"page 1: 3 of {drawn} characters set aside: 3 outside the page"]
    assert "set_aside_pages" not in document.metadata


def test_white_text_on_a_dark_box_with_a_frame_is_read():
    page = Page().lines(60, 100, PROSE)
    page.content.append(b"q 0.2 g 0 G 60 500 300 30 re B Q q 1 g")
    page.text(70, 290, "Tons of rye").content.append(b"Q")
    assert "Tons of rye" in read(pdf(page)).to_text()


def test_white_text_on_paper_is_set_aside_and_told():
    page = Page().lines(60, 100, PROSE)
    page.content.append(b"q 1 g")
    page.text(70, 290, "cheap mills").content.append(b"Q")
    document = read(pdf(page))
    assert "cheap" not in document.to_text()
    assert document.warnings[0].endswith("characters set aside: 10 white")
