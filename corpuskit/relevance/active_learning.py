"""Active learning: the documents to label next, each with the reason for the choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.labels import (
    OVERLAP,
    AnnotationPool,
    annotation_pool,
    corpus_labels,
    example_weights,
    hold_labels,
    machine_labels,
    sample,
    training_labels,
)
from corpuskit.relevance.corpus_training import last_model, scoring_texts, stored_scores
from corpuskit.relevance.model import RelevanceModel
from corpuskit.relevance.sampling import cold_start_queries, exploration_quota, query_positions
from corpuskit.store import CorpusFolder

if TYPE_CHECKING:
    import pandas as pd

_POOL: Final = 5000  # unlabelled texts that are considered without a model
_LABELS_PER_SOURCE: Final = 2
_MIN_FOR_RANDOM: Final = 3  # from this number of documents on, one is random in addition to those of a crawl's sources
_COLD_START, _COLD_START_RELEVANT = 10, 3  # labels; until then, seed words are better than a model


@dataclass(frozen=True, slots=True)
class Question:
    """A document to label.

    Attributes:
        doc_id: The document.
        reason: Reason for the choice.
        score: P(relevant). None without a model.
    """

    doc_id: str
    reason: str
    score: float | None


@dataclass(frozen=True, slots=True)
class LabelingState:
    """Input of :func:`choose_next`: labels, scores and sources of a corpus at one moment.

    Attributes:
        pool: Documents that the annotator can be asked to label.
        overlap: Share of the documents that every annotator is asked to label.
        hosts: Document → host.
        labeled: Documents with an individual label.
        machine_labels: Machine → document → ``relevant`` or ``other``.
        seeds: Seed words. Empty when there are enough labels for a model.
        stakes: Host → number of its pages that a crawl would fetch next.
        model: Model of documents. None before the first training.
        scores: Document → P(relevant) by the model, at least of all unlabelled documents.
        read_texts: Function that returns the texts that the model scores for given documents.
    """

    pool: AnnotationPool
    overlap: float
    hosts: Mapping[str, str]
    labeled: Set[str]
    machine_labels: Mapping[str, Mapping[str, str]]
    seeds: Sequence[str]
    stakes: Mapping[str, int]
    model: RelevanceModel | None
    scores: Mapping[str, float]
    read_texts: Callable[[Sequence[str]], Mapping[str, str]]


def labeling_state(
    folder: CorpusFolder,
    *,
    by: str | None = None,
    overlap: float | None = None,
    model: RelevanceModel | None = None,
    scores: Mapping[str, float] | None = None,
    stakes: Mapping[str, int] | None = None,
) -> LabelingState:
    """Read the input of :func:`choose_next` from a corpus.

    Args:
        folder: The corpus folder.
        by: Annotator to ask. None: anybody.
        overlap: Share of the documents that every annotator is asked. Default: 0.1.
        model: Model of documents to choose with. None: choose without one.
        scores: Document → P(relevant) by the model. Unlabelled documents without one are read and scored.
        stakes: Host → number of the pages that a crawl would fetch next, see :func:`corpuskit.crawl.model_ranking.stakes`.
    """
    share = OVERLAP if overlap is None else overlap
    with hold_labels(folder):
        pool = annotation_pool(folder, by, overlap=share)
        labeled = {label.target for label in corpus_labels(folder, "document") if not label.is_group_label}
        machines, seeds = machine_labels(folder), cold_start_seeds(folder)
    known = dict(scores or {})
    if model is not None and (missing := [doc_id for doc_id in pool.free if doc_id not in known]):
        texts = scoring_texts(folder, missing)
        known |= zip(texts, model.score(list(texts.values())).tolist(), strict=True)
    hosts = dict(folder.catalog.tuples("SELECT doc_id, host FROM current"))
    return LabelingState(
        pool, share, hosts, labeled, machines, seeds, stakes or {}, model, known, lambda ids: scoring_texts(folder, ids)
    )


def choose_next(state: LabelingState, n: int, exclude: Set[str] = frozenset()) -> list[Question]:
    """Return up to ``n`` documents to label next, best first. The result is deterministic.

    The order of reasons is:

    1. Documents with tied labels.
    2. A few documents that others labelled and every annotator is asked.
    3. Some documents on which a machine (:meth:`Corpus.prelabel`) and the model disagree.
    4. Unlabelled documents. During a crawl, three in four come from the sources with the most pages to fetch next; sources
       with few labels come first: first a random page, then the page that the model is least certain of. Most of the others
       are uncertain documents of any source, dissimilar to each other, and one is random. Without a crawl, one in ten is
       random, and a quarter has the highest scores until ten relevant documents are known.

    Without a model, documents come from regions of the corpus without labels. With seed words (:meth:`Corpus.describe`) two
    of three are the ones most similar to them, until ten documents are labelled and three of these are relevant, see
    :func:`cold_start`. Reasons alternate among documents chosen by a model, so that the first few represent all of them.

    Args:
        state: Labels, scores and sources of the corpus.
        n: Number of documents.
        exclude: Documents to leave out.
    """
    pool = state.pool.without(exclude)
    free, model = pool.free, state.model
    chosen = dict.fromkeys(pool.disputed[:n], "disagreement")
    chosen |= dict.fromkeys(_for_everyone(pool, n - len(chosen), state.overlap), "for everyone")
    first = len(chosen)
    if model is not None:
        disagreements = _machine_disagreements(state, free)[: (n - first) // 5]
        chosen |= dict.fromkeys(disagreements, "machine and model disagree")
        free = [doc_id for doc_id in free if doc_id not in chosen]
    if model is None or state.seeds:
        chosen |= _without_model(state, free, n - len(chosen))
        return [Question(doc_id, reason, None) for doc_id, reason in chosen.items()]
    if state.stakes:
        chosen |= _of_sources_at_stake(state, free, n - len(chosen))
        free = [doc_id for doc_id in free if doc_id not in chosen]
    chosen |= _by_model(state, model, free, min(n - len(chosen), len(free)))
    chosen = _alternating(chosen, first)
    return [Question(doc_id, reason, state.scores.get(doc_id)) for doc_id, reason in chosen.items()]


def next_to_label(
    folder: CorpusFolder,
    n: int,
    *,
    by: str | None = None,
    overlap: float | None = None,
    stakes: Mapping[str, int] | None = None,
) -> pd.DataFrame:
    """Return the documents to label next by the last model, see :meth:`Corpus.labelling.next_to_label`.

    Args:
        folder: The corpus folder.
        n: Number of documents.
        by: Annotator to ask. None: anybody.
        overlap: Share of the documents that every annotator is asked. Default: 0.1.
        stakes: Host → number of the pages that a crawl would fetch next.
    """
    import pandas as pd

    if n < 1:
        raise RelevanceError(f"n={n}: expected at least 1")
    model = last_model(folder)
    state = labeling_state(
        folder, by=by, overlap=overlap, model=model.document if model else None, scores=stored_scores(folder, model), stakes=stakes
    )  # fmt: skip
    known = {row["doc_id"]: row for row in folder.catalog.rows("SELECT doc_id, uri, title, host FROM current")}
    rows = [
        (question.doc_id, known[question.doc_id]["uri"], question.reason, known[question.doc_id]["title"] or "", known[question.doc_id]["host"], question.score)
        for question in choose_next(state, n)
    ]  # fmt: skip
    columns = dict.fromkeys(("doc_id", "uri", "reason", "title", "host"), "str") | {"relevance": "float64"}
    return pd.DataFrame(rows, columns=list(columns)).astype(columns)


def _for_everyone(pool: AnnotationPool, n: int, overlap: float) -> list[str]:
    """Return a share of the documents that every annotator is asked, at least one. Return all if nothing is unlabelled."""
    return sample(pool.shared, n if not pool.free else min(n, max(1, round(n * overlap))))


def _machine_disagreements(state: LabelingState, free: Sequence[str]) -> list[str]:
    """Return the documents that a machine has labelled differently than the model, the most certain of the model first."""
    allowed = set(free)
    certainty: dict[str, float] = {}
    for labels in state.machine_labels.values():
        for doc_id, label in labels.items():
            score = state.scores.get(doc_id)
            if doc_id in allowed and score is not None and (score >= 0.5) != (label == "relevant"):
                certainty[doc_id] = _certainty(score)
    return sorted(certainty, key=lambda doc_id: (-certainty[doc_id], doc_id))


def _certainty(score: float) -> float:
    """Return the distance of a score from one half. It is rounded, because the last bits depend on the processor."""
    return abs(round(score, 6) - 0.5)


def _without_model(state: LabelingState, free: Sequence[str], n: int) -> dict[str, str]:
    """Return documents similar to the seed words and from regions without labels, then random ones."""
    if n < 1 or not free:
        return {}
    if state.seeds:
        ids = [*free, *sorted(state.labeled)]
    else:
        ids = [*sample(free, max(n, _POOL)), *sample(state.labeled, _POOL)]
    texts = state.read_texts(ids)
    ids = [doc_id for doc_id in ids if doc_id in texts]
    labeled = [position for position, doc_id in enumerate(ids) if doc_id in state.labeled]
    suggestions = cold_start_queries([texts[doc_id] for doc_id in ids], n, seeds=state.seeds, labelled=labeled)
    chosen: dict[str, str] = {ids[item.index]: item.reason for item in suggestions}
    rest = sample((doc_id for doc_id in free if doc_id not in chosen), n - len(chosen))
    return chosen | dict.fromkeys(rest, "random")


def _of_sources_at_stake(state: LabelingState, free: Sequence[str], n: int) -> dict[str, str]:
    """Return three quarters of ``n`` documents from the sources of a crawl."""
    labels = Counter(host for doc_id, host in state.hosts.items() if doc_id in state.labeled)
    doubt = {doc_id: _certainty(score) for doc_id, score in state.scores.items()}
    return choose_by_source({doc_id: state.hosts[doc_id] for doc_id in free}, labels, doubt, state.stakes, n - n // 4)


def _by_model(state: LabelingState, model: RelevanceModel, free: Sequence[str], n: int) -> dict[str, str]:
    """Return documents that the model is least or most certain of, and random ones."""
    if n < 1:
        return {}
    from scipy.special import logit

    def read(positions: Sequence[int]) -> list[str]:
        texts = state.read_texts([free[i] for i in positions])
        return [texts.get(free[i], "") for i in positions]

    certain, random = (0, int(n >= _MIN_FOR_RANDOM)) if state.stakes else exploration_quota(model, n)
    logits = logit(np.array([state.scores[doc_id] for doc_id in free]))
    reasons = query_positions(model, logits, range(len(free)), n, read, certain=certain, random=random)
    return {free[i]: reason for i, reason in reasons.items()}


def _alternating(chosen: Mapping[str, str], first: int) -> dict[str, str]:
    """Return the first documents unchanged, then interleave the others by reason, in proportion to their numbers."""
    items = list(chosen.items())
    by_reason: dict[str, list[str]] = {}
    for doc_id, reason in items[first:]:
        by_reason.setdefault(reason, []).append(doc_id)
    ranks = [
        ((position + 0.5) / len(group), order, doc_id)
        for order, group in enumerate(by_reason.values())
        for position, doc_id in enumerate(group)
    ]
    return dict(items[:first]) | {doc_id: chosen[doc_id] for _, _, doc_id in sorted(ranks)}


def seeds_in_no_text(folder: CorpusFolder, seeds: Sequence[str]) -> list[str]:
    """Return the seed words that occur in no document, not even within a word. They are misspelt or of another language."""
    left = {seed: seed.casefold() for seed in seeds}
    for text in scoring_texts(folder).values():
        folded = text.casefold()
        left = {seed: word for seed, word in left.items() if word not in folded}
        if not left:
            break
    return list(left)


def cold_start_seeds(folder: CorpusFolder) -> Sequence[str]:
    """Return the seed words of the corpus while there are few labels."""
    judged = training_labels(folder)
    weights = example_weights(folder, judged)
    relevant = sum(weights.get(doc_id, 1.0) for doc_id, label in judged.items() if label == "relevant")
    labels = len(judged) - len(weights) + sum(weights.values())
    return () if labels >= _COLD_START and relevant >= _COLD_START_RELEVANT else folder.settings.seeds


def choose_by_source(
    free: Mapping[str, str], label_counts: Counter[str], doubt: Mapping[str, float], stakes: Mapping[str, int], n: int
) -> dict[str, str]:
    """Return up to ``n`` documents of the sources in which a label is most useful, each with its reason.

    Args:
        free: Document without a label → its host.
        label_counts: Host → number of labels.
        doubt: Document → distance of its score from one half. Small values are uncertain.
        stakes: Host → number of the pages that a crawl would fetch next from it.
        n: Number of documents.
    """
    documents: dict[str, list[str]] = {}
    for doc_id, host in free.items():
        if stakes.get(host):
            documents.setdefault(host, []).append(doc_id)
    labels, chosen = Counter(label_counts), dict[str, str]()
    while documents and len(chosen) < n:
        host = max(documents, key=lambda host: (stakes[host] / (1 + labels[host]) ** 2, host))
        candidates = documents[host]
        if labels[host]:
            doc_id = min(candidates, key=lambda doc_id: (doubt.get(doc_id, 0.0), doc_id))
        else:
            [doc_id] = sample(candidates, 1)
        chosen[doc_id] = "uncertain" if labels[host] >= _LABELS_PER_SOURCE else "new source"
        labels[host] += 1
        candidates.remove(doc_id)
        if not candidates:
            del documents[host]
    return chosen
