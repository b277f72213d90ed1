"""Headings and sections, lists, captions, furniture, zones."""

import pytest
from pdf_builder import Page, pdf
from pdf_reading import PROSE, read, roles


def section_titles(document):
    """(nesting level, title)."""
    table = document.table
    return [(table.nesting_level[i], table.text[i]) for i, kind in enumerate(table.type) if kind == 1]


def test_larger_bold_lines_are_nested_headings():
    page = Page().text(60, 60, "The flood", size=18, font="bold").lines(60, 90, PROSE)
    page.text(60, 160, "The first night", size=12, font="bold").lines(60, 180, PROSE)
    page.text(60, 250, "The second night", size=12, font="bold").lines(60, 270, PROSE)
    assert section_titles(read(pdf(page))) == [(1, "The flood"), (2, "The first night"), (2, "The second night")]


def test_numbers_give_the_level():
    page = Page().text(60, 60, "1 Water", size=12, font="bold").lines(60, 80, PROSE)
    page.text(60, 150, "1.1 Rivers", size=12, font="bold").lines(60, 170, PROSE)
    page.text(60, 240, "2 Fire", size=12, font="bold").lines(60, 260, PROSE)
    assert section_titles(read(pdf(page))) == [(1, "1 Water"), (2, "1.1 Rivers"), (1, "2 Fire")]


def test_a_bold_word_in_prose_is_no_heading():
    page = (
        Page()
        .lines(60, 100, PROSE[:2])
        .text(60, 124, "Boats", font="bold")
        .text(92, 124, "were tied to the gate posts of the mill,")
    )
    page.lines(60, 136, PROSE[3:])
    assert section_titles(read(pdf(page))) == []


def test_the_outline_helps_a_plain_heading():
    lines = ["Of boats"]
    page = Page().lines(60, 60, PROSE).lines(60, 130, lines).lines(60, 150, PROSE)
    assert section_titles(read(pdf(page))) == []
    assert section_titles(read(pdf(page, outline=[(1, "Of boats", 1)]))) == [(1, "Of boats")]


def test_bulleted_and_numbered_lines_are_a_list():
    page = Page().lines(60, 60, PROSE)
    page.lines(70, 120, ["\u2022 rye and wheat", "\u2022 oats", "\u2022 barley"]).lines(60, 170, PROSE)
    page.lines(70, 230, ["1. plough the field", "2. sow the seed"])
    document = read(pdf(page))
    assert roles(document, "list") == ["rye and wheat", "oats", "barley", "1. plough the field", "2. sow the seed"]
    assert [document.table.type.count(code) for code in (2, 4)] == [2, 5]


def test_a_caption_is_told_from_a_sentence_about_a_table():
    page = Page().lines(60, 60, PROSE).text(60, 130, "Table 2: Harvests in the flooded years")
    page.text(60, 160, "Table 2 shows that the harvests of the years after the flood were rather better.")
    assert roles(read(pdf(page)), "caption") == ["Table 2: Harvests in the flooded years"]


def test_running_heads_and_page_numbers_are_not_main():
    pages = []
    for number in range(1, 5):
        page = Page().text(60, 40, "Weir Gardens Yearbook", size=8).lines(60, 200, PROSE)
        pages.append(page.text(295, 780, str(number), size=8))
    document = read(pdf(*pages))
    assert "Yearbook" in document.to_text()
    assert document.to_text(main=True) == "\n".join([" ".join(PROSE)] * 4)
    assert roles(document, "header") == ["Weir Gardens Yearbook"] * 4
    assert roles(document, "footer") == ["1", "2", "3", "4"]


def test_a_running_head_on_the_second_of_two_pages_repeats_the_title():
    first = Page().text(60, 60, "Noise along the line", size=18, font="bold").lines(60, 200, PROSE)
    second = Page().text(60, 40, "Noise along the line", size=8).lines(60, 200, PROSE)
    document = read(pdf(first, second, info={"Title": "Noise along the line"}))
    assert document.to_text(main=True).count("Noise along the line") == 1


def test_the_reference_list_is_a_zone_and_what_stands_before_the_abstract_another():
    page = Page().text(60, 60, "On floods", size=18, font="bold").text(60, 84, "A. Miller and B. Weaver")
    page.text(60, 110, "Abstract", size=12, font="bold").lines(60, 130, PROSE)
    page.text(60, 200, "References", size=12, font="bold").lines(60, 220, ["[1] A. Miller, Floods, 1901."])
    frame = read(pdf(page)).to_frame()
    zones = dict(zip(frame.text, frame.zone, strict=True))
    assert zones["A. Miller and B. Weaver"] == "header"
    assert zones["[1] A. Miller, Floods, 1901."] == "references"
    assert zones[" ".join(PROSE)] == "body"


def test_a_title_over_lines_is_one_heading():
    page = Page().lines(
        60,
        60,
        ["The synthesis of everything that was", "ever known about floods and", "their mills"],
        size=18,
        leading=21,
    )
    page.lines(60, 140, PROSE)
    found = section_titles(read(pdf(page)))
    assert found == [(1, "The synthesis of everything that was ever known about floods and their mills")]


@pytest.mark.parametrize("letters", ["(L)", "= x +", "12.5"])
def test_scraps_of_figures_are_no_headings(letters):
    page = Page().lines(60, 60, PROSE).text(200, 300, letters, size=10)
    assert section_titles(read(pdf(page))) == []


def chart(page, top):
    """The labels of a drawn chart: numbers of its axis, a curve's name and the axis' title."""
    for k, number in enumerate(("490", "480", "470", "460")):
        page.text(90, top + 30 * k, number, size=8)
    page.text(200, top + 45, "Mill stream", size=11, font="bold")
    return page.text(150, top + 110, "Pressure (GPa)", size=12, font="bold")


def test_labels_of_a_chart_above_its_caption_are_no_headings():
    page = chart(Page().lines(60, 60, PROSE), 150)
    page.text(60, 290, "Fig. 1. The pressure of the mill stream over ten days.", size=9)
    document = read(pdf(page.text(60, 330, "2. Results", size=12, font="bold").lines(60, 350, PROSE)))
    assert section_titles(document) == [(1, "2. Results")]
    assert {"Mill stream", "Pressure (GPa)"} <= set(roles(document, "figure"))


def test_a_heading_above_prose_and_a_figure_stays_one():
    page = Page().text(60, 60, "Results", size=14, font="bold").lines(60, 84, PROSE)
    chart(page, 170).text(60, 310, "Fig. 1. The pressure of the mill stream over ten days.", size=9)
    assert section_titles(read(pdf(page))) == [(1, "Results")]


def test_a_journal_as_large_as_the_title_is_no_heading():
    page = (
        Page().text(60, 50, "Journal of Floods", size=15, font="bold").text(60, 70, "homepage: floods.example", size=8)
    )
    page.lines(60, 110, ["The pressure of mill streams over ten days", "and the nights between"], size=14, leading=17)
    page.text(60, 160, "Anna Miller", size=12)
    page.text(60, 200, "Abstract", size=12, font="bold").lines(60, 220, PROSE)
    found = [title for _, title in section_titles(read(pdf(page)))]
    assert found == ["The pressure of mill streams over ten days and the nights between", "Abstract"]


def test_a_caption_may_lack_its_number():
    page = Page().lines(60, 60, PROSE).text(60, 140, "Table. Selected heights of the water", size=9)
    for k, row in enumerate([("Day", "Height"), ("1", "120"), ("2", "131"), ("3", "128"), ("4", "119")]):
        page.text(60, 160 + 14 * k, row[0]).text(200, 160 + 14 * k, row[1])
    document = read(pdf(page))
    assert document.to_frame().query("type == 'Table'").text.tolist() == ["Table. Selected heights of the water"]


def test_headings_and_short_lines_above_a_caption_stay_what_they_are():
    page = Page().lines(60, 60, PROSE).text(160, 150, "The mills", size=14, font="bold")
    page.text(60, 180, "of the upper valley").text(60, 205, "Their owners and tenants").text(60, 230, "in short")
    page.text(60, 270, "Fig. 1. The pressure of the mill stream over ten days.", size=9)
    assert section_titles(read(pdf(page))) == [(1, "The mills")]


def main_texts(document):
    table = document.table
    return [text for text, is_main in zip(table.text, table.main, strict=True) if text and is_main]


def letter():
    page = Page().text(60, 40, "Weir Mill").text(420, 40, "Invoice 2041").rule(60, 44, 520, 44).lines(60, 140, PROSE)
    return page.text(60, 780, "Mill Lane 3, Weir").text(500, 780, "1")


def test_the_margins_of_a_page_alone_are_main_and_stand_where_they_are_seen():
    document = read(pdf(letter()))
    assert main_texts(document)[0] == "Weir Mill Invoice 2041"
    assert main_texts(document)[-1] == "Mill Lane 3, Weir 1"
    assert roles(document, "section-heading") == []


def test_what_repeats_on_pages_is_not_main_and_feet_stand_behind_their_page():
    document = read(pdf(*(letter().text(60, 200, f"The bridge was mended in the year {k}.") for k in (1912, 1913))))
    assert not any("Weir" in text for text in main_texts(document))
    texts = [text for text in document.table.text if text]
    assert texts.index("Mill Lane 3, Weir 1") > texts.index("The bridge was mended in the year 1912.")
    assert texts[-1] == "Mill Lane 3, Weir 1"


def test_a_bold_line_that_ends_in_a_colon_is_a_heading():
    page = Page().lines(60, 60, PROSE).text(60, 126, "Steps for the mill:", font="bold")
    page.lines(60, 146, ["1. Open the sluice.", "2. Wait for the wheel."])
    assert roles(read(pdf(page)), "section-heading") == ["Steps for the mill:"]


def test_a_numbered_note_and_lines_that_go_on_are_no_headings():
    page = Page().lines(60, 60, PROSE).lines(60, 100, PROSE)
    page.text(60, 400, "6. Compared to the mills of 1912, and to those of 1913 as well.", font="bold", size=9)
    page.lines(
        60,
        500,
        ["Content of this part is taken from the", "yearbook of the mills, and is free to be used."],
        size=12,
        leading=15,
    )
    assert roles(read(pdf(page)), "section-heading") == []
