"""Tables as the tags of the file have them."""

from __future__ import annotations

from collections import defaultdict

from corpuskit.extraction.pdf.box import Box
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
    rows: dict[int, list[Cell]] = defaultdict(list)
    for index, block in members:
        words = [word for run in by_cell[index] for word in run.words]
        cell = cell_of(block.row, 0, block.row_span, block.col_span, words)
        cell.is_header = block.type == "TH"
        rows[block.row].append(cell)
    cells = without_empty(_placed(rows))
    grid = Grid(Box.around(inside), cells)
    count, cols = grid.size
    if count * cols < 2 or max(len(cell.text) for cell in cells) > _MAX_TEXT or sum(bool(c.text) for c in cells) < 2:
        return None
    if not any(cell.is_header for cell in cells):
        mark_headers(grid)
    return grid


def _placed(rows: dict[int, list[Cell]]) -> list[Cell]:
    """Cells with their columns. Empty cells have no content and are missing from the tags of a page: they are put
    back, and where a row is short its cells stand in the columns whose texts they are under."""
    width = max(sum(cell.col_span for cell in row) for row in rows.values())
    spans = _column_spans(rows, width)
    taken: set[tuple[int, int]] = set()
    found: list[Cell] = []
    for number, row in sorted(rows.items()):
        free = [col for col in range(width) if (number, col) not in taken]
        missing = len(free) - sum(cell.col_span for cell in row)
        for cell in row:
            if missing > 0 and cell.text and spans:
                middle = (cell.box.x0 + cell.box.x1) / 2
                best = min(
                    range(missing + 1), key=lambda k: _distance(middle, spans[free[k] : free[k] + cell.col_span])
                )
                missing -= best
                del free[:best]
            cell.col = free[0] if free else width
            del free[: cell.col_span]
            taken |= {(number + i, cell.col + j) for i in range(cell.row_span) for j in range(cell.col_span)}
            found.append(cell)
    last = max(cell.row + cell.row_span for cell in found)
    found += [Cell(i, j) for i in range(last) for j in range(width) if (i, j) not in taken]
    return found


def _column_spans(rows: dict[int, list[Cell]], width: int) -> list[tuple[float, float]]:
    """Left and right of the columns, from the rows that have all their cells; empty where there is no such row."""
    full = [row for row in rows.values() if len(row) == width and all(cell.text for cell in row)]
    return [Box.around(row[k].box for row in full)[::2] for k in range(width)] if full else []


def _distance(middle: float, columns: list[tuple[float, float]]) -> float:
    if not columns:
        return float("inf")
    return abs(middle - (columns[0][0] + columns[-1][1]) / 2)
