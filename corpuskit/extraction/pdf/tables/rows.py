"""Which lines of a table without rules start a row, and which go on with the cells above."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import Final

import numpy as np

from corpuskit.extraction.pdf.words import Run

Placed = dict[tuple[int, int], list[Run]]
"""A line of a table: (first column, last column) → runs."""

_UNRULED: Final = 3  # lines of numbers between two rules: the rules part head and body, not rows
_LONGEST_DATA: Final = 48  # characters
_DATA: Final = re.compile(
    r"^[\W_]*(?:[\d.,:/%()±+\-–—−*†‡§#x×$€£¥ ]+|n/?a|nil|none|[–—−-]+|[†‡*#])(?:\s?[a-z%]{0,3})?[\W\d]*$", re.IGNORECASE
)


def row_starts(run_rows: list[list[Run]], lines: list[Placed], columns: int, heights: list[float]) -> list[bool]:
    """True for each line that starts a row."""
    count = len(lines)
    if count < 2:
        return [True] * count
    bases = [max(run.base for run in row) for row in run_rows]
    size = float(np.median([run.size for row in run_rows for run in row]))
    is_full = [len(line) >= max(2, 0.5 * columns) for line in lines]
    has_first = [any(key[0] == 0 for key in line) for line in lines]
    is_data = [full and _is_data(line) for full, line in zip(is_full, lines, strict=True)]
    if len(heights) >= 4 and len(heights) - 2 >= 0.25 * count:
        starts = [True] + [
            any(bases[i - 1] - 0.1 * size < y < bases[i] - 0.5 * size for y in heights) for i in range(1, count)
        ]
        if _most_between(starts, is_data) < _UNRULED:
            return starts
    if sum(is_data) >= max(2, 0.45 * count):
        return _of_data(lines, bases, is_data, has_first, heights)
    gaps = [b - a for a, b in pairwise(bases)]
    ruled = [False] + [any(a < y < b - 0.5 * size for y in heights) for a, b in pairwise(bases)]
    return _of_text(lines, gaps, size, columns, is_full, has_first, ruled)


def _most_between(starts: list[bool], is_data: list[bool]) -> int:
    """The most lines of numbers without a rule between them."""
    most = count = 0
    for begins, data in zip(starts, is_data, strict=True):
        count = (0 if begins else count) + data
        most = max(most, count)
    return most


def _is_data(line: Placed) -> bool:
    """Most cells behind the first column are numbers or marks for none."""
    cells = [" ".join(run.text for run in runs) for key, runs in line.items() if key[0] > 0]
    return bool(cells) and sum(is_number(text.strip()) for text in cells) >= 0.6 * len(cells)


def is_data_row(row: list[Run]) -> bool:
    """Most runs behind the first are numbers or marks for none."""
    cells = [run.text.strip() for run in row[1:]]
    return len(cells) > 0 and sum(is_number(text) for text in cells) >= 0.6 * len(cells)


def _of_data(
    lines: list[Placed], bases: list[float], is_data: list[bool], has_first: list[bool], heights: list[float]
) -> list[bool]:
    """Each line of numbers is a row; labels over lines go together where the next one starts small.

    Above the first line of numbers stands the head: a new row of it starts below cells over several columns and below
    rules.
    """
    first = is_data.index(True)
    starts = [True] * len(lines)
    for i in range(1, len(lines)):
        line = lines[i]
        if i < first:
            spans = any(last > start for start, last in lines[i - 1])
            starts[i] = spans or any(bases[i - 1] < y < bases[i] - 2 for y in heights)
            continue
        if not has_first[i]:
            starts[i] = is_data[i] or any(last > start for start, last in line)  # a title over columns
            continue
        label = next(runs for key, runs in line.items() if key[0] == 0)[0].text
        above_is_label = len(lines[i - 1]) == 1 and has_first[i - 1]
        if not (label[:1].isupper() or label[:1].isdigit()) and (above_is_label or len(line) == 1):
            starts[i] = False
    return starts


def _of_text(
    lines: list[Placed],
    gaps: list[float],
    size: float,
    columns: int,
    is_full: list[bool],
    has_first: list[bool],
    ruled: list[bool],
) -> list[bool]:
    """Rows of a table with cells of text: told by the distance of lines, else by which columns a line fills."""
    count = len(lines)
    starts = [True] * count
    ordered = sorted(gaps)
    low = max(ordered[int(0.1 * len(gaps))], size)
    high = ordered[min(len(gaps) - 1, int(0.9 * len(gaps)))]
    if high > 1.22 * low and low < 1.5 * size:
        if sum(is_full) > 0.9 * count:
            return starts
        threshold = _threshold(ordered, low, size)
        for i in range(1, count):
            starts[i] = gaps[i - 1] >= threshold
        return starts
    marker = _marker(lines, columns)
    if marker is not None:
        return _of_marker(lines, marker, ruled)
    is_sparse = sum(has_first) < 0.85 * count
    for i in range(1, count):
        alone = len(lines[i]) == 1 and columns >= 2 and not has_first[i - 1]
        starts[i] = (is_full[i] and (has_first[i] or not is_sparse)) or (has_first[i] and not alone)
    if count >= 4 and sum(len(line) == 1 for line in lines) > 0.45 * count and low < 1.35 * size:
        # Cells run over lines at an even leading: a row starts where several columns do.
        for i in range(1, count):
            ends_above = len(lines[i - 1]) == 1 and not has_first[i - 1]
            starts[i] = has_first[i] and (is_full[i] or ends_above)
    return starts


def _of_marker(lines: list[Placed], marker: int, ruled: list[bool]) -> list[bool]:
    """A row starts at each line with the marker, and at each of several cells that goes on with no row.

    Such lines stand below a rule without a line with the marker between, or have an amount where those with it do.
    """
    marked = [any(key[0] == marker for key in line) for line in lines]
    amounts = [_numbers_of(line) for line, is_marked in zip(lines, marked, strict=True) if is_marked]
    counts = Counter(column for columns in amounts for column in columns)
    of_amounts = {column for column, count in counts.items() if count >= 0.8 * len(amounts)}
    starts, goes_on, is_head = [], True, True
    for line, is_marked, below_rule in zip(lines, marked, ruled, strict=True):
        if is_marked:
            goes_on, is_head = True, False
        elif below_rule and not is_head:
            goes_on = False
        is_row = not goes_on or bool(of_amounts & _numbers_of(line))
        starts.append(is_marked or (is_row and len(line) > 1))
    return [True, *starts[1:]]


def _numbers_of(line: Placed) -> set[int]:
    """The columns in which a line has a number."""
    return {
        first for (first, last), runs in line.items() if first == last and is_number(" ".join(run.text for run in runs))
    }


def _marker(lines: list[Placed], columns: int) -> int | None:
    """A column with one short line a row, while others run over lines: it tells where rows start."""
    filled = {col: [i for i, line in enumerate(lines) if any(key[0] == col for key in line)] for col in range(columns)}
    best = min(filled, key=lambda col: (len(filled[col]), col))
    at = filled[best]
    neighbours = sum(b == a + 1 for a, b in pairwise(at))
    if len(at) < 2 or len(at) > 0.6 * len(lines) or neighbours > 0.2 * len(at) or at[0] > 1:
        return None
    return best


def _threshold(ordered: list[float], low: float, size: float) -> float:
    """The distance of base lines from which on a new row starts: in the widest step between two kinds of distances."""
    values = sorted({round(gap, 1) for gap in ordered})
    steps = [(b - a, (a + b) / 2) for a, b in pairwise(values)]
    step = max(steps, default=(0.0, low * 1.18))
    return step[1] if step[1] < 2.0 * size else low * 1.18


def is_number(text: str) -> bool:
    """Whether a cell holds a number or a mark for none."""
    # The pattern takes cubic time: 67 s for 800 hyphens (2026-11-20). A number is short.
    return len(text) <= _LONGEST_DATA and _DATA.match(text) is not None
