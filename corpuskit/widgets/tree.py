"""The tree of a document: find, filter, full text, properties, the place in the original."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

import traitlets

from corpuskit.document import NLPTextDocument
from corpuskit.document.elements import TABLE, TEXT_BLOCK, TYPE_NAMES, ElementTable
from corpuskit.widgets.shell import MAX_ROWS, Widget, module, styles
from corpuskit.widgets.source import Original

_PREVIEW: Final = 240  # characters of a row
_FULL: Final = 20_000  # characters of the text pane; more is said, not shown
_FIRST: Final = 60  # rows that come with the widget, so that the first paint waits for nothing
_MAX_DEPTH: Final = 255
_MAIN: Final = 8  # the bit beside the three of the type


class DocumentTree(Widget):
    """A document as a tree of rows.

    Args:
        document: what is shown.
        original: Function that returns the original bytes for the source pane. None: without an original.
        label: called with ``relevant``, ``other`` or ``withdrawn`` when j, f or u is pressed; None: no labelling.
        height: pixels.
        with_original: Reserve space for originals of documents shown later.
        with_labels: Reserve space for labels of documents shown later.

    Attributes:
        selected: element_id of the chosen row; -1 while there is none. Python and the page both set it.

    Example:
        >>> import corpuskit as ck
        >>> view = ck.extract(b"<h1>Rates</h1><p>3 %</p>").view()     # doctest: +SKIP
        >>> view.reveal(1)                                            # doctest: +SKIP
        >>> view.selected_element.text                                # doctest: +SKIP
        '3 %'
    """

    _esm = module("tree", "tree_panes")
    _css = styles("tree")
    title = traitlets.Unicode().tag(sync=True)
    kinds = traitlets.List(list(TYPE_NAMES)).tag(sync=True)
    skeleton = traitlets.Bytes().tag(sync=True)
    """A byte of type and main an element, then a byte of depth: 2 bytes an element."""
    first: Any = traitlets.List().tag(sync=True)
    properties: Any = traitlets.List().tag(sync=True)
    labels = traitlets.Bool(False).tag(sync=True)
    has_original = traitlets.Bool(False).tag(sync=True)
    revealed = traitlets.List([-1, 0]).tag(sync=True)
    selected = traitlets.Int(-1).tag(sync=True)
    height = traitlets.Int(440).tag(sync=True)

    def __init__(
        self,
        document: NLPTextDocument,
        *,
        original: Callable[[], bytes] | None = None,
        label: Callable[[str], None] | None = None,
        height: int = 440,
        with_original: bool = False,
        with_labels: bool = False,
    ) -> None:
        self._lock = threading.Lock()
        super().__init__(
            height=height, labels=with_labels or label is not None, has_original=with_original or original is not None
        )
        self.show(document, original=original, label=label)

    def show(
        self,
        document: NLPTextDocument,
        *,
        original: Callable[[], bytes] | None = None,
        label: Callable[[str], None] | None = None,
        reveal: int | None = None,
    ) -> None:
        """Show another document in the same place, with the element ``reveal`` in view."""
        with self._lock:
            self._document = document
            self._label = label
            self._original = None if original is None else Original(document, original)
            self._folded: list[str] | None = None
        table = document.table
        self._rows_of_first = _first_rows(table)
        with self.hold_sync():
            self.title = document.title or document.uri
            self.properties = _properties(document)
            self.selected = -1
            self.first = [_row(table, i) for i in self._rows_of_first]
            self.skeleton = _skeleton(table)
        if reveal is not None:
            self.reveal(reveal)

    @property
    def document(self) -> NLPTextDocument:
        """What is shown."""
        return self._document

    @property
    def selected_element(self) -> object:
        """The chosen element; None while there is none."""
        return None if self.selected < 0 else self._document[self.selected]

    def reveal(self, element_id: int) -> None:
        """Open the groups around an element, scroll to it and select it.

        Raises:
            IndexError: there is no such element.
        """
        _ = self._document[element_id]
        self.revealed = [element_id, self.revealed[1] + 1]
        self.selected = element_id

    def focus(self) -> None:
        """Scrolls the page to the tree and gives it the keyboard."""
        self.send({"op": "focus"})

    def summary(self) -> str:
        """Return title and size."""
        return f"Tree of {self.title!r}: {len(self._document.table):,} elements"

    # -- messages --------------------------------------------------------------------------------------------------

    def _on_text(self, message: dict[str, Any]) -> None:
        table = self._document.table
        ids = [int(i) for i in message["ids"][:MAX_ROWS] if 0 <= int(i) < len(table)]
        self.send({"op": "text", "seq": message["seq"], "rows": [_row(table, i) for i in ids]})

    def _on_full(self, message: dict[str, Any]) -> None:
        element_id = int(message["id"])
        element = self._document[element_id]
        text = element.text
        answer = {
            "op": "full", "seq": message["seq"], "id": element_id, "text": text[:_FULL],
            "left_out": max(0, len(text) - _FULL), "facts": _facts(self._document.table, element_id),
        }  # fmt: skip
        self.send(answer)

    def _on_find(self, message: dict[str, Any]) -> None:
        import numpy as np

        needle = str(message["query"]).casefold()
        with self._lock:
            if self._folded is None:
                self._folded = [(text or "").casefold() for text in self._document.table.text]
            folded = self._folded
        hits = [i for i, text in enumerate(folded) if needle in text] if needle else []
        self.send({"op": "find", "seq": message["seq"]}, buffers=[np.array(hits, dtype="<u4").tobytes()])

    def _on_source(self, message: dict[str, Any]) -> None:
        if self._original is None:
            return
        shown = self._original.at(int(message["id"]))
        answer: dict[str, Any] = {"op": "source", "seq": message["seq"], "id": message["id"], "note": shown.note}
        answer |= {"text": shown.text, "boxes": [list(box) for box in shown.boxes]}
        self.send(answer, buffers=[shown.picture] if shown.picture else [])

    def _on_label(self, message: dict[str, Any]) -> None:
        if self._label is not None and message["label"] in {"relevant", "other", "withdrawn"}:
            self._label(message["label"])
            self.send({"op": "labelled", "seq": message["seq"], "label": message["label"]})


def _skeleton(table: ElementTable) -> bytes:
    import numpy as np

    kinds = np.frombuffer(bytes(table.type), np.uint8) | np.frombuffer(bytes(table.main), np.uint8) * np.uint8(_MAIN)
    depths = np.minimum(np.array(table.nesting_level, np.int32), _MAX_DEPTH).astype(np.uint8)
    return kinds.tobytes() + depths.tobytes()


def _first_rows(table: ElementTable) -> list[int]:
    """Return the initial rows of a page, with two open levels."""
    rows: list[int] = []
    position = 0
    while position < len(table) and len(rows) < _FIRST:
        rows.append(position)
        position = position + 1 if table.nesting_level[position] <= 2 else table.subtree_end[position]
    return rows


def _row(table: ElementTable, element_id: int) -> list[Any]:
    """[element_id, text, role, a preview of what is under it for a group without title]."""
    text = table.text[element_id]
    role = table.marks.get("role", {}).get(element_id, "")
    preview = ""
    if not text and table.type[element_id] != TEXT_BLOCK:
        preview = _preview(table, element_id)
    return [element_id, _line(text), role, preview]


def _preview(table: ElementTable, element_id: int) -> str:
    end = table.subtree_end[element_id]
    if table.type[element_id] == TABLE:
        cells = [table.cells[i] for i in table.children(element_id) if i in table.cells]
        rows = max((cell[0] + cell[1] - 1 for cell in cells), default=0)
        columns = max((cell[2] + cell[3] - 1 for cell in cells), default=0)
        return f"{rows} × {columns}"
    return _line(next((text for text in table.text[element_id + 1 : min(end, element_id + 50)] if text), ""))


def _line(text: str | None) -> str:
    return " ".join((text or "")[: 2 * _PREVIEW].split())[:_PREVIEW]


def _properties(document: NLPTextDocument) -> list[list[str]]:
    date = document.timestamp.isoformat(" ", "minutes") if document.timestamp else ""
    rows = [("title", document.title), ("uri", document.uri), ("timestamp", date), *document.metadata.items()]
    rows += [("warning", warning) for warning in document.warnings[:20]]
    return [[str(name)[:100], str(value)[:1000]] for name, value in rows if value]


def _facts(table: ElementTable, element_id: int) -> list[list[str]]:
    rows: Sequence[tuple[str, object]] = [
        ("element_id", element_id),
        ("type", TYPE_NAMES[table.type[element_id]]),
        ("nesting_level", table.nesting_level[element_id]),
        ("main", "yes" if table.main[element_id] else "no: boilerplate"),
        *zip(("row", "row_span", "col", "col_span"), table.cells.get(element_id, ()), strict=False),
        *((name, column[element_id]) for name, column in table.marks.items() if element_id in column),
    ]
    return [[name, str(value)[:2000]] for name, value in rows]
