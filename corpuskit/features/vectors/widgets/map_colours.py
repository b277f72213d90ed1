"""Colouring of the points of the map, with a legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from corpuskit.features.vectors.widgets.map_places import PointLayout
from corpuskit.labels import corpus_labels
from corpuskit.store import CorpusFolder
from corpuskit.store.document_rows import document_rows

if TYPE_CHECKING:
    import pandas as pd

COLOURS: Final = ("topic", "label", "relevance", "source", "language", "date")
"""Properties that points can be coloured by."""
# Distinguishable with every type of colour blindness (Machado 2009): distance of at least .08 in OKLab, contrast of 3 to 1.
_LIGHT: Final = ("#2763ca", "#eb4f5d", "#03966d", "#ae4798", "#91770d", "#3b1f5b", "#039ce5")
_DARK: Final = ("#59a7ff", "#e69e00", "#00966a", "#b882b6", "#f0e442", "#d45b00", "#9ad0f4")
# Cividis (Nuñez, Anderton, Renslow 2018): ordered by lightness, visible with colour blindness. The high end has the highest contrast.
_RAMP_LIGHT: Final = ("#b8a96a", "#7c7b78", "#46517a", "#00224e")
_RAMP_DARK: Final = ("#5a6a9a", "#8a8984", "#bfb06a", "#fee838")
_GREY: Final = {"light": "#9aa0a6", "dark": "#72787e"}
SHAPES: Final = ("circle", "square", "triangle", "diamond")
OTHER: Final = 254
NONE: Final = 255
_NAMED: Final = len(_LIGHT) * len(SHAPES)
_RAMP: Final = 64  # first code of ordered classes
_CLASSES: Final = 5

Codes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Colouring:
    """Colour codes of the points with a legend.

    Attributes:
        codes: Code of each point: colour + 7 * shape; from 64 on ordered classes; 254 others, 255 without a value.
        legend: Code, name and number of documents of each code in use.
    """

    codes: Codes
    legend: list[tuple[int, str, int]]


def palette() -> dict[str, dict[str, str]]:
    """Return theme → code → colour, for the page and the picture."""
    return {
        theme: {
            **{str(code): colours[code % len(colours)] for code in range(_NAMED)},
            **{str(_RAMP + i): colour for i, colour in enumerate(_interpolate(ramp, _CLASSES))},
            str(OTHER): _GREY[theme],
            str(NONE): _GREY[theme],
        }
        for theme, colours, ramp in (("light", _LIGHT, _RAMP_LIGHT), ("dark", _DARK, _RAMP_DARK))
    }


def shape_of(code: int) -> str:
    """Return the shape of points with a code."""
    return SHAPES[code // len(_LIGHT)] if code < _NAMED else SHAPES[0]


def colour_points(folder: CorpusFolder, layout: PointLayout, by: str) -> Colouring:
    """Return the codes of all points.

    Args:
        folder: The corpus.
        layout: Points and regions.
        by: One of :data:`COLOURS`.
    """
    if by == "topic":
        return _by_topic(layout)
    if by == "label":
        label_of = {label.target: label.label or "tie" for label in corpus_labels(folder, "document")}
        return _by_category(
            [label_of.get(doc_id) for doc_id in layout.ids], "no label", ("relevant", "other", "unsure")
        )
    column = {"relevance": "relevance", "source": "host", "language": "lang", "date": "timestamp"}[by]
    values = _column(folder, layout.ids, column)
    if by == "relevance":
        return _in_classes(
            values.to_numpy(float, na_value=np.nan), [f"{i / 5:.1f} to {(i + 1) / 5:.1f}" for i in range(5)]
        )
    if by == "date":
        return _by_date(values)
    empty = "files" if by == "source" else "not known"
    return _by_category([value if isinstance(value, str) and value else None for value in values], empty)


def _column(folder: CorpusFolder, ids: Sequence[str], name: str) -> pd.Series[Any]:
    import pandas as pd

    table = document_rows(folder).select(["doc_id", name]).to_pandas()
    if name == "timestamp":
        table[name] = pd.to_datetime(table[name], utc=True)
    column: pd.Series[Any] = table.set_index("doc_id")[name].reindex(list(ids))
    return column


def _by_topic(layout: PointLayout) -> Colouring:
    regions = layout.regions
    top = [i for i, region in enumerate(regions) if region.parent < 0]
    if len(top) == 1:  # a single group: colour its topics
        top = [i for i, region in enumerate(regions) if region.parent == top[0]] or top
    top.sort(key=lambda i: (-regions[i].documents, i))
    codes = np.full(len(layout.ids), NONE, np.uint8)
    legend, rest = [], 0
    for rank, i in enumerate(top):
        members = layout.members(i)
        if not len(members):
            continue
        if rank < _NAMED:
            codes[members] = rank
            legend.append((rank, regions[i].name, len(members)))
        else:
            codes[members] = OTHER
            rest += len(members)
    return Colouring(codes, legend + _rest(codes, "other topics", "no topic", rest, layout.gone))


def _by_category(values: Sequence[str | None], empty: str, first: Sequence[str] = ()) -> Colouring:
    """Colour the most frequent values. Those in ``first`` have fixed colours."""
    import pandas as pd

    column = pd.Series(list(values), dtype="object")
    counts = column.value_counts()
    order = [*first, *(name for name in counts.index if name not in first)][:_NAMED]
    code_of = {name: code for code, name in enumerate(order)}
    filled = column.map(code_of)
    codes = filled.fillna(OTHER).to_numpy(np.uint8)
    codes[column.isna().to_numpy()] = NONE
    legend = [(code_of[name], name, int(counts[name])) for name in order if name in counts]
    rest = int((codes == OTHER).sum())
    return Colouring(codes, legend + _rest(codes, "others", empty, rest, None))


def _rest(codes: Codes, other_name: str, empty: str, rest: int, removed: Any) -> list[tuple[int, str, int]]:
    n_none = int((codes == NONE).sum() if removed is None else ((codes == NONE) & ~removed).sum())
    return [row for row in ((OTHER, other_name, rest), (NONE, empty, n_none)) if row[2]]


def _in_classes(values: npt.NDArray[np.float64], names: Sequence[str]) -> Colouring:
    """Colour values from 0 to 1 in classes of equal width."""
    known = np.isfinite(values)
    part = np.clip(np.nan_to_num(values) * len(names), 0, len(names) - 1).astype(int)
    codes = np.where(known, _RAMP + part, NONE).astype(np.uint8)
    legend = [(_RAMP + i, name, int((known & (part == i)).sum())) for i, name in enumerate(names)]
    return Colouring(codes, [row for row in legend if row[2]] + _rest(codes, "", "no score yet", 0, None))


def _by_date(values: pd.Series[Any]) -> Colouring:
    """Colour dates in five classes of about equal size. Documents of one day are in the same class."""
    known = values.notna().to_numpy()
    if not known.any():
        return Colouring(np.full(len(values), NONE, np.uint8), [(NONE, "no date", len(values))] if len(values) else [])
    stamps = values.to_numpy(dtype="datetime64[s]").astype("datetime64[D]").astype(np.int64)
    edges = np.unique(np.quantile(stamps[known], np.linspace(0, 1, _CLASSES + 1), method="lower"))
    part = np.clip(np.searchsorted(edges, stamps, "right") - 1, 0, max(0, len(edges) - 2))
    codes = np.where(known, _RAMP + part, NONE).astype(np.uint8)
    legend = []
    for i in range(max(1, len(edges) - 1)):
        days_of_class = stamps[known & (part == i)]
        days = [str(np.datetime64(int(edge), "D")) for edge in (days_of_class.min(), days_of_class.max())]
        legend.append((_RAMP + i, days[0] if days[0] == days[1] else f"{days[0]} to {days[1]}", len(days_of_class)))
    if len(legend) == 1 and " to " not in legend[0][1]:  # for example files copied or unpacked together
        legend = [(legend[0][0], f"{legend[0][1]}, all on one day", legend[0][2])]
    return Colouring(codes, legend + _rest(codes, "", "no date", 0, None))


def _interpolate(stops: Sequence[str], n: int) -> list[str]:
    """Return ``n`` colours interpolated along a gradient."""
    rgb = np.array([[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in stops], float)
    at = np.linspace(0, len(stops) - 1, n)
    mixed = np.stack([np.interp(at, np.arange(len(stops)), rgb[:, channel]) for channel in range(3)], axis=1)
    return ["#" + "".join(f"{round(value):02x}" for value in row) for row in mixed.tolist()]
