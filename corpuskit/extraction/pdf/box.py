"""Axis-parallel rectangles on a page, y counted downwards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol


class Rectangle(Protocol):
    """Anything with the edges of a box: words, runs, lines, charts, boxes."""

    @property
    def x0(self) -> float: ...  # noqa: D102
    @property
    def y0(self) -> float: ...  # noqa: D102
    @property
    def x1(self) -> float: ...  # noqa: D102
    @property
    def y1(self) -> float: ...  # noqa: D102


class Box(NamedTuple):
    """A rectangle in points: its left, upper, right and lower edge."""

    x0: float
    y0: float
    x1: float
    y1: float

    @classmethod
    def of(cls, item: Rectangle) -> Box:
        """Return the box of one item."""
        return cls(item.x0, item.y0, item.x1, item.y1)

    @classmethod
    def around(cls, items: Iterable[Rectangle]) -> Box:
        """Return the smallest box around items."""
        boxes = [(item.x0, item.y0, item.x1, item.y1) for item in items]
        x0, y0, x1, y1 = zip(*boxes, strict=True)
        return cls(min(x0), min(y0), max(x1), max(y1))

    @property
    def width(self) -> float:
        """Distance of the left and right edge."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Distance of the upper and lower edge."""
        return self.y1 - self.y0

    def shared(self, other: Rectangle) -> tuple[float, float]:
        """Return the width and height that two boxes share; the negative distance if they are apart in a direction."""
        return min(self.x1, other.x1) - max(self.x0, other.x0), min(self.y1, other.y1) - max(self.y0, other.y0)

    def overlaps(self, other: Rectangle) -> bool:
        """Return whether two boxes have an inner point in common."""
        return self.x0 < other.x1 and self.x1 > other.x0 and self.y0 < other.y1 and self.y1 > other.y0

    def gap(self, other: Rectangle) -> float:
        """Return the horizontal plus the vertical distance of two boxes."""
        across, along = self.shared(other)
        return max(-across, 0.0) + max(-along, 0.0)
