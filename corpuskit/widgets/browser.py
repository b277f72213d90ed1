"""The documents of a corpus in a notebook: filtered and sorted in the kernel, the choice as code, one as a tree below."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final

import traitlets

from corpuskit.document import NLPTextDocument
from corpuskit.errors import ConfigurationError, CorpusKitError
from corpuskit.hooks import hook
from corpuskit.labels import corpus_labels
from corpuskit.store import CorpusFolder
from corpuskit.views import frames
from corpuskit.widgets.documents import labels_of, show_document
from corpuskit.widgets.shell import MAX_ROWS, Box, Widget, module, styles
from corpuskit.widgets.tree import DocumentTree

if TYPE_CHECKING:
    import pandas as pd

_CHOICES: Final = ("host", "lang", "label")
_FIELDS: Final = ("text", "says", "words", "sort", "falling", *_CHOICES)
_SORTED: Final = ("title", "host", "lang", "words", "relevance", "label")
_MAX_CHOICES: Final = 200
_SIMILAR_DOCUMENTS: Final = 100  # documents
_MAX_QUERY_DOCUMENTS: Final = 1_000  # documents that more are wanted like


class DocumentRows(Widget):
    """The rows; the whole widget is :class:`CorpusBrowser`."""

    _esm = module("rows", "browser")
    _css = styles("rows")
    choices: Any = traitlets.Dict().tag(sync=True)
    state: Any = traitlets.List([0, 0, 0]).tag(sync=True)
    """[filter, documents it finds, documents in all]"""
    code = traitlets.Unicode().tag(sync=True)
    order = traitlets.List(["", False]).tag(sync=True)
    """[column by which they are sorted, falling]"""

    def __init__(self, folder: CorpusFolder, tree: DocumentTree) -> None:
        self._folder, self._tree = folder, tree
        self._lock = threading.Lock()
        self._frame = frames.documents(folder)
        self._found = self._frame
        choices = {name: list(self._frame[name].dropna().value_counts().index[:_MAX_CHOICES]) for name in _CHOICES}
        choices = {name: [value for value in values if value] for name, values in choices.items()}
        size = len(self._frame)
        super().__init__(choices=choices, state=[0, size, size], code=code_of({}))

    @property
    def found(self) -> pd.DataFrame:
        """Documents that match the filter."""
        return self._found

    def filter(self, conditions: dict[str, str]) -> None:
        """Filter the documents by text, says, words, host, lang and label, and sort them by one column.

        Args:
            conditions: Empty values are ignored. ``text`` is part of title or URI, ``says`` is a query as for ``kwic``; ``sort`` is a
                column, ``falling`` its direction.

        Raises:
            ConfigurationError: The query cannot be read; no document is left then.
        """
        try:
            selected = self._chosen(conditions)
        except CorpusKitError:
            self._show(self._frame.iloc[:0], conditions)
            raise
        self._show(selected, conditions)

    def _chosen(self, conditions: dict[str, str]) -> pd.DataFrame:
        with self._lock:
            selected = self._frame
        if says := conditions.get("says"):
            known = hook("documents that match")(self._folder, says)
            selected = selected[selected["doc_id"].isin(known)]
        if query := query_of(conditions):
            selected = selected.query(query)
        if (column := conditions.get("sort")) in _SORTED:
            selected = selected.sort_values(column, ascending=not conditions.get("falling"), kind="stable")
        return selected

    def _show(self, documents: pd.DataFrame, conditions: dict[str, str]) -> None:
        with self._lock, self.hold_sync():
            self._found = documents
            self.code = code_of(conditions)
            column = conditions.get("sort", "")
            self.order = [column if column in _SORTED else "", bool(conditions.get("falling"))]
            self.state = [self.state[0] + 1, len(documents), len(self._frame)]

    def like(self, *doc_ids: str) -> None:
        """Show the documents most similar to one, the most similar first, below the document itself. A filter ends it.

        Of several those are kept that are like them on the whole.

        Raises:
            ConfigurationError: there are none, or more than 1,000.
        """
        import pandas as pd

        if not 0 < len(doc_ids) <= _MAX_QUERY_DOCUMENTS:
            raise ConfigurationError(f"more like {len(doc_ids):,} documents: expected 1 to {_MAX_QUERY_DOCUMENTS:,}")
        similar_ids = hook("similar documents")(self._folder, n=_SIMILAR_DOCUMENTS)(list(doc_ids))["doc_id"]
        with self._lock:
            asked = repr(doc_ids[0]) if len(doc_ids) == 1 else self.code.removeprefix("docs = ")
            positions = pd.Index(self._frame["doc_id"]).get_indexer(
                pd.Index([*doc_ids[: len(doc_ids) == 1], *similar_ids])
            )
            self._found = self._frame.iloc[positions[positions >= 0]]  # what came since is not in the frame
            with self.hold_sync():
                self.code = f"docs = corpus.vectors.similar({asked}, {_SIMILAR_DOCUMENTS})"
                self.order = ["", False]
                self.state = [self.state[0] + 1, len(self._found), len(self._frame)]

    def summary(self) -> str:
        """Return the number of documents."""
        return f"Documents: {len(self._found):,} of {len(self._frame):,}"

    def _on_filter(self, message: dict[str, Any]) -> None:
        self.filter({name: str(message.get(name) or "")[:300] for name in _FIELDS})

    def _on_rows(self, message: dict[str, Any]) -> None:
        with self._lock:
            if message["generation"] != self.state[0]:
                return
            start = max(0, int(message["start"]))
            part = self._found.iloc[start : min(int(message["end"]), start + MAX_ROWS)]
        self.send({"op": "rows", "generation": message["generation"], "start": start, "rows": _cells(part)})

    def _on_like(self, message: dict[str, Any]) -> None:
        with self._lock:
            row, ids = int(message["row"]), self._found["doc_id"]
            asked = ids.tolist() if row < 0 else [str(ids.iloc[row])]
        self.like(*asked)

    def _on_open(self, message: dict[str, Any]) -> None:
        with self._lock:
            doc_id = str(self._found["doc_id"].iloc[int(message["row"])])
        show_document(self._tree, self._folder, doc_id)
        self._tree.layout.display = ""
        if message.get("focus"):
            self._tree.focus()

    def _on_label(self, message: dict[str, Any]) -> None:
        if message["label"] not in {"relevant", "other", "withdrawn"} or message["generation"] != self.state[0]:
            return
        row = int(message["row"])
        with self._lock:
            doc_id = str(self._found["doc_id"].iloc[row])
        labels_of(self._folder, doc_id)(message["label"])
        label = next(
            (row_label.label for row_label in corpus_labels(self._folder, "document") if row_label.target == doc_id),
            None,
        )
        with self._lock:
            for name in ("_frame", "_found"):
                frame = getattr(self, name)
                setattr(self, name, frame.assign(label=frame["label"].mask(frame["doc_id"] == doc_id, label)))
            cells = _cells(self._found.iloc[row : row + 1])
        self.send({"op": "rows", "generation": message["generation"], "start": row, "rows": cells})
        self.send({"op": "labelled", "label": message["label"]})


class CorpusBrowser(Box):
    """The documents of a corpus, and below them the chosen one as a tree.

    Args:
        folder: the corpus.

    Attributes:
        found: the documents that the filter leaves, as a DataFrame.
    """

    def __init__(self, folder: CorpusFolder) -> None:
        self.tree = DocumentTree(NLPTextDocument(), height=300, with_original=True, with_labels=True)
        self.tree.layout.display = "none"
        self.rows = DocumentRows(folder, self.tree)
        super().__init__([self.rows, self.tree])

    @property
    def found(self) -> pd.DataFrame:
        """Documents that match the filter."""
        return self.rows.found

    def summary(self) -> str:
        """Return the number of documents."""
        return self.rows.summary()


def query_of(conditions: dict[str, str]) -> str:
    """Return the conditions as an expression for ``DataFrame.query``."""
    parts = [f"{name} == {conditions[name]!r}" for name in _CHOICES if conditions.get(name)]
    if (words := conditions.get("words", "")).isdecimal():
        parts.append(f"words >= {int(words)}")
    if text := conditions.get("text"):
        conditions_text = "{0}.str.contains({1!r}, case=False, regex=False)"
        parts.append(f"({conditions_text.format('title', text)} or {conditions_text.format('uri', text)})")
    return " and ".join(parts)


def code_of(conditions: dict[str, str]) -> str:
    """Return a line of code that selects the same documents."""
    says, query, column = conditions.get("says"), query_of(conditions), conditions.get("sort")
    code = f"docs = corpus.documents({f'corpus.text(include_duplicates=True).kwic({says!r})' if says else ''})"
    if query:
        code += f".query({query!r})"
    if column in _SORTED:
        code += f".sort_values({column!r}{', ascending=False' if conditions.get('falling') else ''})"
    return code


def _cells(part: pd.DataFrame) -> list[list[str]]:
    columns = [part[name].tolist() for name in ("title", "uri", "host", "lang", "words", "relevance", "label")]
    rows = []
    for title, uri, host, lang, words, relevance, label in zip(*columns, strict=True):
        score = "" if relevance != relevance else f"{relevance:.2f}"
        texts = (title if isinstance(title, str) and title else uri, host or "(file)", lang)
        rows.append(
            [*(str(text)[:300] for text in texts), f"{words:,}", score, label if isinstance(label, str) else ""]
        )
    return rows
