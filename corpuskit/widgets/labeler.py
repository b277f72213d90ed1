"""Labelling with single keys: every key is on the disk before it is acknowledged."""

from __future__ import annotations

import getpass
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import traitlets

from corpuskit.errors import ConfigurationError
from corpuskit.labels import check_names
from corpuskit.store import CorpusFolder
from corpuskit.widgets.labeling import Asked, LabelQueue
from corpuskit.widgets.shell import Widget, module, styles

_PREFETCH: Final = 12  # cards on the page; at ten keys a second more than a second of work
_IN_QUERY: Final = 500  # documents asked for at once
_WITHDRAWN: Final = "withdrawn"
_TAKEN_KEYS: Final = frozenset("unbhp?")
DEFAULT_KEYS: Final[Mapping[str, str]] = {"j": "relevant", "f": "other", " ": "unsure"}


class Labeler(Widget):
    """One document after another, a key for each label.

    Args:
        folder: the corpus.
        docs: ask these, in this order; None: what teaches the model most. What ``by`` has labelled is not asked.
        keys: key → label; default j relevant, f other, space unsure. u, n, b, h, p and ? have their own meaning.
        by: whose labels these are; default: the user's name.
        question: what is asked.
        overlap: the share of the documents that every annotator is asked; None: the usual one.
        show_scores: show what the model thinks before one judges, which sways; p shows and hides it.

    Run the cell again to go on where you stopped: every label is in the corpus.

    Raises:
        ConfigurationError: a key is no single character, is taken, or a label is wrong.
    """

    _esm = module("labeler", "labeler_card", "labeler_seeds")
    _css = styles("labeler")
    question = traitlets.Unicode().tag(sync=True)
    label_keys: Any = traitlets.List().tag(sync=True)
    cards: Any = traitlets.List().tag(sync=True)
    counts = traitlets.Dict().tag(sync=True)
    total = traitlets.Int().tag(sync=True)
    prefetch = traitlets.Int(_PREFETCH).tag(sync=True)
    agreement: Any = traitlets.List().tag(sync=True)
    left_to_others = traitlets.Int().tag(sync=True)
    copies = traitlets.Int().tag(sync=True)
    asks_seeds = traitlets.Bool(False).tag(sync=True)
    show_scores = traitlets.Bool(False).tag(sync=True)
    is_selection = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self,
        folder: CorpusFolder,
        docs: Sequence[str] | None = None,
        *,
        keys: Mapping[str, str] | None = None,
        by: str | None = None,
        question: str = "Is this document relevant?",
        overlap: float | None = None,
        show_scores: bool = False,
    ) -> None:
        self._folder = folder
        self._by = by or user_name()
        self._lock = threading.Lock()
        self._done: dict[str, int] = {}  # page → the last message of it that was done
        self._early: dict[tuple[str, int], Callable[[], None]] = {}
        self._undo: dict[tuple[str, int], dict[str, str | None]] = {}
        chosen = _checked(keys or DEFAULT_KEYS)
        check_names(folder, chosen.values(), only_alike=True)
        self._labels = frozenset(chosen.values())
        self._queue = LabelQueue(folder, docs, by=self._by, overlap=overlap)
        total = len(self._queue.rest()) if docs is not None else folder.catalog.value("SELECT count(*) FROM current")
        super().__init__(
            question=question,
            label_keys=[[key, label] for key, label in chosen.items()],
            total=total,
            is_selection=docs is not None,
            counts=self._counted(),
            agreement=self._queue.agreement(),
            left_to_others=self._queue.left_to_others,
            copies=self._queue.copies,
            asks_seeds=self._queue.is_cold,
            show_scores=show_scores,
            cards=[self._queue.card(item) for item in self._queue.take(_PREFETCH)],
        )

    def _counted(self) -> dict[str, int]:
        return dict(Counter(self._queue.judged.values()))

    def summary(self) -> str:
        """How many are labelled."""
        said = ", ".join(f"{count} {label}" for label, count in sorted(self._counted().items()))
        return f"Labelling: {said or 'no labels yet'}"

    # -- messages --------------------------------------------------------------------------------------------------

    def _on_label(self, message: dict[str, Any]) -> None:
        """One label."""
        labels = {str(message["id"]): self._named(message)}
        self._in_order(message, lambda: self._save_one(message, labels))

    def _named(self, message: dict[str, Any]) -> str:
        """The label of a message: one of the keys'."""
        if message["label"] not in self._labels:
            raise ConfigurationError(f"label {message['label']!r}: expected one of {', '.join(sorted(self._labels))}")
        return str(message["label"])

    def _save_one(self, message: dict[str, Any], labels: dict[str, str]) -> None:
        self._save(message, labels, note=str(message["note"])[:500] if message.get("note") else None)

    def _on_bulk(self, message: dict[str, Any]) -> None:
        """One label for all of the selection that are not labelled; the cards on the page are part of it."""

        label = self._named(message)

        def save() -> None:
            ids = dict.fromkeys([*map(str, message["ids"]), *self._queue.rest()])
            saved = self._save(message, dict.fromkeys(ids, label), note="labelled as a selection")
            self.send({"op": "bulked", "n": saved, "of": message["seq"]})

        self._in_order(message, save)

    def _on_undo(self, message: dict[str, Any]) -> None:
        """Gives documents the labels back that they had before the message ``of``."""

        def save() -> None:
            before = self._undo.get((str(message["page"]), int(message["of"])), {})
            self._save(message, {doc_id: label or _WITHDRAWN for doc_id, label in before.items()}, note=None)
            if len(before) > 1:
                items = [Asked(doc_id, "selection", None) for doc_id in before]
                self._queue.put_back(items[_PREFETCH:])
                self.send({"op": "back", "cards": [self._queue.card(item) for item in items[:_PREFETCH]]})

        self._in_order(message, save)

    def _in_order(self, message: dict[str, Any], save: Callable[[], None]) -> None:
        """Does messages in the order of the keys, each once.

        JupyterLab moves a widget's messages to a thread of their own while the first are under way, so that a later one
        can come before an earlier one.
        """
        page, number = str(message["page"]), int(message["seq"])
        with self._lock:
            done = self._done.get(page, 0)
            if number <= done:
                self._tell_saved(number)
                return
            self._early[page, number] = save
            while (act := self._early.get((page, done + 1))) is not None:
                act()  # raises where it cannot be saved; then the page says so, and this message stays unsaved
                done += 1
                self._done[page] = done
                del self._early[page, done]

    def _on_more(self, message: dict[str, Any]) -> None:
        cards = [self._queue.card(item) for item in self._queue.take(min(int(message["n"]), _PREFETCH))]
        self.send({"op": "cards", "cards": cards, "end": not cards})

    def _on_seeds(self, message: dict[str, Any]) -> None:
        """Words of the domain: the documents near them come first."""
        words = re.findall(r"[^\s,;]+", str(message["words"])[:500])
        if not words:
            raise ConfigurationError("no words were given: expected some, with commas between")
        self._folder.describe(None, words)
        near = self._queue.begin_again()
        self.asks_seeds = False
        cards = [self._queue.card(item) for item in self._queue.take(_PREFETCH)]
        self.send({"op": "fresh", "cards": cards, "near": near})

    def _on_again(self, message: dict[str, Any]) -> None:
        """A card of the history, to be judged again."""
        self.send({"op": "back", "cards": [self._queue.card(Asked(str(message["id"]), "you asked for it", None))]})

    def _save(self, message: dict[str, Any], labels: dict[str, str], *, note: str | None) -> int:
        rows: list[Any] = []
        ids = list(labels)
        for start in range(0, len(ids), _IN_QUERY):
            part = ids[start : start + _IN_QUERY]
            marks = ", ".join("?" * len(part))
            rows += self._folder.catalog.rows(f"SELECT doc_id, version FROM current WHERE doc_id IN ({marks})", part)
        versions = {row["doc_id"]: row["version"] for row in rows}
        known = [doc_id for doc_id in ids if doc_id in versions]
        before = {doc_id: self._queue.judged.get(doc_id) for doc_id in known}
        self._folder.labels.add(
            [(doc_id, "document", labels[doc_id]) for doc_id in known], by=self._by, note=note, versions=versions
        )
        self._undo[str(message["page"]), int(message["seq"])] = before
        for doc_id in known:
            self._queue.note(doc_id, None if labels[doc_id] == _WITHDRAWN else labels[doc_id])
        # On the disk: only now the page hears of it.
        self._tell_saved(int(message["seq"]))
        return len(known)

    def _tell_saved(self, number: int) -> None:
        told = {"counts": self._counted(), "agreement": self._queue.agreement()}
        self.send({"op": "saved", "seq": number, **told})


def _checked(keys: Mapping[str, str]) -> dict[str, str]:
    for key, label in keys.items():
        if len(key) != 1 or key in _TAKEN_KEYS:
            raise ConfigurationError(f"key {key!r}: expected one character other than {' '.join(sorted(_TAKEN_KEYS))}")
        if not label.strip() or len(label) > 64:
            raise ConfigurationError(f"label {label!r}: expected 1 to 64 characters")
    return dict(keys)


def user_name() -> str:
    """Whose labels these are."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "user"
