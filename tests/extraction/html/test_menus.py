"""What a page calls navigation is a list, not an outline; each expected tree was written by hand."""

from __future__ import annotations

import json

import pytest

from corpuskit.document import NLPTextDocument
from corpuskit.document.elements import TABLE_CELL
from corpuskit.extraction import ExtractOptions, extract_bytes


def extract(body: str, **options: object) -> NLPTextDocument:
    content = f"<!DOCTYPE html><html lang=en><body>{body}</body></html>".encode()
    return extract_bytes(
        content, media_type="text/html", uri="https://site.example/", options=ExtractOptions(**options)
    )


def outline(body: str) -> list[str]:
    document = extract(body, classify=False)
    table = document.table
    return [
        "  " * (element.nesting_level - 1) + element.type + (f" {table.text[row]}" if table.text[row] else "")
        for row, element in enumerate(document)
    ]


COLUMN = "<div><h3>Loans</h3><ul><li><a href=/car>Car</a></li><li><a href=/home>Home</a></li></ul></div>"
COLUMN_TREE = ["NavigationList Loans", "  ListItem", "    TextBlock Car", "  ListItem", "    TextBlock Home"]


def test_a_heading_in_a_menu_ends_no_section_outside() -> None:
    assert outline("<h2>A</h2><p>a</p><nav><h1>B</h1><p>b</p><h1>C</h1></nav><p>d</p>") == [
        "Section A",
        "  TextBlock a",
        "  NavigationList B",
        "    ListItem",
        "      TextBlock b",
        "  TextBlock C",
        "  TextBlock d",
    ]


@pytest.mark.parametrize("tag", ["nav", "aside role=navigation"])
def test_the_columns_of_a_menu_are_lists_with_titles(tag: str) -> None:
    cards = COLUMN.replace("Loans", "Cards").replace("Car<", "Gold<").replace("Home<", "Blue<")
    assert outline(f"<{tag}>{COLUMN}{cards}</{tag.split(maxsplit=1)[0]}><p>a</p>") == [
        *COLUMN_TREE,
        "NavigationList Cards",
        "  ListItem",
        "    TextBlock Gold",
        "  ListItem",
        "    TextBlock Blue",
        "TextBlock a",
    ]


def test_a_column_below_an_entry_of_a_menu_stands_in_its_item() -> None:
    menu = f"<li><a href=/p>Products</a>{COLUMN}</li><li><a href=/a>About</a></li>"
    tree = [
        "NavigationList",
        "  ListItem",
        "    TextBlock Products",
        *(f"    {line}" for line in COLUMN_TREE),
        "  ListItem",
        "    TextBlock About",
    ]
    assert outline(f"<ul>{menu}</ul>") == tree
    assert outline(f"<nav><ul>{menu}</ul></nav>") == tree


def test_headings_without_text_in_a_menu_are_lines() -> None:
    lines = "".join(f"<div><h4><a href=/{name}>{name}</a></h4></div>" for name in ("Car", "Home"))
    assert outline(f"<nav>{lines}</nav>") == [line.replace(" Loans", "") for line in COLUMN_TREE]
    assert outline("<nav><h4>Loans</h4></nav>") == ["TextBlock Loans"]


def test_what_else_stands_below_a_heading_of_a_menu_are_items_of_its_list() -> None:
    assert outline("<nav><h2>Loans</h2><p>Borrow well</p><h3>For cars</h3><div><a href=/car>Car</a></div></nav>") == [
        "NavigationList Loans",
        "  ListItem",
        "    TextBlock Borrow well",
        "  ListItem",
        "    NavigationList For cars",
        "      ListItem",
        "        TextBlock Car",
    ]


def test_a_heading_above_links_in_an_item_is_the_title_of_their_list() -> None:
    about = COLUMN.replace("Loans", "About")
    assert outline(f"<ul><li>{COLUMN}</li><li>{about}</li></ul>") == [
        "List",
        "  ListItem",
        *(f"    {line}" for line in COLUMN_TREE),
        "  ListItem",
        *(f"    {line.replace('Loans', 'About')}" for line in COLUMN_TREE),
    ]


def test_a_heading_above_links_in_a_text_keeps_its_section() -> None:
    assert outline(COLUMN)[0] == "Section Loans"


def test_navigation_with_prose_keeps_its_sections() -> None:
    prose = "What a loan costs depends on its term. " * 6
    assert outline(f"<nav><h2>Loans</h2><p>{prose}</p><h3>Cars</h3><p>b</p></nav>")[::2] == [
        "Section Loans",
        "  Section Cars",
    ]


def test_three_headings_in_a_row_that_only_lead_elsewhere_are_a_list() -> None:
    news = "".join(f"<div><h3><a href=/{n}>News {n}</a></h3></div>" for n in (1, 2, 3))
    assert outline(f"<h2>News</h2>{news}") == [
        "Section News",
        "  NavigationList",
        *(line for n in (1, 2, 3) for line in ("    ListItem", f"      TextBlock News {n}")),
    ]


@pytest.mark.parametrize("other", ["<h3>News 3</h3>", "<h4><a href=/3>News 3</a></h4>", ""])
def test_two_linked_headings_and_another_stay_headings(other: str) -> None:
    news = "".join(f"<h3><a href=/{n}>News {n}</a></h3>" for n in (1, 2))
    assert {line.split()[0] for line in outline(news + other)} == {"Section"}


def test_a_list_of_headings_keeps_links_and_places_and_what_the_classifier_says() -> None:
    news = "".join(f"<h3><a href=/{n}>News {n}</a></h3>" for n in (1, 2, 3))
    page = f"<nav>{COLUMN}</nav><section>{news}</section><table><tr><td>x<td>y</table>"
    document = extract(page)
    table = document.table
    row = table.text.index("News 2")
    assert json.loads(table.marks["links"][row]) == [[0, 6, "https://site.example/2"]]
    assert table.marks["locator"][row] == "/html/body[1]/section[1]/h3[2]"
    assert row in table.marks["main_probability"]
    assert row not in table.marks["role"]
    cells = [row for row, kind in enumerate(table.type) if kind == TABLE_CELL]
    assert table.cells == {cells[0]: (1, 1, 1, 1), cells[1]: (1, 1, 2, 1)}
    tree = extract(page, classify=False)
    assert [text for text, main in zip(tree.table.text, tree.table.main, strict=True) if text and main] == ["x", "y"]


def test_links_of_a_menu_without_space_between_are_words_apart() -> None:
    links = "<a href=/a>Products</a><a href=/b>Rooms</a>"
    assert outline(f"<nav>{links}</nav>") == ["TextBlock Products Rooms"]
    assert outline(f"<p>{links}</p>") == ["TextBlock ProductsRooms"]
