"""What the labelling widget asks next: a selection in its order, or what teaches the model most."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

from corpuskit.crawl.steering import stakes
from corpuskit.errors import CorpusKitError
from corpuskit.labels import (
    OVERLAP,
    AgreementWithOthers,
    Copies,
    by_annotator,
    corpus_labels,
    judged_documents,
    questions,
)
from corpuskit.relevance import CorpusModel, RelevanceModel
from corpuskit.relevance.learning import for_everyone, last_model, next_to_label, scoring_texts
from corpuskit.relevance.sampling import exploration, suggest
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
    "for everyone": "everyone is asked this one, which shows how you agree",
    "new source": "a source without two labels yet",
    "uncertain": "the model is least certain of it",
    "certain": "the model is certain: is it right?",
    "random": "drawn at random",
    "seed words": "it is near the seed words",
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
        overlap: the share of the documents that every annotator is asked; None: the usual one.
        learn: train a model on the labels as they come, in the background.

    Attributes:
        judged: document → the label that this annotator gave it.
        left_to_others: how many documents others labelled that this one is not asked.
        is_cold: nobody has labelled anything, and there are no seed words to begin with.
        copies: how many of a selection are not asked since a copy is, or was.
    """

    def __init__(
        self,
        folder: CorpusFolder,
        selection: Sequence[str] | None,
        *,
        by: str,
        overlap: float | None = None,
        learn: bool = True,
    ) -> None:
        self._folder = folder
        self._by = by
        self._overlap = OVERLAP if overlap is None else overlap
        self._lock = threading.Lock()
        self._choosing = threading.Lock()
        said = by_annotator(folder)
        self.judged: dict[str, str] = dict(said.get(by, {}))
        self._with_others = AgreementWithOthers(said, by)
        self._closed = set(self.judged)  # not asked again
        self._given: set[str] = set()
        self._texts: dict[str, str] | None = None
        self._learns = learn and selection is None
        saved = _last(folder)
        self._model: RelevanceModel | None = saved.document if saved else None
        self._labels_since = 0
        self._waiting: deque[Asked] = deque()
        self._selection = selection is not None
        self._threads: list[threading.Thread] = []
        self._is_stopped = False
        folder.before_close(self.stop)
        self.left_to_others = self.copies = 0
        self.is_cold = False
        if selection is not None:
            self._choose_selection(selection)
        else:
            self.left_to_others = questions(folder, by, overlap=self._overlap).left_to_others
            self.is_cold = not said and saved is None and not folder.settings.seeds
            self._choose_first(saved)

    def _choose_selection(self, selection: Sequence[str]) -> None:
        """What this annotator has not labelled, and ties once more; one of each group of copies."""
        copies = Copies(self._folder)
        known = set(copies.doc_ids)
        ties = {label.target for label in corpus_labels(self._folder, "document") if label.label is None}
        self._closed -= ties
        scores = _scores(self._folder)
        asked = [doc_id for doc_id in dict.fromkeys(selection) if doc_id in known and doc_id not in self._closed]
        once = copies.once(asked, copies.groups(self._closed))
        self.copies = len(asked) - len(once)
        self._waiting.extend(
            Asked(doc_id, "disagreement" if doc_id in ties else "selection", scores.get(doc_id)) for doc_id in once
        )

    def _choose_first(self, model: CorpusModel | None) -> None:
        frame = next_to_label(
            self._folder, _BATCH, by=self._by, overlap=self._overlap, model=model, stakes=stakes(self._folder)
        )
        self._waiting.extend(
            Asked(doc_id, reason, None if model is None else float(score))
            for doc_id, reason, score in zip(frame["doc_id"], frame["reason"], frame["relevance"], strict=True)
        )

    def begin_again(self) -> bool:
        """Forgets what was chosen, and chooses by the seed words of the corpus; gives whether any document is near them."""
        with self._choosing:
            with self._lock:
                self._waiting.clear()
                self._given = set(self._closed)
            self._choose_first(None)
            return any(item.reason == "seed words" for item in self._waiting)

    def agreement(self) -> list[dict[str, object]]:
        """How this annotator agrees with others, see :meth:`corpuskit.labels.AgreementWithOthers.table`."""
        with self._lock:
            return self._with_others.table()

    def take(self, n: int) -> list[Asked]:
        """The next ``n`` documents; each is given once. Fewer when no more are left or ready."""
        taken: list[Asked] = []
        with self._lock:
            while self._waiting and len(taken) < n:
                item = self._waiting.popleft()
                if item.doc_id not in self._given and item.doc_id not in self._closed:
                    self._given.add(item.doc_id)
                    taken.append(item)
            low = len(self._waiting) < _LOW
        if low and not self._selection:
            if len(taken) < n:
                self._choose()
                return taken + (self.take(n - len(taken)) if self._waiting else [])
            self._beside(self._choose)
        return taken

    def _beside(self, act: Callable[[], None]) -> None:
        """Does something in the background. What fails there is tried again, and raised, when a card is wanted."""

        def run() -> None:
            try:
                act()
            except (CorpusKitError, OSError, sqlite3.Error) as error:
                logger.debug("in the background: %s", error)

        with self._lock:
            if self._is_stopped:
                return
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            self._threads.append(threading.Thread(target=run, name="corpuskit-label-queue", daemon=True))
            self._threads[-1].start()

    def stop(self) -> None:
        """Ends what works in the background; comes back when it has ended."""
        with self._lock:
            self._is_stopped = True
        for thread in self._threads:
            thread.join()

    def put_back(self, items: Sequence[Asked]) -> None:
        """Documents to be asked after all, before the others."""
        with self._lock:
            self._waiting.extendleft(reversed(items))
            self._given.difference_update(item.doc_id for item in items)

    def rest(self) -> list[str]:
        """What is still to ask of a selection."""
        with self._lock:
            return [item.doc_id for item in self._waiting if item.doc_id not in self._closed]

    def note(self, doc_id: str, label: str | None) -> None:
        """A document was labelled, or its label taken back."""
        with self._lock:
            self._with_others.change(doc_id, self.judged.get(doc_id), label)
            if label is None:
                self.judged.pop(doc_id, None)
                self._closed.discard(doc_id)
            else:
                self.judged[doc_id] = label
                self._closed.add(doc_id)
                self._given.add(doc_id)
            self._labels_since += 1
            stale = self._learns and self._labels_since >= _RETRAIN_AFTER
            if stale:
                self._labels_since = 0
        if stale:
            self._beside(self._retrain)

    def _retrain(self) -> None:
        """Trains on all labels and chooses anew. The model is for asking only; ``Corpus.train`` makes one to keep."""
        try:
            texts = self._all_texts()
            said = {i: label for i, label in judged_documents(self._folder).items() if i in texts}
            pool = list(texts.values())[:_POOL]
            self._model = train([texts[i] for i in said], list(said.values()), pool=pool)
        except CorpusKitError as error:
            logger.debug("no model from the labels yet: %s", error)
            return
        with self._lock:
            self._waiting.clear()
        self._choose()

    def _choose(self) -> None:
        """Fills up what waits; what others have labelled meanwhile is known here."""
        with self._choosing:
            with self._lock:
                if len(self._waiting) >= _LOW:
                    return
                taken = self._given | self._closed
            if self._is_stopped:
                return
            if self._model is None:
                self._choose_without_model(taken)
                return
            open_to = questions(self._folder, self._by, overlap=self._overlap)
            texts = self._all_texts()
            left = open_to.without(taken)
            found = [Asked(doc_id, "disagreement", None) for doc_id in left.disputed[:_BATCH]]
            shared = for_everyone(left, _BATCH - len(found), self._overlap)
            found += [Asked(doc_id, "for everyone", None) for doc_id in shared]
            free = [doc_id for doc_id in left.free if doc_id in texts]
            n = min(_BATCH - len(found), len(free))
            pool = [texts[doc_id] for doc_id in free]
            certain, drawn = exploration(self._model, n)
            chosen = suggest(self._model, pool, n, certain=certain, random=drawn)
            found += _mixed(Asked(free[item.index], item.reason, item.score) for item in chosen)
            with self._lock:
                waiting = {item.doc_id for item in self._waiting}
                self._waiting.extend(item for item in found if item.doc_id not in waiting)

    def _choose_without_model(self, taken: Set[str]) -> None:
        """By seed words, or at random."""
        frame = next_to_label(self._folder, _BATCH + len(taken), by=self._by, overlap=self._overlap)
        rows = zip(frame["doc_id"], frame["reason"], strict=True)
        found = [Asked(doc_id, reason, None) for doc_id, reason in rows if doc_id not in taken][:_BATCH]
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
        return {
            "id": item.doc_id, "title": title or uri, "uri": uri, "text": shown, "score": item.score,
            "why": _REASONS.get(item.reason, item.reason),
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
