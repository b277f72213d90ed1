"""The concordance in a notebook: aligned lines, sorted, thinned, of a sub-corpus; the document of a line as a tree below."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import traitlets

from corpuskit.document import NLPTextDocument
from corpuskit.errors import ConfigurationError, CorpusKitError
from corpuskit.export.csv_safety import escape_formula
from corpuskit.features.linguistics import saved_queries
from corpuskit.features.linguistics.concordance import FoundLines, found_lines, sample_told
from corpuskit.features.linguistics.lines import sort_places
from corpuskit.features.linguistics.saved_queries import SavedQuery
from corpuskit.features.linguistics.scope import Scope, told
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize
from corpuskit.text.patterns import compiled_pattern
from corpuskit.tokens import TokenSelection, check_query, parse_query
from corpuskit.views import subcorpora
from corpuskit.widgets.documents import show_document
from corpuskit.widgets.shell import MAX_ROWS, Box, Widget, module, styles
from corpuskit.widgets.tree import DocumentTree

if TYPE_CHECKING:
    import pandas as pd

_FIRST: Final = 100  # lines after which the page hears of them, before the rest is read
_MOST_COPIED: Final = 20_000  # lines that are copied to the clipboard
_MOST_SAVED: Final = 200_000  # lines of a CSV file: some 60 MB that go through the page
_LONGEST: Final = 1_000  # characters of a field of the page

Only = dict[str, Any]
"""Which of the lines: ``{"word", "attribute", "window"}`` near the match, or ``{"doc_id", "title"}``; empty for all."""


class ConcordanceLines(Widget):
    """The lines; the whole widget is :class:`ConcordanceView`."""

    _esm = module("rows", "lines", "concordance", folder=Path(__file__).parent)
    _css = styles("rows", folder=Path(__file__).parent)
    asked: Any = traitlets.Dict().tag(sync=True)
    """The query as it was asked: name, query, sort, subcorpus, sample, seed."""
    only = traitlets.Unicode().tag(sync=True)
    """Which of the lines, in words."""
    note = traitlets.Unicode().tag(sync=True)
    wrong = traitlets.Unicode().tag(sync=True)
    """Why the query cannot be answered; empty where it can."""
    state: Any = traitlets.List([0, 0, False, 0]).tag(sync=True)
    """[search, lines found, all found, documents with a line]"""
    subcorpora: Any = traitlets.List().tag(sync=True)
    saved: Any = traitlets.List().tag(sync=True)

    def __init__(self, scope: Scope, window: int, syntax: str | None, tree: DocumentTree) -> None:
        self._scope, self._window, self._syntax, self._tree = scope, window, syntax, tree
        self._lock = threading.Lock()
        self._generation = 0
        self._found: FoundLines | None = None
        self._query = SavedQuery("", "")
        super().__init__(asked=asdict(self._query))
        self._renew()

    @property
    def _folder(self) -> CorpusFolder:
        return self._scope.folder

    def _renew(self) -> None:
        with self.hold_sync():
            self.subcorpora = list(subcorpora.subcorpora(self._folder))
            self.saved = [asdict(query) for query in saved_queries.saved_queries(self._folder)]

    def search(self, query: SavedQuery, only: Only | None = None) -> threading.Thread:
        """Looks for a query in the background; the first lines come before all are found.

        The lines of the query before go at once, whatever comes of this one.

        Args:
            query: what to look for, and how its lines are shown.
            only: which of the lines.

        Raises:
            ConfigurationError: the query, the sort or the sub-corpus is wrong.
        """
        generation = self._begin(query, only)
        try:
            selection, hint = self._checked(query)
        except (CorpusKitError, OSError) as error:
            self._fail(generation, error)
            raise
        thread = threading.Thread(
            target=self._run,
            args=(query, selection, only, hint, generation),
            name="corpuskit-concordance",
            daemon=True,
        )
        thread.start()
        return thread

    def _begin(self, query: SavedQuery, only: Only | None = None, *, done: bool = False) -> int:
        """Shows a query that has no lines yet."""
        with self._lock:
            self._generation += 1
            generation, self._found, self._query = self._generation, None, query
            with self.hold_sync():
                self.asked, self.only, self.wrong, self.note = asdict(query), _only_told(only), "", ""
                self.state = [generation, 0, done, 0]
        return generation

    def _checked(self, query: SavedQuery) -> tuple[TokenSelection, str]:
        """Where to look for a query, and what it may have been meant to be."""
        sort_places(query.sort or None)
        if query.sample < 0:
            raise ConfigurationError(f"a sample of {query.sample} lines: expected a number from 1, or none")
        selection = self._scope.selection(query.subcorpus)
        if self._syntax == "text":
            compiled_pattern(query.query)
            return selection, ""
        parsed = parse_query(query.query, self._syntax)
        check_query(selection.index, parsed)
        return selection, parsed.hint

    def _fail(self, generation: int, error: Exception) -> None:
        """Says why there are no lines."""
        with self._lock:
            if generation != self._generation:
                return
            self._found = None
            with self.hold_sync():
                self.wrong, self.state = str(error)[:_LONGEST], [generation, 0, True, 0]

    def _run(self, query: SavedQuery, selection: TokenSelection, only: Only | None, hint: str, generation: int) -> None:
        places = sort_places(query.sort or None)
        needs_all = bool(places or query.sample or only)
        try:
            for limit in (None,) if needs_all else (_FIRST, None):
                found = found_lines(
                    self._folder, selection, query.query, window=self._window, limit=limit, syntax=self._syntax
                )
                done = limit is None or len(found) < limit
                found = _chosen(found, only)
                notes = [told(selection), hint]
                if query.sample:
                    notes.insert(0, sample_told(len(found), query.sample, query.seed))
                    found = found.thinned(query.sample, query.seed)
                found = found.sorted(places) if places else found
                self._publish(generation, found, "; ".join(filter(None, notes)), done=done)
                if done or generation != self._generation:
                    return
        except (CorpusKitError, OSError) as error:
            self._fail(generation, error)

    def _publish(self, generation: int, found: FoundLines, note: str, *, done: bool) -> None:
        documents = found.documents
        with self._lock:
            if generation != self._generation:
                return
            self._found = found
            with self.hold_sync():
                self.note, self.state = note, [generation, len(found), done, documents]

    def summary(self) -> str:
        """How many lines of what, as soon as that is known."""
        with self._lock:
            found = self._found
        return f"Concordance of {self._query.query!r}" + ("" if found is None else f": {pluralize(len(found), 'line')}")

    def _on_search(self, message: dict[str, Any]) -> None:
        query = _query_of(message)
        if not query.query.strip():
            self._begin(query, done=True)
            return
        with contextlib.suppress(CorpusKitError, OSError):  # told where the lines would be
            self.search(query)

    def _on_save(self, message: dict[str, Any]) -> None:
        name = str(message["name"])[:_LONGEST]
        if message.get("forget"):
            saved_queries.forget_query(self._folder, name)
        else:
            self._checked(self._query)
            saved_queries.save_query(self._folder, replace(self._query, name=name))
        self._renew()

    def _on_rows(self, message: dict[str, Any]) -> None:
        start, end = max(0, int(message["start"])), int(message["end"])
        with self._lock:
            if message["generation"] != self._generation or self._found is None:
                return
            found = self._found
        frame = found.frame(start, min(end, start + MAX_ROWS))
        where = called(frame)
        rows = list(zip(frame["left"], frame["match"].str[:200], frame["right"], where, strict=True))
        self.send({"op": "rows", "generation": message["generation"], "start": start, "rows": rows})

    def _on_open(self, message: dict[str, Any]) -> None:
        row = int(message["row"])
        with self._lock:
            found = self._found
        if found is None:
            return
        line = found.frame(row, row + 1).iloc[0]
        show_document(self._tree, self._folder, line["doc_id"], reveal=int(line["element_id"]))
        self._tree.layout.display = ""

    def _on_take(self, message: dict[str, Any]) -> None:
        """Gives the lines to the page: for the clipboard, parted by tabs, or as a CSV file."""
        with self._lock:
            found = self._found
        if found is None:
            return
        as_file = message.get("as") == "csv"
        most = _MOST_SAVED if as_file else _MOST_COPIED
        frame = found.frame(0, min(len(found), most))
        if as_file:
            frame = frame.map(escape_formula)
        text = frame.to_csv(index=False, sep="," if as_file else "\t", lineterminator="\n")
        count = {"count": len(frame), "left": len(found) - len(frame)}
        self.send({"op": "taken", "as": "csv" if as_file else "text", **count}, [text.encode("utf-8", "replace")])


class ConcordanceView(Box):
    """Lines of key words in context, and below them the document of the chosen one.

    Args:
        scope: where to look.
        query: what to look for, and how its lines are shown.
        window: words on each side.
        syntax: as ``kwic`` takes it.

    Raises:
        ConfigurationError: the query, the sort or the sub-corpus is wrong.
    """

    def __init__(self, scope: Scope, query: SavedQuery, *, window: int = 12, syntax: str | None = None) -> None:
        self.tree = below()
        self.lines = ConcordanceLines(scope, window, syntax, self.tree)
        self.lines.search(query)
        super().__init__([self.lines, self.tree])

    def summary(self) -> str:
        """How many lines of what."""
        return self.lines.summary()


def below() -> DocumentTree:
    """The tree below lines, hidden until one is chosen."""
    tree = DocumentTree(NLPTextDocument(), height=300, with_original=True, with_labels=True)
    tree.layout.display = "none"
    return tree


def called(frame: pd.DataFrame) -> pd.Series[Any]:
    """What documents are called in a line: their title, or the last part of their URI."""
    title = frame["title"].fillna("")
    return title.where(title.str.strip() != "", frame["uri"].str.rstrip("/").str.rsplit("/", n=1).str[-1])


def _query_of(message: dict[str, Any]) -> SavedQuery:
    query, sort, subcorpus = (str(message.get(name) or "")[:_LONGEST] for name in ("query", "sort", "subcorpus"))
    sample, seed = (int(message.get(name) or 0) for name in ("sample", "seed"))
    return SavedQuery("", query, sort, subcorpus, sample, seed)


def _chosen(found: FoundLines, only: Only | None) -> FoundLines:
    if not only:
        return found
    if "doc_id" in only:
        return found.in_document(only["doc_id"])
    return found.near(only["word"], only["attribute"], only["window"])


def _only_told(only: Only | None) -> str:
    if not only:
        return ""
    if "doc_id" in only:
        return f"only in {only['title']}"[:200]
    return f"only with {only['word']!r} within {pluralize(only['window'], 'word')}"[:200]
