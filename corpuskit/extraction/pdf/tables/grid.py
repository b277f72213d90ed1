"""The cells of a table, and what all kinds of tables need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from corpuskit.extraction.pdf.box import Box
from corpuskit.extraction.pdf.direction import has_rtl, logical_order
from corpuskit.extraction.pdf.fonts import BOLD
from corpuskit.extraction.pdf.words import Run, Word, joined

SNAP: Final = 6.0
"""Points: lines nearer than this are one; double rules are some 2 to 5 points apart."""
EMPTY: Final = Box(0.0, 0.0, 0.0, 0.0)


@dataclass(slots=True)
class Cell:
    """A cell; ``row`` and ``col`` count from 0."""

    row: int
    col: int
    row_span: int = 1
    col_span: int = 1
    text: str = ""
    is_header: bool = False
    box: Box = EMPTY
    styles: frozenset[int] = frozenset()
    page: int | None = None  # 0-based, where it is not that of its block


@dataclass(slots=True)
class Grid:
    """A table: cells by row and column, where it stands, its title.

    Attributes:
        boxes: (0-based page, box) of its parts, where they are more than one.
    """

    box: Box
    cells: list[Cell]
    title: str = ""
    is_drawn: bool = False
    boxes: list[tuple[int, Box]] = field(default_factory=list)

    @property
    def size(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        if not self.cells:
            return 0, 0
        return max(cell.row + cell.row_span for cell in self.cells), max(
            cell.col + cell.col_span for cell in self.cells
        )


def snapped(values: list[float], tolerance: float = SNAP) -> list[float]:
    """Sorted values, near ones put together to their mean."""
    groups: list[list[float]] = []
    for value in sorted(values):
        if groups and value - groups[-1][-1] <= tolerance:
            groups[-1].append(value)
        else:
            groups.append([value])
    return [sum(group) / len(group) for group in groups]


def cell_lines(words: list[Word]) -> list[list[Word]]:
    """The words of a cell in lines, from the top down."""
    lines: list[list[Word]] = []
    for word in sorted(words, key=lambda word: word.base):
        for line in lines:
            if abs(line[0].base - word.base) < 0.55 * max(word.size, line[0].size):
                line.append(word)
                break
        else:
            lines.append([word])
    for line in lines:
        line.sort(key=lambda word: word.x0)
        if any(has_rtl(word.text) for word in line):
            line[:] = logical_order(line)
    return lines


def cell_of(row: int, col: int, row_span: int, col_span: int, words: list[Word]) -> Cell:
    """A cell with the text of its words."""
    if not words:
        return Cell(row, col, row_span, col_span)
    text = ""
    for line in cell_lines(words):
        line[0].glued = False
        text = join_lines(text, joined(line))
    styles = frozenset(word.style & 7 for word in words if any(character.isalnum() for character in word.text))
    return Cell(row, col, row_span, col_span, text, box=Box.around(words), styles=styles)


def join_lines(above: str, below: str) -> str:
    """Two lines of a cell: a word parted by a hyphen becomes one."""
    if not above:
        return below
    if above.endswith("-") and len(above) > 2 and above[-2].isalpha() and below[:1].isalnum():
        return above[:-1] + below if below[0].islower() else above + below
    return f"{above} {below}"


def words_of(runs: Sequence[Run]) -> list[Word]:
    """All words of runs."""
    return [word for run in runs for word in run.words]


def without_empty(cells: list[Cell]) -> list[Cell]:
    """The cells without rows and columns that hold no text; spans shrink with them."""
    texts = [cell for cell in cells if cell.text]
    if not texts:
        return []
    rows = sorted({cell.row for cell in texts})
    cols = sorted({cell.col for cell in texts})
    kept = []
    for cell in cells:
        in_rows = [k for k, row in enumerate(rows) if cell.row <= row < cell.row + cell.row_span]
        in_cols = [k for k, col in enumerate(cols) if cell.col <= col < cell.col + cell.col_span]
        if in_rows and in_cols:
            cell.row, cell.row_span = in_rows[0], len(in_rows)
            cell.col, cell.col_span = in_cols[0], len(in_cols)
            kept.append(cell)
    return sorted(kept, key=lambda cell: (cell.row, cell.col))


def mark_headers(grid: Grid, ruled_below: int = 0) -> None:
    """Marks header cells: the rows above a header rule, else leading rows that alone are bold, else the first row.

    A table of words only, without bold and rules, may have no header row; the first row is taken then too, as HTML
    authors do.
    """
    rows, _cols = grid.size
    if rows < 2:
        return
    by_row: dict[int, list[Cell]] = {}
    for cell in grid.cells:
        by_row.setdefault(cell.row, []).append(cell)

    def is_bold(row: int) -> bool:
        styled = [cell for cell in by_row.get(row, []) if cell.styles]
        return bool(styled) and all(style & BOLD for cell in styled for style in cell.styles)

    bold = [is_bold(row) for row in range(rows)]
    count = ruled_below
    if not count:
        while count < rows - 1 and bold[count]:
            count += 1
    if not count or count >= rows:
        count = 1
    top = by_row.get(0, [])
    count = max([count, *(cell.row_span for cell in top if cell.row_span <= 3 and cell.row_span < rows)])
    for cell in grid.cells:
        cell.is_header = cell.row < count


def under_bar(bar: Grid, body: Grid) -> Grid | None:
    """A table whose head is a bar of cells drawn by themselves; None where the two do not belong together."""
    rows, cols = bar.size
    if rows != 1 or not bar.is_drawn or body.is_drawn or body.size[1] != cols:
        return None
    if not -2 < body.box.y0 - bar.box.y1 < bar.box.height:
        return None
    narrower = min(bar.box.width, body.box.width)
    if bar.box.shared(body.box)[0] < 0.75 * max(narrower, 1.0):
        return None
    cells = [replace(cell, is_header=True) for cell in bar.cells]
    cells += [replace(cell, row=cell.row + 1, is_header=False) for cell in body.cells]
    around = Box.around((bar.box, body.box))
    return Grid(around._replace(y0=bar.box.y0, y1=body.box.y1), cells, bar.title)
