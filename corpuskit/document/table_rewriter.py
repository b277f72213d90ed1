"""TableRewriter: construction of an element table from the rows of another one."""

from __future__ import annotations

from collections.abc import Container

from corpuskit.document.elements import TEXT_BLOCK, ElementTable


class TableRewriter:
    """Builder of a table from the rows of another one.

    Rows are processed in order: copied, replaced, split, wrapped, skipped or added.

    Args:
        source: The original table.

    Attributes:
        table: The new table. Cells and marks are added by :meth:`finish`.
        origin: Row of the source per row of the new table; added rows have -1.
    """

    def __init__(self, source: ElementTable) -> None:
        self.table = ElementTable()
        self.origin: list[int] = []
        self._source = source
        self._open: list[tuple[int, int]] = []  # open groups and their ends in the source

    @property
    def open_type(self) -> int | None:
        """Type code of the innermost open group, or None at the document level."""
        return self.table.type[self._open[-1][0]] if self._open else None

    def advance(self, row: int) -> None:
        """Close the groups that end before a row of the source."""
        while self._open and self._open[-1][1] <= row:
            self.table.subtree_end[self._open.pop()[0]] = len(self.table)

    def add(self, type_code: int, text: str | None, end: int = 0, *, main: bool, origin: int = -1) -> int:
        """Append a row to the innermost open group and return its element_id.

        Args:
            type_code: Type of the element. A group becomes the innermost open group.
            text: Text or title.
            end: End of a group: a row of the source.
            main: Whether the element is main content.
            origin: Row of the source that provides the cell and marks.
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
        """Append a row of the source and return its element_id."""
        source = self._source
        return self.add(source.type[row], source.text[row], source.subtree_end[row], main=source.main[row], origin=row)

    def finish(self, without: Container[str] = ()) -> ElementTable:
        """Return the new table with the cells and marks of the source, except the marks in ``without``."""
        self.advance(len(self._source))
        self.table.cells, marks = self._source.columns_of(self.origin, without)
        self.table.marks.update(marks)
        return self.table
