"""What a page calls navigation is a list, not an outline; each expected tree was written by hand."""

from __future__ import annotations

import json

import pytest
from html_outlines import extract, outline

from corpuskit.document.elements import TABLE_CELL

COLUMN = "<div><h3>Loans</h3><ul><li><a href=/car>Car</a></li><li><a href=/home>Home</a></li></ul></div>"
COLUMN_TREE = "NavigationList Loans, .ListItem, ..TextBlock Car, .ListItem, ..TextBlock Home"
COLUMN_IN_ITEM = "..NavigationList Loans, ...ListItem, ....TextBlock Car, ...ListItem, ....TextBlock Home"


def test_a_heading_in_a_menu_ends_no_section_outside() -> None:
    assert (
        outline("<h2>A</h2><p>a</p><nav><h1>B</h1><p>b</p><h1>C</h1></nav><p>d</p>")
        == "Section A, .TextBlock a, .NavigationList B, ..ListItem, ...TextBlock b, .TextBlock C, .TextBlock d"
    )


@pytest.mark.parametrize("tag", ["nav", "aside role=navigation"])
def test_the_columns_of_a_menu_are_lists_with_titles(tag: str) -> None:
    cards = COLUMN.replace("Loans", "Cards").replace("Car<", "Gold<").replace("Home<", "Blue<")
    gold = "NavigationList Cards, .ListItem, ..TextBlock Gold, .ListItem, ..TextBlock Blue"
    tree = f"{COLUMN_TREE}, {gold}, TextBlock a"
    assert outline(f"<{tag}>{COLUMN}{cards}</{tag.split(maxsplit=1)[0]}><p>a</p>") == tree


def test_a_column_below_an_entry_of_a_menu_stands_in_its_item() -> None:
    menu = f"<li><a href=/p>Products</a>{COLUMN}</li><li><a href=/a>About</a></li>"
    tree = f"NavigationList, .ListItem, ..TextBlock Products, {COLUMN_IN_ITEM}, .ListItem, ..TextBlock About"
    assert outline(f"<ul>{menu}</ul>") == tree
    assert outline(f"<nav><ul>{menu}</ul></nav>") == tree


def test_menus_and_posts_are_found_where_trafilatura_takes_a_part_of_a_block() -> None:
    text = "The harbour of the town was built by traders who came from the north and stayed for the winter. "
    page = f"<nav>{COLUMN}</nav><article><h1>Harbour</h1><p>{text * 3}<span class=x>Left out. </span>{text}</p><p>{text.upper()}</p></article>"
    document = extract(page, main="trafilatura", trafilatura={"prune_xpath": ["//span[@class='x']"]})
    frame = document.to_frame()
    assert frame["text"].tolist().count("Left out.") == 1
    assert not frame["main"][frame["text"] == "Left out."].any()
    assert frame[["type", "text"]].values.tolist()[0] == ["NavigationList", "Loans"]


def test_headings_without_text_in_a_menu_are_lines() -> None:
    lines = "".join(f"<div><h4><a href=/{name}>{name}</a></h4></div>" for name in ("Car", "Home"))
    assert outline(f"<nav>{lines}</nav>") == COLUMN_TREE.replace(" Loans", "")
    assert outline("<nav><h4>Loans</h4></nav>") == "TextBlock Loans"


def test_what_else_stands_below_a_heading_of_a_menu_are_items_of_its_list() -> None:
    assert (
        outline("<nav><h2>Loans</h2><p>Borrow well</p><h3>For cars</h3><div><a href=/car>Car</a></div></nav>")
        == "NavigationList Loans, .ListItem, ..TextBlock Borrow well, .ListItem, ..NavigationList For cars, ...ListItem, ....TextBlock Car"
    )


def test_a_heading_above_links_in_an_item_is_the_title_of_their_list() -> None:
    about = COLUMN.replace("Loans", "About")
    tree = f"List, .ListItem, {COLUMN_IN_ITEM}, .ListItem, {COLUMN_IN_ITEM.replace('Loans', 'About')}"
    assert outline(f"<ul><li>{COLUMN}</li><li>{about}</li></ul>") == tree


def test_a_heading_above_links_in_a_text_keeps_its_section() -> None:
    assert outline(COLUMN).startswith("Section Loans, ")


def test_navigation_with_prose_keeps_its_sections() -> None:
    prose = "What a loan costs depends on its term. " * 6
    tree = f"Section Loans, .TextBlock {prose.strip()}, .Section Cars, ..TextBlock b"
    assert outline(f"<nav><h2>Loans</h2><p>{prose}</p><h3>Cars</h3><p>b</p></nav>") == tree


def test_three_headings_in_a_row_that_only_lead_elsewhere_are_a_list() -> None:
    news = "".join(f"<div><h3><a href=/{n}>News {n}</a></h3></div>" for n in (1, 2, 3))
    items = ", ".join(f"..ListItem, ...TextBlock News {n}" for n in (1, 2, 3))
    assert outline(f"<h2>News</h2>{news}") == f"Section News, .NavigationList, {items}"


@pytest.mark.parametrize("other", ["<h3>News 3</h3>", "<h4><a href=/3>News 3</a></h4>", ""])
def test_two_linked_headings_and_another_stay_headings(other: str) -> None:
    news = "".join(f"<h3><a href=/{n}>News {n}</a></h3>" for n in (1, 2))
    assert {line.strip(".").split()[0] for line in outline(news + other).split(", ")} == {"Section"}


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
    assert outline(f"<nav>{links}</nav>") == "TextBlock Products Rooms"
    assert outline(f"<p>{links}</p>") == "TextBlock ProductsRooms"
