"""Whether rows that leave the same gaps free are a table, and not a list, contents, formulas or columns of prose."""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import fmean
from typing import Final

from corpuskit.extraction.pdf.patterns import BULLET, CONTENTS_LEADER, ENUMERATOR, EQUATION_NUMBER
from corpuskit.extraction.pdf.words import Run

Gap = tuple[float, float]
Row = list[Run]

_EQUAL: Final = 0.06  # of the font size: blanks of a justified line differ by less
_NEAR: Final = 4  # lines above and below
_NOTE: Final = 30  # characters of a line of a note
_RELATION: Final = re.compile(r"[=≈≃≅≡≤≥≪≫]")


def is_table(run_rows: list[Row], gaps: list[Gap], multi_rows: int, heights: list[float]) -> bool:
    """Whether rows with free gaps are a table: not a list, contents, equations with numbers, or two columns of prose."""
    columns = len(gaps) + 1
    first = run_rows[0]
    multi = [row for row in run_rows if len(row) >= 2]
    top, bottom = run_rows[0][0].y0 - 16, run_rows[-1][0].y1 + 16
    ruled = sum(top < y < bottom for y in heights)
    need = 2 if columns >= 3 or ruled >= 2 else 4 if len(multi) < 4 and not ruled else 3
    if multi_rows < need:
        return False
    size = max(run.size for run in first)
    if len(multi) <= 3 and not ruled and fmean(b - a for a, b in gaps) < 1.5 * size:
        return False  # lines of prose set wide
    starts = [row[0].text.strip() for row in multi]
    ends = [row[-1].text.strip() for row in multi]
    if sum(bool(BULLET.match(text) or ENUMERATOR.match(text)) for text in starts) >= 0.5 * len(starts):
        return False
    if columns == 2 and _are_notes(multi, gaps[0]):
        return False
    if sum(has_leader(row) for row in run_rows) >= 0.3 * len(run_rows):
        return False
    if sum(bool(EQUATION_NUMBER.match(text)) for text in ends) >= 0.4 * len(multi):
        return False
    if columns == 2 and len(run_rows) >= 6 and not ruled and fmean(row[0].length for row in multi) > 34:
        return False
    if sum(any(_RELATION.search(run.text) for run in row) for row in run_rows) >= 0.5 * len(run_rows) and columns <= 4:
        return False  # formulas one below the other
    if _is_even(run_rows) and not _is_separate(multi, gaps, ruled):
        return False
    if multi_rows >= 0.3 * len(run_rows):
        return True
    edges = (first[0].x0, first[-1].x0)
    aligned = all(len(row) == 2 or min(abs(row[0].x0 - edge) for edge in edges) < 2.5 for row in run_rows)
    return columns == 2 and multi_rows >= 3 and aligned and fmean(len(row[0].text) for row in multi) < 30


def has_leader(row: Row) -> bool:
    """Leaders that end in one number, or in nothing."""
    if CONTENTS_LEADER.search(" ".join(run.text for run in row)) is None:
        return False
    places = [k for k, run in enumerate(row) if CONTENTS_LEADER.search(run.text)]
    return not places or sum(len(run.words) for run in row[places[-1] + 1 :]) <= 2


def is_justified(rows: list[Row], i: int) -> bool:
    """A line of a narrow column, its words driven apart by one and the same blank, near a line that fills it without."""
    row = rows[i]
    left, right = row[0].x0, row[-1].x1
    near = (other for other in rows[max(i - _NEAR, 0) : i + _NEAR + 1] if len(other) == 1)
    if not any(abs(other[0].x0 - left) < 2 and abs(other[0].x1 - right) < 2 for other in near):
        return False
    words = sorted((word for run in row for word in run.words if not word.glued), key=lambda word: word.x0)
    if len(words) < 3:
        return False
    gaps = [b.x0 - a.x1 for a, b in pairwise(words)]
    return max(gaps) - min(gaps) <= _EQUAL * row[0].size


def _are_notes(rows: list[Row], gap: Gap) -> bool:
    """Numbers that count up by one, each beside a text: notes or a list."""
    starts = [row[0].text.strip() for row in rows]
    if not all(text.isascii() and text.isdigit() and len(text) < 5 for text in starts):
        return False
    texts = [run.length for row in rows for run in row if run.x0 > gap[0]]
    return all(int(b) == int(a) + 1 for a, b in pairwise(starts)) and bool(texts) and fmean(texts) > _NOTE


def _is_even(run_rows: list[Row]) -> bool:
    """The base lines are as far apart as in running text."""
    steps = [(b[0].base - a[0].base) / a[0].size for a, b in pairwise(run_rows)]
    return bool(steps) and sum(step < 1.45 for step in steps) >= 0.8 * len(steps)


def _is_separate(rows: list[Row], gaps: list[Gap], ruled: int) -> bool:
    """Whether the columns are not of running text: two of them, or one of long lines beside short texts."""
    lengths = _column_lengths(rows, gaps)
    if len(rows) >= 6 and sum(length >= 28 for length in lengths) >= 2:
        return False
    return len(lengths) != 2 or max(lengths) < (60 if not ruled else 75)


def _column_lengths(rows: list[Row], gaps: list[Gap]) -> list[float]:
    """Mean length of the texts of each column that is filled in most rows."""
    borders = [(a + b) / 2 for a, b in gaps]
    columns: dict[int, list[int]] = {}
    for row in rows:
        for run in row:
            columns.setdefault(sum(run.x0 > border for border in borders), []).append(run.length)
    return [fmean(lengths) for lengths in columns.values() if len(lengths) >= 0.6 * len(rows)]
