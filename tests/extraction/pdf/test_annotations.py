"""Form fields, notes and links over the page."""

import json

from pdf_builder import Page, pdf, string
from pdf_reading import PROSE, read, roles


def elements(document, role):
    """(text, main) of the elements of a role."""
    return [(element.text, element.main) for element in document if element.role == role and element.text]


def test_values_of_form_fields_are_texts_at_their_labels():
    page = Page().lines(60, 60, PROSE).text(60, 200, "Name of the mill:").text(60, 300, "Height of the water:")
    page.field("Tx", (200, 290, 400, 304), "height", string("twelve feet"))
    page.field("Tx", (200, 190, 400, 204), "mill", string("Upper Mill"))
    document = read(pdf(page))
    assert elements(document, "form") == [("Upper Mill", True), ("twelve feet", True)]
    assert document.to_text().split("\n")[1:] == [
        "Name of the mill:", "Upper Mill", "Height of the water:", "twelve feet",
    ]  # fmt: skip
    place = document.table.marks["locator"][document.table.text.index("Upper Mill")]
    assert place == "1:200.00,190.00,200.00,14.00"


def test_choices_and_boxes_give_what_is_chosen_and_passwords_nothing():
    page = Page().lines(60, 60, PROSE)
    page.field("Ch", (60, 200, 160, 214), "grain", string("rye"), more=b"/Ff 131072/Opt[(rye)(oats)]")
    off = b"/AP<</N<</Off null/Wet null>>>>"
    page.field("Btn", (60, 230, 74, 244), "state", b"/Wet", more=b"/AS/Wet" + off)
    page.field("Btn", (60, 260, 74, 274), "other", b"/Off", more=b"/AS/Off" + off)
    page.field("Tx", (60, 290, 160, 304), "word", string("secret"), more=b"/Ff 8192")
    assert [text for text, _ in elements(read(pdf(page)), "form")] == ["rye", "Wet"]


def test_notes_of_readers_are_comments_and_not_main():
    page = Page().lines(60, 60, PROSE)
    page.note("Text", (500, 60, 520, 80), "Who was \u201cnobody\u201d?").note(
        "FreeText", (60, 300, 200, 320), "See the map."
    )
    page.note("Highlight", (60, 52, 120, 62), "important").note("Text", (500, 90, 520, 99), "hidden", flags=2)
    document = read(pdf(page))
    found = elements(document, "comment")
    assert sorted(found) == [("See the map.", False), ("Who was \u201cnobody\u201d?", False), ("important", False)]
    assert document.to_text(main=True) == " ".join(PROSE)


def test_a_note_does_not_part_a_paragraph_that_goes_on_over_the_page():
    first = Page().lines(60, 700, PROSE[:2]).note("Text", (500, 700, 520, 712), "a note")
    document = read(pdf(first, Page().lines(60, 100, PROSE[2:])))
    assert document.to_text(main=True) == " ".join(PROSE)
    assert elements(document, "comment") == [("a note", False)]


def test_a_form_on_a_page_without_text_is_read():
    page = Page().field("Tx", (200, 190, 400, 204), "mill", string("Upper Mill"))
    assert elements(read(pdf(Page().lines(60, 60, PROSE), page)), "form") == [("Upper Mill", True)]
    assert elements(read(pdf(page)), "form") == [("Upper Mill", True)]


def test_notes_in_a_list_stand_after_it():
    page = Page().lines(60, 60, PROSE)
    page.lines(70, 120, ["\u2022 rye and wheat", "\u2022 oats", "\u2022 barley"])
    document = read(pdf(page.note("Text", (150, 115, 160, 125), "a note").lines(60, 200, PROSE)))
    assert roles(document, "list") == ["rye and wheat", "oats", "barley"]
    assert document.table.text.index("a note") > document.table.text.index("barley")


def test_links_to_the_web_mark_their_words():
    page = Page().lines(60, 100, PROSE)
    # "The river" in Helvetica of 10 points: 611+556+556+278+333+222+500+556+333 = 3945, so 39.45 points
    page.link((60, 90, 99.5, 103), "https://river.example/a?b=1").link((60, 102, 70, 115), "javascript:alert(1)")
    document = read(pdf(page))
    assert json.loads(document.table.marks["links"][0]) == [[0, 9, "https://river.example/a?b=1"]]
    assert "javascript" not in str(document.table.marks)
