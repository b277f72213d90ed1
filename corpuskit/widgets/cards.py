"""What the widgets share that ask for labels with single keys: every key is on the disk before it is acknowledged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import Any, Final

import traitlets

from corpuskit.errors import ConfigurationError
from corpuskit.relevance.active_learning import Question
from corpuskit.store import CorpusFolder
from corpuskit.widgets.in_order import InOrder
from corpuskit.widgets.shell import Widget, module, styles
from corpuskit.widgets.tree import DocumentTree

_TREE: Final = 280  # pixels: height of the tree on a card
PREFETCH: Final = 12
"""Cards on the page; at ten keys a second more than a second of work."""


def checked_keys(keys: Mapping[str, str], reserved: Set[str]) -> dict[str, str]:
    """Validate a mapping of keys to labels. A key is one character without another function.

    Raises:
        ConfigurationError: one is something else, or a label is empty or too long.
    """
    for key, label in keys.items():
        if len(key) != 1 or key in reserved:
            raise ConfigurationError(f"key {key!r}: expected one character other than {' '.join(sorted(reserved))}")
        if not label.strip() or len(label) > 64:
            raise ConfigurationError(f"label {label!r}: expected 1 to 64 characters")
    return dict(keys)


class Cards(Widget):
    """Cards, one after another, a key for each label.

    Args:
        folder: the corpus.
        keys: key → label.
        traits: of the widget.
    """

    _esm = module("labeler", "labeler_card", "labeler_seeds", "labeler_tree", "labeler_audit")
    _css = styles("labeler", "labeler_card")
    question = traitlets.Unicode().tag(sync=True)
    label_keys: Any = traitlets.List().tag(sync=True)
    cards: Any = traitlets.List().tag(sync=True)
    counts = traitlets.Dict().tag(sync=True)
    total = traitlets.Int().tag(sync=True)
    prefetch = traitlets.Int(PREFETCH).tag(sync=True)
    is_audit = traitlets.Bool(False).tag(sync=True)

    def __init__(self, folder: CorpusFolder, keys: Mapping[str, str], **traits: Any) -> None:
        self._folder = folder
        self._labels = frozenset(keys.values())
        self._order = InOrder(self._tell_saved)
        self._tree: DocumentTree | None = None
        super().__init__(label_keys=[[key, label] for key, label in keys.items()], **traits)

    # -- what the others do differently ----------------------------------------------------------------------------

    def _card(self, item: Question, *, opened: bool = False) -> dict[str, Any]:
        raise NotImplementedError

    def _take(self, n: int) -> list[Question]:
        raise NotImplementedError

    def _save_one(self, message: dict[str, Any], doc_id: str, label: str) -> None:
        raise NotImplementedError

    def _take_back(self, message: dict[str, Any]) -> None:
        raise NotImplementedError

    def _saved_details(self) -> dict[str, Any]:
        raise NotImplementedError

    # -- messages --------------------------------------------------------------------------------------------------

    def _on_label(self, message: dict[str, Any]) -> None:
        """Label a document."""
        doc_id, label = str(message["id"]), self._named(message)
        self._in_order(message, lambda: self._save_one(message, doc_id, label))

    def _on_undo(self, message: dict[str, Any]) -> None:
        """Undo the message ``of``."""
        self._in_order(message, lambda: self._take_back(message))

    def _on_more(self, message: dict[str, Any]) -> None:
        cards = [self._card(item) for item in self._take(min(int(message["n"]), PREFETCH))]
        self.send({"op": "cards", "cards": cards, "end": not cards})

    def _on_rest(self, message: dict[str, Any]) -> None:
        """Send the complete text of a shortened document."""
        card = self._card(Question(str(message["id"]), "", None), opened=True)
        self.send({"op": "rest", "id": card["id"], "blocks": card["blocks"], "left_out": card["left_out"]})

    def _on_tree(self, message: dict[str, Any]) -> None:
        """Show a document as a tree with its original."""
        doc_id = str(message["id"])
        document = self._folder.document(doc_id)
        if self._tree is None:
            self._tree = DocumentTree(document, original=lambda: self._folder.original(doc_id), height=_TREE)
        else:
            self._tree.show(document, original=lambda: self._folder.original(doc_id))
        self.send({"op": "tree", "id": doc_id, "model": self._tree.model_id})

    def _named(self, message: dict[str, Any]) -> str:
        """Return the label of a message. It must belong to a key."""
        if message["label"] not in self._labels:
            raise ConfigurationError(f"label {message['label']!r}: expected one of {', '.join(sorted(self._labels))}")
        return str(message["label"])

    def _in_order(self, message: dict[str, Any], save: Callable[[], object]) -> None:
        """Process messages once and in the order of keys. The page is notified after the change is written to disk."""
        self._order.do(message, save)

    def _tell_saved(self, number: int) -> None:
        self.send({"op": "saved", "seq": number, **self._saved_details()})
