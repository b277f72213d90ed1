"""The concordance in a notebook: aligned lines, sorting, and the document of a line as a tree below."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Sequence
from typing import Any, Final

import traitlets

from corpuskit.document import NLPTextDocument
from corpuskit.errors import CorpusKitError
from corpuskit.store import CorpusFolder
from corpuskit.views.concordance import Line, lines, sorted_lines
from corpuskit.widgets.documents import show_document
from corpuskit.widgets.shell import MAX_ROWS, Box, Widget, module, styles
from corpuskit.widgets.tree import DocumentTree

_FIRST: Final = 100  # lines after which the page hears of them, before the rest is read


class ConcordanceLines(Widget):
    """The lines; the whole widget is :class:`ConcordanceView`."""

    _esm = module("rows", "concordance")
    _css = styles("rows")
    pattern = traitlets.Unicode().tag(sync=True)
    sort = traitlets.Unicode().tag(sync=True)
    state: Any = traitlets.List([0, 0, False, 0]).tag(sync=True)
    """[search, lines found, all found, documents with a line]"""

    def __init__(self, folder: CorpusFolder, window: int, doc_ids: Sequence[str] | None, tree: DocumentTree) -> None:
        self._folder, self._window, self._doc_ids, self._tree = folder, window, doc_ids, tree
        self._lock = threading.Lock()
        self._generation = 0
        self._rows: list[Line] = []
        self._titles = {row["doc_id"]: row["title"] or row["uri"] for row in _titles(folder)}
        super().__init__()

    def search(self, pattern: str, sort: str | None) -> threading.Thread:
        """Looks for a pattern in the background; the lines come as they are found.

        Raises:
            ConfigurationError: the pattern or the sort cannot be read.
        """
        if sort:
            sorted_lines([], sort)
        found = lines(self._folder, pattern, window=self._window, doc_ids=self._doc_ids)
        first = next(found, None)  # a wrong pattern is told here
        with self._lock:
            self._generation += 1
            generation, self._rows = self._generation, [] if first is None else [first]
        self.pattern, self.sort = pattern, sort or ""
        rest = [] if first is None else itertools.chain([first], found)
        thread = threading.Thread(
            target=self._run, args=(rest, sort, generation), name="corpuskit-concordance", daemon=True
        )
        thread.start()
        return thread

    def _run(self, found: Iterable[Line], sort: str | None, generation: int) -> None:
        rows: list[Line] = []
        try:
            for line in found:
                rows.append(line)
                if len(rows) == _FIRST:
                    self._publish(generation, list(rows), done=False)
                if generation != self._generation:
                    return
        except (CorpusKitError, OSError) as error:
            self.send({"op": "error", "of": "search", "message": str(error)[:500]})
        if sort:
            rows = sorted_lines(rows, sort)
            with self._lock:
                if generation != self._generation:
                    return
                self._generation = generation = generation + 1  # another order: the page forgets the lines it has
        self._publish(generation, rows, done=True)

    def _publish(self, generation: int, rows: list[Line], *, done: bool) -> None:
        with self._lock:
            if generation != self._generation:
                return
            self._rows = rows
            documents = len({line[0] for line in rows})
            self.state = [generation, len(rows), done, documents]

    def summary(self) -> str:
        """How many lines of what."""
        return f"Concordance of {self.pattern!r}: {len(self._rows):,} lines"

    def _on_search(self, message: dict[str, Any]) -> None:
        self.search(str(message["pattern"])[:1000], str(message["sort"]) or None)

    def _on_rows(self, message: dict[str, Any]) -> None:
        start, end = int(message["start"]), int(message["end"])
        with self._lock:
            if message["generation"] != self._generation:
                return
            part = self._rows[max(0, start) : min(end, start + MAX_ROWS)]
        rows = [[left, match[:200], right, self._titles.get(doc_id, "")] for doc_id, _, left, match, right in part]
        self.send({"op": "rows", "generation": message["generation"], "start": max(0, start), "rows": rows})

    def _on_open(self, message: dict[str, Any]) -> None:
        with self._lock:
            doc_id, element_id, *_ = self._rows[int(message["row"])]
        show_document(self._tree, self._folder, doc_id, reveal=element_id)
        self._tree.layout.display = ""


class ConcordanceView(Box):
    """Lines of key words in context, and below them the document of the chosen one.

    Args:
        folder: the corpus.
        pattern: a regular expression, case-insensitive.
        window: words on each side.
        sort: as :func:`corpuskit.views.concordance.kwic` takes it.
        doc_ids: only in these documents.

    Raises:
        ConfigurationError: the pattern or the sort cannot be read.
    """

    def __init__(
        self,
        folder: CorpusFolder,
        pattern: str,
        *,
        window: int = 12,
        sort: str | None = None,
        doc_ids: Sequence[str] | None = None,
    ) -> None:
        self.tree = DocumentTree(NLPTextDocument(), height=300, with_original=True, with_labels=True)
        self.tree.layout.display = "none"
        self.lines = ConcordanceLines(folder, window, doc_ids, self.tree)
        self.lines.search(pattern, sort)
        super().__init__([self.lines, self.tree])

    def summary(self) -> str:
        """How many lines of what."""
        return self.lines.summary()


def _titles(folder: CorpusFolder) -> list[Any]:
    return folder.catalog.rows("SELECT doc_id, title, uri FROM current")
