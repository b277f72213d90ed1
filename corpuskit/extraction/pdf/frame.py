"""Where things stand: from the coordinates of a PDF page to points from the top left corner of what is seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from corpuskit.extraction.pdf.box import Box

Floats = NDArray[np.float32]
_LARGEST: Final = 200_000.0  # points; sides of 14,400 are the largest that viewers take (ISO 32000-1, annex C)


@dataclass(frozen=True, slots=True)
class Frame:
    """The crop box of a page, seen after a rotation.

    PDF counts upwards from its own origin (ISO 32000-1, 8.3.2.3) and rotates clockwise (table 30, Rotate); here x runs
    right and y down from the top left corner.

    Attributes:
        left, bottom, right, top: the crop box in user space.
        turns: quarter turns clockwise.
    """

    left: float
    bottom: float
    right: float
    top: float
    turns: int = 0

    @property
    def width(self) -> float:
        """Width as seen."""
        return self.top - self.bottom if self.turns % 2 else self.right - self.left

    @property
    def height(self) -> float:
        """Height as seen."""
        return self.right - self.left if self.turns % 2 else self.top - self.bottom

    def points(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Points of user space as seen."""
        if self.turns == 0:
            return x - self.left, self.top - y
        if self.turns == 1:
            return y - self.bottom, x - self.left
        if self.turns == 2:
            return self.right - x, y - self.bottom
        return self.top - y, self.right - x

    def boxes(self, left: Any, top: Any, right: Any, bottom: Any) -> tuple[Any, Any, Any, Any]:
        """Boxes of user space as seen: x0, y0 (upper), x1, y1 (lower)."""
        ax, ay = self.points(left, top)
        bx, by = self.points(right, bottom)
        if isinstance(ax, np.ndarray):
            return np.minimum(ax, bx), np.minimum(ay, by), np.maximum(ax, bx), np.maximum(ay, by)
        return min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)

    def turned_to(self, turns: int) -> Frame:
        """The same crop box after another rotation."""
        return Frame(self.left, self.bottom, self.right, self.top, turns % 4)

    def box_in(self, other: Frame, box: tuple[float, float, float, float]) -> Box:
        """A box of this frame in another frame of the same page."""
        if self.turns == other.turns:
            return Box(*box)
        ax, ay = self._user(*box[:2])
        bx, by = self._user(*box[2:])
        return Box(*other.boxes(min(ax, bx), max(ay, by), max(ax, bx), min(ay, by)))

    def _user(self, x: float, y: float) -> tuple[float, float]:
        if self.turns == 0:
            return x + self.left, self.top - y
        if self.turns == 1:
            return y + self.left, x + self.bottom
        if self.turns == 2:
            return self.right - x, y + self.bottom
        return self.right - y, self.top - x


def frame_of(page: Any) -> Frame:
    """The frame in which a viewer shows a page of pypdfium2."""
    import ctypes

    from pypdfium2 import raw

    box = raw.FS_RECTF()
    if max(abs(side) for side in page.get_size()) > _LARGEST:
        return Frame(0.0, 0.0, _LARGEST, _LARGEST)
    if not raw.FPDF_GetPageBoundingBox(page, ctypes.byref(box)) or box.right <= box.left or box.top <= box.bottom:
        width, height = page.get_size()
        return Frame(0.0, 0.0, width, height, 0)
    return Frame(box.left, box.bottom, box.right, box.top, page.get_rotation() // 90 % 4)
