"""Axes of charts, with colours for light and dark pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from corpuskit.errors import ConfigurationError, MissingExtraError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

GREY: Final = "#7f7f7f"  # 4 : 1 against white and against black


def axes(ax: Axes | None, *, width: float = 7.0, height: float = 2.8) -> Axes:
    """Return the given axes, or those of a new figure of this size in inches.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    if ax is not None:
        return ax
    try:
        from corpuskit.views.drawing import ChartAxes, ChartFigure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "notebook") from error
    figure = ChartFigure(figsize=(width, height), layout="constrained")
    # Transparent, with grey text and lines, for light and dark pages.
    figure.patch.set_alpha(0.0)
    return figure.add_subplot(axes_class=ChartAxes)


def finished(ax: Axes, *, legend: bool = False) -> Axes:
    """Return the axes in the colours of all charts."""
    ax.patch.set_alpha(0.0)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(GREY)
    ax.tick_params(colors=GREY)
    for text in (ax.xaxis.label, ax.yaxis.label, ax.title):
        text.set_color(GREY)
    if legend:
        ax.legend(frameon=False, labelcolor=GREY)
    return ax


def need(frame: pd.DataFrame, *columns: str) -> None:
    """Raise if a frame lacks columns.

    Raises:
        ConfigurationError: A column is missing; the message names it.
    """
    missing = [name for name in columns if name not in frame]
    if missing:
        raise ConfigurationError(f"the frame lacks {', '.join(missing)}; it has {', '.join(map(str, frame.columns))}")
