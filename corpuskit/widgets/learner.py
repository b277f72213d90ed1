"""Training on the labels so far and the choice of the next documents, in a separate process: no key waits for it."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import Final

from corpuskit.crawl.model_ranking import stakes
from corpuskit.errors import RelevanceError
from corpuskit.labels import sample, training_labels
from corpuskit.relevance import RelevanceModel, learning_curve
from corpuskit.relevance.active_learning import Question, choose_next, cold_start_seeds, labeling_state
from corpuskit.relevance.corpus_training import POOL, scoring_texts, train_documents
from corpuskit.relevance.training import space_of
from corpuskit.safe_folder import Folder
from corpuskit.store import CorpusFolder
from corpuskit.store.schema import DOCUMENTS_STATE

_MEASURED_EVERY: Final = 40  # labels; a learning curve takes a dozen trainings


@dataclass(frozen=True, slots=True)
class Lesson:
    """Result of a training.

    Attributes:
        model: Model of documents.
        scores: Document → P(relevant) by the model.
        items: Documents to label next, best first.
        labels: Number of labels that it was trained on.
        gain: Average precision that 50 more labels would add, measured every forty labels. None: unknown.
    """

    model: RelevanceModel
    scores: Mapping[str, float]
    items: tuple[Question, ...]
    labels: int
    gain: float | None


@dataclass(slots=True)
class _Cache:
    """State of this process between two calls."""

    path: str
    state: str
    texts: dict[str, str]
    measured: int = 0  # labels of the last learning curve
    gain: float | None = None


_cache: list[_Cache] = []  # at most one


def learn(path: Folder, by: str, overlap: float, excluded: Set[str], n: int) -> Lesson:
    """Train on all labels as ``Corpus.train`` does, and choose what to ask an annotator next.

    Args:
        path: The corpus folder, or the ``inside`` of one that is open.
        by: Annotator to ask.
        overlap: Share of the documents that every annotator is asked.
        excluded: Documents to leave out.
        n: Number of documents.

    Raises:
        RelevanceError: The labels do not suffice for a model, or seed words choose better than one.
    """
    folder = CorpusFolder(path)
    try:
        if cold_start_seeds(folder):
            raise RelevanceError("seed words know more than a model of so few labels")
        cache = _cache_of(folder)
        labels = {doc_id: label for doc_id, label in training_labels(folder).items() if doc_id in cache.texts}
        model, _ = train_documents(folder, labels, cache.texts)
        scores = dict(zip(cache.texts, model.score(list(cache.texts.values())).tolist(), strict=True))
        _measure(cache, labels)
        state = labeling_state(folder, by=by, overlap=overlap, model=model, scores=scores, stakes=stakes(folder))
        items = tuple(choose_next(state, n, excluded))
    finally:
        folder.close()
    # Without what the tables cache for scoring, which would be sent too.
    sent = replace(model, tables=tuple(replace(table) for table in model.tables))
    return Lesson(sent, scores, items, len(labels), cache.gain)


def _cache_of(folder: CorpusFolder) -> _Cache:
    path, state = str(folder.path), folder.catalog.meta(DOCUMENTS_STATE) or ""
    if not (_cache and _cache[0].path == path and _cache[0].state == state):
        _cache[:] = [_Cache(path, state, scoring_texts(folder))]
    return _cache[0]


def _measure(cache: _Cache, labels: Mapping[str, str]) -> None:
    """Draw a new learning curve if there are enough new labels."""
    if len(labels) < cache.measured + _MEASURED_EVERY:
        return
    cache.measured = len(labels)
    texts = [cache.texts[doc_id] for doc_id in labels]
    pool = [cache.texts[doc_id] for doc_id in sample(cache.texts, POOL)]
    try:
        cache.gain = learning_curve(texts, list(labels.values()), space=space_of(texts, pool, "document", 0)).gain
    except RelevanceError:
        cache.gain = None
