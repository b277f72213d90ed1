"""What the labelling widget asks next: a selection in its order, or what teaches the model most."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from corpuskit.errors import CorpusKitError
from corpuskit.labels import by_annotator, corpus_labels
from corpuskit.relevance import CorpusModel, RelevanceModel
from corpuskit.relevance.learning import last_model, next_to_label, scoring_texts
from corpuskit.relevance.sampling import suggest
from corpuskit.relevance.training import train
from corpuskit.store import CorpusFolder
from corpuskit.text import WORD

CARD_TEXT: Final = 6_000  # characters of a card
_BATCH: Final = 60  # documents chosen at once
_LOW: Final = 30  # documents left when the next are chosen
_RETRAIN_AFTER: Final = 15  # labels
_MARKED: Final = 8  # words for and words against
_POOL: Final = 5_000
logger = logging.getLogger(__name__)

_REASONS: Final = {
    "disagreement": "annotators disagree about it",
    "new source": "a source without two labels yet",
    "uncertain": "the model is least certain of it",
    "certain": "the model is certain: is it right?",
    "random": "drawn at random",
    "selection": "it is in your selection",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A document to label, why, and what the model says of it (None without one)."""

    doc_id: str
    reason: str
    score: float | None


class LabelQueue:
    """Documents to label, best first; safe to use from several threads.

    Args:
        folder: the corpus.
        selection: ask these, in this order; None: what teaches the model most.
        by: who is asked.
        learn: train a model on the labels as they come, in the background.

    Attributes:
        judged: document → the label that this annotator gave it.
    """

    def __init__(self, folder: CorpusFolder, selection: Sequence[str] | None, *, by: str, learn: bool = True) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._choosing = threading.Lock()
        self.judged: dict[str, str] = by_annotator(folder).get(by, {})
        labels = corpus_labels(folder, "document")
        self._settled = {label.target: label.label for label in labels if label.label is not None}
        labelled = self._settled.keys() | self.judged.keys()
        self._given: set[str] = set()
        self._texts: dict[str, str] | None = None
        self._learns = learn and selection is None
        saved = _last(folder)
        self._model: RelevanceModel | None = saved.document if saved else None
        self._labels_since = 0
        self._waiting: deque[Asked] = deque()
        self._selection = selection is not None
        if selection is not None:
            known = {row["doc_id"] for row in folder.catalog.rows("SELECT doc_id FROM current")}
            scores = _scores(folder)
            self._waiting.extend(
                Asked(doc_id, "selection", scores.get(doc_id))
                for doc_id in dict.fromkeys(selection)
                if doc_id in known and doc_id not in labelled
            )
        else:
            self._choose_first(saved)

    def _choose_first(self, model: CorpusModel | None) -> None:
        frame = next_to_label(self._folder, _BATCH, model=model)
        self._waiting.extend(
            Asked(doc_id, reason, None if model is None else float(score))
            for doc_id, reason, score in zip(frame["doc_id"], frame["reason"], frame["relevance"], strict=True)
        )

    def take(self, n: int) -> list[Asked]:
        """The next ``n`` documents; each is given once. Fewer when no more are left or ready."""
        taken: list[Asked] = []
        with self._lock:
            while self._waiting and len(taken) < n:
                item = self._waiting.popleft()
                if item.doc_id not in self._given and not self._is_done(item.doc_id):
                    self._given.add(item.doc_id)
                    taken.append(item)
            low = len(self._waiting) < _LOW
        if low and not self._selection:
            if len(taken) < n:
                self._choose()
                return taken + (self.take(n - len(taken)) if self._waiting else [])
            threading.Thread(target=self._choose, name="corpuskit-label-queue", daemon=True).start()
        return taken

    def put_back(self, items: Sequence[Asked]) -> None:
        """Documents to be asked after all, before the others."""
        with self._lock:
            self._waiting.extendleft(reversed(items))
            self._given.difference_update(item.doc_id for item in items)

    def rest(self) -> list[str]:
        """What is still to ask of a selection."""
        with self._lock:
            return [item.doc_id for item in self._waiting if not self._is_done(item.doc_id)]

    def _is_done(self, doc_id: str) -> bool:
        return doc_id in self.judged or doc_id in self._settled

    def note(self, doc_id: str, label: str | None) -> None:
        """A document was labelled, or its label taken back."""
        with self._lock:
            if label is None:
                self.judged.pop(doc_id, None)
            else:
                self.judged[doc_id] = label
                self._given.add(doc_id)
            self._labels_since += 1
            stale = self._learns and self._labels_since >= _RETRAIN_AFTER
            if stale:
                self._labels_since = 0
        if stale:
            threading.Thread(target=self._retrain, name="corpuskit-label-training", daemon=True).start()

    def _retrain(self) -> None:
        """Trains on all labels and chooses anew. The model is for asking only; ``Corpus.train`` makes one to keep."""
        try:
            texts = self._all_texts()
            with self._lock:
                known = self._settled | self.judged
                said = {i: label for i, label in known.items() if label in {"relevant", "other"} and i in texts}
            pool = list(texts.values())[:_POOL]
            self._model = train([texts[i] for i in said], list(said.values()), pool=pool)
        except CorpusKitError as error:
            logger.debug("no model from the labels yet: %s", error)
            return
        with self._lock:
            self._waiting.clear()
        self._choose()

    def _choose(self) -> None:
        """Fills up what waits."""
        with self._choosing:
            with self._lock:
                if len(self._waiting) >= _LOW:
                    return
                taken = self._given | self.judged.keys() | self._settled.keys()
            texts = self._all_texts()
            free = [doc_id for doc_id in texts if doc_id not in taken]
            if not free:
                return
            model = self._model
            if model is None:
                found = [Asked(doc_id, "random", None) for doc_id in sorted(free)[:_BATCH]]
            else:
                n = min(_BATCH, len(free))
                pool = [texts[doc_id] for doc_id in free]
                chosen = suggest(model, pool, n, certain=n // 5, random=n // 10)
                found = _mixed([Asked(free[item.index], item.reason, item.score) for item in chosen])
            with self._lock:
                waiting = {item.doc_id for item in self._waiting}
                self._waiting.extend(item for item in found if item.doc_id not in waiting)

    def _all_texts(self) -> dict[str, str]:
        if self._texts is None:
            self._texts = scoring_texts(self._folder)
        return self._texts

    def card(self, item: Asked) -> dict[str, Any]:
        """What the page shows of a document."""
        row = self._folder.catalog.rows("SELECT uri, title, lang, words FROM current WHERE doc_id = ?", (item.doc_id,))
        if not row:
            return {"id": item.doc_id, "title": "(removed)", "text": "", "marks": [], "why": "", "uri": "", "facts": ""}
        uri, title, lang, words = row[0]
        try:
            text = self._folder.document(item.doc_id).to_text(main=True)
        except (CorpusKitError, OSError) as error:
            text = f"(cannot be read: {error})"
        shown = text[:CARD_TEXT]
        why = _REASONS.get(item.reason, item.reason)
        if item.score is not None:
            why += f"; P(relevant) = {item.score:.2f}"
        return {
            "id": item.doc_id, "title": title or uri, "uri": uri, "text": shown, "score": item.score, "why": why,
            "left_out": len(text) - len(shown), "marks": self._marks(f"{title or ''}\n{text}", shown),
            "facts": f"{lang or '?'} · {words or 0:,} words",
        }  # fmt: skip

    def _marks(self, text: str, shown: str) -> list[list[int]]:
        """[start, end, 1 for or 0 against] of the words that say most."""
        if self._model is None:
            return []
        shares = [(word, part) for word, part in self._model.explain(text) if word != "(start)"]
        spoken = {word: 1 for word, part in shares if part > 0.0} | {word: 0 for word, part in shares if part < 0.0}
        strongest = set([word for word, part in shares if part > 0][:_MARKED])
        strongest |= set([word for word, part in shares if part < 0][:_MARKED])
        return [
            [match.start(), match.end(), spoken[word]]
            for match in WORD.finditer(shown)
            if (word := match[0].lower()) in strongest
        ]


def _mixed(items: Iterable[Asked]) -> list[Asked]:
    """One of each reason in turn, so that certain and random ones do not come in a block at the end."""
    by_reason: dict[str, deque[Asked]] = {}
    for item in items:
        by_reason.setdefault(item.reason, deque()).append(item)
    total = {reason: len(group) for reason, group in by_reason.items()}
    mixed: list[Asked] = []
    while by_reason:
        reason = max(by_reason, key=lambda name: len(by_reason[name]) / total[name])
        mixed.append(by_reason[reason].popleft())
        if not by_reason[reason]:
            del by_reason[reason]
    return mixed


def _last(folder: CorpusFolder) -> CorpusModel | None:
    try:
        return last_model(folder)
    except CorpusKitError as error:
        logger.warning("the last model cannot be read, documents are asked without it: %s", error)
        return None


def _scores(folder: CorpusFolder) -> dict[str, float]:
    return {row["doc_id"]: row["relevance"] for row in folder.catalog.rows("SELECT doc_id, relevance FROM scores")}
