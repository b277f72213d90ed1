"""The rows of a document while a page is walked: what is open, and what must be wrapped."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from corpuskit.document import ElementTable
from corpuskit.document.elements import CELLS, LIST_ITEM, LISTS, TABLE, TABLE_CELL
from corpuskit.extraction.html.grid import Grid, Places
from corpuskit.extraction.html.tags import Tag

FORMULA_KIND: Final = "tex"
"""The kind of the spans of formulas, beside bold, italic and the like."""
_WITH_WRAPPERS: Final = frozenset((*LISTS, TABLE))


@dataclass(slots=True)
class Walked:
    """What the walk found.

    Attributes:
        table: the elements; ``main`` not decided.
        row_node: element_id → node, the block of the page it stands in.
        node_parent: node → node around it; -1 for the first.
        node_tag: node → its start tag.
        link_chars: element_id → how many characters are links.
        has_formulas: there are tags that can be part of a formula.
        formulas: element_id → start and end of each formula in its text.
        licenses: targets of ``rel=license`` links.
        alts: element_ids of texts that are alternatives of images only.
        hidden: how many hidden subtrees were left out.
        noscript_chars: length of the text in ``noscript``.
        hidden_chars: length of the text in hidden subtrees.
        repairs: what was put right → how often.
    """

    table: ElementTable = field(default_factory=ElementTable)
    row_node: array[int] = field(default_factory=partial(array, "i"))
    node_parent: list[int] = field(default_factory=list)
    node_tag: list[Tag] = field(default_factory=list)
    link_chars: dict[int, int] = field(default_factory=dict)
    has_formulas: bool = False
    formulas: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    licenses: list[str] = field(default_factory=list)
    alts: set[int] = field(default_factory=set)
    hidden: int = 0
    noscript_chars: int = 0
    hidden_chars: int = 0
    repairs: dict[str, int] = field(default_factory=dict)

    @property
    def shown(self) -> int:
        """How many characters of text there are."""
        return sum([len(text) for text in self.table.text if text])


class Rows:
    """Appends rows to the table; knows which are open.

    Attributes:
        result: what is made.
        open_rows: element_ids of open groups, outermost first; below them -1, the document.
        open_types: their types.
        implicit: open Lists that the page does not have.
        grids: of each open table its grid, its row and how many rows are open inside.
        places: of the cells.
    """

    def __init__(self) -> None:
        self.result = Walked()
        self.table = self.result.table
        self.types, self.texts, self.row_node = self.table.type, self.table.text, self.result.row_node
        self.parents, self.ends, self.nesting = self.table.parent_id, self.table.subtree_end, self.table.nesting_level
        self.next_row = 0  # the one object of each number stands wherever the row is named: a third of a large table
        self.open_rows, self.open_types = [-1], [-1]
        self.implicit: set[int] = set()
        self.grids: list[tuple[Grid, int, int]] = []
        self.places = Places()

    def add(self, type_code: int, text: str | None, node: int) -> int:
        """Appends a row below what is open."""
        top = self.open_types[-1]
        if top in _WITH_WRAPPERS and (type_code not in CELLS if top == TABLE else type_code != LIST_ITEM):
            self.wrap(node)
        open_rows = self.open_rows
        row = self.next_row
        self.next_row = row + 1
        self.types.append(type_code)
        self.parents.append(open_rows[-1])
        self.ends.append(self.next_row)
        self.nesting.append(len(open_rows))
        self.texts.append(text)
        self.row_node.append(node)
        return row

    def open(self, type_code: int, text: str | None, node: int) -> int:
        """Appends a group and opens it."""
        row = self.add(type_code, text, node)
        self.open_rows.append(row)
        self.open_types.append(type_code)
        return row

    def wrap(self, node: int) -> None:
        """Makes room for content that stands directly in a List or Table."""
        row = self.open_rows[-1]
        if row in self.implicit:  # a list made for items without one ends here
            self.close_to(len(self.open_rows) - 1)
            top = self.open_types[-1]
            if top in LISTS or top == TABLE:
                self.wrap(node)
        elif self.open_types[-1] == TABLE:
            self.repair("content directly in a Table: wrapped into a TableCell")
            grid = next((grid for grid, table_row, _ in self.grids if table_row == row), Grid())
            cell = self.open(TABLE_CELL, None, node)
            self.places.add(cell, grid.place(cell, {}))
        else:
            self.repair("content directly in a List: wrapped into a ListItem")
            self.open(LIST_ITEM, None, node)

    def repair(self, message: str) -> None:
        """Counts what was put right."""
        self.result.repairs[message] = self.result.repairs.get(message, 0) + 1

    def close_to(self, depth: int) -> None:
        """Closes groups until so many rows are open; a group that stayed empty goes."""
        open_rows, open_types = self.open_rows, self.open_types
        while len(open_rows) > depth:
            row = open_rows.pop()
            kind = open_types.pop()
            size = self.next_row
            if row == size - 1 and self.texts[row] is None and kind not in CELLS:
                self.drop_last()
                self.implicit.discard(row)
            else:
                self.ends[row] = size

    def drop_last(self) -> None:
        """Takes the last row out again."""
        for column in (self.types, self.parents, self.ends, self.nesting, self.texts):
            column.pop()
        self.row_node.pop()
        self.next_row -= 1
