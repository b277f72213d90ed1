"""Tables without cell borders: rows of runs that leave the same gaps free."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Final

import numpy as np

from corpuskit.extraction.pdf.base_lines import rows_of
from corpuskit.extraction.pdf.box import Box
from corpuskit.extraction.pdf.drawings import Line
from corpuskit.extraction.pdf.fonts import MONO
from corpuskit.extraction.pdf.patterns import EQUATION_NUMBER
from corpuskit.extraction.pdf.tables.grid import Cell, Grid, cell_of, mark_headers, without_empty, words_of
from corpuskit.extraction.pdf.tables.heads import spread_heads
from corpuskit.extraction.pdf.tables.plausibility import Gap, Row, is_justified, is_table
from corpuskit.extraction.pdf.tables.rows import Placed, is_data_row, row_starts
from corpuskit.extraction.pdf.words import Run, Word

_GUTTER: Final = 0.75  # of the font size: the narrowest gap between columns
_MAX_TEXT: Final = 500
_NUMBERED_END: Final = re.compile(r"\(\d+(?:\.\d+)*[a-z]?\)$")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class Found:
    """Rows ``first`` to ``last`` (inclusive) of a region are a table with these gaps between its columns."""

    first: int
    last: int
    gaps: list[Gap]


def find_aligned_tables(rows: list[Row], rules: list[Line], *, is_mono_page: bool) -> list[tuple[Found, Grid]]:
    """Return the tables among the rows of a region.

    Args:
        rows: runs by base line.
        rules: horizontal lines of the region.
        is_mono_page: the body font is of a fixed pitch, so that listings cannot be told by it.
    """
    heights = sorted(rule.at for rule in rules)
    is_multi = [
        len(row) >= 2 and (is_mono_page or not all(run.style & MONO for run in row)) and not is_justified(rows, i)
        for i, row in enumerate(rows)
    ]
    stretches: list[tuple[Found, int]] = []
    i = 0
    while i < len(rows):
        stretch = _stretch(rows, i, is_multi, heights) if is_multi[i] else None
        if stretch is None:
            i += 1
            continue
        stretches.append(stretch)
        i = stretch[0].last + 1
    found = []
    for group in _groups(rows, stretches, heights):
        whole = _merged(group)
        if _is_beside(rows, whole[0]):
            continue
        table = _table(rows, whole, heights)
        if table is not None:
            found.append(table)
        elif len(group) > 1:
            found += [table for part in group if (table := _table(rows, part, heights)) is not None]
    return found


def _groups(rows: list[Row], stretches: list[tuple[Found, int]], heights: list[float]) -> list[list[tuple[Found, int]]]:
    """Stretches that follow each other closely and are as wide: the head and the body of one table."""
    groups: list[list[tuple[Found, int]]] = []
    for stretch in stretches:
        if groups and _belongs(rows, groups[-1][-1][0], stretch[0], heights):
            groups[-1].append(stretch)
        else:
            groups.append([stretch])
    return groups


def _belongs(rows: list[Row], above: Found, below: Found, heights: list[float]) -> bool:
    if below.first != above.last + 1:
        return False
    last, first = rows[above.last], rows[below.first]
    size = max(run.size for run in last)
    distance = first[0].base - last[0].base
    is_ruled = any(last[0].base - 2 < y < first[0].base for y in heights)
    if distance > (4.2 if is_ruled else 2.2) * size or not 0.8 < max(run.size for run in first) / size < 1.25:
        return False
    a, b = (Box.around(run for row in rows[f.first : f.last + 1] for run in row) for f in (above, below))
    return a.shared(b)[0] >= 0.75 * max(a.width, b.width)


def columns_beside(rows: list[Row]) -> list[Found]:
    """Rows that are no table but two texts side by side, such as dates and keywords beside an abstract."""
    is_multi = [len(row) == 2 for row in rows]
    found = []
    i = 0
    while i < len(rows):
        stretch = _stretch(rows, i, is_multi, []) if is_multi[i] else None
        if stretch is not None and _is_beside(rows, stretch[0]):
            found.append(stretch[0])
        i = stretch[0].last + 1 if stretch is not None else i + 1
    return found


def _is_beside(rows: list[Row], place: Found) -> bool:
    """Two columns of which one is running text at an even leading."""
    run_rows = rows[place.first : place.last + 1]
    multi = [row for row in run_rows if len(row) == 2]
    if len(place.gaps) != 1 or len(multi) < 4 or len(multi) < len([row for row in run_rows if len(row) > 1]):
        return False
    gap = place.gaps[0]
    for column in (
        [run for row in run_rows for run in row if run.x1 <= gap[0] + 1],
        [run for row in run_rows for run in row if run.x0 >= gap[1] - 1],
    ):
        if len(column) < 5 or fmean(run.length for run in column) < 45:
            continue
        ends = sorted(run.x1 for run in column)
        full = sum(run.x1 > ends[-1] - 2 * run.size for run in column)
        steps = sorted(b.base - a.base for a, b in pairwise(column))
        if full >= 0.7 * len(column) and steps[int(0.8 * len(steps))] < 1.5 * column[0].size:
            return True
    return False


def _merged(group: list[tuple[Found, int]]) -> tuple[Found, int]:
    most = max(group, key=lambda stretch: len(stretch[0].gaps) * stretch[1])
    return Found(group[0][0].first, group[-1][0].last, most[0].gaps), sum(count for _, count in group)


def _table(rows: list[Row], stretch: tuple[Found, int], heights: list[float]) -> tuple[Found, Grid] | None:
    place, multi_rows = stretch
    run_rows = rows[place.first : place.last + 1]
    gaps = _gutters(run_rows) or place.gaps
    if not is_table(run_rows, gaps, multi_rows, heights):
        return None
    grid = _grid(run_rows, gaps, heights)
    return None if grid is None else (place, grid)


def _gutters(run_rows: list[Row]) -> list[Gap]:
    """The gaps that nearly all rows with many runs leave free; heads that span columns do not count.

    Heads may be set closer than the numbers below them: the rows of numbers alone are asked too, and the more gaps win.
    """
    most = max(len(row) for row in run_rows)
    full = [row for row in run_rows if len(row) >= max(2, 0.6 * most)]
    found = _free_strips(full)
    data = [row for row in full if is_data_row(row)]
    if max(4, 0.5 * len(full)) <= len(data) < len(full):
        of_data = _free_strips(data)
        found = of_data if len(of_data) > len(found) else found
    return found


def _free_strips(rows: list[Row]) -> list[Gap]:
    """Strips that nearly all of these rows leave free.

    Where there are enough rows, words are looked at: blanks of running text do not fall on one another in all of them.
    """
    size = float(np.median([run.size for row in rows for run in row]))
    by_words = len(rows) >= 6
    left, right = min(run.x0 for row in rows for run in row), max(run.x1 for row in rows for run in row)
    bins = int(right - left) + 2
    cover = np.zeros(bins, np.int32)
    for row in rows:
        line = np.zeros(bins, np.bool_)
        boxes = [(w.x0, w.x1) for run in row for w in run.words] if by_words else [(run.x0, run.x1) for run in row]
        for x0, x1 in boxes:
            line[int(x0 - left) : int(x1 - left) + 1] = True
        cover += line
    free = np.concatenate(([False], cover <= int(0.08 * len(rows)), [False]))
    edges = np.flatnonzero(free[1:] != free[:-1]).reshape(-1, 2)
    least = 0.5 * size
    return [(left + a, left + b) for a, b in edges.tolist() if a > 0 and b < bins - 1 and b - a >= least]


def _free(gap: Gap, row: Row, least: float) -> Gap | None:
    """The widest part of a gap that a row leaves free."""
    start, end = gap
    best: Gap | None = None
    for run in sorted((run for run in row if run.x1 > start and run.x0 < end), key=lambda run: run.x0):
        if run.x0 - start >= least and (best is None or run.x0 - start > best[1] - best[0]):
            best = (start, run.x0)
        start = max(start, run.x1)
    if end - start >= least and (best is None or end - start > best[1] - best[0]):
        best = (start, end)
    return best


def _stretch(rows: list[Row], i: int, is_multi: list[bool], heights: list[float]) -> tuple[Found, int] | None:
    """How far the gaps of row ``i`` stay free downwards, and how many rows have text on both sides of one."""
    first = rows[i]
    size = max(run.size for run in first)
    least = _GUTTER * size
    gaps = [(a.x1, b.x0) for a, b in pairwise(first) if b.x0 - a.x1 >= least]
    if not gaps:
        return None
    j, last, multi_rows, single = i, i, 1, 0
    while j + 1 < len(rows):
        row = rows[j + 1]
        distance = row[0].base - rows[j][0].base
        is_ruled = any(rows[j][0].base - 2 < y < row[0].base for y in heights)
        tall = max(run.size for run in row)
        if distance > (4.2 if is_ruled else 2.6) * max(size, row[0].size) or tall > 1.25 * size or tall < 0.7 * size:
            break
        kept = [free for free in (_free(gap, row, least) for gap in gaps) if free]
        loses = len(kept) < 0.5 * len(gaps)
        if not kept or (loses and multi_rows >= 3 and not is_multi[j + 1]):
            if _spans(rows, j, gaps, multi_rows, is_multi, size, least):
                j += 1
                continue
            break
        if loses and multi_rows >= 2 and is_multi[j + 1] and len(row) < 0.5 * (len(gaps) + 1):
            break
        if is_multi[j + 1] and _on_both_sides(row, kept):
            multi_rows, last, single = multi_rows + 1, j + 1, 0
        else:
            single += 1
            continues = len(row) == 1 and len(kept) == len(gaps) and row[0].x0 > gaps[0][0] and distance < 1.6 * size
            if single > (40 if continues else 8) or (single > 2 and distance > 1.6 * size):
                break
        gaps = kept
        j += 1
    while (  # lines that continue a cell of the last row
        last + 1 <= j
        and len(rows[last + 1]) == 1
        and rows[last + 1][0].base - rows[last][0].base < 1.42 * size
        and (rows[last + 1][0].x0 > gaps[0][0] or _goes_on(rows[last + 1][0]))
    ):
        last += 1
    return Found(i, last, sorted(gaps)), multi_rows


def _goes_on(run: Run) -> bool:
    """The second line of a label: short, and no start of anything."""
    return run.length <= 20 and not (run.text[0].isupper() or run.text[0].isdigit())


def _spans(
    rows: list[Row], j: int, gaps: list[Gap], multi_rows: int, is_multi: list[bool], size: float, least: float
) -> bool:
    """Row ``j + 1`` is one short line over several columns, and the gaps go on below it."""
    if j + 2 >= len(rows) or multi_rows < 2 or not is_multi[j + 2]:
        return False
    row, below = rows[j + 1], rows[j + 2]
    if sum(run.length for run in row) >= 70 or below[0].base - row[0].base >= 2.6 * size:
        return False
    return sum(_free(gap, below, least) is not None for gap in gaps) >= max(1, 0.6 * len(gaps))


def _on_both_sides(row: Row, gaps: list[Gap]) -> bool:
    middles = [(run.x0 + run.x1) / 2 for run in row]
    return any(any(x < gap[0] + 1 for x in middles) and any(x > gap[1] - 1 for x in middles) for gap in gaps)


def _grid(run_rows: list[Row], gaps: list[Gap], heights: list[float]) -> Grid | None:
    top, bottom = run_rows[0][0].y0 - 4, run_rows[-1][0].y1 + 4
    inside = [y for y in heights if top < y < bottom]
    cells = without_empty(_with_heads(_cells(run_rows, gaps, inside)))
    if not cells:
        return None
    grid = Grid(Box.around(run for row in run_rows for run in row), cells)
    rows, cols = grid.size
    filled = Counter(cell.row for cell in cells if cell.text)
    if sum(count >= 2 for count in filled.values()) < 2:
        return None  # gaps in lines of prose, such as formulas that are pictures
    if rows < 2 or max(len(cell.text) for cell in cells) > _MAX_TEXT or sum(bool(c.text) for c in cells) < 1.3 * rows:
        return None
    last = [cell.text for cell in cells if cell.col + cell.col_span == cols and cell.text]
    if last and sum(bool(EQUATION_NUMBER.match(text)) for text in last) >= 0.6 * len(last) and "(" in last[0]:
        return None
    has_sign = any("=" in cell.text or "\ufffd" in cell.text for cell in cells)
    if rows <= 3 and has_sign and any(_NUMBERED_END.search(text) for text in last):
        return None  # a formula with its number
    if rows <= 3 and has_sign and not any(len(_WORD.findall(cell.text)) > 1 for cell in cells):
        return None  # a formula
    if any("\uf8e5" <= character <= "\uf8fe" for cell in cells for character in cell.text):
        return None  # pieces of tall brackets: a matrix
    mark_headers(grid, _header_rows(grid, inside))
    spread_heads(grid)
    return grid


def _with_heads(cells: list[Cell]) -> list[Cell]:
    """Puts a head beside its column over it: a column of nothing but its first text, beside one that lacks it there."""
    by_col: dict[int, list[Cell]] = defaultdict(list)
    for cell in cells:
        if cell.text:
            for col in range(cell.col, cell.col + cell.col_span):
                by_col[col].append(cell)
    for col in sorted(by_col):
        own = by_col[col]
        if len(own) != 1 or own[0].col_span > 1:
            continue
        for other in (col - 1, col + 1):
            beside = by_col.get(other, [])
            if len(beside) >= 2 and all(cell.row > own[0].row for cell in beside):
                place = next((c for c in cells if c.row == own[0].row and c.col == other and not c.text), None)
                if place is not None:
                    place.col, own[0].col = own[0].col, place.col
                    break
    return cells


def _header_rows(grid: Grid, heights: list[float]) -> int:
    """Rows above the first rule inside the table, where that is near its top."""
    if not heights or len(heights) > 3:
        return 0
    bodies = sorted({cell.box.y0: cell.row for cell in grid.cells if cell.text}.items())
    for y in heights:
        above = {row for top, row in bodies if top < y - 1}
        if above and len(above) <= 4 and len(above) < grid.size[0]:
            return len(above)
    return 0


def _cells(run_rows: list[Row], gaps: list[Gap], heights: list[float]) -> list[Cell]:
    borders = [(a + b) / 2 for a, b in gaps]
    lines: list[Placed] = []
    for row in run_rows:
        placed: Placed = {}
        for run in _parted(row, gaps):
            first = sum(run.x0 + 0.3 * run.size >= border for border in borders)
            last = max(first, sum(run.x1 - 0.3 * run.size > border for border in borders))
            for key in [key for key in placed if not (key[1] < first or key[0] > last)]:
                moved = placed.pop(key)
                first, last = min(first, key[0]), max(last, key[1])
                placed[first, last] = moved
            placed.setdefault((first, last), []).append(run)
        lines.append(placed)
    starts = row_starts(run_rows, lines, len(borders) + 1, heights)
    rows: list[Placed] = []
    for line, starts_row in zip(lines, starts, strict=True):
        if starts_row or not rows:
            rows.append({key: list(runs) for key, runs in line.items()})
            continue
        above = rows[-1]
        for (first, last), runs in line.items():
            merged, lo, hi = list(runs), first, last
            for key in [key for key in above if not (key[1] < first or key[0] > last)]:
                merged = above.pop(key) + merged
                lo, hi = min(lo, key[0]), max(hi, key[1])
            above[lo, hi] = merged
    cells = []
    for i, row_cells in enumerate(rows):
        free = set(range(len(borders) + 1))
        for (first, last), runs in row_cells.items():
            cells.append(cell_of(i, first, 1, last - first + 1, words_of(runs)))
            free -= set(range(first, last + 1))
        cells += [Cell(i, col) for col in free]
    return cells


def _parted(row: Row, gaps: list[Gap]) -> Row:
    """The runs of a row, parted where the gap between two words, wider than a blank, lies in a gutter."""
    found: Row = []
    borders = [(a + b) / 2 for a, b in gaps]
    for run in row:
        columns = [sum((word.x0 + word.x1) / 2 > border for border in borders) for word in run.words]
        if len(columns) >= 3 and columns == list(range(columns[0], columns[0] + len(columns))):
            found += [Run([word]).measure() for word in run.words]  # heads set close, one word a column
            continue
        words: list[Word] = [run.words[0]]
        for word in run.words[1:]:
            before = words[-1]
            if word.x0 - before.x1 > 0.4 * run.size and any(before.x1 < b and word.x0 > a for a, b in gaps):
                found.append(Run(words).measure())
                words = []
            words.append(word)
        found.append(run if len(words) == len(run.words) else Run(words).measure())
    return found


__all__ = ["Found", "find_aligned_tables", "rows_of"]
