"""Storage of named queries in the catalog."""

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
_MAX_QUERIES: Final = 1_000


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A query with the settings of its concordance.

    Attributes:
        name: Name of the query.
        query: The query.
        sort: Words to sort the lines by. Empty: reading order.
        subcorpus: Name of a sub-corpus to search. Empty: all documents.
        sample: Maximum number of lines, drawn at random. 0: all.
        seed: Seed of the sample.
    """

    name: str
    query: str
    sort: str = ""
    subcorpus: str = ""
    sample: int = 0
    seed: int = 0


def save_query(folder: CorpusFolder, query: SavedQuery) -> None:
    """Save a query. An existing query of this name is replaced.

    Raises:
        ConfigurationError: The name is empty, the sample is negative, or there are too many saved queries.
    """
    if not query.name.strip():
        raise ConfigurationError("a saved query needs a name")
    check_count(query.sample, "sample")
    if len(saved_queries(folder)) >= _MAX_QUERIES:
        raise ConfigurationError(f"there are {_MAX_QUERIES:,} saved queries, the maximum: delete some")
    folder.catalog.set_meta(_KEY + clean(query.name.strip()), json.dumps(asdict(query)))


def saved_query(folder: CorpusFolder, name: str) -> SavedQuery:
    """Return a saved query.

    Raises:
        ConfigurationError: There is no query of this name.
    """
    queries = {query.name: query for query in saved_queries(folder)}
    if name.strip() not in queries:
        raise UnknownNameError(f"no saved query {name!r}; there are: {', '.join(map(repr, queries)) or 'none'}")
    return queries[name.strip()]


def delete_query(folder: CorpusFolder, name: str) -> None:
    """Delete a saved query.

    Raises:
        ConfigurationError: There is no query of this name.
    """
    key = _KEY + clean(name.strip())
    if folder.catalog.meta(key) is None:
        names = ", ".join(repr(query.name) for query in saved_queries(folder)) or "none"
        raise UnknownNameError(f"no saved query {name!r}; there are: {names}")
    folder.catalog.connection.execute("DELETE FROM meta WHERE key = ?", (key,))


def saved_queries(folder: CorpusFolder) -> list[SavedQuery]:
    """Return the saved queries, sorted by name."""
    rows = folder.catalog.rows(
        "SELECT value FROM meta WHERE key >= ? AND key < ? ORDER BY key", (_KEY, _KEY + "\uffff")
    )
    return [query for row in rows if (query := _read(row["value"])) is not None]


def _read(value: str) -> SavedQuery | None:
    """Parse a stored query. Return None for an invalid value: the corpus may come from another source."""
    try:
        record = json.loads(value)
        name, query, sort, subcorpus = (str(record[name]) for name in ("name", "query", "sort", "subcorpus"))
        return SavedQuery(name, query, sort, subcorpus, int(record["sample"]), int(record["seed"]))
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None


def queries_frame(folder: CorpusFolder) -> pd.DataFrame:
    """Return the saved queries with the columns name, query, sort, subcorpus (str), sample, seed (Int64)."""
    import pandas as pd

    names = list(SavedQuery.__dataclass_fields__)
    rows = [asdict(query) for query in saved_queries(folder)]
    types = {name: "Int64" if name in ("sample", "seed") else "str" for name in names}
    return pd.DataFrame(rows, columns=names).astype(types)
