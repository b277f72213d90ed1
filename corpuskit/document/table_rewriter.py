"""TableRewriter: a new element table from the rows of another one."""

from __future__ import annotations

from collections.abc import Container

from corpuskit.document.elements import TEXT_BLOCK, ElementTable


class TableRewriter:
    """Builds a table from the rows of another one, in their order: rows are copied, replaced, split, wrapped, left out or added.

    Args:
        source: the table that is rewritten.

    Attributes:
        table: the new table; its cells and marks follow in :meth:`finish`.
        origin: the row of the source per row of the new table; -1 for an added one.
    """

    def __init__(self, source: ElementTable) -> None:
        self.table = ElementTable()
        self.origin: list[int] = []
        self._source = source
        self._open: list[tuple[int, int]] = []  # open groups, and the row of the source that ends each

    @property
    def open_type(self) -> int | None:
        """Type code of the innermost open group; None at the document's level."""
        return self.table.type[self._open[-1][0]] if self._open else None

    def advance(self, row: int) -> None:
        """Close the groups that end before a row of the source."""
        while self._open and self._open[-1][1] <= row:
            self.table.subtree_end[self._open.pop()[0]] = len(self.table)

    def add(self, type_code: int, text: str | None, end: int = 0, *, main: bool, origin: int = -1) -> int:
        """Append a row to the innermost open group and return its element_id.

        Args:
            type_code: its type; a group becomes the innermost open one.
            text: its text or title.
            end: the row of the source before which a group ends.
            main: part of the main content.
            origin: the row of the source whose cell and marks it has.
        """
        table, element_id = self.table, len(self.origin)
        table.type.append(type_code)
        table.parent_id.append(self._open[-1][0] if self._open else -1)
        table.subtree_end.append(element_id + 1)
        table.nesting_level.append(len(self._open) + 1)
        table.text.append(text)
        table.main.append(main)
        self.origin.append(origin)
        if type_code != TEXT_BLOCK:
            self._open.append((element_id, end))
        return element_id

    def copy(self, row: int) -> int:
        """Append a row of the source as it is, and return its element_id."""
        source = self._source
        return self.add(source.type[row], source.text[row], source.subtree_end[row], main=source.main[row], origin=row)

    def finish(self, without: Container[str] = ()) -> ElementTable:
        """Return the new table with the cells and marks of the source, except those in ``without``."""
        self.advance(len(self._source))
        self.table.cells, marks = self._source.columns_of(self.origin, without)
        self.table.marks.update(marks)
        return self.table
