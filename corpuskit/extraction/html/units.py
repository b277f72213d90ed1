"""Posts of threads, comments and reviews: what one person wrote at one time becomes a Section of its own.

The Sections have no title, since most of what people write there has none: their role says what they are. Short blocks
inside that name the author or the date have the role ``byline``.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from corpuskit.document import ElementTable
from corpuskit.document.elements import LIST_ITEM, LISTS, SECTION, TABLE, TEXT_BLOCK
from corpuskit.document.spans import load
from corpuskit.document.table_rewriter import TableRewriter
from corpuskit.extraction.html.rows import Walked
from corpuskit.extraction.html.tags import UNIT, key_of, unit_of

_BYLINE: Final = re.compile(
    r"(?:^|[\s_-])(?:author|byline|user-?(?:name|info|details?)|poster|commenter|nickname|reviewer|fn|vcard|"
    r"date|datetime|time|timestamp|posted|published|post-?date|relative-?time|date-?published)(?:$|[\s_-])|user_?name",
    re.IGNORECASE,
)
_LONGEST: Final = 120  # characters of a line that names the author or the date
_WIDEST: Final = 12  # elements in such a line
_LEAST_POSTS: Final = 2  # one alone is an article
_DEEPEST: Final = 50  # units within units


@dataclass(slots=True)
class _Unit:
    """A unit: its element in the page, role and number; its first row, and the row behind the last."""

    node: int
    role: str
    number: str
    around: _Unit | None
    depth: int
    first: int = -1
    end: int = -1
    rows: int = 0


def with_units(table: ElementTable, walked: Walked) -> ElementTable:
    """Return the table with a Section around each post, comment and review, and bylines marked.

    Args:
        table: the rows of a page, ``main`` decided.
        walked: where they stand in the page.
    """
    if not any(tag[1] & UNIT for tag in walked.node_tag) or len(table) != len(walked.row_node):
        return table
    page = _Page(walked)
    units = page.units(table)
    page.mark_bylines(table, units)
    return _wrapped(table, units) if units else table


class _Page:
    """The elements of a page: how far each reaches, and which name an author or a date."""

    def __init__(self, walked: Walked) -> None:
        self.row_node, self.parents, self.tags = walked.row_node, walked.node_parent, walked.node_tag
        self.last = list(range(len(self.parents)))
        for node in range(len(self.parents) - 1, -1, -1):
            parent = self.parents[node]
            if parent >= 0 and self.last[node] > self.last[parent]:
                self.last[parent] = self.last[node]
        known: dict[str, bool] = {}
        for *_, name, head in self.tags:
            if head not in known:
                known[head] = name == "time" or "data-author" in head or bool(_BYLINE.search(key_of(head)))
        self.is_byline = [known[tag[4]] for tag in self.tags]
        self._bylines = [0, *accumulate(self.is_byline)]
        self._times = [0, *accumulate(tag[3] == "time" for tag in self.tags)]
        rows = [0] * len(self.tags)
        for node in self.row_node:
            if node >= 0:
                rows[node] += 1
        self._rows = [0, *accumulate(rows)]

    def has_byline(self, node: int) -> bool:
        """Whether an author or a date is named in an element or on it."""
        return self._within(self._bylines, node) > 0

    def _within(self, counts: list[int], node: int) -> int:
        return counts[self.last[node] + 1] - counts[node]

    def units(self, table: ElementTable) -> list[_Unit]:
        """The units that can be Sections, outer before inner ones."""
        innermost: list[_Unit | None] = []
        for node, tag in enumerate(self.tags):
            parent = self.parents[node]
            around = innermost[parent] if parent >= 0 else None
            innermost.append(around)
            depth = around.depth + 1 if around else 0
            if tag[1] & UNIT and depth < _DEEPEST and self.has_byline(node):
                found = unit_of(tag[4])
                if found and not (around and found[1] and found[1] == around.number):  # else a wrapper in the same one
                    innermost[-1] = _Unit(node, *found, around, depth)
        for row, node in enumerate(self.row_node):
            unit = innermost[node] if node >= 0 else None
            while unit is not None:
                if unit.first < 0:
                    unit.first = row
                unit.end = row + 1
                unit.rows += 1
                unit = unit.around
        units = [unit for node, unit in enumerate(innermost) if unit is not None and unit.node == node]
        kept = [unit for unit in units if _can_be_section(unit, table) and not self._is_teaser(unit, table)]
        posts = sum(unit.role == "post" for unit in kept)
        return [unit for unit in kept if unit.role != "post" or posts >= _LEAST_POSTS]

    def mark_bylines(self, table: ElementTable, units: list[_Unit]) -> None:
        """Gives the role ``byline`` to short blocks of units that name the author or the date."""
        roles = table.marks.setdefault("role", {})
        for unit in units:
            for row in range(unit.first, unit.end):
                if table.type[row] == TEXT_BLOCK and len(table.text[row] or "") <= _LONGEST and self._names(row, unit):
                    roles[row] = "byline"

    def _is_teaser(self, unit: _Unit, table: ElementTable) -> bool:
        """Whether its title leads elsewhere: an article that a list of articles shows."""
        links = table.marks.get("links", {})
        for row in range(unit.first, unit.end) if unit.role == "post" else ():
            if table.type[row] == SECTION and row in links and not self._names(row, unit):
                start, end, url = load(links[row])[0]
                return end - start == len(table.text[row] or "") and "#" not in url
        return False

    def _names(self, row: int, unit: _Unit) -> bool:
        """Whether an element of the row names the author or the date: within it, itself, or one just around it."""
        node = self.row_node[row]
        name = self.tags[node][3]
        alone = self._within(self._rows, node) == 1 and self.last[node] - node <= _WIDEST
        if alone and name != "pre" and self._within(self._times if name == "p" else self._bylines, node):
            return True
        for _ in range(3):
            if node <= unit.node:
                return False
            if self.is_byline[node]:
                return True
            node = self.parents[node]
        return False


def _can_be_section(unit: _Unit, table: ElementTable) -> bool:
    """Whether the rows of a unit are whole elements beside each other; an item keeps its ListItem around the Section."""
    if unit.first >= 0 and table.type[unit.first] == LIST_ITEM and table.subtree_end[unit.first] >= unit.end:
        unit.first, unit.rows = unit.first + 1, unit.rows - 1
    if unit.first < 0 or unit.end - unit.first != unit.rows or not unit.rows:
        return False
    parent = table.parent_id[unit.first]
    if parent >= 0 and (table.type[parent] in LISTS or table.type[parent] == TABLE):
        return False
    around = unit.around
    if around is not None and around.first == unit.first:  # the same one again, as it begins with the same
        if unit.number and not around.number:
            around.role = unit.role
        return False
    row = unit.first
    while row < unit.end:
        if table.parent_id[row] != parent:
            return False
        row = table.subtree_end[row]
    return row == unit.end


def _wrapped(table: ElementTable, units: list[_Unit]) -> ElementTable:
    """The table with a Section around the rows of each unit."""
    beginning: dict[int, list[_Unit]] = {}
    for unit in sorted(units, key=lambda unit: (unit.first, -unit.end)):
        beginning.setdefault(unit.first, []).append(unit)
    rewriter = TableRewriter(table)
    roles, places, locators = {}, {}, table.marks.get("locator", {})
    for row in range(len(table)):
        rewriter.advance(row)
        for unit in beginning.get(row, ()):
            new = rewriter.add(SECTION, None, unit.end, main=any(table.main[row : unit.end]))
            roles[new] = unit.role
            if place := _common([locators[inside] for inside in range(row, unit.end) if inside in locators]):
                places[new] = place
        rewriter.copy(row)
    made = rewriter.finish()
    for name, column in (("role", roles), ("locator", places)):
        made.marks.setdefault(name, {}).update(column)
    return made


def _common(places: list[str]) -> str:
    """The XPath of the innermost element around all of them."""
    return posixpath.commonpath(places) if places else ""
