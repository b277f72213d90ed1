"""Words, lines and paragraphs."""

import pytest
from pdf_builder import Page, pdf
from pdf_reading import PROSE, blocks, read, roles


def test_lines_of_a_paragraph_are_joined():
    document = read(pdf(Page().lines(60, 100, PROSE)))
    assert document.to_text() == " ".join(PROSE)


def test_a_word_parted_at_a_line_end_is_put_together():
    page = Page().lines(
        60, 100, ["The committee met in the after-", "noon and spoke of nothing but the well-", "known mill."]
    )
    page.lines(
        60, 200, ["A well-known and well-known mill stands by the water. Then nothing more was said of it that day."]
    )
    text = read(pdf(page)).to_text()
    assert "afternoon" in text
    assert "well-known mill.\n" in text


def test_a_hyphen_before_a_capital_or_and_is_kept():
    page = Page().lines(60, 100, ["Alle wissen vom GNU-", "System, von der Ein-", "und Ausgabe und mehr davon."])
    assert read(pdf(page)).to_text() == "Alle wissen vom GNU-System, von der Ein- und Ausgabe und mehr davon."


def test_words_are_parted_where_the_file_has_no_blanks():
    page = Page()
    page.text(60, 100, "two").text(60 + 16.7 + 3.3, 100, "words").text(60 + 52, 100, "here")
    assert read(pdf(page)).to_text() == "two words here"


def test_an_italic_letter_that_reaches_over_a_narrow_blank_does_not_join_words():
    page = Page()
    page.content.append(b"-0.6 Tw")  # as justified lines have it
    page.text(60, 100, "Half of the staff of five for if forms", font="serif italic")
    assert read(pdf(page)).to_text() == "Half of the staff of five for if forms"


def test_an_indented_line_starts_a_paragraph():
    first = [*PROSE[:3], "was brought by a man in waders."]
    page = Page().lines(60, 100, first).text(75, 148, PROSE[0]).lines(60, 160, PROSE[1:3])
    document = read(pdf(page))
    assert [text for _, text in blocks(document)] == [" ".join(first), " ".join(PROSE[:3])]


def test_a_paragraph_goes_on_over_the_page_end():
    pages = [Page().lines(60, 700, PROSE[:2]), Page().lines(60, 100, PROSE[2:])]
    document = read(pdf(*pages))
    assert document.to_text() == " ".join(PROSE)
    locator = document.table.marks["locator"][0]
    assert [part.split(":")[0] for part in locator.split(";")] == ["1", "2"]


def test_two_columns_are_read_one_after_the_other():
    left = [f"left column line {i} is about as long as this" for i in range(12)]
    right = [f"right column line {i} is about as long as it" for i in range(12)]
    page = Page().text(60, 60, "A headline that runs over both of the columns of this page", size=16)
    page.lines(60, 100, left).lines(310, 100, right)
    document = read(pdf(page))
    text = document.to_text()
    assert text.index("left column line 11") < text.index("right column line 0")
    assert document.table.text[0].startswith("A headline")


def test_a_table_in_one_column_does_not_break_the_other():
    left = [f"left column line {i} is about as long as this" for i in range(20)]
    page = Page().lines(60, 100, left)
    page.lines(
        310,
        100,
        [
            "right column begins with a line of its prose",
            "and goes on for a second one, a third one too",
            "until the small table",
        ],
    )
    for k, (name, value) in enumerate(
        [("Rye", "12"), ("Wheat", "14"), ("Oats", "9"), ("Barley", "11"), ("Maize", "8")]
    ):
        page.text(320, 150 + 14 * k, name).text(430, 150 + 14 * k, value)
    page.lines(
        310,
        240,
        [
            "and after it the right column has more prose to",
            "offer to those who read it as far as this end",
            "of the page in question.",
        ],
    )
    text = read(pdf(page)).to_text()
    assert text.index("left column line 19") < text.index("right column begins")
    assert text.index("Rye") < text.index("Maize") < text.index("and after it")


def test_upright_text_is_read_on_a_rotated_page():
    page = Page(800, 600, rotate=90)
    for k, line in enumerate(PROSE):  # written upwards: upright once the page is turned clockwise
        page.text(0, 0, line, matrix=f"0 1 -1 0 {100 + 12 * k} 60")
    document = read(pdf(page))
    assert document.to_text() == " ".join(PROSE)
    left, top, width, height = map(float, document.table.marks["locator"][0].split(":")[1].split(","))
    assert (left, top) == (pytest.approx(60, abs=1), pytest.approx(90, abs=4))
    assert width > 300
    assert 40 < height < 55


def test_locators_count_from_the_crop_box():
    page = Page(600, 800, crop=(50, 100, 550, 700)).lines(60, 200, PROSE)
    left, top, *_ = map(float, read(pdf(page)).table.marks["locator"][0].split(":")[1].split(","))
    assert left == pytest.approx(10, abs=0.5)
    assert top == pytest.approx(200 - 10 - 100, abs=1.5)  # the base line less the ascent, less what is cropped


def test_the_text_layer_of_a_scan_with_a_stamp_is_read():
    scan = Page().lines(60, 100, PROSE, mode=3).text(60, 700, "seen 3 May")
    assert read(pdf(scan)).to_text() == " ".join(PROSE) + "\nseen 3 May"


def test_hidden_text_is_left_out_but_a_text_layer_is_not():
    shown = Page().lines(60, 100, PROSE).text(60, 300, "not for human eyes", mode=3)
    assert "human" not in read(pdf(shown)).to_text()
    layer = Page().lines(60, 100, PROSE, mode=3)
    assert read(pdf(layer)).to_text() == " ".join(PROSE)


def test_a_margin_stamp_written_upwards_is_no_text_of_the_body():
    page = Page().lines(60, 100, PROSE).text(0, 0, "arXiv stamp", matrix="0 1 -1 0 30 300")
    document = read(pdf(page))
    assert roles(document, "paragraph") == [" ".join(PROSE)]
    assert roles(document, "footer") + roles(document, "header") == ["arXiv stamp"]


def test_code_keeps_its_lines():
    page = (
        Page()
        .lines(60, 60, PROSE)
        .lines(60, 150, ["for name in names:", "    print(name)"], font="mono")
        .lines(60, 220, PROSE)
    )
    assert roles(read(pdf(page)), "code") == ["for name in names:\n    print(name)"]


def test_text_only_gives_a_block_a_page():
    document = read(pdf(Page().lines(60, 100, PROSE), Page().text(60, 100, "Page two.")), structure=False)
    assert [kind for kind, _ in blocks(document)] == ["TextBlock", "TextBlock"]
    assert document.table.marks["page"] == {0: 1, 1: 2}
    assert document.to_text().split("\n")[-1] == "Page two."


def test_a_font_with_towering_signs_keeps_its_size_and_its_blanks():
    # The ascent of Cambria Math is 5.5 em, that of its tallest sign.
    page = Page().unicode(60, 200, "Hidden").unicode(93, 200, "state").unicode(121, 200, "of a layer")
    document = read(pdf(page, ascent=5500))
    assert document.to_text() == "Hidden state of a layer"


def beside(document):
    return [text for text in document.table.text if text]


@pytest.mark.parametrize("edge", ["filled", "drawn"])
def test_a_box_beside_the_text_is_read_by_itself_and_does_not_part_its_lines(edge):
    page = Page()
    if edge == "filled":
        page.box(420, 90, 560, 190)
    else:
        page.grid((420, 560), (90, 190))
    note = ["In these parts", "we look at the", "floods of one", "year only, and", "say why below."]
    text = [*PROSE, *PROSE]
    page.lines(60, 100, text).lines(430, 117, note)
    page.text(60, 196, "only then, as the yearbook has it, was the lane mended between the mill and the far bridge")
    texts = beside(read(pdf(page)))
    assert texts[0].startswith(" ".join(text))
    assert texts[1] == " ".join(note)


def test_text_tagged_in_scraps_is_joined_to_paragraphs():
    page = Page(tagged=True)
    page.tag("H1", (60, 60, "The river", {"size": 18}))
    for k, line in enumerate(PROSE):
        page.tag("NonStruct", (60, 100 + 12 * k, line[:30]))
        page.tag("NonStruct", (60 + 5 * len(line[:30]), 100 + 12 * k, line[30:]))
    texts = beside(read(pdf(page)))
    assert len(texts) == 2


@pytest.mark.parametrize("count", [3, 4])
def test_narrow_columns_are_read_one_after_the_other(count):
    lines = [
        "rose in the night and stood",
        "on the lower meadows until",
        "the week after, and nobody",
        "knew that it had ever come",
    ]
    page = Page(900, 800)
    for k in range(count):
        page.text(60 + 190 * k, 100, f"Column {k}: the river of it").lines(60 + 190 * k, 112, 5 * lines)
    text = read(pdf(page)).to_text().replace("\n", " ")
    assert text == " ".join(f"Column {k}: the river of it {' '.join(5 * lines)}" for k in range(count))
