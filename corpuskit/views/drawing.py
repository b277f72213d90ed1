"""Figures and axes that a notebook shows as pictures, whether or not ``pyplot`` was imported."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

_DPI = 144  # twice that of a plain screen


class ChartFigure(Figure):
    """A figure that draws itself as the result of a notebook cell."""

    def _repr_png_(self) -> bytes:
        picture = io.BytesIO()
        self.savefig(picture, format="png", dpi=_DPI)
        return picture.getvalue()


class ChartAxes(Axes):
    """Axes that show their figure."""

    def _repr_png_(self) -> bytes | None:
        figure: Any = self.figure
        return figure._repr_png_() if isinstance(figure, ChartFigure) else None


__all__ = ["ChartAxes", "ChartFigure"]
