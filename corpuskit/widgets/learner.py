"""Learns from the labels and chooses what to ask next, in a process of its own: no key waits for a training."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Set
from dataclasses import dataclass, replace
from typing import Final

from corpuskit.errors import RelevanceError
from corpuskit.labels import example_weights, judged_documents, questions, sample
from corpuskit.relevance import RelevanceModel, Space, learning_curve, train
from corpuskit.relevance.asking import MACHINE_AT_ODDS, at_odds, for_everyone, seeds_to_ask_by, share_at_odds
from corpuskit.relevance.learning import last_model, scoring_texts
from corpuskit.relevance.sampling import exploration, suggest
from corpuskit.safe_folder import Folder
from corpuskit.store import CorpusFolder
from corpuskit.store.schema import DOCUMENTS_STATE

_POOL: Final = 5_000  # texts that teach which words there are
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
    space: Space | None = None
    model: RelevanceModel | None = None
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
        if known.model is None:
            saved = last_model(folder)
            if saved is None:
                raise RelevanceError("there is no model yet")
            known.model = saved.document
        items = _choice(folder, known, known.model, by, overlap, taken, n)
    finally:
        folder.close()
    # Without what it has made to score, which would be sent too.
    sent = replace(known.model, tables=tuple(replace(table) for table in known.model.tables)) if learn else None
    return Choice(tuple(items), sent, labels, gain)


def _of(folder: CorpusFolder) -> _Known:
    path, state = str(folder.path), folder.catalog.meta(DOCUMENTS_STATE) or ""
    if not (_known and _known[0].path == path and _known[0].state == state):
        _known[:] = [_Known(path, state, scoring_texts(folder))]
    return _known[0]


def _learn(folder: CorpusFolder, known: _Known) -> tuple[int, float | None]:
    """Trains on all labels; returns how many, and what 50 more would bring."""
    said = {doc_id: label for doc_id, label in judged_documents(folder).items() if doc_id in known.texts}
    texts = [known.texts[doc_id] for doc_id in said]
    labels = list(said.values())
    if known.space is None:
        known.space = Space.fit([known.texts[doc_id] for doc_id in sample(known.texts, _POOL)])
    weights = example_weights(folder, said)
    known.model = train(texts, labels, space=known.space, weights=[weights.get(doc_id, 1.0) for doc_id in said])
    if len(said) >= known.measured + _MEASURED_EVERY:
        known.measured = len(said)
        try:
            known.gain = learning_curve(texts, labels, space=known.space).gain
        except RelevanceError:
            known.gain = None
    return len(said), known.gain


def _choice(
    folder: CorpusFolder, known: _Known, model: RelevanceModel, by: str, overlap: float, taken: Set[str], n: int
) -> list[Asked]:
    left = questions(folder, by, overlap=overlap).without(taken)
    found = [Asked(doc_id, "disagreement", None) for doc_id in left.disputed[:n]]
    shared = for_everyone(left, n - len(found), overlap)
    found += [Asked(doc_id, "for everyone", None) for doc_id in shared]
    free = [doc_id for doc_id in left.free if doc_id in known.texts]
    scores = dict(zip(free, model.score([known.texts[doc_id] for doc_id in free]).tolist(), strict=True))
    odd = at_odds(folder, free, scores)[: share_at_odds(n - len(found))]
    rest = [doc_id for doc_id in free if doc_id not in set(odd)]
    room = max(0, min(n - len(found) - len(odd), len(rest)))
    certain, drawn = exploration(model, room)
    chosen = suggest(model, [known.texts[i] for i in rest], room, certain=certain, random=drawn)
    some = [Asked(rest[item.index], item.reason, item.score) for item in chosen]
    return found + mixed([*some, *(Asked(doc_id, MACHINE_AT_ODDS, scores[doc_id]) for doc_id in odd)])


def mixed(items: Iterable[Asked]) -> list[Asked]:
    """One of each reason in turn, so that certain and random ones do not come in a block at the end."""
    by_reason: dict[str, deque[Asked]] = {}
    for item in items:
        by_reason.setdefault(item.reason, deque()).append(item)
    total = {reason: len(group) for reason, group in by_reason.items()}
    found: list[Asked] = []
    while by_reason:
        reason = max(by_reason, key=lambda name: len(by_reason[name]) / total[name])
        found.append(by_reason[reason].popleft())
        if not by_reason[reason]:
            del by_reason[reason]
    return found
