"""Tables with drawn rules: where lines cross there are cells; a missing line between two cells makes them one."""

from __future__ import annotations

import itertools
from collections import defaultdict
from typing import Final

import numpy as np

from corpuskit.extraction.pdf.box import Box
from corpuskit.extraction.pdf.drawings import Drawings, Line
from corpuskit.extraction.pdf.tables.grid import SNAP, Cell, Grid, cell_of, mark_headers, snapped, without_empty
from corpuskit.extraction.pdf.tables.hidden import Place, pieces_of, split_hidden_columns, split_hidden_rows
from corpuskit.extraction.pdf.words import Run, without

_TOUCH: Final = 3.0  # points by which crossing lines may miss each other
_PADDING: Final = 9.0  # points between the edge of a cell and its text
_BESIDE: Final = 10  # em: a column of numbers
_MAX_PAIRS: Final = 400_000
_MAX_CELLS: Final = 6_000


def split_panels(drawings: Drawings) -> tuple[list[Line], list[Line]]:
    """Return the edges of filled boxes as lines, without those of backgrounds.

    A box filled line by line (code, quotations) gives boxes of one width that touch: they are put together, and a box
    that is alone in its width is a background, not a row of cells.
    """
    boxes = [box for box in drawings.fills if box.width > 10]
    panels = _stacked(boxes)
    lines = _lines_of_cells(boxes)
    horizontal, vertical = [], []
    for panel in panels:
        x0, y0, x1, y1 = panel
        beside = [p for p in panels if abs(p.y0 - y0) < 2 and abs(p.y1 - y1) < 2 and (p.x0 >= x1 - 3 or p.x1 <= x0 + 3)]
        if not beside or panel.height > 300:
            continue
        if _rounded(panel) not in lines:
            horizontal += [Line(x0, x1, y0, drawn=False), Line(x0, x1, y1, drawn=False)]
        vertical += [Line(y0, y1, x0, drawn=False), Line(y0, y1, x1, drawn=False)]
    return horizontal, vertical


def _rounded(box: Box) -> Box:
    return Box(*(round(edge, 1) for edge in box))


def _lines_of_cells(boxes: list[Box]) -> set[Box]:
    """Boxes within another one that is hardly wider: Word fills a cell, and again each line in it."""
    if not 1 < len(boxes) <= 1_000:
        return set()
    x0, y0, x1, y1 = np.array(boxes).T
    inside = (x0[:, None] >= x0 - 1) & (x0[:, None] <= x0 + _PADDING) & (x1[:, None] <= x1 + 1)
    inside &= (x1[:, None] >= x1 - _PADDING) & (y0[:, None] >= y0 - 1) & (y1[:, None] <= y1 + 1)
    inside &= ((x1 - x0) * (y1 - y0))[:, None] < 0.9 * (x1 - x0) * (y1 - y0)
    return {_rounded(box) for box, is_line in zip(boxes, inside.any(axis=1).tolist(), strict=True) if is_line}


def _stacked(boxes: list[Box]) -> list[Box]:
    """Boxes of the same left and right edges that touch or overlap become one, unless others stand beside them."""
    unique = sorted({_rounded(box) for box in boxes})
    by_edges: dict[tuple[int, int], list[Box]] = defaultdict(list)
    for box in unique:
        by_edges[round(box.x0), round(box.x1)].append(box)
    found: list[Box] = []
    alone = len(by_edges) == 1 or len(unique) > 1_000
    for group in by_edges.values():
        group.sort(key=lambda box: box.y0)
        beside = not alone and any(
            other.y0 < group[-1].y1 and other.y1 > group[0].y0 and (other.x0 >= group[0].x1 - 3 or other.x1 <= group[0].x0 + 3)
            for edges in by_edges.values() if edges is not group for other in edges
        )  # fmt: skip
        if beside:
            found += group
            continue
        current = group[0]
        for box in group[1:]:
            if box.y0 <= current.y1 + 1:
                current = current._replace(y1=max(current.y1, box.y1))
            else:
                found.append(current)
                current = box
        found.append(current)
    return found


def find_ruled_tables(drawings: Drawings, runs: list[Run]) -> tuple[list[tuple[Grid, list[Run]]], list[Line]]:
    """Return the tables whose cells are drawn, each with the runs that stand in it, and the horizontal lines that are in none."""
    fill_h, fill_v = split_panels(drawings)
    horizontal = _joined([*drawings.horizontal, *fill_h])
    vertical = _joined([*drawings.vertical, *fill_v])
    horizontal = [line for line in horizontal if line.end - line.start >= 5]
    vertical = [line for line in vertical if line.end - line.start >= 4]
    groups, alone = _connected(horizontal, vertical)
    found = []
    free = runs
    for h_lines, v_lines in groups:
        made = _table(h_lines, v_lines, free)
        if made is None or _holds_curves(made[0].box, drawings.curves):
            alone += h_lines
            continue
        found.append(made)
        free = without(free, made[1])
    return found, [line for line in alone if line.drawn]


def _holds_curves(box: Box, curves: list[Box]) -> bool:
    """Some curves or slanting lines inside: a chart or a drawing; the rounded frame of a table is as large as it is."""
    x0, y0, x1, y1 = box
    inside = [c for c in curves if c.x0 > x0 - 2 and c.y0 > y0 - 2 and c.x1 < x1 + 2 and c.y1 < y1 + 2]
    return sum(4 < c.width < 0.9 * box.width for c in inside) >= 3


def _joined(lines: list[Line], tolerance: float = 1.5) -> list[Line]:
    """Lines on one another or end to end become one."""
    if not lines:
        return []
    groups: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.at):
        if groups and line.at - groups[-1][0].at <= tolerance:
            groups[-1].append(line)
        else:
            groups.append([line])
    found = []
    for group in groups:
        at = sum(line.at for line in group) / len(group)
        group.sort(key=lambda line: line.start)
        start, end, drawn = group[0].start, group[0].end, group[0].drawn
        for line in group[1:]:
            if line.start <= end + 3:
                end = max(end, line.end)
                drawn = drawn or line.drawn
            else:
                found.append(Line(start, end, at, drawn))
                start, end, drawn = line.start, line.end, line.drawn
        found.append(Line(start, end, at, drawn))
    return found


def _connected(horizontal: list[Line], vertical: list[Line]) -> tuple[list[tuple[list[Line], list[Line]]], list[Line]]:
    """Groups of lines that cross; the largest first."""
    if len(horizontal) < 1 or len(vertical) < 1 or len(horizontal) * len(vertical) > _MAX_PAIRS:
        return [], list(horizontal)
    hx0, hx1, hy = (
        np.array(values)[:, None] for values in zip(*((q.start, q.end, q.at) for q in horizontal), strict=True)
    )
    vy0, vy1, vx = (np.array(values) for values in zip(*((q.start, q.end, q.at) for q in vertical), strict=True))
    cross = (hx0 - _TOUCH <= vx) & (vx <= hx1 + _TOUCH) & (vy0 - _TOUCH <= hy) & (hy <= vy1 + _TOUCH)
    size = len(horizontal)
    parent = list(range(size + len(vertical)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, j in zip(*np.nonzero(cross), strict=True):
        a, b = root(int(i)), root(size + int(j))
        if a != b:
            parent[a] = b
    groups: dict[int, tuple[list[Line], list[Line]]] = defaultdict(lambda: ([], []))
    for i, line in enumerate(horizontal):
        groups[root(i)][0].append(line)
    for j, line in enumerate(vertical):
        groups[root(size + j)][1].append(line)
    alone = [line for h, v in groups.values() if not v for line in h]
    crossing = [(h, v) for h, v in groups.values() if h and v]
    crossing.sort(key=lambda group: -sum(line.end - line.start for line in (*group[0], *group[1])))
    return crossing, alone


def _table(h_lines: list[Line], v_lines: list[Line], runs: list[Run]) -> tuple[Grid, list[Run]] | None:
    """The table of crossing lines, or None where they make none."""
    xs, ys = snapped([line.at for line in v_lines]), snapped([line.at for line in h_lines])
    left, right = min(line.start for line in h_lines), max(line.end for line in h_lines)
    top, bottom = min(line.start for line in v_lines), max(line.end for line in v_lines)
    # Open sides: rules reach beyond the outermost line across them.
    if xs[0] - left > 2 * SNAP:
        xs.insert(0, left)
    if right - xs[-1] > 2 * SNAP:
        xs.append(right)
    if ys[0] - top > 2 * SNAP:
        ys.insert(0, top)
    if bottom - ys[-1] > 2 * SNAP:
        ys.append(bottom)
    rows, cols = len(ys) - 1, len(xs) - 1
    if rows < 1 or cols < 1 or rows * cols < 2 or rows * cols > _MAX_CELLS:
        return None
    box = Box(xs[0], ys[0], xs[-1], ys[-1])
    inside = [run for run in runs if _is_inside(run, box)]
    if len(inside) < 2:
        return None
    if 2 * sum(line.drawn for line in v_lines) < len(v_lines) and _goes_on_beside(inside, xs, runs):
        return None
    places = _places(xs, ys, h_lines, v_lines)
    _fill(places, xs, ys, inside)
    places = _split_columns(places, xs)
    places = split_hidden_columns(split_hidden_rows(places))
    cells = without_empty([cell_of(p.row, p.col, p.row_span, p.col_span, p.words) for p in places])
    grid = Grid(box, cells, is_drawn=True)
    if not _is_table(grid, all(line.drawn for line in h_lines), inside):
        return None
    mark_headers(grid)
    return grid, inside


def _is_inside(run: Run, box: Box) -> bool:
    middle = (run.x0 + run.x1) / 2
    return box.y0 - 2 <= run.base - 0.3 * run.size <= box.y1 + 2 and box.x0 - 2 <= middle <= box.x1 + 2


def _goes_on_beside(inside: list[Run], xs: list[float], runs: list[Run]) -> bool:
    """Whether most lines in a box go on within a column's width of it: fills of a few cells are a wider table's stripes."""
    reach = min(xs[-1] - xs[-2], _BESIDE * float(np.median([run.size for run in inside])))
    beside = [run.base for run in runs if 0 < run.x0 - xs[-1] < reach]
    bases = snapped([run.base for run in inside], 2.5)
    return sum(any(abs(base - other) < 1 for other in beside) for base in bases) > 0.5 * len(bases)


def _is_table(grid: Grid, is_drawn: bool, runs: list[Run]) -> bool:
    """Whether cells make a table, not a frame around text, a boxed listing or the parts of a drawing."""
    rows, cols = grid.size
    texts = [cell.text for cell in grid.cells if cell.text]
    if len(texts) < 2:
        return False
    longest = max(len(text) for text in texts)
    if cols < 2:
        # One column needs rules between its rows and short cells.
        return is_drawn and rows >= 3 and longest <= 160 and not all(run.is_mono for run in runs)
    if rows < 2 and cols < 3:
        return False
    if longest > 1_500 or (rows <= 2 and longest > 600):
        return False
    if len(texts) <= 8 and sum(len(text) for text in texts if len(text) > 300) > 0.7 * sum(map(len, texts)):
        return False  # a page laid out with coloured boxes
    if rows * cols >= 8 and len(texts) < 0.25 * len(grid.cells):
        return False  # the axes of a chart
    mono = sum(run.length for run in runs if run.is_mono)
    return not (mono > 0.9 * sum(run.length for run in runs) and not is_drawn)


def _places(xs: list[float], ys: list[float], h_lines: list[Line], v_lines: list[Line]) -> list[Place]:
    """Cells between the lines that are really there."""
    rows, cols = len(ys) - 1, len(xs) - 1
    tolerance = SNAP / 2 + 0.5
    v_drawn = np.zeros((rows, cols + 1), np.bool_)  # a line on the left of column j in row i
    h_drawn = np.zeros((rows + 1, cols), np.bool_)  # a line above row i in column j
    middles_y = [(a + b) / 2 for a, b in itertools.pairwise(ys)]
    middles_x = [(a + b) / 2 for a, b in itertools.pairwise(xs)]
    for line in v_lines:
        j = min(range(cols + 1), key=lambda k: abs(xs[k] - line.at))
        if abs(xs[j] - line.at) <= tolerance + SNAP:
            for i, y in enumerate(middles_y):
                v_drawn[i, j] |= line.start - 2 <= y <= line.end + 2
    for line in h_lines:
        i = min(range(rows + 1), key=lambda k: abs(ys[k] - line.at))
        if abs(ys[i] - line.at) <= tolerance + SNAP:
            for j, x in enumerate(middles_x):
                h_drawn[i, j] |= line.start - 2 <= x <= line.end + 2
    taken = np.zeros((rows, cols), np.bool_)
    places = []
    for i in range(rows):
        for j in range(cols):
            if taken[i, j]:
                continue
            wide = 1
            while j + wide < cols and not v_drawn[i, j + wide] and not taken[i, j + wide]:
                wide += 1
            tall = 1
            while (
                i + tall < rows
                and not h_drawn[i + tall, j : j + wide].any()
                and not taken[i + tall, j : j + wide].any()
                and not v_drawn[i + tall, j + 1 : j + wide].any()
            ):
                tall += 1
            taken[i : i + tall, j : j + wide] = True
            places.append(Place(i, j, tall, wide))
    return places


def _fill(places: list[Place], xs: list[float], ys: list[float], runs: list[Run]) -> None:
    """Gives each word to the cell in which its middle stands."""
    at: dict[tuple[int, int], Place] = {}
    for place in places:
        for i in range(place.row, place.row + place.row_span):
            for j in range(place.col, place.col + place.col_span):
                at[i, j] = place
    edges_x, edges_y = np.array(xs[1:-1]), np.array(ys[1:-1])
    words = [word for run in runs for word in run.words]
    cols = np.searchsorted(edges_x, [(word.x0 + word.x1) / 2 for word in words])
    rows = np.searchsorted(edges_y, [word.base - 0.3 * word.size for word in words])
    for word, row, col in zip(words, rows.tolist(), cols.tolist(), strict=True):
        at[row, col].words.append(word)


def _split_columns(places: list[Place], xs: list[float]) -> list[Place]:
    """A cell over several columns whose pieces each fit under one column had undrawn borders."""
    found = []
    for place in places:
        inner = xs[place.col + 1 : place.col + place.col_span]
        pieces = pieces_of(place.words) if place.col_span > 1 and len(place.words) > 1 else []
        columns = [
            (sum(piece[0].x0 + 1 >= x for x in inner), sum(piece[-1].x1 - 1 >= x for x in inner)) for piece in pieces
        ]
        if len({first for first, _ in columns}) < 2 or any(first != last for first, last in columns):
            found.append(place)
            continue
        for k in range(place.col_span):
            words = [word for piece, (first, _) in zip(pieces, columns, strict=True) if first == k for word in piece]
            found.append(Place(place.row, place.col + k, place.row_span, 1, words))
    return found


__all__ = ["Cell", "find_ruled_tables", "snapped", "split_panels"]
