"""The element table: a document as flat columns in pre-order with one row per element.

A subtree is the slice ``[element_id, subtree_end)``. Columns of all elements are lists. Columns of some elements
(coordinates of cells, page, role and others) are dictionaries by ``element_id``.
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
"""Sparse columns in :attr:`ElementTable.marks`. They are not part of the ``.nlp.txt`` format."""

FORMATTING: Final = "formatting"
"""Column of marks with JSON ``[[start, end, kind], ...]``, offsets in the text. The kind ``tex`` is a formula of a web page;
bold, italic, code and others are extracted on request."""

_SURROGATES: Final = dict.fromkeys(range(55296, 57344), "�")


@dataclass(slots=True)
class ElementTable:
    """The elements of one document in pre-order.

    Attributes:
        type: Type codes, indexes of ``TYPE_NAMES``.
        parent_id: Parent. Children of the document have -1.
        subtree_end: Exclusive end of the subtree.
        nesting_level: 1 for children of the document.
        text: Text of a TextBlock, or title of a group if any.
        main: Whether the element is main content.
        cells: element_id of a TableHeader or TableCell → (row, row_span, col, col_span), 1-based.
        marks: Name of an optional column → {element_id: value}.
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
            name: Name of the column.
            element_id: The row.
            value: The value.
        """
        self.marks.setdefault(name, {})[element_id] = value

    def children(self, element_id: int) -> list[int]:
        """Return the positions of the direct children.

        Args:
            element_id: The element, or -1 for the document.
        """
        ends = self.subtree_end
        position = element_id + 1
        end = len(self.type) if element_id < 0 else ends[element_id]
        positions = []
        while position < end:
            positions.append(position)
            position = ends[position]
        return positions

    def default_main(self) -> list[bool]:
        """Return the default of the column ``main``: True except in a NavigationList."""
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
            keep: Whether to keep each row. Descendants of removed rows must be removed, too.
        """
        new_id = [-1] * (len(self.type) + 1)
        count = 0
        for position, selected in enumerate(keep):
            new_id[position] = count
            count += selected
        new_id[len(self.type)] = count
        rows = [position for position, selected in enumerate(keep) if selected]
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
            rows: Rows of this table, or -1 for a row of another origin.
            without: Names of marks to exclude.
        """

        def reindexed(column: dict[int, Any]) -> dict[int, Any]:
            values = column.copy()
            return {new: values[old] for new, old in enumerate(rows) if old in values}

        marks = {name: reindexed(column) for name, column in self.marks.items() if name not in without}
        return reindexed(self.cells), marks

    def normalized(self) -> tuple[ElementTable, int]:
        """Return the table in normal form, and the number of lone surrogates replaced by U+FFFD.

        Line breaks are line feeds. TextBlocks and titles that consist of white space are dropped, and groups without a
        title and without non-empty children, except a NavigationList.
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
            # Replacing CRLF by LF invalidates offsets in the text.
            links = {i: value for i, value in links.items() if "\r" not in (self.text[i] or "")}
        marks = self.marks if links is None else {**self.marks, "links": links}
        table = ElementTable(
            self.type, self.parent_id, self.subtree_end, self.nesting_level, texts, self.main, self.cells, marks
        )
        return (table if all(keep) else table.select(keep)), surrogates


def normal_string(text: str) -> tuple[str, int]:
    """Return a string with LF as the only line break and without lone surrogates, and the number of these."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        text.encode()
    except UnicodeEncodeError:
        clean = text.translate(_SURROGATES)
        return clean, sum(old != new for old, new in zip(text, clean, strict=True))
    return text, 0
