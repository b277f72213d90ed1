"""DocumentBuilder: construction of documents, one element at a time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from corpuskit.document.elements import (
    CELLS,
    LIST,
    LIST_ITEM,
    LISTS,
    NAVIGATION_LIST,
    SECTION,
    TABLE,
    TABLE_CELL,
    TABLE_HEADER,
    TEXT_BLOCK,
    TYPE_NAMES,
)
from corpuskit.document.model import NLPTextDocument
from corpuskit.errors import DocumentModelError


class DocumentBuilder:
    """Builder of a document in reading order.

    Each ``start_*`` requires its ``end_*``; a wrong end raises. Content directly in a List or Table is wrapped in a
    ListItem or TableCell, and an item or cell outside is wrapped in a List or Table. Each of these repairs adds a
    warning.

    Args:
        title: Title of the document.
        uri: Origin of the document; ``?`` if unknown.
        timestamp: Date of the document.
        on_repair: Called with a message before each repair, so that a strict reader can raise.

    Example:
        >>> builder = DocumentBuilder("Rates", "http://bank.example/rates")
        >>> _ = builder.start_section("Savings")
        >>> _ = builder.add_text_block("3 % a year.")
        >>> builder.end_section()
        >>> builder.build().to_text()
        'Savings\\n3 % a year.'
    """

    def __init__(
        self,
        title: str = "",
        uri: str = "?",
        timestamp: datetime | None = None,
        *,
        on_repair: Callable[[str], None] | None = None,
    ) -> None:
        self._document = NLPTextDocument(title=title, uri=uri, timestamp=timestamp)
        self._table = self._document.table
        self._open: list[int] = []
        self._implicit: set[int] = set()
        self._last_row: dict[int, int] = {}
        self._on_repair = on_repair

    @property
    def depth(self) -> int:
        """Number of open groups, without those that repairs have added."""
        return len(self._open) - len(self._implicit)

    @property
    def open_type(self) -> int | None:
        """Type code of the innermost open element started by the caller, or None at the document level."""
        for element_id in reversed(self._open):
            if element_id not in self._implicit:
                return self._table.type[element_id]
        return None

    def set_title(self, title: str) -> None:
        """Set the title of the document.

        Args:
            title: The title.
        """
        self._document.title = title

    def set_uri(self, uri: str) -> None:
        """Set the origin of the document.

        Args:
            uri: A URI, or ``?`` if unknown.
        """
        self._document.uri = uri

    def set_timestamp(self, timestamp: datetime | None) -> None:
        """Set the date of the document.

        Args:
            timestamp: The date, or None.
        """
        self._document.timestamp = timestamp

    def add_metadata(self, key: str, value: str) -> None:
        """Add a metadata property. The last value of a key is used.

        Args:
            key: Key, not empty and without ``=``.
            value: Value.
        """
        if not key.strip() or "=" in key:
            raise DocumentModelError(f"metadata key {key!r}: expected a non-empty key without '='")
        self._document.metadata[key] = value

    def set_missing_title(self, title: str) -> None:
        """Set the title of the innermost group opened by the caller, unless it has one.

        Args:
            title: The title.
        """
        element_id = next(i for i in reversed(self._open) if i not in self._implicit)
        if self._table.text[element_id] is None:
            self._table.text[element_id] = title or None

    def add_warning(self, message: str) -> None:
        """Add a warning to the document.

        Args:
            message: The problem and its location.
        """
        self._document.warnings.append(message)

    def add_text_block(self, text: str) -> int:
        """Add a TextBlock and return its element_id.

        Args:
            text: The text.
        """
        self._adjust_nesting(TEXT_BLOCK)
        element_id = self._append(TEXT_BLOCK, text)
        self._table.subtree_end[element_id] = element_id + 1
        return element_id

    def start(self, type_code: int, title: str | None = None, *, cell: tuple[int, int, int, int] | None = None) -> int:
        """Open a group and return its element_id.

        Args:
            type_code: Type, an index of ``corpuskit.document.elements.TYPE_NAMES``.
            title: Title of the group, if any.
            cell: 1-based row, row span, column and column span of a TableHeader or TableCell.
        """
        self._adjust_nesting(type_code)
        element_id = self._append(type_code, title or None)
        self._open.append(element_id)
        if type_code in CELLS:
            table_id = self._table.parent_id[element_id]
            if cell is None:
                cell = (self._last_row.get(table_id, 0) + 1, 1, 1, 1)
            if min(cell) < 1:
                raise DocumentModelError(f"cell {cell}: rows, columns and spans count from 1")
            self._last_row[table_id] = max(self._last_row.get(table_id, 0), cell[0])
            self._table.cells[element_id] = cell
        return element_id

    def end(self, type_code: int) -> None:
        """Close the innermost open group.

        Args:
            type_code: Type of the group. Another type raises.
        """
        self._close_implicit()
        if not self._open:
            raise DocumentModelError(f"end of a {TYPE_NAMES[type_code]}, but nothing is open")
        opened = self._table.type[self._open[-1]]
        if opened != type_code:
            raise DocumentModelError(f"end of a {TYPE_NAMES[type_code]}, but a {TYPE_NAMES[opened]} is open")
        self._pop()

    def mark(self, name: str, element_id: int, value: Any) -> None:
        """Set an optional column (role, page, locator ...) of an element.

        Args:
            name: Name of the column.
            element_id: The element.
            value: The value.
        """
        self._table.mark(name, element_id, value)

    def start_section(self, title: str | None = None) -> int:
        """Open a Section and return its element_id.

        Args:
            title: Title of the group, if any.
        """
        return self.start(SECTION, title)

    def end_section(self) -> None:
        """Close the open Section."""
        self.end(SECTION)

    def start_list(self, title: str | None = None) -> int:
        """Open a List and return its element_id.

        Args:
            title: Title of the group, if any.
        """
        return self.start(LIST, title)

    def end_list(self) -> None:
        """Close the open List."""
        self.end(LIST)

    def start_navigation_list(self, title: str | None = None) -> int:
        """Open a NavigationList and return its element_id.

        Args:
            title: Title of the group, if any.
        """
        return self.start(NAVIGATION_LIST, title)

    def end_navigation_list(self) -> None:
        """Close the open NavigationList."""
        self.end(NAVIGATION_LIST)

    def start_list_item(self) -> int:
        """Open a ListItem and return its element_id."""
        return self.start(LIST_ITEM)

    def end_list_item(self) -> None:
        """Close the open ListItem."""
        self.end(LIST_ITEM)

    def start_table(self, title: str | None = None) -> int:
        """Open a Table and return its element_id.

        Args:
            title: Title of the group, if any.
        """
        return self.start(TABLE, title)

    def end_table(self) -> None:
        """Close the open Table."""
        self.end(TABLE)

    def start_table_header(self, row: int, col: int, row_span: int = 1, col_span: int = 1) -> int:
        """Open a TableHeader and return its element_id.

        Args:
            row: 1-based row.
            col: 1-based column.
            row_span: Number of rows that it covers.
            col_span: Number of columns that it covers.
        """
        return self.start(TABLE_HEADER, cell=(row, row_span, col, col_span))

    def end_table_header(self) -> None:
        """Close the open TableHeader."""
        self.end(TABLE_HEADER)

    def start_table_cell(self, row: int, col: int, row_span: int = 1, col_span: int = 1) -> int:
        """Open a TableCell and return its element_id.

        Args:
            row: 1-based row.
            col: 1-based column.
            row_span: Number of rows that it covers.
            col_span: Number of columns that it covers.
        """
        return self.start(TABLE_CELL, cell=(row, row_span, col, col_span))

    def end_table_cell(self) -> None:
        """Close the open TableCell."""
        self.end(TABLE_CELL)

    def build(self) -> NLPTextDocument:
        """Return the document. Its column ``main`` has the default values.

        Raises:
            DocumentModelError: An element is still open.
        """
        self._close_implicit()
        if self._open:
            name = TYPE_NAMES[self._table.type[self._open[-1]]]
            raise DocumentModelError(f"{len(self._open)} elements were never closed, the innermost a {name}")
        self._table.main[:] = self._table.default_main()
        return self._document

    def close_all(self) -> list[str]:
        """Close all open elements and return their type names, innermost first."""
        self._close_implicit()
        names = []
        while self._open:
            names.append(TYPE_NAMES[self._table.type[self._open[-1]]])
            self._pop()
            self._close_implicit()
        return names

    def _append(self, type_code: int, text: str | None) -> int:
        table = self._table
        element_id = len(table.type)
        table.type.append(type_code)
        table.parent_id.append(self._open[-1] if self._open else -1)
        table.subtree_end.append(-1)
        table.nesting_level.append(len(self._open) + 1)
        table.text.append(text)
        table.main.append(True)
        return element_id

    def _pop(self) -> None:
        element_id = self._open.pop()
        self._implicit.discard(element_id)
        self._table.subtree_end[element_id] = len(self._table.type)

    def _close_implicit(self) -> None:
        while self._open and self._open[-1] in self._implicit:
            self._pop()

    def _adjust_nesting(self, type_code: int) -> None:
        """Close implicit groups that end before the next element, and open missing ones around it."""
        types = self._table.type
        while self._open and self._open[-1] in self._implicit:
            top = types[self._open[-1]]
            belongs = (
                type_code == LIST_ITEM
                if top == LIST
                else type_code in CELLS
                if top == TABLE
                else type_code != LIST_ITEM
            )
            if top in CELLS:
                belongs = type_code not in CELLS
            if belongs:
                break
            self._pop()
        parent = types[self._open[-1]] if self._open else None
        if type_code == LIST_ITEM:
            if parent not in LISTS:
                self._repair(LIST, "ListItem outside a List: wrapped into a List")
        elif type_code in CELLS:
            if parent != TABLE:
                self._repair(TABLE, f"{TYPE_NAMES[type_code]} outside a Table: wrapped into a Table")
        elif parent in LISTS:
            self._repair(LIST_ITEM, f"{TYPE_NAMES[type_code]} directly in a List: wrapped into a ListItem")
        elif parent == TABLE:
            self._repair(TABLE_CELL, f"{TYPE_NAMES[type_code]} directly in a Table: wrapped into a TableCell")

    def _repair(self, wrapper: int, message: str) -> None:
        if self._on_repair is not None:
            self._on_repair(message)
        self._document.warnings.append(message)
        # The wrapper may in turn be placed in a List or Table.
        self._implicit.add(self.start(wrapper))
