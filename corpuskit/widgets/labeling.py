"""Queue of the labeling widget: a selection in its order, or the most informative documents for the model."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from corpuskit import engine
from corpuskit.crawl.model_ranking import stakes
from corpuskit.errors import CorpusKitError
from corpuskit.labels import (
    OVERLAP,
    DuplicateGroups,
    agreement_with_others,
    annotation_pool,
    corpus_labels,
    labels_by_annotator,
    training_labels,
)
from corpuskit.relevance import RelevanceModel
from corpuskit.relevance.active_learning import Question, choose_next, labeling_state
from corpuskit.relevance.corpus_training import last_model, stored_scores
from corpuskit.store import CorpusFolder
from corpuskit.text import WORD
from corpuskit.widgets.learner import Lesson, learn
from corpuskit.widgets.structure import OPENED, SHOWN, structure

_BATCH: Final = 120  # documents chosen at once
_LOW: Final = 60  # documents left when the next are chosen
_RETRAIN_AFTER: Final = 10  # labels
_MARKED: Final = 8  # words for and words against
_FLAT: Final = 0.01  # of average precision for 50 labels: where they bring less, an audit pays more
_NO_LIMITS: Final = engine.Limits(seconds=None, memory=None)
logger = logging.getLogger(__name__)

_REASONS: Final = {
    "disagreement": "annotators disagree about it",
    "for everyone": "everyone is asked this one, which shows how you agree",
    "new source": "its source has no two labels yet",
    "uncertain": "the model is least certain of it",
    "certain": "the model is certain: is it right?",
    "machine and model disagree": "a machine and the model disagree about it",
    "random": "drawn at random",
    "seed words": "it is near the seed words",
    "new region": "nothing like it is labelled yet",
    "selection": "it is in your selection",
    "like": "it is like one that you wanted more of",
}


class LabelQueue:
    """Documents to label, best first; safe to use from several threads.

    Args:
        folder: the corpus.
        selection: ask these, in this order; None: what teaches the model most.
        by: who is asked.
        overlap: the share of the documents that every annotator is asked; None: the usual one.
        learn: train a model on the labels as they come, in a process beside this one.
        learnt: called when that has come to something, in the background.

    Attributes:
        judged: document → the label that this annotator gave it.
        left_to_others: Number of documents left out because others labelled them.
        is_cold: nobody has labelled anything, and there are no seed words to begin with.
        copies: Number of documents of a selection left out because a copy is or was in the queue.
    """

    def __init__(
        self,
        folder: CorpusFolder,
        selection: Sequence[str] | None,
        *,
        by: str,
        overlap: float | None = None,
        learn: bool = True,
        learnt: Callable[[Lesson], None] | None = None,
    ) -> None:
        self._folder = folder
        self._by = by
        self._overlap = OVERLAP if overlap is None else overlap
        self._lock = threading.Lock()
        self._choosing = threading.RLock()
        labels = labels_by_annotator(folder)
        self.judged: dict[str, str] = dict(labels.get(by, {}))
        self._labels_by_annotator = {**labels, by: self.judged}
        self._closed = set(self.judged)  # not asked again
        self._given: set[str] = set()
        self._wished: dict[str, Question] = {}  # like one that more were wanted of, and not answered yet
        self._learnt = learnt
        self._learns = learn and selection is None
        self._model, self._scores = _saved(folder)
        self._has_learnt = False  # the model is of this session, not a saved one
        self._labels_since = 0
        self._is_learning = self._learns_again = False
        self._waiting: deque[Question] = deque()
        self._selection = selection is not None
        self._is_all = False  # what waits is all there is to ask
        self._threads: list[threading.Thread] = []
        self._stopped = threading.Event()
        folder.add_close_callback(self.stop)
        self.left_to_others = self.copies = 0
        self.is_cold = False
        if selection is not None:
            self._choose_selection(selection)
        else:
            self._refill()
            self.is_cold = not labels and self._model is None and not folder.settings.seeds

    def begin(self) -> None:
        """Train immediately if there are labels without a model."""
        if self._learns and self._model is None and training_labels(self._folder):
            self._run_in_background(self._learn)

    def _choose_selection(self, selection: Sequence[str]) -> None:
        """Choose documents not labelled by this annotator, and ties again, one per group of copies."""
        copies = DuplicateGroups(self._folder)
        known = set(copies.doc_ids)
        ties = {label.target for label in corpus_labels(self._folder, "document") if label.label is None}
        self._closed -= ties
        asked = [doc_id for doc_id in dict.fromkeys(selection) if doc_id in known and doc_id not in self._closed]
        once = copies.deduplicate(asked, copies.keys(self._closed))
        self.copies = len(asked) - len(once)
        self._waiting.extend(
            Question(doc_id, "disagreement" if doc_id in ties else "selection", self._scores.get(doc_id))
            for doc_id in once
        )

    def begin_again(self) -> bool:
        """Discard what was chosen, choose by the seed words of the corpus, and return whether any document is similar to these."""
        with self._choosing:
            with self._lock:
                self._waiting.clear()
                self._given = set(self._closed)
            self._refill()
            return any(item.reason == "seed words" for item in self._waiting)

    def agreement(self) -> list[dict[str, object]]:
        """Return the agreement of this annotator with others; see :func:`corpuskit.labels.agreement_with_others`."""
        with self._lock:
            return agreement_with_others(self._labels_by_annotator, self._by)

    def take(self, n: int) -> list[Question]:
        """Return the next ``n`` documents, each once; fewer if no more are left."""
        questions: list[Question] = []
        with self._lock:
            while self._waiting and len(questions) < n:
                item = self._waiting.popleft()
                if item.doc_id not in self._given and item.doc_id not in self._closed:
                    self._given.add(item.doc_id)
                    questions.append(item)
            low = len(self._waiting) < _LOW
        if low and not self._selection:
            if len(questions) < n:
                self._refill()
                return questions + (self.take(n - len(questions)) if self._waiting else [])
            if not self._is_all:
                self._run_in_background(self._refill)
        return questions

    def _run_in_background(self, act: Callable[[], None]) -> None:
        """Does something in the background. What fails there is tried again, and raised, when a card is wanted."""

        def run() -> None:
            try:
                act()
            except (CorpusKitError, OSError, sqlite3.Error) as error:
                logger.debug("in the background: %s", error)

        with self._lock:
            if self._stopped.is_set():
                return
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            self._threads.append(threading.Thread(target=run, name="corpuskit-label-queue", daemon=True))
            self._threads[-1].start()

    def stop(self) -> None:
        """Ends what works in the background; comes back when it has ended."""
        with self._lock:
            self._stopped.set()
        for thread in self._threads:
            thread.join()

    def put_back(self, items: Sequence[Question]) -> None:
        """Documents to be asked after all, before the others."""
        with self._lock:
            self._waiting.extendleft(reversed(items))
            self._given.difference_update(item.doc_id for item in items)

    def like(self, doc_ids: Sequence[str]) -> list[Question]:
        """Has documents asked next, as far as they can be: nobody has labelled them, and one of copies."""
        free = set(annotation_pool(self._folder, self._by, overlap=self._overlap).free)
        with self._lock:
            items = [
                Question(doc_id, "like", None) for doc_id in doc_ids if doc_id in free and doc_id not in self._closed
            ]
            self._wished |= {item.doc_id: item for item in items}
            self._given |= {item.doc_id for item in items}
        return items

    def rest(self) -> list[str]:
        """Return the remaining documents of a selection."""
        with self._lock:
            return [item.doc_id for item in self._waiting if item.doc_id not in self._closed]

    def note(self, doc_id: str, label: str | None) -> None:
        """Record that a document was labelled or its label withdrawn."""
        with self._lock:
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
            self._run_in_background(self._learn)

    def skip(self, doc_id: str) -> None:
        """Skip a document in this session."""
        with self._lock:
            self._closed.add(doc_id)

    def _learn(self) -> None:
        """Train on all labels and choose documents. Repeat if labels were added meanwhile.

        The model is for asking only; ``Corpus.train`` makes one to keep.
        """
        with self._lock:
            if self._is_learning:
                self._learns_again = True
                return
            self._is_learning = True
        try:
            while True:
                self._learn_once()
                with self._lock:
                    if not self._learns_again or self._stopped.is_set():
                        return
                    self._learns_again = False
        finally:
            with self._lock:
                self._is_learning = self._learns_again = False

    def _learn_once(self) -> None:
        lesson = self._ask_learner()
        lesson.model.explain("")  # what it caches at the first use is not to be made while a key waits
        with self._lock:
            self._model, self._scores, self._has_learnt = lesson.model, lesson.scores, True
            # Unlabelled documents on the page are chosen again, since their reasons may be outdated.
            self._given = set(self._closed)
            wished = [item for item in self._wished.values() if item.doc_id not in self._closed]
            rest = [item for item in lesson.items if item.doc_id not in self._closed | self._wished.keys()]
            self._waiting = deque([*wished, *rest])
            self._is_all = len(lesson.items) < _BATCH
        if self._learnt is not None:
            self._learnt(lesson)

    def _ask_learner(self) -> Lesson:
        with self._lock:
            excluded = set(self._closed)
        return engine.call(
            learn, self._folder.root, self._by, self._overlap, excluded, _BATCH, limits=_NO_LIMITS, stop=self._stopped
        )

    def _refill(self) -> None:
        """Choose the next documents if few are waiting; labels that others gave meanwhile are known here."""
        with self._choosing:
            with self._lock:
                if len(self._waiting) >= _LOW or self._stopped.is_set():
                    return
                excluded = self._given | self._closed | {item.doc_id for item in self._waiting}
                has_learnt, model, scores = self._has_learnt, self._model, self._scores
            if not has_learnt:
                model, scores = _saved(self._folder)
            state = labeling_state(
                self._folder, by=self._by, overlap=self._overlap, model=model, scores=scores, stakes=stakes(self._folder)
            )  # fmt: skip
            chosen = choose_next(state, _BATCH, excluded)
            with self._lock:
                if self._has_learnt == has_learnt:
                    self._model = model
                self.left_to_others = state.pool.left_to_others
                waiting = {item.doc_id for item in self._waiting} | self._given | self._closed
                self._waiting.extend(item for item in chosen if item.doc_id not in waiting)
                self._is_all = len(chosen) < _BATCH

    def card(self, item: Question, *, opened: bool = False) -> dict[str, Any]:
        """Return the card of a document. ``opened``: with the complete text up to a limit."""
        return card_of(self._folder, item, self._model, opened=opened)


def card_of(
    folder: CorpusFolder, item: Question, model: RelevanceModel | None, *, opened: bool = False
) -> dict[str, Any]:
    """Return the card of a document.

    Args:
        folder: the corpus.
        item: the document, and why it is asked.
        model: marks the words that speak for and against; None: none are marked.
        opened: as much as a page can hold.
    """
    row = folder.catalog.rows("SELECT uri, title, lang, words FROM current WHERE doc_id = ?", (item.doc_id,))
    card: dict[str, Any] = {"id": item.doc_id, "why": "", "uri": "", "facts": "", "blocks": [], "left_out": 0}
    if not row:
        return card | {"title": "(removed)"}
    uri, title, lang, words = row[0]
    card |= {"title": title or uri, "uri": uri, "score": item.score, "why": _REASONS.get(item.reason, item.reason)}
    card["facts"] = f"{lang or '?'} · {words or 0:,} words"
    try:
        document = folder.document(item.doc_id)
    except (CorpusKitError, OSError) as error:
        error_block = {"kind": "text", "text": f"(cannot be read: {error})", "marks": []}
        return card | {"blocks": [error_block]}
    spoken = {} if model is None else _spoken(model, f"{title or ''}\n{document.to_text(main=True)}")

    def marks(text: str) -> list[list[int]]:
        return [
            [match.start(), match.end(), spoken[word]]
            for match in WORD.finditer(text)
            if (word := match[0].lower()) in spoken
        ]

    card["blocks"], card["left_out"] = structure(document.table, OPENED if opened else SHOWN, marks)
    return card


def _spoken(model: RelevanceModel, text: str) -> dict[str, int]:
    """Return the most influential words: 1 for, 0 against."""
    shares = [(word, part) for word, part in model.explain(text) if word != "(start)"]
    words_for = [word for word, part in shares if part > 0.0][:_MARKED]
    words_against = [word for word, part in shares if part < 0.0][:_MARKED]
    return dict.fromkeys(words_for, 1) | dict.fromkeys(words_against, 0)


def has_flattened(gain: float | None) -> bool:
    """Return whether more labels add little, so an audit is more useful."""
    return gain is not None and gain < _FLAT


def _saved(folder: CorpusFolder) -> tuple[RelevanceModel | None, Mapping[str, float]]:
    """Return the model trained last, and its scores."""
    try:
        saved = last_model(folder)
    except CorpusKitError as error:
        logger.warning("the last model cannot be read, documents are asked without it: %s", error)
        saved = None
    return saved.document if saved else None, stored_scores(folder, saved)
