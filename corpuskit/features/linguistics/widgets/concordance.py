"""Concordance widget: aligned lines with sorting, sampling and sub-corpora, and the document of a line as a tree below."""

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
from corpuskit.features.linguistics.concordance import KwicLines, find_lines, sample_note
from corpuskit.features.linguistics.lines import parse_sort
from corpuskit.features.linguistics.saved_queries import SavedQuery
from corpuskit.features.linguistics.scope import TokenScope, duplicates_note
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

_FIRST: Final = 100  # lines sent to the page before the others are searched
_MAX_COPIED: Final = 20_000  # lines per copy to the clipboard
_MAX_SAVED: Final = 200_000  # lines of a CSV file: some 60 MB sent to the page
_MAX_FIELD_LENGTH: Final = 1_000  # characters of an input field of the page

LineFilter = dict[str, Any]
"""Filter of lines by a word near the match (``{"word", "attribute", "window"}``) or by document (``{"doc_id", "title"}``)."""


class ConcordanceLines(Widget):
    """Table of concordance lines, a part of :class:`ConcordanceView`."""

    _esm = module("rows", "lines", "concordance", folder=Path(__file__).parent)
    _css = styles("rows", folder=Path(__file__).parent)
    asked: Any = traitlets.Dict().tag(sync=True)
    """The present query: name, query, sort, subcorpus, sample, seed."""
    only = traitlets.Unicode().tag(sync=True)
    """Description of the filter."""
    note = traitlets.Unicode().tag(sync=True)
    wrong = traitlets.Unicode().tag(sync=True)
    """Error message of the query, empty without an error."""
    state: Any = traitlets.List([0, 0, False, 0]).tag(sync=True)
    """[number of the search, lines, is complete, documents with a line]"""
    subcorpora: Any = traitlets.List().tag(sync=True)
    saved: Any = traitlets.List().tag(sync=True)

    def __init__(self, scope: TokenScope, window: int, syntax: str | None, tree: DocumentTree) -> None:
        self._scope, self._window, self._syntax, self._tree = scope, window, syntax, tree
        self._lock = threading.Lock()
        self._generation = 0
        self._lines: KwicLines | None = None
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

    def search(self, query: SavedQuery, only: LineFilter | None = None) -> threading.Thread:
        """Search for a query in the background. The first lines are shown before the search ends.

        The lines of the previous query are removed immediately, even if this query fails.

        Args:
            query: The query and the settings of its lines.
            only: Filter of the lines.

        Raises:
            ConfigurationError: The query, the sort or the sub-corpus is invalid.
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

    def _begin(self, query: SavedQuery, only: LineFilter | None = None, *, done: bool = False) -> int:
        """Show a query without lines."""
        with self._lock:
            self._generation += 1
            generation, self._lines, self._query = self._generation, None, query
            with self.hold_sync():
                self.asked, self.only, self.wrong, self.note = asdict(query), _filter_note(only), "", ""
                self.state = [generation, 0, done, 0]
        return generation

    def _checked(self, query: SavedQuery) -> tuple[TokenSelection, str]:
        """Validate a query. Return the tokens to search and a hint if the query may be unintended."""
        parse_sort(query.sort or None)
        if query.sample < 0:
            raise ConfigurationError(f"sample={query.sample}: expected at least 1, or 0 for all lines")
        selection = self._scope.selection(query.subcorpus)
        if self._syntax == "text":
            compiled_pattern(query.query)
            return selection, ""
        parsed = parse_query(query.query, self._syntax)
        check_query(selection.index, parsed)
        return selection, parsed.hint

    def _fail(self, generation: int, error: Exception) -> None:
        """Show an error instead of lines."""
        with self._lock:
            if generation != self._generation:
                return
            self._lines = None
            with self.hold_sync():
                self.wrong, self.state = str(error)[:_MAX_FIELD_LENGTH], [generation, 0, True, 0]

    def _run(
        self, query: SavedQuery, selection: TokenSelection, only: LineFilter | None, hint: str, generation: int
    ) -> None:
        sort_keys = parse_sort(query.sort or None)
        needs_all = bool(sort_keys or query.sample or only)
        try:
            for limit in (None,) if needs_all else (_FIRST, None):
                lines = find_lines(
                    self._folder, selection, query.query, window=self._window, limit=limit, syntax=self._syntax
                )
                done = limit is None or len(lines) < limit
                lines = _filtered(lines, only)
                notes = [duplicates_note(selection), hint]
                if query.sample:
                    notes.insert(0, sample_note(len(lines), query.sample, query.seed))
                    lines = lines.sampled(query.sample, query.seed)
                lines = lines.sorted(sort_keys) if sort_keys else lines
                self._publish(generation, lines, "; ".join(filter(None, notes)), done=done)
                if done or generation != self._generation:
                    return
        except (CorpusKitError, OSError) as error:
            self._fail(generation, error)

    def _publish(self, generation: int, lines: KwicLines, note: str, *, done: bool) -> None:
        documents = lines.documents
        with self._lock:
            if generation != self._generation:
                return
            self._lines = lines
            with self.hold_sync():
                self.note, self.state = note, [generation, len(lines), done, documents]

    def summary(self) -> str:
        """Return the query with the number of lines, if known."""
        with self._lock:
            lines = self._lines
        return f"Concordance of {self._query.query!r}" + ("" if lines is None else f": {pluralize(len(lines), 'line')}")

    def _on_search(self, message: dict[str, Any]) -> None:
        query = _query_of(message)
        if not query.query.strip():
            self._begin(query, done=True)
            return
        with contextlib.suppress(CorpusKitError, OSError):  # the page shows the error instead of the lines
            self.search(query)

    def _on_save(self, message: dict[str, Any]) -> None:
        name = str(message["name"])[:_MAX_FIELD_LENGTH]
        if message.get("forget"):
            saved_queries.delete_query(self._folder, name)
        else:
            self._checked(self._query)
            saved_queries.save_query(self._folder, replace(self._query, name=name))
        self._renew()

    def _on_rows(self, message: dict[str, Any]) -> None:
        start, end = max(0, int(message["start"])), int(message["end"])
        with self._lock:
            if message["generation"] != self._generation or self._lines is None:
                return
            lines = self._lines
        frame = lines.frame(start, min(end, start + MAX_ROWS))
        where = display_titles(frame)
        rows = list(zip(frame["left"], frame["match"].str[:200], frame["right"], where, strict=True))
        self.send({"op": "rows", "generation": message["generation"], "start": start, "rows": rows})

    def _on_open(self, message: dict[str, Any]) -> None:
        row = int(message["row"])
        with self._lock:
            lines = self._lines
        if lines is None:
            return
        line = lines.frame(row, row + 1).iloc[0]
        show_document(self._tree, self._folder, line["doc_id"], reveal=int(line["element_id"]))
        self._tree.layout.display = ""

    def _on_take(self, message: dict[str, Any]) -> None:
        """Send the lines to the page: tab-separated for the clipboard, or as a CSV file."""
        with self._lock:
            lines = self._lines
        if lines is None:
            return
        as_file = message.get("as") == "csv"
        maximum = _MAX_SAVED if as_file else _MAX_COPIED
        frame = lines.frame(0, min(len(lines), maximum))
        if as_file:
            frame = frame.map(escape_formula)
        text = frame.to_csv(index=False, sep="," if as_file else "\t", lineterminator="\n")
        count = {"count": len(frame), "left": len(lines) - len(frame)}
        self.send({"op": "taken", "as": "csv" if as_file else "text", **count}, [text.encode("utf-8", "replace")])


class ConcordanceView(Box):
    """Key words in context with the document of the selected line below.

    Args:
        scope: Documents and tokens to search.
        query: The query and the settings of its lines.
        window: Number of words on each side.
        syntax: Syntax of the query, see ``corpus.text.kwic()``.

    Raises:
        ConfigurationError: The query, the sort or the sub-corpus is invalid.
    """

    def __init__(self, scope: TokenScope, query: SavedQuery, *, window: int = 12, syntax: str | None = None) -> None:
        self.tree = hidden_tree()
        self.lines = ConcordanceLines(scope, window, syntax, self.tree)
        self.lines.search(query)
        super().__init__([self.lines, self.tree])

    def summary(self) -> str:
        """Return the query with the number of lines."""
        return self.lines.summary()


def hidden_tree() -> DocumentTree:
    """Return the document tree below lines, hidden until a line is selected."""
    tree = DocumentTree(NLPTextDocument(), height=300, with_original=True, with_labels=True)
    tree.layout.display = "none"
    return tree


def display_titles(frame: pd.DataFrame) -> pd.Series[Any]:
    """Return the display titles of documents: the title, or the last segment of the URI."""
    title = frame["title"].fillna("")
    return title.where(title.str.strip() != "", frame["uri"].str.rstrip("/").str.rsplit("/", n=1).str[-1])


def _query_of(message: dict[str, Any]) -> SavedQuery:
    query, sort, subcorpus = (
        str(message.get(name) or "")[:_MAX_FIELD_LENGTH] for name in ("query", "sort", "subcorpus")
    )
    sample, seed = (int(message.get(name) or 0) for name in ("sample", "seed"))
    return SavedQuery("", query, sort, subcorpus, sample, seed)


def _filtered(lines: KwicLines, only: LineFilter | None) -> KwicLines:
    if not only:
        return lines
    if "doc_id" in only:
        return lines.in_document(only["doc_id"])
    return lines.with_word_nearby(only["word"], only["attribute"], only["window"])


def _filter_note(only: LineFilter | None) -> str:
    if not only:
        return ""
    if "doc_id" in only:
        return f"only in {only['title']}"[:200]
    return f"only with {only['word']!r} within {pluralize(only['window'], 'word')}"[:200]
