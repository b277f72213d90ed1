"""Explorer widget: tabs with concordance, collocates, clusters, keywords, dispersion plot and word list of one query.

Each row links to its lines. With a layer of parts of speech there is a word sketch.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import traitlets

from corpuskit.errors import ConfigurationError, CorpusKitError
from corpuskit.features.linguistics import collocation, word_lists
from corpuskit.features.linguistics.saved_queries import SavedQuery
from corpuskit.features.linguistics.scope import TokenScope
from corpuskit.features.linguistics.sketch import sketch
from corpuskit.features.linguistics.widgets.concordance import ConcordanceLines, LineFilter, display_titles, hidden_tree
from corpuskit.tokens import TokenSelection
from corpuskit.widgets.shell import MAX_ROWS, Box, module, styles
from corpuskit.widgets.tree import DocumentTree

if TYPE_CHECKING:
    import pandas as pd

_MAX_ROWS: Final = 20_000  # rows of a table
_STROKES: Final = 300  # per document in the plot: more cannot be distinguished
_ANY: Final = "[]"
MAX_WINDOW: Final = 20


@dataclass(frozen=True, slots=True)
class TableRequest:
    """Parameters of a table.

    Attributes:
        scope: Documents and tokens to search.
        query: The query.
        attribute: Attribute to count.
        window: Collocates: number of words on each side.
        size: Clusters: number of words.
    """

    scope: TokenScope
    query: SavedQuery
    attribute: str = "lower"
    window: int = 5
    size: int = 3

    def selection(self) -> TokenSelection:
        """Return the tokens to search."""
        return self.scope.selection(self.query.subcorpus)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of the widget.

    Attributes:
        frame: The first rows. The first column is the label of a row.
        columns: Column → format of its numbers, empty for text.
        lead: Row → its lines: a query, or a filter of the present lines.
        of: Total number of rows.
    """

    frame: pd.DataFrame
    columns: dict[str, str]
    lead: Callable[[int], str | LineFilter]
    of: int


def collocates(request: TableRequest) -> _Table:
    """Return the table of collocates."""
    frame = collocation.collocates(
        request.selection(), request.query.query, window=request.window, attribute=request.attribute, min_count=2
    )
    words = frame["word"].tolist()
    columns = {"word": "", "count": ",", "left": ",", "right": ",", "total": ",", "log_dice": ".2f", "mi": ".2f"}

    def lead(row: int) -> LineFilter:
        return {"word": words[row], "attribute": request.attribute, "window": request.window}

    return _table_of(frame, columns | {"log_likelihood": ",.1f"}, lead)


def clusters(request: TableRequest) -> _Table:
    """Return the table of clusters."""
    sizes = (request.size, request.size)
    frame = word_lists.clusters(
        request.selection(), request.query.query, sizes=sizes, attribute=request.attribute, min_count=1
    )
    runs = frame["cluster"].tolist()
    return _table_of(frame, _count_columns("cluster"), lambda row: cql(runs[row].split(" "), request.attribute))


def key_words(request: TableRequest) -> _Table:
    """Return the keywords of documents with a match, compared with the other documents."""
    selection = request.selection()
    matches = word_lists.occurrences(None, selection, [request.query.query])
    ids = list(dict.fromkeys(matches["doc_id"]))
    if not ids:
        raise ConfigurationError("no document has a match")
    subcorpus = request.query.subcorpus
    target = replace(request.scope, doc_ids=ids).selection()
    rest = request.scope.rest(ids, subcorpus)
    if not rest.size:
        raise ConfigurationError("all documents have a match: no other documents are left as a reference")
    frame = collocation.keywords(target, rest, attribute=request.attribute)
    words = frame["word"].tolist()
    columns = {"word": "", "count": ",", "reference_count": ",", "documents": ",", "log_likelihood": ",.1f"}
    return _table_of(frame, columns | {"log_ratio": ".2f"}, lambda row: cql([words[row]], request.attribute))


def plot(request: TableRequest) -> _Table:
    """Return the table of positions of matches per document."""
    import pandas as pd

    documents = word_lists.positions_per_document(request.scope.folder, request.selection(), request.query.query)
    shown = documents.head(_MAX_ROWS)
    titles = display_titles(shown)
    frame = pd.DataFrame({"document": titles, "count": shown["count"], "per_million": shown["per_million"]})
    frame["where"] = [_strokes(positions) for positions in shown["places"]]
    ids = shown["doc_id"].tolist()
    named = titles.tolist()
    columns = {"document": "", "count": ",", "per_million": ",.1f", "where": ""}
    return _Table(frame, columns, lambda row: {"doc_id": ids[row], "title": named[row]}, len(documents))


def words(request: TableRequest) -> _Table:
    """Return the word list."""
    frame = word_lists.wordlist(request.selection(), attribute=request.attribute)
    named = frame["word"].tolist()
    return _table_of(frame, _count_columns("word"), lambda row: cql([named[row]], request.attribute))


def word_sketch(request: TableRequest) -> _Table:
    """Return the word sketch."""
    word = request.query.query.strip()
    if not re.fullmatch(r"[\w'-]+", word):
        raise ConfigurationError("a word sketch needs a query of one word, such as claim")
    selection = request.selection()
    is_known = request.attribute != "lower" or "lemma" not in selection.index.layers
    attribute = request.attribute if is_known else "lemma"
    frame = sketch(selection, word, attribute=attribute)
    queries = frame["query"].tolist()
    columns = {"word": "", "relation": "", "count": ",", "total": ",", "log_dice": ".2f"}
    return _table_of(frame[list(columns)], columns, lambda row: queries[row])


def _table_of(frame: pd.DataFrame, columns: dict[str, str], lead: Callable[[int], str | LineFilter]) -> _Table:
    """Return a table of the first rows of a frame."""
    return _Table(frame.head(_MAX_ROWS), columns, lead, len(frame))


def _count_columns(name: str) -> dict[str, str]:
    return {name: "", "count": ",", "documents": ",", "per_million": ",.1f"}


def _strokes(positions: Sequence[float]) -> str:
    return " ".join(str(stroke) for stroke in np.unique((np.asarray(positions) * _STROKES).astype(int)).tolist())


def cql(strings: Sequence[str], attribute: str) -> str:
    """Return a CQL query for a sequence of tokens with these values."""
    quoted = (string.replace('"', '\\"') for string in strings)
    return " ".join(f'[{attribute}=="{string}"]' for string in quoted)


_TABLES: Final[dict[str, Callable[[TableRequest], _Table]]] = {
    "collocates": collocates,
    "clusters": clusters,
    "keywords": key_words,
    "plot": plot,
    "words": words,
    "sketch": word_sketch,
}


class ExplorerTabs(ConcordanceLines):
    """Tabs of the explorer, a part of :class:`Explorer`."""

    _esm = module("rows", "lines", "explore", folder=Path(__file__).parent)
    _css = styles("rows", folder=Path(__file__).parent)
    attributes: Any = traitlets.List().tag(sync=True)

    def __init__(self, scope: TokenScope, window: int, tree: DocumentTree) -> None:
        self._tables: dict[str, tuple[int, _Table]] = {}
        self._number = 0
        super().__init__(scope, window, None, tree)
        self.attributes = ["lower", "word", *scope.selection().index.layers]

    def _on_table(self, message: dict[str, Any]) -> None:
        tab = str(message["tab"])
        if tab not in _TABLES:
            raise ConfigurationError(f"no table {tab!r}; expected one of {', '.join(_TABLES)}")
        window, size = int(message.get("window") or 5), int(message.get("size") or 3)
        if not 1 <= window <= MAX_WINDOW:
            raise ConfigurationError(f"window {window}: expected 1 to {MAX_WINDOW}")
        with self._lock:
            self._number += 1
            number, query = self._number, self._query
        query = query if query.query else replace(query, query=_ANY)
        request = TableRequest(self._scope, query, str(message.get("attribute") or "lower"), window, size)
        sort = str(message.get("sort") or "")
        threading.Thread(
            target=self._make, args=(tab, number, request, sort), name="corpuskit-explore", daemon=True
        ).start()

    def _make(self, tab: str, number: int, request: TableRequest, sort: str) -> None:
        try:
            table = _TABLES[tab](request)
        except (CorpusKitError, OSError) as error:
            self.send({"op": "error", "of": "table", "tab": tab, "generation": number, "message": str(error)[:500]})
            return
        if sort in table.columns:
            table = _sorted(table, sort)
        with self._lock:
            if self._tables.get(tab, (0, None))[0] > number:
                return
            self._tables[tab] = number, table
        heads = list(table.columns)
        count = {"count": len(table.frame), "of": table.of}
        self.send({"op": "table", "tab": tab, "generation": number, "heads": heads, **count})

    def _on_table_rows(self, message: dict[str, Any]) -> None:
        tab, start = str(message["tab"]), max(0, int(message["start"]))
        with self._lock:
            number, table = self._tables.get(tab, (0, None))
        if table is None or number != message["generation"]:
            return
        rows_shown = table.frame.iloc[start : min(int(message["end"]), start + MAX_ROWS)]
        columns = [[_cell(value, how) for value in rows_shown[name].tolist()] for name, how in table.columns.items()]
        rows = list(zip(*columns, strict=True))
        self.send({"op": "table_rows", "tab": tab, "generation": number, "start": start, "rows": rows})

    def _on_lead(self, message: dict[str, Any]) -> None:
        with self._lock:
            number, table = self._tables[str(message["tab"])]
            query = self._query
        if number != message["generation"]:
            return
        target = table.lead(int(message["row"]))
        if isinstance(target, str):
            self.search(replace(query, query=target))
        else:
            self.search(query, target)

    def summary(self) -> str:
        """Return the query with the number of lines."""
        return f"Explorer: {super().summary()}" if self._query.query else "Explorer"


def _sorted(table: _Table, name: str) -> _Table:
    down = bool(table.columns[name])
    order = table.frame[name].argsort(kind="stable").to_numpy()
    if down:
        order = table.frame[name].mul(-1).argsort(kind="stable").to_numpy()
    return _Table(table.frame.iloc[order], table.columns, lambda row: table.lead(int(order[row])), table.of)


def _cell(value: Any, how: str) -> str:
    if not how:
        return str(value)[:3_000]
    return "" if value != value else format(value, how)


class Explorer(Box):
    """Tabs for one query with the document of the selected line below.

    Args:
        scope: Documents and tokens to search.
        query: The query and the settings of its lines. Without a query the word list is shown.
        window: Number of words on each side.

    Raises:
        ConfigurationError: The query or the sort is invalid.
    """

    def __init__(self, scope: TokenScope, query: SavedQuery, *, window: int = 8) -> None:
        self.tree = hidden_tree()
        self.tabs = ExplorerTabs(scope, window, self.tree)
        if query.query:
            self.tabs.search(query)
        super().__init__([self.tabs, self.tree])

    def summary(self) -> str:
        """Return the query with the number of lines."""
        return self.tabs.summary()
