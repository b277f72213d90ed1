"""One query seen from all sides: concordance, collocates, clusters, key words, plot and word list, each row a way to the lines.

Where there is a layer of parts of speech, a word sketch too.
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
from corpuskit.features.linguistics.scope import Scope
from corpuskit.features.linguistics.sketch import sketch
from corpuskit.features.linguistics.widgets.concordance import ConcordanceLines, Only, below, called
from corpuskit.tokens import TokenSelection
from corpuskit.widgets.shell import MAX_ROWS, Box, module, styles
from corpuskit.widgets.tree import DocumentTree

if TYPE_CHECKING:
    import pandas as pd

_MOST: Final = 20_000  # rows of a table
_STROKES: Final = 300  # of a document in the plot: more cannot be told apart
_ANY: Final = "[]"
MOST_WINDOW: Final = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """What a table is of.

    Attributes:
        scope: where to look.
        query: the query.
        attribute: what is counted.
        window: collocates: words on each side.
        size: clusters: words.
    """

    scope: Scope
    query: SavedQuery
    attribute: str = "lower"
    window: int = 5
    size: int = 3

    def selection(self) -> TokenSelection:
        """Where to look."""
        return self.scope.selection(self.query.subcorpus)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of the widget.

    Attributes:
        frame: its rows, the first column what a row is called.
        columns: column → how its numbers are written; the first has none.
        lead: row → what its lines are: a query, or which of the lines.
        of: how many rows there are; the frame has the first of them.
    """

    frame: pd.DataFrame
    columns: dict[str, str]
    lead: Callable[[int], str | Only]
    of: int


def collocates(asked: Asked) -> _Table:
    """Words near the matches."""
    frame = collocation.collocates(
        asked.selection(), asked.query.query, window=asked.window, attribute=asked.attribute, min_count=2
    )
    words = frame["word"].tolist()
    columns = {"word": "", "count": ",", "left": ",", "right": ",", "total": ",", "log_dice": ".2f", "mi": ".2f"}

    def lead(row: int) -> Only:
        return {"word": words[row], "attribute": asked.attribute, "window": asked.window}

    return _first(frame, columns | {"log_likelihood": ",.1f"}, lead)


def clusters(asked: Asked) -> _Table:
    """Runs of words with a match in them."""
    sizes = (asked.size, asked.size)
    frame = word_lists.clusters(
        asked.selection(), asked.query.query, sizes=sizes, attribute=asked.attribute, min_count=1
    )
    runs = frame["cluster"].tolist()
    return _first(frame, _counted("cluster"), lambda row: cql(runs[row].split(" "), asked.attribute))


def key_words(asked: Asked) -> _Table:
    """Words that the documents with a match have more of than the others."""
    selection = asked.selection()
    places = word_lists.occurrences(None, selection, [asked.query.query])
    ids = list(dict.fromkeys(places["doc_id"]))
    if not ids:
        raise ConfigurationError("no document has a match")
    subcorpus = asked.query.subcorpus
    found = replace(asked.scope, doc_ids=ids).selection()
    rest = asked.scope.rest(ids, subcorpus)
    if not rest.size:
        raise ConfigurationError("all documents have a match: there are none to compare them with")
    frame = collocation.keywords(found, rest, attribute=asked.attribute)
    words = frame["word"].tolist()
    columns = {"word": "", "count": ",", "reference_count": ",", "documents": ",", "log_likelihood": ",.1f"}
    return _first(frame, columns | {"log_ratio": ".2f"}, lambda row: cql([words[row]], asked.attribute))


def plot(asked: Asked) -> _Table:
    """Where in each document the matches stand."""
    import pandas as pd

    every = word_lists.places_in_documents(asked.scope.folder, asked.selection(), asked.query.query)
    places = every.head(_MOST)
    titles = called(places)
    frame = pd.DataFrame({"document": titles, "count": places["count"], "per_million": places["per_million"]})
    frame["where"] = [_strokes(some) for some in places["places"]]
    ids = places["doc_id"].tolist()
    named = titles.tolist()
    columns = {"document": "", "count": ",", "per_million": ",.1f", "where": ""}
    return _Table(frame, columns, lambda row: {"doc_id": ids[row], "title": named[row]}, len(every))


def words(asked: Asked) -> _Table:
    """The words of the documents."""
    frame = word_lists.wordlist(asked.selection(), attribute=asked.attribute)
    named = frame["word"].tolist()
    return _first(frame, _counted("word"), lambda row: cql([named[row]], asked.attribute))


def word_sketch(asked: Asked) -> _Table:
    """What stands in which relation to a word."""
    word = asked.query.query.strip()
    if not re.fullmatch(r"[\w'-]+", word):
        raise ConfigurationError("a word sketch is of one word: ask for it as it is, such as claim")
    selection = asked.selection()
    is_known = asked.attribute != "lower" or "lemma" not in selection.index.layers
    attribute = asked.attribute if is_known else "lemma"
    frame = sketch(selection, word, attribute=attribute)
    queries = frame["query"].tolist()
    columns = {"word": "", "relation": "", "count": ",", "total": ",", "log_dice": ".2f"}
    return _first(frame[list(columns)], columns, lambda row: queries[row])


def _first(frame: pd.DataFrame, columns: dict[str, str], lead: Callable[[int], str | Only]) -> _Table:
    """The first rows of a frame as a table."""
    return _Table(frame.head(_MOST), columns, lead, len(frame))


def _counted(name: str) -> dict[str, str]:
    return {name: "", "count": ",", "documents": ",", "per_million": ",.1f"}


def _strokes(places: Sequence[float]) -> str:
    return " ".join(str(place) for place in np.unique((np.asarray(places) * _STROKES).astype(int)).tolist())


def cql(strings: Sequence[str], attribute: str) -> str:
    """A query for a run of tokens with these values."""
    quoted = (string.replace('"', '\\"') for string in strings)
    return " ".join(f'[{attribute}=="{string}"]' for string in quoted)


_TABLES: Final[dict[str, Callable[[Asked], _Table]]] = {
    "collocates": collocates,
    "clusters": clusters,
    "keywords": key_words,
    "plot": plot,
    "words": words,
    "sketch": word_sketch,
}


class ExplorerTabs(ConcordanceLines):
    """The tabs; the whole widget is :class:`Explorer`."""

    _esm = module("rows", "lines", "explore", folder=Path(__file__).parent)
    _css = styles("rows", folder=Path(__file__).parent)
    attributes: Any = traitlets.List().tag(sync=True)

    def __init__(self, scope: Scope, window: int, tree: DocumentTree) -> None:
        self._tables: dict[str, tuple[int, _Table]] = {}
        self._number = 0
        super().__init__(scope, window, None, tree)
        self.attributes = ["lower", "word", *scope.selection().index.layers]

    def _on_table(self, message: dict[str, Any]) -> None:
        tab = str(message["tab"])
        if tab not in _TABLES:
            raise ConfigurationError(f"no table {tab!r}")
        window, size = int(message.get("window") or 5), int(message.get("size") or 3)
        if not 1 <= window <= MOST_WINDOW:
            raise ConfigurationError(f"window {window}: expected 1 to {MOST_WINDOW}")
        with self._lock:
            self._number += 1
            number, query = self._number, self._query
        query = query if query.query else replace(query, query=_ANY)
        asked = Asked(self._scope, query, str(message.get("attribute") or "lower"), window, size)
        sort = str(message.get("sort") or "")
        threading.Thread(
            target=self._make, args=(tab, number, asked, sort), name="corpuskit-explore", daemon=True
        ).start()

    def _make(self, tab: str, number: int, asked: Asked, sort: str) -> None:
        try:
            table = _TABLES[tab](asked)
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
        some = table.frame.iloc[start : min(int(message["end"]), start + MAX_ROWS)]
        columns = [[_cell(value, how) for value in some[name].tolist()] for name, how in table.columns.items()]
        rows = list(zip(*columns, strict=True))
        self.send({"op": "table_rows", "tab": tab, "generation": number, "start": start, "rows": rows})

    def _on_lead(self, message: dict[str, Any]) -> None:
        with self._lock:
            number, table = self._tables[str(message["tab"])]
            query = self._query
        if number != message["generation"]:
            return
        found = table.lead(int(message["row"]))
        if isinstance(found, str):
            self.search(replace(query, query=found))
        else:
            self.search(query, found)

    def summary(self) -> str:
        """How many lines of what."""
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
    """The tabs, and below them the document of the chosen line.

    Args:
        scope: where to look.
        query: what to look for, and how its lines are shown; without one the word list is shown.
        window: words on each side.

    Raises:
        ConfigurationError: the query or the sort cannot be read.
    """

    def __init__(self, scope: Scope, query: SavedQuery, *, window: int = 8) -> None:
        self.tree = below()
        self.tabs = ExplorerTabs(scope, window, self.tree)
        if query.query:
            self.tabs.search(query)
        super().__init__([self.tabs, self.tree])

    def summary(self) -> str:
        """Return the number of lines of what."""
        return self.tabs.summary()
