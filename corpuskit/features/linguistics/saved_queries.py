"""Queries that are kept with the corpus."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from corpuskit.errors import ConfigurationError, UnknownNameError
from corpuskit.store import CorpusFolder
from corpuskit.store.catalog import clean
from corpuskit.validation import check_count

if TYPE_CHECKING:
    import pandas as pd

_KEY: Final = "query "
_MOST: Final = 1_000


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A query and how its lines are shown.

    Attributes:
        name: what it is called.
        query: what is looked for.
        sort: by which words the lines are sorted; empty: as they stand.
        subcorpus: in which sub-corpus; empty: in all documents.
        sample: at most so many lines, drawn at random; 0: all.
        seed: of the sample.
    """

    name: str
    query: str
    sort: str = ""
    subcorpus: str = ""
    sample: int = 0
    seed: int = 0


def save_query(folder: CorpusFolder, query: SavedQuery) -> None:
    """Keeps a query; an earlier one of this name is replaced.

    Raises:
        ConfigurationError: it has no name, its sample is below 0, or there are too many.
    """
    if not query.name.strip():
        raise ConfigurationError("a saved query needs a name")
    check_count(query.sample, "sample")
    if len(saved_queries(folder)) >= _MOST:
        raise ConfigurationError(f"there are {_MOST:,} saved queries: forget some")
    folder.catalog.set_meta(_KEY + clean(query.name.strip()), json.dumps(asdict(query)))


def saved_query(folder: CorpusFolder, name: str) -> SavedQuery:
    """Return a saved query.

    Raises:
        ConfigurationError: there is none of this name.
    """
    queries = {query.name: query for query in saved_queries(folder)}
    if name.strip() not in queries:
        raise UnknownNameError(f"no saved query {name!r}; there are: {', '.join(map(repr, queries)) or 'none'}")
    return queries[name.strip()]


def forget_query(folder: CorpusFolder, name: str) -> None:
    """Forgets a saved query.

    Raises:
        ConfigurationError: there is none of this name.
    """
    key = _KEY + clean(name.strip())
    if folder.catalog.meta(key) is None:
        there = ", ".join(repr(query.name) for query in saved_queries(folder)) or "none"
        raise UnknownNameError(f"no saved query {name!r}; there are: {there}")
    folder.catalog.connection.execute("DELETE FROM meta WHERE key = ?", (key,))


def saved_queries(folder: CorpusFolder) -> list[SavedQuery]:
    """The saved queries, by name."""
    rows = folder.catalog.rows(
        "SELECT value FROM meta WHERE key >= ? AND key < ? ORDER BY key", (_KEY, _KEY + "\uffff")
    )
    return [query for row in rows if (query := _read(row["value"])) is not None]


def _read(value: str) -> SavedQuery | None:
    """The query of a catalogue, which may be from elsewhere; None for what is none."""
    try:
        said = json.loads(value)
        name, query, sort, subcorpus = (str(said[name]) for name in ("name", "query", "sort", "subcorpus"))
        return SavedQuery(name, query, sort, subcorpus, int(said["sample"]), int(said["seed"]))
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None


def queries_frame(folder: CorpusFolder) -> pd.DataFrame:
    """Columns name, query, sort, subcorpus (str), sample, seed (Int64)."""
    import pandas as pd

    names = list(SavedQuery.__dataclass_fields__)
    rows = [asdict(query) for query in saved_queries(folder)]
    types = {name: "Int64" if name in ("sample", "seed") else "str" for name in names}
    return pd.DataFrame(rows, columns=names).astype(types)
