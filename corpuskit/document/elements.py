"""The element table: a document as flat columns in pre-order, one row an element.

A subtree is the slice ``[element_id, subtree_end)``. Columns that every element has are plain lists; what only some
elements have (coordinates of cells, page, role ...) is a dictionary keyed by ``element_id``.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

TYPE_NAMES: Final = (
    "TextBlock",
    "Section",
    "List",
    "NavigationList",
    "ListItem",
    "Table",
    "TableHeader",
    "TableCell",
)
TEXT_BLOCK, SECTION, LIST, NAVIGATION_LIST, LIST_ITEM, TABLE, TABLE_HEADER, TABLE_CELL = range(8)
TYPE_CODES: Final = {name: code for code, name in enumerate(TYPE_NAMES)}
LISTS: Final = frozenset((LIST, NAVIGATION_LIST))
CELLS: Final = frozenset((TABLE_HEADER, TABLE_CELL))
TITLED: Final = frozenset((SECTION, LIST, NAVIGATION_LIST, TABLE))

OPTIONAL_COLUMNS: Final = ("main_probability", "role", "zone", "page", "locator", "links", "tex")
"""Columns kept sparsely in :attr:`ElementTable.marks`; the ``.nlp.txt`` format has no place for them."""

FORMATTING: Final = "formatting"
"""A mark: JSON ``[[start, end, kind], ...]`` into the text. Formulas of web pages are ``tex``; bold, italic, code and the like are kept
where they are asked for."""

_SURROGATES: Final = dict.fromkeys(range(55296, 57344), "�")


@dataclass(slots=True)
class ElementTable:
    """The elements of one document in pre-order.

    Attributes:
        type: codes, positions in ``TYPE_NAMES``.
        parent_id: -1 for children of the document.
        subtree_end: exclusive.
        nesting_level: 1 for children of the document.
        text: the text of a TextBlock, the title of a group; None where there is none.
        main: part of the main content.
        cells: element_id of a TableHeader or TableCell → (row, row_span, col, col_span), 1-based.
        marks: name of an optional column → {element_id: value}.
    """

    type: list[int] = field(default_factory=list)
    parent_id: list[int] = field(default_factory=list)
    subtree_end: list[int] = field(default_factory=list)
    nesting_level: list[int] = field(default_factory=list)
    text: list[str | None] = field(default_factory=list)
    main: list[bool] = field(default_factory=list)
    cells: dict[int, tuple[int, int, int, int]] = field(default_factory=dict)
    marks: dict[str, dict[int, Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.type)

    def mark(self, name: str, element_id: int, value: Any) -> None:
        """Set one value of an optional column.

        Args:
            name: The column.
            element_id: The row.
            value: The value.
        """
        self.marks.setdefault(name, {})[element_id] = value

    def children(self, element_id: int) -> list[int]:
        """Return the positions of the direct children.

        Args:
            element_id: The element; -1 for the document.
        """
        ends = self.subtree_end
        position = element_id + 1
        end = len(self.type) if element_id < 0 else ends[element_id]
        found = []
        while position < end:
            found.append(position)
            position = ends[position]
        return found

    def default_main(self) -> list[bool]:
        """Return what ``main`` is where nothing is known: everything but what stands in a NavigationList."""
        main = [True] * len(self.type)
        position, size = 0, len(self.type)
        while position < size:
            if self.type[position] == NAVIGATION_LIST:
                end = self.subtree_end[position]
                main[position:end] = [False] * (end - position)
                position = end
            else:
                position += 1
        return main

    def select(self, keep: list[bool]) -> ElementTable:
        """Return the table without some rows.

        Args:
            keep: Whether each row stays; no descendant of a row that goes may stay.
        """
        new_id = [-1] * (len(self.type) + 1)
        count = 0
        for position, kept in enumerate(keep):
            new_id[position] = count
            count += kept
        new_id[len(self.type)] = count
        rows = [position for position, kept in enumerate(keep) if kept]
        cells, marks = self.columns_of(rows)
        return ElementTable(
            type=[self.type[i] for i in rows],
            parent_id=[-1 if self.parent_id[i] < 0 else new_id[self.parent_id[i]] for i in rows],
            subtree_end=[new_id[self.subtree_end[i]] for i in rows],
            nesting_level=[self.nesting_level[i] for i in rows],
            text=[self.text[i] for i in rows],
            main=[self.main[i] for i in rows],
            cells=cells,
            marks=marks,
        )

    def columns_of(
        self, rows: Sequence[int], without: Container[str] = ()
    ) -> tuple[dict[int, tuple[int, int, int, int]], dict[str, dict[int, Any]]]:
        """Return the cells and marks of rows, by their positions in ``rows``.

        Args:
            rows: Rows of this table; -1 for one that is not of it.
            without: Marks that are left out.
        """

        def taken(column: dict[int, Any]) -> dict[int, Any]:
            values = column.copy()
            return {new: values[old] for new, old in enumerate(rows) if old in values}

        marks = {name: taken(column) for name, column in self.marks.items() if name not in without}
        return taken(self.cells), marks

    def normalized(self) -> tuple[ElementTable, int]:
        """Return the table in normal form, and how many lone surrogates were replaced by U+FFFD.

        Line ends are line feeds; TextBlocks of white space only are dropped, titles of white space only are no
        titles; groups without title whose children are all empty are dropped, a NavigationList never.
        """
        texts: list[str | None] = []
        surrogates = 0
        for text in self.text:
            if not text or text.isspace():
                texts.append(None)
                continue
            clean, replaced = normal_string(text)
            surrogates += replaced
            texts.append(clean)
        keep = [text is not None for text in texts]
        for position in range(len(keep) - 1, -1, -1):
            if self.type[position] == NAVIGATION_LIST:
                keep[position] = True
            if keep[position] and self.parent_id[position] >= 0:
                keep[self.parent_id[position]] = True
        if texts == self.text and all(keep):
            return self, 0
        links = self.marks.get("links")
        if links and surrogates == 0 and any("\r" in (text or "") for text in self.text):
            # Offsets into a text whose CRLF became LF would point elsewhere.
            links = {i: value for i, value in links.items() if "\r" not in (self.text[i] or "")}
        marks = self.marks if links is None else {**self.marks, "links": links}
        table = ElementTable(
            self.type, self.parent_id, self.subtree_end, self.nesting_level, texts, self.main, self.cells, marks
        )
        return (table if all(keep) else table.select(keep)), surrogates


def normal_string(text: str) -> tuple[str, int]:
    """A string with LF as its only line end and without lone surrogates, and the count of these."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        text.encode()
    except UnicodeEncodeError:
        clean = text.translate(_SURROGATES)
        return clean, sum(old != new for old, new in zip(text, clean, strict=True))
    return text, 0
