"""Tables as the tags of the file have them."""

from __future__ import annotations

from collections import defaultdict

from corpuskit.extraction.pdf.tables.grid import Cell, Grid, cell_of, mark_headers, without_empty
from corpuskit.extraction.pdf.tags import PageTags, TagBlock
from corpuskit.extraction.pdf.words import Run

_MAX_TEXT = 1_500


def find_tagged_tables(tags: PageTags, runs: list[Run]) -> list[tuple[Grid, list[Run]]]:
    """Tables whose cells are tagged, each with its runs; tables that only serve a page's layout are left out."""
    by_cell: dict[int, list[Run]] = defaultdict(list)
    for run in runs:
        if run.tag >= 0 and tags.blocks[run.tag].table >= 0:
            by_cell[run.tag].append(run)
    cells_of: dict[int, list[tuple[int, TagBlock]]] = defaultdict(list)
    for index, block in enumerate(tags.blocks):
        if block.table >= 0:
            cells_of[block.table].append((index, block))
    found = []
    for members in cells_of.values():
        inside = [run for index, _ in members for run in by_cell[index]]
        if len(inside) < 2:
            continue
        grid = _grid(members, by_cell, inside)
        if grid is not None:
            found.append((grid, inside))
    return found


def _grid(members: list[tuple[int, TagBlock]], by_cell: dict[int, list[Run]], inside: list[Run]) -> Grid | None:
    cells: list[Cell] = []
    taken: set[tuple[int, int]] = set()
    col = -1
    row = -1
    headers: set[tuple[int, int]] = set()
    for index, block in members:
        col = col + 1 if block.row == row else 0
        row = block.row
        while (row, col) in taken:  # below a cell that spans rows
            col += 1
        cell = cell_of(row, col, block.row_span, block.col_span, [w for run in by_cell[index] for w in run.words])
        cell.is_header = block.type == "TH"
        taken |= {(row + i, col + j) for i in range(cell.row_span) for j in range(cell.col_span)}
        cells.append(cell)
        col += cell.col_span - 1
    headers = {(cell.row, cell.col) for cell in cells if cell.is_header}
    cells = without_empty(cells)
    box = (min(r.x0 for r in inside), min(r.y0 for r in inside), max(r.x1 for r in inside), max(r.y1 for r in inside))
    grid = Grid(box, cells)
    rows, cols = grid.size
    if rows * cols < 2 or max(len(cell.text) for cell in cells) > _MAX_TEXT or sum(bool(c.text) for c in cells) < 2:
        return None
    if not headers:
        mark_headers(grid)
    return grid
