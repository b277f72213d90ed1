"""Relative frequency of a query per host, language, year or sub-corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.features.linguistics.association import rate_interval
from corpuskit.features.linguistics.scope import duplicates_note, with_provenance
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize
from corpuskit.tokens import TokenSelection, find, parse_query
from corpuskit.views import frames
from corpuskit.views.doc_selection import doc_ids_of

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd
    from matplotlib.axes import Axes

    Numbers = npt.NDArray[Any]

_SHOWN: Final = 30


@dataclass(frozen=True, slots=True, repr=False)
class Frequency:
    """Relative frequency of a query per group of documents.

    Attributes:
        query: The query.
        by: Name of the grouping.
        frame: One row per group with the columns group (str), count, documents (with a match), tokens (in all) (Int64),
            per_million, low, high (float64: matches per million tokens and its confidence interval at a level of 95 %).
        note: Note on omitted duplicates, empty by default.
    """

    query: str
    by: str
    frame: pd.DataFrame
    note: str = ""

    def chart(self, *, ax: Axes | None = None) -> Axes:
        """Draw a bar chart of matches per million tokens with confidence intervals."""
        from corpuskit.views import charts

        return charts.frequency(self.frame, ax=ax)

    def __repr__(self) -> str:
        head = f"{self.query!r} by {self.by}, matches per million tokens" + (f"; {self.note}" if self.note else "")
        shown = self.frame.head(_SHOWN).to_string(index=False, float_format="{:,.1f}".format)
        more = len(self.frame) - _SHOWN
        return "\n".join(
            [head, shown, *([f"... and {pluralize(more, 'more group')}: .frame has all"] if more > 0 else [])]
        )


def frequency(
    folder: CorpusFolder,
    selection: TokenSelection,
    query: str,
    by: str | Mapping[str, Any] = "host",
    *,
    syntax: str | None = None,
) -> Frequency:
    """Return the relative frequency of matches per group of documents; see ``corpus.text.frequency()``.

    The interval is Wilson's (1927) with an effective number of tokens. Words are clustered in documents, so tokens of a few
    documents carry less information than the same number from many documents (Kish's design effect of the ratio estimator,
    Cochran 1977, section 6.5).
    """
    import pandas as pd

    matches = find(selection, parse_query(query, syntax))
    counts: list[Numbers] = [np.empty(0)]
    sizes: list[Numbers] = [np.empty(0)]
    ids: list[str] = []
    for number, part in enumerate(selection.index.parts):
        starts, _ = matches.of_part(number)
        of = np.searchsorted(part.document_bounds(), starts, side="right") - 1
        counts.append(np.bincount(of, minlength=len(part.documents)))
        sizes.append(selection.document_sizes(number))
        ids += part.documents.column("doc_id").to_pylist()
    table = pd.DataFrame({"count": np.concatenate(counts), "tokens": np.concatenate(sizes)}, index=ids)
    table = table[table["tokens"] > 0]
    name, groups = _groups(folder, by)
    rows = []
    for group, members in groups:
        group_rows = table.loc[table.index.isin(list(members))]
        if len(group_rows):
            matches_per_document, tokens = group_rows["count"].to_numpy(float), group_rows["tokens"].to_numpy(float)
            low, high = rate_interval(matches_per_document, tokens)
            total = tokens.sum()
            rows.append(
                (
                    group,
                    matches_per_document.sum(),
                    (matches_per_document > 0).sum(),
                    total,
                    *(1e6 * np.array([matches_per_document.sum() / total, low, high])),
                )
            )
    types = {name: "str"} | dict.fromkeys(("count", "documents", "tokens"), "Int64")
    types |= dict.fromkeys(("per_million", "low", "high"), "float64")
    frame = pd.DataFrame(rows, columns=list(types)).astype(types)
    if name == "year":
        frame = frame.sort_values("year", ignore_index=True)
    elif isinstance(by, str):
        frame = frame.sort_values(["per_million", name], ascending=[False, True], ignore_index=True)
    return Frequency(query, name, with_provenance(frame, selection), duplicates_note(selection))


def _groups(folder: CorpusFolder, by: str | Mapping[str, Any]) -> tuple[str, list[tuple[str, Sequence[str]]]]:
    """Return the name of the grouping and the documents of each group."""
    if isinstance(by, Mapping):
        return "part", [(str(name), doc_ids_of(folder, docs) or []) for name, docs in by.items()]
    documents = frames.documents(folder)
    if isinstance(by, str) and by == "year":
        years = documents["timestamp"].dt.year
        values = years.astype("Int64").astype("str").where(years.notna(), "?")
    elif isinstance(by, str) and by in documents:
        values = documents[by].astype("str").where(documents[by].notna(), "?").replace("", "(files)")
    else:
        columns = ", ".join(str(name) for name in documents)
        problem = f"by={by!r}:" if isinstance(by, str) else f"by: found a {type(by).__name__},"
        raise ConfigurationError(f"{problem} expected year, a mapping of names to documents, or one of {columns}")
    return by, [(str(group), list(ids)) for group, ids in documents["doc_id"].groupby(values)]
