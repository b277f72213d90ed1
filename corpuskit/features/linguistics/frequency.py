"""How frequent something is in parts of a corpus: by host, language, year, or sub-corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.features.linguistics.association import rate_interval
from corpuskit.features.linguistics.scope import noted, told
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
    """How frequent a query's matches are in each group of documents.

    Attributes:
        query: what was looked for.
        by: what groups the documents.
        frame: a row a group: the group (str), count, documents (with a match), tokens (of all), Int64; per_million, low, high
            (float64: matches a million tokens, and the interval that holds the group's rate with a confidence of 95 %).
        note: what was left out; empty for nothing.
    """

    query: str
    by: str
    frame: pd.DataFrame
    note: str = ""

    def chart(self, *, ax: Axes | None = None) -> Axes:
        """Draw matches a million tokens, a bar a group, with the intervals."""
        from corpuskit.views import charts

        return charts.frequency(self.frame, ax=ax)

    def __repr__(self) -> str:
        head = f"{self.query!r} by {self.by}, matches a million tokens" + (f"; {self.note}" if self.note else "")
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
    """How frequent matches are in groups of documents.

    The interval is Wilson's (1927), for so many tokens as the documents are worth: words come in bursts, so the tokens of few
    documents say less than as many of many (Kish's design effect of the ratio estimator, Cochran 1977, section 6.5).

    Args:
        folder: the corpus.
        selection: where to look.
        query: as :func:`corpuskit.tokens.parse_query` reads it.
        by: a column of ``documents()``, or ``year`` (of the timestamp); or names and the documents of each, as ``docs=`` takes
            them.
        syntax: cql, simple or wildcards.

    Raises:
        ConfigurationError: there is no such column, or the query cannot be read.
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
        some = table.loc[table.index.isin(list(members))]
        if len(some):
            found, tokens = some["count"].to_numpy(float), some["tokens"].to_numpy(float)
            low, high = rate_interval(found, tokens)
            total = tokens.sum()
            rows.append(
                (group, found.sum(), (found > 0).sum(), total, *(1e6 * np.array([found.sum() / total, low, high])))
            )
    types = {name: "str"} | dict.fromkeys(("count", "documents", "tokens"), "Int64")
    types |= dict.fromkeys(("per_million", "low", "high"), "float64")
    frame = pd.DataFrame(rows, columns=list(types)).astype(types)
    if name == "year":
        frame = frame.sort_values("year", ignore_index=True)
    elif isinstance(by, str):
        frame = frame.sort_values(["per_million", name], ascending=[False, True], ignore_index=True)
    return Frequency(query, name, noted(frame, selection), told(selection))


def _groups(folder: CorpusFolder, by: str | Mapping[str, Any]) -> tuple[str, list[tuple[str, Sequence[str]]]]:
    """What the groups are called, and the documents of each."""
    if isinstance(by, Mapping):
        return "part", [(str(name), doc_ids_of(folder, docs) or []) for name, docs in by.items()]
    documents = frames.documents(folder)
    if isinstance(by, str) and by == "year":
        years = documents["timestamp"].dt.year
        values = years.astype("Int64").astype("str").where(years.notna(), "?")
    elif isinstance(by, str) and by in documents:
        values = documents[by].astype("str").where(documents[by].notna(), "?").replace("", "(files)")
    else:
        there = ", ".join(str(name) for name in documents)
        found = f"by={by!r}:" if isinstance(by, str) else f"by: found a {type(by).__name__},"
        raise ConfigurationError(f"{found} expected year, names and documents, or one of {there}")
    return by, [(str(group), list(ids)) for group, ids in documents["doc_id"].groupby(values)]
