"""Lines, filled boxes and images that are drawn on a page."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, Final

from corpuskit.extraction.pdf.box import Box
from corpuskit.extraction.pdf.frame import Frame
from corpuskit.extraction.pdf.pdfium import address, function

MAX_OBJECTS: Final = 8_000
"""A page with more paths holds a drawing, no table of rules."""
_MAX_SEGMENTS: Final = 200
_THIN: Final = 3.0  # points: a box thinner than this is a line
_PATH, _IMAGE, _FORM = 2, 3, 5  # types of page objects (fpdf_edit.h)
_BEZIER, _MOVE = 1, 2  # types of path segments (fpdf_edit.h)
_MAX_DEPTH: Final = 4  # of form XObjects in form XObjects

Matrix = tuple[float, float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """A horizontal or vertical line: it runs from ``start`` to ``end`` at ``at``; ``drawn``, or the edge of a fill."""

    start: float
    end: float
    at: float
    drawn: bool = True


@dataclass(slots=True)
class Drawings:
    """What is drawn on a page, in its frame.

    Attributes:
        horizontal, vertical: lines.
        fills: filled boxes that are neither white nor thin.
        shapes: bounds of other filled shapes.
        curves: bounds of curves and slanting lines.
        images: boxes of images.
        is_whole: no shape was left out.
        turns: quarter turns of their frame.
    """

    horizontal: list[Line] = field(default_factory=list)
    vertical: list[Line] = field(default_factory=list)
    fills: list[Box] = field(default_factory=list)
    shapes: list[Box] = field(default_factory=list)
    curves: list[Box] = field(default_factory=list)
    images: list[Box] = field(default_factory=list)
    is_whole: bool = True
    turns: int = 0


def read_drawings(page: Any, frame: Frame) -> Drawings:
    """The drawings of a page of pypdfium2."""
    found = Drawings(turns=frame.turns)
    reader = _Reader(frame, found)
    handle = address(page)
    get = function("FPDFPage_GetObject")
    reader.walk(function("FPDFPage_CountObjects")(handle), partial(get, handle), None, 0)
    return found


class _Reader:
    def __init__(self, frame: Frame, found: Drawings) -> None:
        self._frame, self._found, self._count = frame, found, 0
        self._bounds = [ctypes.c_float() for _ in range(4)]
        self._bounds_at = [ctypes.addressof(value) for value in self._bounds]
        self._matrix = (ctypes.c_float * 6)()
        self._matrix_at = ctypes.addressof(self._matrix)

    def walk(self, count: int, get: Callable[[int], Any], outer: Matrix | None, depth: int) -> None:
        get_type = function("FPDFPageObj_GetType")
        for i in range(count):
            item = get(i)
            kind = get_type(item)
            if kind == _PATH:
                self._count += 1
                if self._count > MAX_OBJECTS:
                    self._found.is_whole = False
                    return
                self._path(item, outer)
            elif kind == _IMAGE:
                self._found.images.append(self._box(item, outer))
            elif kind == _FORM and depth < _MAX_DEPTH and self._count <= MAX_OBJECTS:
                size = function("FPDFFormObj_CountObjects")(item)
                self._count += 1
                matrix = _product(self._matrix_of(item), outer)
                self.walk(size, partial(function("FPDFFormObj_GetObject"), item), matrix, depth + 1)

    def _matrix_of(self, item: Any) -> Matrix:
        function("FPDFPageObj_GetMatrix")(item, self._matrix_at)
        a, b, c, d, e, f = self._matrix
        return a, b, c, d, e, f

    def _box(self, item: Any, outer: Matrix | None) -> Box:
        """The bounds of an object in the frame."""
        function("FPDFPageObj_GetBounds")(item, *self._bounds_at)
        left, bottom, right, top = (value.value for value in self._bounds)
        if outer is not None:
            corners = [_moved(x, y, outer) for x in (left, right) for y in (bottom, top)]
            left, right = min(x for x, _ in corners), max(x for x, _ in corners)
            bottom, top = min(y for _, y in corners), max(y for _, y in corners)
        return Box(*self._frame.boxes(left, top, right, bottom))

    def _path(self, item: Any, outer: Matrix | None) -> None:
        box = x0, y0, x1, y1 = self._box(item, outer)
        if x1 < 0 or y1 < 0 or x0 > self._frame.width or y0 > self._frame.height:
            return
        width, height = box.width, box.height
        found = self._found
        if height <= _THIN and width >= 2 * height:
            if width >= 1:
                found.horizontal.append(Line(x0, x1, (y0 + y1) / 2))
            return
        if width <= _THIN:
            if height >= 1:
                found.vertical.append(Line(y0, y1, (x0 + x1) / 2))
            return
        if width < 6 or height < 4:
            return
        segments = function("FPDFPath_CountSegments")(item)
        if segments > _MAX_SEGMENTS:
            found.is_whole = False
            found.curves.append(box)
            return
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        function("FPDFPath_GetDrawMode")(item, ctypes.addressof(fill), ctypes.addressof(stroke))
        if not (fill.value or stroke.value):
            return
        points = self._points(item, segments, outer)
        if points is None:
            found.curves.append(box)
            if fill.value:  # a rounded box, or any shape
                found.shapes.append(box)
            return
        if stroke.value:
            self._strokes(points)
            if any(abs(a[0] - b[0]) > 2 and abs(a[1] - b[1]) > 2 and not b[2] for a, b in pairwise(points)):
                found.curves.append(box)
            if fill.value and not self._is_white(item):
                found.shapes.append(box)
        elif not self._is_white(item) and segments > 6:
            found.shapes.append(box)
        elif not self._is_white(item):
            found.fills.append(box)

    def _is_white(self, item: Any) -> bool:
        colours = [ctypes.c_uint() for _ in range(4)]
        function("FPDFPageObj_GetFillColor")(item, *(ctypes.addressof(value) for value in colours))
        return all(value.value >= 253 for value in colours[:3]) or colours[3].value == 0

    def _points(self, item: Any, count: int, outer: Matrix | None) -> list[tuple[float, float, bool, bool]] | None:
        """Corners of a path in the frame, each with: starts a new part, closes it. None for curves."""
        get, get_type = function("FPDFPath_GetPathSegment"), function("FPDFPathSegment_GetType")
        get_point, get_close = function("FPDFPathSegment_GetPoint"), function("FPDFPathSegment_GetClose")
        x, y = ctypes.c_float(), ctypes.c_float()
        x_at, y_at = ctypes.addressof(x), ctypes.addressof(y)
        matrix = _product(self._matrix_of(item), outer)
        found = []
        for i in range(count):
            segment = get(item, i)
            kind = get_type(segment)
            if kind == _BEZIER:
                return None
            get_point(segment, x_at, y_at)
            px, py = self._frame.points(*_moved(x.value, y.value, matrix))
            found.append((px, py, kind == _MOVE, bool(get_close(segment))))
        return found

    def _strokes(self, points: list[tuple[float, float, bool, bool]]) -> None:
        start = before = points[0][:2]
        for x, y, is_move, closes in points:
            if is_move:
                start = (x, y)
            else:
                self._stroke(before, (x, y))
            if closes:
                self._stroke((x, y), start)
            before = (x, y)

    def _stroke(self, a: tuple[float, float], b: tuple[float, float]) -> None:
        if abs(a[1] - b[1]) <= 1 and abs(a[0] - b[0]) >= 4:
            self._found.horizontal.append(Line(min(a[0], b[0]), max(a[0], b[0]), (a[1] + b[1]) / 2))
        elif abs(a[0] - b[0]) <= 1 and abs(a[1] - b[1]) >= 4:
            self._found.vertical.append(Line(min(a[1], b[1]), max(a[1], b[1]), (a[0] + b[0]) / 2))


def _moved(x: float, y: float, by: Matrix) -> tuple[float, float]:
    return x * by[0] + y * by[2] + by[4], x * by[1] + y * by[3] + by[5]


def _product(inner: Matrix, outer: Matrix | None) -> Matrix:
    if outer is None:
        return inner
    a, b, c, d, e, f = inner
    return (
        a * outer[0] + b * outer[2], a * outer[1] + b * outer[3],
        c * outer[0] + d * outer[2], c * outer[1] + d * outer[3],
        *_moved(e, f, outer),
    )  # fmt: skip
