"""Where the cells of a table stand."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from typing import Final

Place = tuple[int, int, int, int]
"""Of a cell: row, row_span, col, col_span."""

_NUMBER: Final = re.compile(r"\s*(\d{1,9})")
_MOST_COLUMNS: Final = 1000
_MOST_ROWS: Final = 65534
# A page of overlapping spans must not take for ever.
_MOST_STEPS: Final = 2_000_000


class Places:
    """Cells and their places as bare numbers: an eighth of what tuples in a dictionary take."""

    def __init__(self) -> None:
        self._cells, self._numbers = array("i"), array("i")

    def __len__(self) -> int:
        return len(self._cells)

    def add(self, element_id: int, place: Place) -> None:
        """The place of a cell behind all others."""
        self._cells.append(element_id)
        self._numbers.extend(place)

    def cut(self, element_id: int, last: int) -> None:
        """Lets a cell end with a row."""
        at = 4 * bisect_left(self._cells, element_id)
        row, row_span = self._numbers[at], self._numbers[at + 1]
        self._numbers[at + 1] = min(row_span, last - row + 1)

    def as_dict(self) -> dict[int, Place]:
        """element_id → place."""
        numbers = iter(self._numbers)
        return dict(zip(self._cells, zip(numbers, numbers, numbers, numbers, strict=True), strict=True))


class Grid:
    """Gives cells their 1-based row, row_span, col and col_span.

    HTML standard, "forming a table": a cell takes the next column that no row span from above covers. A span that is
    no number from 1 on is 1, a column span ends at 1000, a row span at the table's last row; a cell that overlaps
    another keeps its place.
    """

    def __init__(self) -> None:
        self.rows = 0
        self._next = 1
        self._taken: dict[int, int] = {}
        self._steps = 0
        self._long: list[int] = []

    def start_row(self) -> None:
        """A ``tr`` begins."""
        self.rows += 1
        self._next = 1

    def place(self, element_id: int, attributes: dict[str, str]) -> Place:
        """The place of the next cell, its row span not yet cut."""
        row = self.rows = self.rows or 1
        col = self._next
        taken = self._taken
        while taken and taken.get(col, 0) >= row:
            col += 1
            self._steps += 1
            if self._steps > _MOST_STEPS:
                taken.clear()
        if not attributes:
            self._next = col + 1
            return row, 1, col, 1
        row_span = _span(attributes.get("rowspan"), _MOST_ROWS)
        col_span = _span(attributes.get("colspan"), _MOST_COLUMNS)
        self._next = col + col_span
        if row_span > 1:
            self._long.append(element_id)
            self._steps += col_span
            if self._steps <= _MOST_STEPS:
                last = row + row_span - 1
                for covered in range(col, col + col_span):
                    if taken.get(covered, 0) < last:
                        taken[covered] = last
        return row, row_span, col, col_span

    def finish(self, places: Places) -> None:
        """Cuts row spans at the table's last row."""
        for element_id in self._long:
            places.cut(element_id, self.rows)


def _span(value: str | None, most: int) -> int:
    found = _NUMBER.match(value) if value else None
    return min(max(int(found.group(1)), 1), most) if found else 1
