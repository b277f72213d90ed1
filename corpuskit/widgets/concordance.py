"""The concordance in a notebook: aligned lines, sorting, and the document of a line as a tree below."""

from __future__ import annotations

import threading
from typing import Any, Final

import traitlets

from corpuskit.document import NLPTextDocument
from corpuskit.errors import CorpusKitError
from corpuskit.store import CorpusFolder
from corpuskit.tokens import Selection, check_query, parse_query
from corpuskit.tokens.patterns import compiled_pattern
from corpuskit.views.choosing import chosen, told
from corpuskit.views.concordance import FoundLines, found_lines
from corpuskit.views.lines import Sort, sort_places
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
    note = traitlets.Unicode().tag(sync=True)
    state: Any = traitlets.List([0, 0, False, 0]).tag(sync=True)
    """[search, lines found, all found, documents with a line]"""

    def __init__(
        self, folder: CorpusFolder, window: int, selection: Selection, syntax: str | None, tree: DocumentTree
    ) -> None:
        self._folder, self._window, self._selection, self._tree = folder, window, selection, tree
        self._syntax = syntax
        self._lock = threading.Lock()
        self._generation = 0
        self._found: FoundLines | None = None
        super().__init__(note=told(selection))

    def search(self, pattern: str, sort: str | None) -> threading.Thread:
        """Looks for a query in the background; the first lines come before all are found.

        Raises:
            ConfigurationError: the query or the sort cannot be read.
        """
        places = sort_places(sort or None)
        if self._syntax == "text":
            compiled_pattern(pattern)
        else:
            check_query(self._selection.index, parse_query(pattern, self._syntax))  # a wrong query is told here
        with self._lock:
            self._generation += 1
            generation, self._found = self._generation, None
        self.pattern, self.sort = pattern, sort or ""
        thread = threading.Thread(
            target=self._run, args=(pattern, places, generation), name="corpuskit-concordance", daemon=True
        )
        thread.start()
        return thread

    def _run(self, pattern: str, places: Sort, generation: int) -> None:
        try:
            for limit in (None,) if places else (_FIRST, None):
                found = found_lines(
                    self._folder, self._selection, pattern, window=self._window, limit=limit, syntax=self._syntax
                )
                done = limit is None or len(found) < limit
                self._publish(generation, found.sorted(places) if places else found, done=done)
                if done or generation != self._generation:
                    return
        except (CorpusKitError, OSError) as error:
            self.send({"op": "error", "of": "search", "message": str(error)[:500]})

    def _publish(self, generation: int, found: FoundLines, *, done: bool) -> None:
        documents = found.documents
        with self._lock:
            if generation != self._generation:
                return
            self._found = found
            self.state = [generation, len(found), done, documents]

    def summary(self) -> str:
        """How many lines of what."""
        with self._lock:
            count = len(self._found) if self._found is not None else 0
        return f"Concordance of {self.pattern!r}: {count:,} lines"

    def _on_search(self, message: dict[str, Any]) -> None:
        self.search(str(message["pattern"])[:1000], str(message["sort"]) or None)

    def _on_rows(self, message: dict[str, Any]) -> None:
        start, end = max(0, int(message["start"])), int(message["end"])
        with self._lock:
            if message["generation"] != self._generation or self._found is None:
                return
            found = self._found
        frame = found.frame(start, min(end, start + MAX_ROWS))
        where = frame["title"].fillna(frame["uri"])
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


class ConcordanceView(Box):
    """Lines of key words in context, and below them the document of the chosen one.

    Args:
        folder: the corpus.
        pattern: a query, as :func:`corpuskit.views.concordance.kwic` takes it.
        window: words on each side.
        sort: as ``kwic`` takes it.
        selection: where to look; None: the main content of all documents but exact copies.
        syntax: as ``kwic`` takes it.

    Raises:
        ConfigurationError: the query or the sort cannot be read.
    """

    def __init__(
        self,
        folder: CorpusFolder,
        pattern: str,
        *,
        window: int = 12,
        sort: str | None = None,
        selection: Selection | None = None,
        syntax: str | None = None,
    ) -> None:
        self.tree = DocumentTree(NLPTextDocument(), height=300, with_original=True, with_labels=True)
        self.tree.layout.display = "none"
        self.lines = ConcordanceLines(folder, window, selection or chosen(folder), syntax, self.tree)
        self.lines.search(pattern, sort)
        super().__init__([self.lines, self.tree])

    def summary(self) -> str:
        """How many lines of what."""
        return self.lines.summary()
