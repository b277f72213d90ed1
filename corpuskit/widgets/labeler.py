"""Labelling with single keys: every key is on the disk before it is acknowledged."""

from __future__ import annotations

import getpass
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import traitlets

from corpuskit.errors import ConfigurationError
from corpuskit.labels import check_label_names, corpus_labels, is_machine
from corpuskit.relevance.active_learning import Question, seeds_in_no_text
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize
from corpuskit.widgets.cards import PREFETCH, Cards, checked_keys
from corpuskit.widgets.labeling import LabelQueue, has_flattened
from corpuskit.widgets.learner import Lesson

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.store.labels import Origin

_WITHDRAWN: Final = "withdrawn"
_TAKEN_KEYS: Final = frozenset("unbhpos?")
DEFAULT_KEYS: Final[Mapping[str, str]] = {"j": "relevant", "f": "other", " ": "unsure"}


class Labeler(Cards):
    """One document after another, a key for each label.

    Args:
        folder: the corpus.
        docs: ask these, in this order; None: what teaches the model most. What ``by`` has labelled is not asked.
        keys: key → label; default j relevant, f other, space unsure. u, n, b, h, o, p, s and ? have their own meaning.
        by: Name of the annotator. Default: the name of the user.
        question: Question shown above the document.
        overlap: the share of the documents that every annotator is asked; None: the usual one.
        show_scores: show what the model thinks before one judges, which sways; p shows and hides it.
        similar: finds documents like some, which m has asked next; None: the widget does not offer it.

    Run the cell again to continue an interrupted session. All labels are stored in the corpus.

    Raises:
        ConfigurationError: A key is reserved or longer than one character, or a label is invalid.
    """

    agreement: Any = traitlets.List().tag(sync=True)
    left_to_others = traitlets.Int().tag(sync=True)
    copies = traitlets.Int().tag(sync=True)
    asks_seeds = traitlets.Bool(False).tag(sync=True)
    has_similar = traitlets.Bool(False).tag(sync=True)
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
        similar: Callable[[list[str]], pd.DataFrame] | None = None,
    ) -> None:
        self._similar = similar
        self._by = a_person(by)
        self._undo: dict[tuple[str, int], dict[str, str | None]] = {}
        self._guessed: dict[str, str] = {}  # what documents got with a group before they were looked at
        chosen = checked_keys(keys or DEFAULT_KEYS, _TAKEN_KEYS)
        check_label_names(folder, chosen.values(), typos_only=True)
        self._queue = LabelQueue(folder, docs, by=self._by, overlap=overlap, learnt=self._tell_learnt)
        total = len(self._queue.rest()) if docs is not None else folder.catalog.value("SELECT count(*) FROM current")
        super().__init__(
            folder,
            chosen,
            question=question,
            total=total,
            is_selection=docs is not None,
            counts=self._counted(),
            agreement=self._queue.agreement(),
            left_to_others=self._queue.left_to_others,
            copies=self._queue.copies,
            asks_seeds=self._queue.is_cold,
            show_scores=bool(show_scores),
            has_similar=similar is not None and docs is None,
            cards=[self._queue.card(item) for item in self._queue.take(PREFETCH)],
        )
        self._queue.begin()

    def _counted(self) -> dict[str, int]:
        return dict(Counter(self._queue.judged.values()))

    def summary(self) -> str:
        """Return the number of those that are labelled, by whom the cards are for and by others."""
        counts = ", ".join(f"{count} {label}" for label, count in sorted(self._counted().items()))
        n_others = len({label.target for label in corpus_labels(self._folder, "document")} - self._queue.judged.keys())
        more = f"; {pluralize(n_others, 'document')} labelled by others" if n_others else ""
        return f"Labelling: {counts or f'no labels by {self._by} yet'}{more}"

    # -- messages --------------------------------------------------------------------------------------------------

    def _card(self, item: Question, *, opened: bool = False) -> dict[str, Any]:
        return self._queue.card(item, opened=opened)

    def _take(self, n: int) -> list[Question]:
        return self._queue.take(n)

    def _save_one(self, message: dict[str, Any], doc_id: str, label: str) -> None:
        self._save(message, {doc_id: label}, note=str(message["note"])[:500] if message.get("note") else None)

    def _on_skip(self, message: dict[str, Any]) -> None:
        """Not to be asked in this session."""
        self._queue.skip(str(message["id"]))

    def _tell_learnt(self, lesson: Lesson) -> None:
        """Update the page after training: the next documents may differ, and an audit may be more useful than more labels."""
        cards = [self._card(item) for item in self._queue.take(PREFETCH)]
        hint = ""
        if has_flattened(lesson.gain):
            hint = "50 more labels would bring less than .01: train with corpus.train(), then corpus.audit().label() pays more."
        self.send({"op": "learnt", "labels": lesson.labels, "cards": cards, "hint": hint})

    def _on_bulk(self, message: dict[str, Any]) -> None:
        """Label all unlabelled documents of the selection, including the cards on the page."""

        label = self._named(message)

        def save() -> None:
            ids = dict.fromkeys([*map(str, message["ids"]), *self._queue.rest()])
            saved = self._save(message, dict.fromkeys(ids, label), note="labelled as a selection", origin="group")
            self.send({"op": "bulked", "n": saved, "of": message["seq"]})

        self._in_order(message, save)

    def _take_back(self, message: dict[str, Any]) -> None:
        """Restore the labels of documents before the message ``of``."""
        before = self._undo.get((str(message["page"]), int(message["of"])), {})
        guessed = {
            doc_id: self._guessed[doc_id] for doc_id, label in before.items() if not label and doc_id in self._guessed
        }
        labels = {doc_id: label or guessed.get(doc_id, _WITHDRAWN) for doc_id, label in before.items()}
        self._save(message, labels, origin=dict.fromkeys(guessed, "group"))
        if len(before) > 1:
            items = [Question(doc_id, "selection", None) for doc_id in before]
            self._queue.put_back(items[PREFETCH:])
            self.send({"op": "back", "cards": [self._card(item) for item in items[:PREFETCH]]})

    def _on_seeds(self, message: dict[str, Any]) -> None:
        """Set words of the domain. Documents similar to them come first."""
        words = re.findall(r"[^\s,;]+", str(message["words"])[:500])
        if not words:
            raise ConfigurationError("no words were given: expected some, with commas between")
        self._folder.update_description(None, words)
        has_similar = self._queue.begin_again()
        self.asks_seeds = False
        cards = [self._card(item) for item in self._queue.take(PREFETCH)]
        self.send(
            {"op": "fresh", "cards": cards, "near": has_similar, "nowhere": seeds_in_no_text(self._folder, words)}
        )

    def _on_similar(self, message: dict[str, Any]) -> None:
        """Documents like the one on the card are asked next."""
        if self._similar is None:
            return
        doc_id = str(message["id"])
        items = self._queue.like(self._similar([doc_id])["doc_id"].tolist())[:PREFETCH]
        self.send({"op": "like", "id": doc_id, "cards": [self._card(item) for item in items]})

    def _on_again(self, message: dict[str, Any]) -> None:
        """Show a card of the history again."""
        self.send({"op": "back", "cards": [self._card(Question(str(message["id"]), "you asked for it", None))]})

    def _save(self, message: dict[str, Any], labels: dict[str, str], *, note: str | None = None,
              origin: Origin | Mapping[str, Origin] = "single") -> int:  # fmt: skip
        guesses = origin if isinstance(origin, Mapping) else {}
        asked = json.dumps(list(labels))
        versions = dict(
            self._folder.catalog.tuples(
                "SELECT doc_id, version FROM current WHERE doc_id IN (SELECT value FROM json_each(?))", (asked,)
            )
        )
        self._guessed |= self._folder.catalog.tuples(
            "SELECT target, label FROM labels WHERE NOT superseded AND kind = 'document' AND by = ? AND origin = 'group' "
            "AND target IN (SELECT value FROM json_each(?))",
            (self._by, asked),
        )
        known = [doc_id for doc_id in labels if doc_id in versions]
        before = {doc_id: self._queue.judged.get(doc_id) for doc_id in known}
        self._folder.labels.add(
            [(doc_id, "document", labels[doc_id]) for doc_id in known],
            by=self._by,
            note=note,
            versions=versions,
            origin=origin,
        )
        self._undo[str(message["page"]), int(message["seq"])] = before
        for doc_id in known:
            self._queue.note(doc_id, None if labels[doc_id] == _WITHDRAWN or doc_id in guesses else labels[doc_id])
        return len(known)

    def _saved_details(self) -> dict[str, Any]:
        return {"counts": self._counted(), "agreement": self._queue.agreement()}


def a_person(by: str | None) -> str:
    """Return the name of the annotator: the argument, or the name of the user.

    Raises:
        ConfigurationError: the name is empty, or that of a machine.
    """
    if by is None:
        return user_name()
    if not by.strip() or is_machine(by):
        raise ConfigurationError(
            f"by={by!r}: expected the name of a person; machines label by corpus.labelling.prelabel()"
        )
    return by


def user_name() -> str:
    """Whose labels these are."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "user"
