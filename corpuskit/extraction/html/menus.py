"""Menus: what a page calls navigation is a list to its readers, whatever headings style it.

Web pages set the lines and the columns of their menus in headings. Read as an outline they would be dozens of Sections
that hold a line or nothing.
"""

from __future__ import annotations

from array import array
from typing import Final

from corpuskit.document import ElementTable
from corpuskit.document.elements import LIST_ITEM, LISTS, NAVIGATION_LIST, SECTION, TEXT_BLOCK
from corpuskit.document.table_rewriter import TableRewriter
from corpuskit.extraction.html.roles import locators
from corpuskit.extraction.html.rows import Walked
from corpuskit.extraction.html.tags import NAVIGATION

_LONGEST_LINE: Final = 200  # characters beside links; what a menu says of a target is shorter than a paragraph
_NONE: Final = -1
_LEAST_LINES: Final = 3  # two headings without text can be the name and the motto of a site


def with_menus(table: ElementTable, walked: Walked) -> ElementTable:
    """Return the table with lists in place of the Sections of menus; every text stays, in its order.

    In navigation (``nav``, its role, items of a NavigationList) a Section becomes a NavigationList with its title, or a
    line where nothing stands below it; navigation that holds prose is left as it is. In items of other lists a heading
    above a NavigationList and nothing else is its title. Three and more headings of one rank in a row that are links as a
    whole and have nothing below are a NavigationList wherever they stand.

    Args:
        table: the rows of a page.
        walked: where they stand in the page; brought in line with the table that is returned.
    """
    if SECTION not in table.type or len(table) != len(walked.row_node):
        return table
    menus = _sections_of_menus(table, walked)
    runs = _runs_of_links(table, walked, menus)
    return _Lists(table, walked, menus, runs).made() if menus or runs else table


def _sections_of_menus(table: ElementTable, walked: Walked) -> set[int]:
    """Sections in navigation; of one that holds prose none, for there the page means something else by the word."""
    inside = _navigation(walked)
    types, parents, ends = table.type, table.parent_id, table.subtree_end
    beyond = len(inside)
    menu: list[int] = []  # row → what it is navigation of: a node, or beyond the nodes the row of a NavigationList
    sections: list[int] = []
    for row, (kind, parent, node) in enumerate(zip(types, parents, walked.row_node, strict=True)):
        of = inside[node]
        if of == _NONE:
            if parent >= 0 and menu[parent] >= beyond:
                of = menu[parent]
            elif kind == NAVIGATION_LIST:
                of = beyond + row
        menu.append(of)
        if kind == SECTION and (of != _NONE or (parent >= 0 and types[parent] == LIST_ITEM)):
            sections.append(row)
    if not sections:
        return set()
    linked = walked.link_chars
    with_prose = {
        of
        for row, (of, text) in enumerate(zip(menu, table.text, strict=True))
        if of != _NONE and text and len(text) > _LONGEST_LINE and len(text) - linked.get(row, 0) > _LONGEST_LINE
    }
    found: set[int] = set()
    for row in sections:
        of = menu[row]
        if (of != _NONE and of not in with_prose and all(inner == of for inner in menu[row : ends[row]])) or (
            parents[row] >= 0 and types[parents[row]] == LIST_ITEM and _is_title(table, row)
        ):
            found.add(row)
    return found


def _is_title(table: ElementTable, row: int) -> bool:
    """Whether all that stands in a Section is a NavigationList."""
    below = row + 1
    return (
        below < table.subtree_end[row]
        and table.type[below] == NAVIGATION_LIST
        and not table.text[below]
        and table.subtree_end[below] == table.subtree_end[row]
    )


def _navigation(walked: Walked) -> list[int]:
    """Node → the outermost element of navigation around it or itself; the last, that of no node, has none."""
    inside = [_NONE] * (len(walked.node_tag) + 1)
    for node, (parent, tag) in enumerate(zip(walked.node_parent, walked.node_tag, strict=True)):
        if inside[parent] != _NONE:
            inside[node] = inside[parent]
        elif tag[1] & NAVIGATION:
            inside[node] = node
    return inside


def _runs_of_links(table: ElementTable, walked: Walked, menus: set[int]) -> dict[int, int]:
    """First row → row behind the last of Sections without content side by side whose titles are links as a whole."""
    linked = walked.link_chars
    found: dict[int, int] = {}
    start = last = -2
    for row, kind in enumerate(table.type):
        if kind != SECTION or table.subtree_end[row] != row + 1 or linked.get(row, 0) < len(table.text[row] or "-"):
            continue
        goes_on = (
            last == row - 1
            and table.parent_id[last] == table.parent_id[row]
            and (last in menus) == (row in menus)
            and _name(walked, last) == _name(walked, row)
        )
        start = start if goes_on else row
        last = row
        if row + 1 - start >= (2 if row in menus else _LEAST_LINES):
            found[start] = row + 1
    return found


def _name(walked: Walked, row: int) -> str:
    return walked.node_tag[walked.row_node[row]][3]


class _Lists:
    """Makes the table anew."""

    def __init__(self, table: ElementTable, walked: Walked, menus: set[int], runs: dict[int, int]) -> None:
        self._old, self._walked, self._menus, self._runs = table, walked, menus, runs
        self._rewriter = TableRewriter(table)
        self._nodes = array("i")

    def made(self) -> ElementTable:
        """Return the table, ``walked`` brought in line."""
        old, end_of_run = self._old, 0
        for row, kind in enumerate(old.type):
            self._rewriter.advance(row)
            if row in self._runs:  # a list of its own around them
                end_of_run = self._runs[row]
                self._add(row, NAVIGATION_LIST, end_of_run, None, origin=-1)
            end = old.subtree_end[row]
            if row < end_of_run or (row in self._menus and end == row + 1):
                self._add(row, TEXT_BLOCK, row + 1, old.text[row], origin=row)
            elif row in self._menus or not self._is_taken_in(row):
                self._add(row, NAVIGATION_LIST if row in self._menus else kind, end, old.text[row], origin=row)
        new = self._rewriter.finish(without=("locator",))
        self._walked.row_node = self._nodes
        if "locator" in old.marks:
            new.marks["locator"] = locators(self._walked)
        changed = self._menus.union(*(range(start, end) for start, end in self._runs.items()))
        roles = new.marks.get("role", {})
        for element_id, row in enumerate(self._rewriter.origin):
            if row in changed:
                roles.pop(element_id, None)
        return new

    def _is_taken_in(self, row: int) -> bool:
        """Whether a list is all that stands in the Section of a menu: then it is the list that has the title."""
        parent = self._old.parent_id[row]
        return (
            parent in self._menus
            and self._old.type[row] in LISTS
            and not self._old.text[row]
            and self._old.subtree_end[row] == self._old.subtree_end[parent]
            and parent == row - 1
        )

    def _add(self, row: int, kind: int, end: int, text: str | None, origin: int) -> None:
        """Append a row, in a ListItem of its own if it would stand in a list without one."""
        old, rewriter = self._old, self._rewriter
        if kind != LIST_ITEM and rewriter.open_type in LISTS:
            rewriter.add(LIST_ITEM, None, end, main=any(old.main[row:end]))
            self._nodes.append(self._walked.row_node[row])
        main = old.main[row] if text or kind == old.type[row] else any(old.main[row:end])
        rewriter.add(kind, text, end, main=main, origin=origin)
        self._nodes.append(self._walked.row_node[row])
