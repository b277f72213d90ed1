"""Learns from the labels and chooses what to ask next, in a process of its own: no key waits for a training."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING, Final

from corpuskit.crawl.steering import stakes
from corpuskit.errors import RelevanceError
from corpuskit.labels import judged_documents, sample
from corpuskit.relevance import CorpusModel, RelevanceModel, learning_curve
from corpuskit.relevance.asking import next_to_label, seeds_to_ask_by
from corpuskit.relevance.learning import POOL, last_model, scoring_texts, train_documents
from corpuskit.relevance.training import space_of
from corpuskit.safe_folder import Folder
from corpuskit.store import CorpusFolder
from corpuskit.store.schema import DOCUMENTS_STATE

if TYPE_CHECKING:
    import pandas as pd

_MEASURED_EVERY: Final = 40  # labels; a learning curve takes a dozen trainings


@dataclass(frozen=True, slots=True)
class Asked:
    """A document to label, why, and what the model says of it (None without one)."""

    doc_id: str
    reason: str
    score: float | None


@dataclass(frozen=True, slots=True)
class Choice:
    """What to ask next.

    Attributes:
        items: best first.
        model: what chose them; None where it is the one of the choice before.
        labels: what it was trained on.
        gain: what 50 more labels would bring in average precision, measured every forty labels; None where it is not known.
    """

    items: tuple[Asked, ...]
    model: RelevanceModel | None
    labels: int
    gain: float | None


@dataclass(slots=True)
class _Known:
    """What this process keeps from one call to the next."""

    path: str
    state: str
    texts: dict[str, str]
    model: CorpusModel | None = None
    measured: int = 0  # labels when the learning curve was drawn
    gain: float | None = None


_known: list[_Known] = []  # at most one


def choose(path: Folder, by: str, overlap: float, taken: Set[str], n: int, learn: bool) -> Choice:
    """Return what to ask an annotator next, by a new model of all labels or by the last one.

    Args:
        path: the corpus, or the ``inside`` of one that is open.
        by: who is asked.
        overlap: the share of the documents that everyone is asked.
        taken: documents that are not to be asked.
        n: how many.
        learn: train first.

    Raises:
        RelevanceError: there is no model, and the labels do not suffice for one.
    """
    folder = CorpusFolder(path)
    try:
        if seeds_to_ask_by(folder):
            raise RelevanceError("seed words know more than a model of so few labels")
        known = _of(folder)
        labels, gain = _learn(folder, known) if learn else (0, None)
        model = known.model or last_model(folder)
        if model is None:
            raise RelevanceError("there is no model yet")
        frame = next_to_label(
            folder, n, by=by, overlap=overlap, model=model, stakes=stakes(folder), taken=taken, texts=known.texts
        )
    finally:
        folder.close()
    # Without what it has made to score, which would be sent too.
    document = model.document
    sent = replace(document, tables=tuple(replace(table) for table in document.tables)) if learn else None
    return Choice(tuple(asked_of(frame)), sent, labels, gain)


def asked_of(frame: pd.DataFrame) -> list[Asked]:
    """Return the rows of :func:`corpuskit.relevance.asking.next_to_label`."""
    return [
        Asked(doc_id, reason, None if isnan(score) else score)
        for doc_id, reason, score in zip(frame["doc_id"], frame["reason"], frame["relevance"].tolist(), strict=True)
    ]


def _of(folder: CorpusFolder) -> _Known:
    path, state = str(folder.path), folder.catalog.meta(DOCUMENTS_STATE) or ""
    if not (_known and _known[0].path == path and _known[0].state == state):
        _known[:] = [_Known(path, state, scoring_texts(folder))]
    return _known[0]


def _learn(folder: CorpusFolder, known: _Known) -> tuple[int, float | None]:
    """Trains as ``Corpus.train`` does; returns the number of labels, and what 50 more would bring."""
    said = {doc_id: label for doc_id, label in judged_documents(folder).items() if doc_id in known.texts}
    document, machines = train_documents(folder, said, known.texts)
    known.model = CorpusModel(document, machines=machines)
    if len(said) >= known.measured + _MEASURED_EVERY:
        known.measured = len(said)
        texts = [known.texts[doc_id] for doc_id in said]
        pool = [known.texts[doc_id] for doc_id in sample(known.texts, POOL)]
        try:
            known.gain = learning_curve(texts, list(said.values()), space=space_of(texts, pool, "document", 0)).gain
        except RelevanceError:
            known.gain = None
    return len(said), known.gain
