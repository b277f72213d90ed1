"""What the points of a map are coloured by, with a legend that says all of it in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from corpuskit.features.vectors.widgets.map_places import Places
from corpuskit.labels import corpus_labels
from corpuskit.store import CorpusFolder
from corpuskit.store.document_rows import document_rows

if TYPE_CHECKING:
    import pandas as pd

COLOURS: Final = ("topic", "label", "relevance", "source", "language", "date")
"""What there is to colour by."""
# Told apart in each kind of colour blindness (Machado 2009) by .08 in OKLab at least, contrast with the ground 3 to 1.
_LIGHT: Final = ("#2763ca", "#eb4f5d", "#03966d", "#ae4798", "#91770d", "#3b1f5b", "#039ce5")
_DARK: Final = ("#59a7ff", "#e69e00", "#00966a", "#b882b6", "#f0e442", "#d45b00", "#9ad0f4")
# Cividis (Nuñez, Anderton, Renslow 2018): the order is one of lightness, which all eyes see; the high end stands out.
_RAMP_LIGHT: Final = ("#b8a96a", "#7c7b78", "#46517a", "#00224e")
_RAMP_DARK: Final = ("#5a6a9a", "#8a8984", "#bfb06a", "#fee838")
_GREY: Final = {"light": "#9aa0a6", "dark": "#72787e"}
SHAPES: Final = ("circle", "square", "triangle", "diamond")
OTHER: Final = 254
NONE: Final = 255
_NAMED: Final = len(_LIGHT) * len(SHAPES)
_RAMP: Final = 64  # the first code of a class that has an order
_CLASSES: Final = 5

Codes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Colouring:
    """A code for each point, and what the codes mean.

    Attributes:
        codes: of each point: colour + 7 * shape; from 64 on classes in order; 254 all others, 255 none.
        legend: code, name, how many documents, of each code that there is.
    """

    codes: Codes
    legend: list[tuple[int, str, int]]


def palette() -> dict[str, dict[str, str]]:
    """Theme → code → colour, as the page and the picture need it."""
    return {
        theme: {
            **{str(code): colours[code % len(colours)] for code in range(_NAMED)},
            **{str(_RAMP + i): colour for i, colour in enumerate(_blended(ramp, _CLASSES))},
            str(OTHER): _GREY[theme],
            str(NONE): _GREY[theme],
        }
        for theme, colours, ramp in (("light", _LIGHT, _RAMP_LIGHT), ("dark", _DARK, _RAMP_DARK))
    }


def shape_of(code: int) -> str:
    """The shape of a code's points."""
    return SHAPES[code // len(_LIGHT)] if code < _NAMED else SHAPES[0]


def coloured(folder: CorpusFolder, places: Places, by: str) -> Colouring:
    """Return the codes of all points.

    Args:
        folder: the corpus.
        places: the points, and the regions they are in.
        by: one of :data:`COLOURS`.
    """
    if by == "topic":
        return _by_topic(places)
    if by == "label":
        said = {label.target: label.label or "tie" for label in corpus_labels(folder, "document")}
        return _named([said.get(doc_id) for doc_id in places.ids], "no label", ("relevant", "other", "unsure"))
    column = {"relevance": "relevance", "source": "host", "language": "lang", "date": "timestamp"}[by]
    values = _column(folder, places.ids, column)
    if by == "relevance":
        return _in_classes(
            values.to_numpy(float, na_value=np.nan), [f"{i / 5:.1f} to {(i + 1) / 5:.1f}" for i in range(5)]
        )
    if by == "date":
        return _by_date(values)
    empty = "files" if by == "source" else "not known"
    return _named([value if isinstance(value, str) and value else None for value in values], empty)


def _column(folder: CorpusFolder, ids: Sequence[str], name: str) -> pd.Series[Any]:
    import pandas as pd

    table = document_rows(folder).select(["doc_id", name]).to_pandas()
    if name == "timestamp":
        table[name] = pd.to_datetime(table[name], utc=True)
    found: pd.Series[Any] = table.set_index("doc_id")[name].reindex(list(ids))
    return found


def _by_topic(places: Places) -> Colouring:
    regions = places.regions
    top = [i for i, region in enumerate(regions) if region.parent < 0]
    if len(top) == 1:  # one group of topics: it is they that differ
        top = [i for i, region in enumerate(regions) if region.parent == top[0]] or top
    top.sort(key=lambda i: (-regions[i].documents, i))
    codes = np.full(len(places.ids), NONE, np.uint8)
    legend, rest = [], 0
    for rank, i in enumerate(top):
        inside = places.inside(i)
        if not len(inside):
            continue
        if rank < _NAMED:
            codes[inside] = rank
            legend.append((rank, regions[i].name, len(inside)))
        else:
            codes[inside] = OTHER
            rest += len(inside)
    return Colouring(codes, legend + _rest(codes, "other topics", "no topic", rest, places.gone))


def _named(values: Sequence[str | None], empty: str, first: Sequence[str] = ()) -> Colouring:
    """The most frequent values by name; those of ``first`` have the same colour each time."""
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


def _rest(codes: Codes, others: str, empty: str, rest: int, gone: Any) -> list[tuple[int, str, int]]:
    none = int((codes == NONE).sum() if gone is None else ((codes == NONE) & ~gone).sum())
    return [row for row in ((OTHER, others, rest), (NONE, empty, none)) if row[2]]


def _in_classes(values: npt.NDArray[np.float64], names: Sequence[str]) -> Colouring:
    """Values from 0 to 1 in classes of equal width."""
    known = np.isfinite(values)
    part = np.clip(np.nan_to_num(values) * len(names), 0, len(names) - 1).astype(int)
    codes = np.where(known, _RAMP + part, NONE).astype(np.uint8)
    legend = [(_RAMP + i, name, int((known & (part == i)).sum())) for i, name in enumerate(names)]
    return Colouring(codes, [row for row in legend if row[2]] + _rest(codes, "", "no score yet", 0, None))


def _by_date(values: pd.Series[Any]) -> Colouring:
    """Five classes of days with as many documents each; a day is in one class, or two would have one name."""
    known = values.notna().to_numpy()
    if not known.any():
        return Colouring(np.full(len(values), NONE, np.uint8), [(NONE, "no date", len(values))] if len(values) else [])
    stamps = values.to_numpy(dtype="datetime64[s]").astype("datetime64[D]").astype(np.int64)
    edges = np.unique(np.quantile(stamps[known], np.linspace(0, 1, _CLASSES + 1), method="lower"))
    part = np.clip(np.searchsorted(edges, stamps, "right") - 1, 0, max(0, len(edges) - 2))
    codes = np.where(known, _RAMP + part, NONE).astype(np.uint8)
    legend = []
    for i in range(max(1, len(edges) - 1)):
        inside = stamps[known & (part == i)]
        days = [str(np.datetime64(int(edge), "D")) for edge in (inside.min(), inside.max())]
        legend.append((_RAMP + i, days[0] if days[0] == days[1] else f"{days[0]} to {days[1]}", len(inside)))
    if len(legend) == 1 and " to " not in legend[0][1]:  # as those of files that were copied or unpacked together
        legend = [(legend[0][0], f"{legend[0][1]}, all on one day", legend[0][2])]
    return Colouring(codes, legend + _rest(codes, "", "no date", 0, None))


def _blended(stops: Sequence[str], n: int) -> list[str]:
    """``n`` colours along some."""
    rgb = np.array([[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in stops], float)
    at = np.linspace(0, len(stops) - 1, n)
    mixed = np.stack([np.interp(at, np.arange(len(stops)), rgb[:, channel]) for channel in range(3)], axis=1)
    return ["#" + "".join(f"{round(value):02x}" for value in row) for row in mixed.tolist()]
