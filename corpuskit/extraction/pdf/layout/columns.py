"""Columns and reading order: a page is cut at gutters that run between lines of prose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Protocol, TypeVar

import numpy as np

from corpuskit.extraction.pdf.box import Rectangle


class Placed(Rectangle, Protocol):
    """A run, a table or a chart."""

    length: int


Item = TypeVar("Item", bound=Placed)

_BIN: Final = 2.0  # points
_NARROWEST: Final = 7.0  # points: the least gutter
_WIDEST: Final = 100_000.0  # points; no page is (ISO 32000-1, annex C: 14,400), a damaged matrix puts text anywhere
_MAX_DEPTH: Final = 4
_NESTED: Final = 2  # gutters beside the one that is looked at: four columns


@dataclass(slots=True)
class _Cut:
    score: float
    at: float
    bands: list[tuple[bool, list[Placed]]]


def reading_order(items: Sequence[Item], depth: int = 0) -> list[list[Item]]:
    """Regions of a page in reading order, the items of each in no order.

    A gutter is a strip that few items cross; bands of lines across it and bands of two columns follow each other
    from the top down (the recursive XY-cut of Nagy and Seth 1984, with bands for what spans).
    """
    whole = [list(items)]
    if len(items) < 8 or depth > _MAX_DEPTH:
        return whole
    left, right = min(item.x0 for item in items), max(item.x1 for item in items)
    if not 150 <= right - left <= _WIDEST:
        return whole
    best: _Cut | None = None
    for start, end in _strips(items, left, right):
        cut = _cut(items, start, end, left, right)
        if cut is not None and (best is None or cut.score > best.score):
            best = cut
    if best is None:
        return whole
    regions: list[list[Item]] = []
    for is_columns, band in best.bands:
        members: list[Item] = band  # type: ignore[assignment]
        if not is_columns:
            regions.append(members)
            continue
        for side in (
            [item for item in members if (item.x0 + item.x1) / 2 < best.at],
            [item for item in members if (item.x0 + item.x1) / 2 >= best.at],
        ):
            if side:
                regions += reading_order(side, depth + 1)
    return regions


def _strips(items: Sequence[Placed], left: float, right: float) -> list[tuple[float, float]]:
    """Vertical strips in the middle part that no more than some items cover."""
    bins = int((right - left) / _BIN) + 2
    change = np.zeros(bins + 1, np.int32)
    starts = ((np.array([item.x0 for item in items]) - left) / _BIN).astype(int)
    ends = np.minimum(((np.array([item.x1 for item in items]) - left) / _BIN).astype(int) + 1, bins)
    np.add.at(change, starts, 1)
    np.add.at(change, ends, -1)
    cover = np.cumsum(change)[:bins]
    low, high = int(bins * 0.15), int(bins * 0.85)
    found = []
    seen = set()
    for allowed in (0, 1, 2, 3, 5, 8, 12, 20):
        free = np.concatenate(([False], cover <= allowed, [False]))
        edges = np.flatnonzero(free[1:] != free[:-1]).reshape(-1, 2)
        for a, b in edges.tolist():
            a_in = max(a, low)
            if a_in < min(b, high) and (b - a_in) * _BIN >= _NARROWEST and (a_in + b) // 2 not in seen:
                seen.add((a_in + b) // 2)
                found.append((left + _BIN * a_in, left + _BIN * b))
    return found


def _cut(
    items: Sequence[Placed], start: float, end: float, left: float, right: float, nested: int = _NESTED
) -> _Cut | None:
    """The bands that a gutter makes, if there is prose on both sides."""
    middle = (start + end) / 2
    spanning = [item for item in items if item.x0 < middle - 1 and item.x1 > middle + 1]
    if len(items) - len(spanning) < 8 or len(spanning) > 0.75 * len(items):
        return None
    bands = _bands(items, middle)
    good, count = 0, 0
    for is_columns, band in bands:
        if not is_columns:
            continue
        sides = [item for item in band if item.x1 <= middle + 2], [item for item in band if item.x0 >= middle - 2]
        if min(len(side) for side in sides) < 3:
            continue
        is_prose = _are_prose(sides[0], sides[1], middle - left, right - middle)
        if nested and not is_prose:
            is_prose = _are_columns(sides[0], sides[1], nested - 1)
        if is_prose and not _are_rows(*sides):
            good += len(band)
            count += 1
    if good < max(8, 0.2 * len(items)):
        return None
    return _Cut(good - 3 * count + 0.1 * min(end - start, 20), middle, bands)


def _are_prose(left: Sequence[Placed], right: Sequence[Placed], left_width: float, right_width: float) -> bool:
    """Lines that fill their column, some on both sides and a good part in all; tables between them do not matter."""
    fills = [_fills(left, left_width), _fills(right, right_width)]
    few = min(len(left), len(right)) < 4
    return min(fills) >= (2 if few else 3) and sum(fills) >= 0.25 * (len(left) + len(right))


def _are_columns(left: Sequence[Placed], right: Sequence[Placed], nested: int) -> bool:
    """Whether one side is a column of prose and the other is parted in such by a gutter of its own."""
    for side, other in ((left, right), (right, left)):
        start, end = min(item.x0 for item in side), max(item.x1 for item in side)
        if not _fills(side, end - start) >= max(3, 0.25 * len(side)) or end - start > _WIDEST:
            continue
        first, last = min(item.x0 for item in other), max(item.x1 for item in other)
        if last - first < 1.5 * (end - start) or last - first > _WIDEST:
            continue
        if any(_cut(other, a, b, first, last, nested) is not None for a, b in _strips(other, first, last)):
            return True
    return False


def _fills(side: Sequence[Placed], width: float) -> int:
    """How many lines fill their column."""
    return sum(item.x1 - item.x0 >= 0.6 * width and item.length >= 18 for item in side)


def _are_rows(left: Sequence[Placed], right: Sequence[Placed]) -> bool:
    """Whether blocks start side by side: cells of a table with much text, not columns of prose."""
    starts = [_block_starts(side) for side in (left, right)]
    fewer, more = sorted(starts, key=len)
    if len(fewer) < 2:
        return False
    shared = sum(any(abs(y - other) < 3 for other in more) for y in fewer)
    return shared >= 0.8 * len(fewer) and shared >= 0.6 * len(more)


def _block_starts(items: Sequence[Placed]) -> list[float]:
    """Where a line stands below a gap wider than usual."""
    tops = sorted({round(item.y0, 1) for item in items})
    gaps = [b - a for a, b in pairwise(tops)]
    if len(gaps) < 3:
        return []
    usual = sorted(gaps)[len(gaps) // 2]
    return [y for y, gap in zip(tops[1:], gaps, strict=True) if gap > 1.25 * usual + 1]


def _ends_paragraph(item: Placed, band: list[Placed], items: Sequence[Placed], middle: float) -> bool:
    """A short last line below lines across the gutter, with nothing beside it."""
    above = band[-1]
    tall = above.y1 - above.y0
    if (
        item.x1 > middle
        or abs(item.x0 - above.x0) > 3
        or above.x1 <= middle
        or abs((item.y1 - item.y0) - tall) > 0.1 * tall
    ):
        return False
    if not 0 < item.y0 - above.y0 < 1.5 * tall:
        return False
    return not any(other.x0 > item.x1 and other.y0 < item.y1 and other.y1 > item.y0 for other in items)


def _bands(items: Sequence[Placed], middle: float) -> list[tuple[bool, list[Placed]]]:
    """Items from the top down in bands: (True, columns) or (False, across the gutter)."""
    spans = [(item.y0, item.y1) for item in items if item.x0 < middle - 1 and item.x1 > middle + 1]
    ordered = sorted(items, key=lambda item: item.y0 + item.y1)
    beside = np.zeros(len(ordered), np.bool_)
    if spans:
        tops, bottoms = np.array(spans).T
        y = np.array([(item.y0 + item.y1) / 2 for item in ordered])[:, None]
        beside = ((tops - 1 <= y) & (y <= bottoms + 1)).any(axis=1)
    bands: list[tuple[bool, list[Placed]]] = []
    for item, is_beside in zip(ordered, beside.tolist(), strict=True):
        is_columns = not is_beside
        if is_columns and bands and not bands[-1][0] and _ends_paragraph(item, bands[-1][1], items, middle):
            is_columns = False
        if bands and bands[-1][0] == is_columns:
            bands[-1][1].append(item)
        else:
            bands.append((is_columns, [item]))
    return bands
