"""Charts: the labels of their axes and bars belong to a picture, and are no table and no lines of text."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from corpuskit.extraction.pdf.box import Box
from corpuskit.extraction.pdf.drawings import Drawings
from corpuskit.extraction.pdf.patterns import CAPTION
from corpuskit.extraction.pdf.words import Run

_VALUE: Final = re.compile(r"^[(]?([-–−+]?)[$€£]?(\d{1,3}(?:[, ]\d{3})+|\d+)([.,]\d+)?\s?[%kKmMbB°]?[)]?$")
_SOURCE: Final = re.compile(r"(?:sources?|notes?|quellen?|anmerkung(?:en)?|remarques?)\s*:", re.IGNORECASE)
_FEWEST: Final = 4  # labels of an axis
_MOST_RUNS: Final = 2_000  # a page of more is no place for a chart, and all labels are compared
_LONGEST: Final = 40  # characters of a label
_BELOW: Final = 7  # font sizes below a scale where its names and the legend stand


@dataclass(slots=True)
class Chart:
    """A chart with its labels; it takes part in the reading order like a run."""

    x0: float
    y0: float
    x1: float
    y1: float
    runs: list[Run]
    length: int = 60


@dataclass(slots=True)
class _Axis:
    """Numbers one above the other, at even distances, that fall by even steps."""

    runs: list[Run]

    @property
    def step(self) -> float:
        return (_middle(self.runs[-1]) - _middle(self.runs[0])) / (len(self.runs) - 1)


def find_charts(runs: list[Run], drawings: Drawings) -> list[Chart]:
    """The charts of a page with a scale of numbers at their side."""
    shapes = [*drawings.fills, *drawings.shapes, *drawings.curves]
    if len(drawings.horizontal) + len(shapes) < 3 or len(runs) > _MOST_RUNS:
        return []
    found: list[Chart] = []
    for axis in _axes(runs):
        plot = _plot(axis, drawings, shapes, runs)
        if plot is None:
            continue
        chart = _chart(axis, plot, runs)
        beside = [other for other in found if Box.of(other).overlaps(chart)]
        if beside:  # the second axis of a chart
            found = [other for other in found if other not in beside]
            members = {id(run): run for other in (*beside, chart) for run in other.runs}
            runs_of_all = list(members.values())
            chart = Chart(*Box.around((*runs_of_all, chart, *beside)), runs_of_all)
        found.append(chart)
    return found


def _value(run: Run) -> float | None:
    text = run.text.strip()
    match = _VALUE.match(text) if len(text) <= 12 else None
    if match is None:
        return None
    sign, whole, part = match.groups()
    value = float(re.sub(r"\D", "", whole)) + (float("0." + part[1:]) if part else 0.0)
    return -value if sign in {"-", "–", "−"} else value


def _middle(run: Run) -> float:
    return run.base - 0.35 * run.size


def _axes(runs: list[Run]) -> list[_Axis]:
    """Scales among the runs: longest first."""
    numbers = [(run, value) for run in runs if (value := _value(run)) is not None]
    if len(numbers) < _FEWEST:
        return []
    found: list[_Axis] = []
    used: set[int] = set()
    for edge in ("x1", "x0"):
        columns: dict[int, list[tuple[Run, float]]] = defaultdict(list)
        for run, value in numbers:
            if id(run) not in used:
                columns[round(getattr(run, edge) / 4)].append((run, value))
        for place in sorted(columns):
            column = columns[place] + columns.get(place + 1, [])
            column = sorted((pair for pair in column if id(pair[0]) not in used), key=lambda pair: pair[0].base)
            for members in _progressions(column):
                found.append(_Axis(members))
                used |= {id(run) for run in members}
    return sorted(found, key=lambda axis: -len(axis.runs))


def _progressions(column: list[tuple[Run, float]]) -> list[list[Run]]:
    """Stretches of a column whose distances are even and whose values fall evenly."""
    found = []
    current = column[:1]
    for (run, value), below in pairwise(column):
        if len(current) >= 2:
            (first, top), (second, lower) = current[-2:]
            distance, step = second.base - first.base, top - lower
            is_even = abs(below[0].base - run.base - distance) < max(0.08 * distance, 1.0)
            is_even = is_even and abs(value - below[1] - step) < 0.02 * step
        else:
            is_even = value > below[1] and below[0].base - run.base > 0.9 * run.size
        if is_even:
            current.append(below)
            continue
        if len(current) >= _FEWEST:
            found.append([member for member, _ in current])
        current = [(run, value), below] if value > below[1] and len(current) > 1 else [below]
    if len(current) >= _FEWEST:
        found.append([member for member, _ in current])
    return found


def _plot(axis: _Axis, drawings: Drawings, shapes: list[Box], runs: list[Run]) -> Box | None:
    """What is drawn beside a scale: lines through its labels, or bars and curves. None for a column of a table."""
    left, right = min(run.x0 for run in axis.runs), max(run.x1 for run in axis.runs)
    top, bottom = _middle(axis.runs[0]), _middle(axis.runs[-1])
    room = 6 * axis.runs[0].size
    lines = []
    hits = 0
    for run in axis.runs:
        through = [
            line
            for line in drawings.horizontal
            if abs(line.at - _middle(run)) < 0.3 * run.size
            and (-2 <= line.start - run.x1 < room or -2 <= run.x0 - line.end < room)
        ]
        lines += through
        hits += bool(through)
    inside = [
        box
        for box in shapes
        if box.y1 > top - 2 and box.y0 < bottom + 2 and box.height < 1.3 * (bottom - top) + 20
        and (box.x0 >= right - 2 or box.x1 <= left + 2)
    ]  # fmt: skip
    if hits < 0.6 * len(axis.runs):
        own = {id(run) for run in axis.runs}
        rows = sum(
            any(abs(other.base - run.base) < 0.2 * run.size and id(other) not in own for other in runs)
            for run in axis.runs
        )
        if len(inside) < 3 or rows > 0.4 * len(axis.runs):
            return None
    edges = [(line.start, line.end) for line in lines]
    if edges:
        start, end = min(a for a, _ in edges), max(b for _, b in edges)
    else:
        side = [box for box in inside if min(abs(box.x0 - right), abs(left - box.x1)) < 15 * axis.runs[0].size]
        if not side:
            return None
        start, end = min(box.x0 for box in side), max(box.x1 for box in side)
    return Box(min(start, left), top, max(end, right), bottom)


def _chart(axis: _Axis, plot: Box, runs: list[Run]) -> Chart:
    """The labels in a plot, those below it and the legend."""
    x0, y0, x1, y1 = plot
    size = axis.runs[0].size
    own = {id(run) for run in axis.runs}
    members = list(axis.runs)
    rest = []
    end = y1 + _BELOW * size
    for run in runs:
        if id(run) in own or run.x1 < x0 - size or run.x0 > x1 + 6 * size:
            continue
        if not _is_label(run, size):
            end = min(end, run.base) if run.base > y1 else end
            continue
        if y0 - min(axis.step, 3 * size) < _middle(run) < y1 + 0.5 * size:
            members.append(run)
        elif _middle(run) >= y1:
            rest.append(run)
    bottom = max(run.y1 for run in members)
    for run in sorted(rest, key=lambda run: run.base):
        if run.base >= end - 1 or run.y0 - bottom > 1.5 * size:
            break
        members.append(run)
        bottom = max(bottom, run.y1)
    return Chart(*Box.around((*members, plot)), members)


def _is_label(run: Run, size: float) -> bool:
    text = run.text.strip()
    is_short = run.length <= _LONGEST and not CAPTION.match(text) and not _SOURCE.match(text)
    return is_short and 0.6 * size < run.size < 1.4 * size
