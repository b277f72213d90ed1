"""Heads of several rows: a title stands over the columns it is centred on, the names beside it reach up to its row."""

from __future__ import annotations

from itertools import product
from typing import Final

from corpuskit.extraction.pdf.tables.grid import Cell, Grid

_OFF_CENTRE: Final = 0.06  # of the width of the columns: how far from their middle a title may stand


def spread_heads(grid: Grid) -> None:
    """Gives titles over several columns of a table without rules their spans, in place."""
    count = max((cell.row + 1 for cell in grid.cells if cell.is_header), default=0)
    rows, cols = grid.size
    if not 2 <= count < rows or cols < 3:
        return
    places = {(cell.row, cell.col + k): cell for cell in grid.cells for k in range(cell.col_span)}
    edges = _edges(grid, count, cols)
    if edges is None:
        return
    for row in range(count - 1):
        titles = sorted({id(c): c for (r, _), c in places.items() if r == row and c.text}.values(), key=lambda c: c.col)
        for k, title in enumerate(titles):
            low = titles[k - 1].col + titles[k - 1].col_span if k else 0
            high = titles[k + 1].col - 1 if k + 1 < len(titles) else cols - 1
            _spread(title, row, (low, high), edges, places)
    if any(cell.col_span > 1 and cell.row < count - 1 for cell in grid.cells):
        for col in range(cols):
            _lift(col, count, places)
    kept = {id(cell) for cell in places.values()}
    grid.cells = [cell for cell in grid.cells if id(cell) in kept]


def _edges(grid: Grid, count: int, cols: int) -> list[tuple[float, float]] | None:
    """Left and right of the columns below the head."""
    found = []
    for col in range(cols):
        boxes = [c.box for c in grid.cells if c.row >= count - 1 and c.col == col and c.col_span == 1 and c.text]
        if not boxes:
            return None
        found.append((min(box.x0 for box in boxes), max(box.x1 for box in boxes)))
    return found


def _spread(
    title: Cell,
    row: int,
    free: tuple[int, int],
    edges: list[tuple[float, float]],
    places: dict[tuple[int, int], Cell],
) -> None:
    first, last = title.col, title.col + title.col_span - 1
    middle = (title.box.x0 + title.box.x1) / 2
    fitting = []
    for left, right in product(range(max(free[0], 1), first + 1), range(last, free[1] + 1)):
        width = edges[right][1] - edges[left][0]
        off = abs((edges[left][0] + edges[right][1]) / 2 - middle)
        below = all((cell := places.get((row + 1, col))) is not None and cell.text for col in range(left, right + 1))
        if off < _OFF_CENTRE * width and below:
            fitting.append((right - left, left, right))
    if not fitting or max(fitting)[0] == last - first:
        return
    _, left, right = max(fitting)
    title.col, title.col_span = left, right - left + 1
    for col in range(left, right + 1):
        places[row, col] = title


def _lift(col: int, count: int, places: dict[tuple[int, int], Cell]) -> None:
    """A name in the last row of the head with nothing above it spans the whole head."""
    name = places.get((count - 1, col))
    above = [places.get((row, col)) for row in range(count - 1)]
    if name is None or not name.text or name.col_span > 1 or any(c is None or c.text or c.col_span > 1 for c in above):
        return
    name.row, name.row_span = 0, count
    for row in range(count - 1):
        places[row, col] = name
