"""The static pictures of a document, line by line as their docstrings say."""

from datetime import UTC, datetime

from corpuskit.document import DocumentBuilder
from corpuskit.document.outline import outline, outline_html


def example():
    builder = DocumentBuilder("Fish & chips", "http://a.example/")
    builder.set_timestamp(datetime(2026, 3, 9, tzinfo=UTC))
    builder.start_section("Prices")
    builder.add_text_block("Two\n\nlines  <here>")
    builder.start_table("Rates")
    for row in (1, 2, 3):
        builder.start_table_cell(row, 1, 1, 1)
        builder.add_text_block(f"{row} %")
        builder.end_table_cell()
    builder.end_table()
    builder.end_section()
    builder.start_navigation_list("Menu")
    for name in ("Home", "Contact us"):
        builder.start_list_item()
        builder.add_text_block(name)
        builder.end_list_item()
    builder.end_navigation_list()
    return builder.build()


def test_an_outline_has_a_line_for_each_block_section_table_and_list():
    # Elements: section, block, table and three cells with a block each, list and two items with a block each.
    # Words: Prices, Two lines <here>, Rates, three times two, Menu, Home, Contact us.
    assert outline(example()).split("\n") == [
        "Fish & chips · 14 elements, 15 words, 9 main, 2026-03-09",
        "Section: Prices",
        "  Two lines <here>",
        "  Table Rates · 3 rows, 3 cells",
        "[NavigationList Menu · 2: Home | Contact us]",
    ]


def test_the_outline_of_a_notebook_nests_lists_and_escapes_every_text():
    assert outline_html(example()) == (
        "<p><strong>Fish &amp; chips · 14 elements, 15 words, 9 main, 2026-03-09</strong></p>"
        "<ul><li>Section: Prices</li><ul><li>Two lines &lt;here&gt;</li><li>Table Rates · 3 rows, 3 cells</li></ul>"
        "<li><em>NavigationList Menu · 2: Home | Contact us</em></li></ul>"
    )


def test_an_outline_shows_forty_lines_of_ninety_six_characters_and_counts_the_rest():
    builder = DocumentBuilder("", "http://a.example/")
    builder.add_text_block("x" * 96)
    builder.add_text_block("x" * 97)
    for _ in range(41):
        builder.add_text_block("y")
    document = builder.build()
    head, whole, cut, *others, end = outline(document).split("\n")
    assert head == "http://a.example/ · 43 elements, 43 words, 43 main"
    assert (whole, cut, len(others)) == ("x" * 96, "x" * 95 + "…", 38)
    assert end == "... and 3 more elements: to_frame() has all, view() shows them"
    html = outline_html(document)
    assert html.count("<li>") == 40
    assert html.endswith("<li>y</li></ul><p>... and 3 more elements</p>")


def test_what_is_nested_deeper_than_six_levels_is_one_line():
    builder = DocumentBuilder("t", "u")
    for level in range(1, 8):
        builder.start_section(f"S{level}")
    builder.add_text_block("deep")
    for _ in range(7):
        builder.end_section()
    lines = outline(builder.build()).split("\n")
    assert lines[1:] == [
        *("  " * (level - 1) + f"Section: S{level}" for level in range(1, 6)), " " * 10 + "Section S6 · 1: S7 | deep",
    ]  # fmt: skip
