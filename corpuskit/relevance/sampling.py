"""Which texts to label next."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice, zip_longest
from typing import Literal

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.relevance.counts import Floats
from corpuskit.relevance.model import RelevanceModel, probability
from corpuskit.relevance.space import Space, comparable, matrix, one_thread, untied
from corpuskit.relevance.table import directions

Reason = Literal["uncertain", "certain", "random", "seed words", "new region"]


_FOUND = 10
_AT_ONCE = 100
_REGIONS = 20
_POOL = 5_000  # texts that tell which regions there are


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A text to label: its position in the pool, why it is asked, and its score (NaN without a model).

    Args:
        index: Position in the pool, from 0.
        reason: Why it is asked.
        score: P(relevant), NaN without a model.
    """

    index: int
    reason: Reason
    score: float


def select(model: RelevanceModel, pool_texts: Sequence[str], n: int, *, exclude: Collection[int] = ()) -> list[int]:
    """Return the positions of `n` texts whose labels teach the model most: those it is least certain of, and unlike each other.

    Fewer than `n` where the pool has no more; never one of `exclude`, and of equal texts only one.

    Args:
        model: The model.
        pool_texts: The texts to choose from.
        n: Number of texts, at most.
        exclude: Positions that are not chosen.
    """
    return [found.index for found in suggest(model, pool_texts, n, exclude=exclude)]


def suggest(
    model: RelevanceModel,
    pool_texts: Sequence[str],
    n: int,
    *,
    exclude: Collection[int] = (),
    certain: int = 0,
    random: int = 0,
    seed: int = 0,
) -> list[Suggestion]:
    """Return `n` texts to label next, each with its reason.

    Those in doubt are the text that the model is least certain of and, of twice as many as are wanted, those that are
    least like the ones chosen before: near copies would teach the same.

    Args:
        model: the model of the labels so far.
        pool_texts: the texts to choose from.
        n: how many.
        exclude: positions that are labelled already.
        certain: of the `n`, how many of the highest scores: they find mistakes that the model is sure of.
        random: of the `n`, how many at random: kept apart, they are an unbiased sample of the pool.
        seed: of the random ones.

    Raises:
        RelevanceError: `n` is negative or smaller than the parts.
    """
    if n < 0 or certain + random > n:
        raise RelevanceError(f"found n={n}, certain={certain}, random={random}, expected parts of n")
    logits = model.logits(pool_texts)
    chosen = query(
        model, logits, _free(pool_texts, exclude), n, lambda positions: [pool_texts[i] for i in positions],
        certain=certain, random=random, seed=seed,
    )  # fmt: skip
    return [Suggestion(i, reason, float(probability(logits[i]))) for i, reason in chosen.items()]


def query(
    model: RelevanceModel,
    logits: Floats,
    free: Sequence[int],
    n: int,
    read: Callable[[Sequence[int]], Sequence[str]],
    *,
    certain: int = 0,
    random: int = 0,
    seed: int = 0,
) -> dict[int, Reason]:
    """Return the position and the reason of `n` texts to label next, those in doubt first.

    Args:
        model: Model of the labels so far.
        logits: Logit of each text of the pool by this model.
        free: Positions to choose from.
        n: Number of texts.
        read: Function that reads the texts at some positions; it is asked for at most twice the number of texts in doubt.
        certain, random, seed: See :func:`suggest`.
    """
    order = comparable(logits)
    drawn = np.random.RandomState(seed).permutation(len(free))[:random] if random else ()
    chosen: dict[int, Reason] = dict.fromkeys((free[i] for i in drawn), "random")
    left = [i for i in free if i not in chosen]
    highest: dict[int, Reason] = dict.fromkeys(nsmallest(certain, left, key=lambda i: (-order[i], i)), "certain")
    left = [i for i in left if i not in highest]
    wanted = n - len(chosen) - len(highest)
    nearest = nsmallest(2 * wanted, left, key=lambda i: (abs(order[i] - model.doubt), i))
    doubtful = (nearest[i] for i in _most_diverse(model, read(nearest), wanted))
    uncertain: dict[int, Reason] = dict.fromkeys(doubtful, "uncertain")
    return uncertain | highest | chosen


def exploration(model: RelevanceModel, n: int) -> tuple[int, int]:
    """Return how many of `n` questions are for what the model is certain of, and how many for texts at random.

    A quarter goes to the highest scores until ten labels are relevant: they find more of a rare class. One in ten is drawn
    at random: among those may be what nobody thought of.
    """
    return n // 4 if model.card.relevant < _FOUND else 0, n // 10


def _most_diverse(model: RelevanceModel, texts: Sequence[str], n: int) -> list[int]:
    """Return `n` positions: the first one, then always the text least similar to any chosen before.

    Similarity is the mean of two cosines, of words and, if the model has them, of LSA vectors.
    """
    n, chosen = min(n, len(texts)), list[int]()
    table = model.tables[0]
    for first in range(0, n, _AT_ONCE):
        wanted = min(_AT_ONCE, n - first)
        start, end = len(texts) * first // n, len(texts) * (first + wanted) // n
        found = table.bags(texts[start:end])
        words = matrix(found, len(table.words))
        alike = (words @ words.T).toarray()
        if table.meaning is not None:
            direction = directions(found, table.meaning.vectors)[0]
            alike = (alike + direction @ direction.T) / 2.0
        nearest = np.full(end - start, -1.0)
        nearest[0] = -2.0
        for _ in range(wanted):
            at = int(np.argmin(nearest))
            chosen.append(start + at)
            nearest = np.maximum(nearest, comparable(alike[at]))
            nearest[at] = np.inf
    return chosen


def _free(pool_texts: Sequence[str], exclude: Collection[int]) -> list[int]:
    taken = {int(i) for i in exclude}
    seen = {pool_texts[i] for i in taken if 0 <= i < len(pool_texts)}
    free = []
    for position, text in enumerate(pool_texts):
        if position not in taken and text not in seen:
            seen.add(text)
            free.append(position)
    if not free:  # only copies of labelled texts are left
        free = [position for position in range(len(pool_texts)) if position not in taken]
    return free


def first_questions(
    texts: Sequence[str],
    n: int,
    *,
    seeds: Sequence[str] = (),
    labelled: Collection[int] = (),
    space: Space | None = None,
    seed: int = 0,
) -> list[Suggestion]:
    """Return `n` texts to label while there is no model, in an order of which each beginning is a good start.

    Two of three are near the seed words, one is from a region without labels: the texts are put into twenty clusters by
    their direction in the space, and the one nearest to the centre is asked, the largest cluster first. Without seed words
    all are of such regions; after these the rest are drawn at random. Only texts near the seed words would teach what is
    relevant and nothing of what is not; see benchmarks/cold_start.py.

    Args:
        texts: the texts to choose from, with those that are labelled.
        n: how many.
        seeds: words of what is looked for; those that no text has are passed over.
        labelled: positions that are labelled already.
        space: of these texts; default: one is fitted.
        seed: of the clusters and the random ones.
    """
    free = _free(texts, labelled)
    drawn = [free[i] for i in np.random.RandomState(seed).permutation(len(free))]
    if space is None:
        try:
            space = Space.fit([texts[i] for i in sorted(drawn[:_POOL])])
        except RelevanceError:  # not a word in any of them
            return [Suggestion(i, "random", float("nan")) for i in drawn[:n]]
    near: list[int] = []
    if seeds:
        try:
            nearness = comparable(rank_by_seeds([texts[i] for i in free], seeds, space=space))
            near = [i for closeness, i in sorted(zip((-nearness).tolist(), free, strict=True)) if closeness < 0]
        except RelevanceError:
            pass
    central = _regions(texts, sorted(drawn[:_POOL]), sorted(labelled), space, seed)
    elsewhere: list[tuple[int, Reason]] = [(i, "new region") for i in central] + [(i, "random") for i in drawn]
    by_words: list[tuple[int, Reason]] = [(i, "seed words") for i in near]
    in_turns = [
        pair for some in zip_longest(by_words[::2], elsewhere, by_words[1::2]) for pair in some if pair is not None
    ]
    chosen: dict[int, Reason] = {}
    for i, reason in in_turns:
        chosen.setdefault(i, reason)
    return [Suggestion(i, reason, float("nan")) for i, reason in islice(chosen.items(), n)]


def _regions(texts: Sequence[str], free: list[int], labelled: list[int], space: Space, seed: int) -> list[int]:
    """Of each cluster without a label the text nearest to its centre, the largest cluster first."""
    from sklearn.cluster import KMeans

    asked = [*free, *labelled]
    points = directions(space.tables[0].bags([texts[i] for i in asked]), space.codes)[0]
    length = np.linalg.norm(points, axis=1, keepdims=True)
    points = points / np.maximum(length, 1e-9)
    known = np.flatnonzero(length[:, 0] > 0)
    different = len(np.unique(points[known].round(6), axis=0))
    if not different:
        return []
    with one_thread():
        found = KMeans(min(_REGIONS, different), n_init=1, random_state=seed).fit(untied(points[known]))
    taken = {found.labels_[at] for at, i in enumerate(known) if i >= len(free)}
    sizes = np.bincount(found.labels_)
    nearest = []
    by_position = (cluster for cluster in dict.fromkeys(found.labels_.tolist()) if cluster not in taken)
    for cluster in sorted(by_position, key=lambda cluster: -sizes[cluster]):
        inside = known[found.labels_ == cluster]
        nearest.append(asked[int(inside[np.argmax(comparable(points[inside] @ found.cluster_centers_[cluster]))])])
    return nearest


def rank_by_seeds(texts: Sequence[str], seeds: Sequence[str], *, space: Space | None = None) -> Floats:
    """Return how near each text is to some seed words, in [-1, 1]: where to start without a single label.

    The mean of two cosines: of tf-idf weights, and of word vectors, which also finds texts with none of the words.

    Args:
        texts: The texts.
        seeds: The words.
        space: The space of the texts; None: fit one.

    Raises:
        RelevanceError: there is no seed word, or the texts have none of them.
    """
    if isinstance(seeds, str) or not seeds:
        raise RelevanceError(f"found seeds={seeds!r}, expected a list of words")
    space = space or Space.fit(texts)
    words = space.tables[0]
    wanted = words.bags([" ".join(seeds)])
    if not len(wanted.column):
        raise RelevanceError(
            f"found none of the seed words {', '.join(seeds)} in the texts, or all of them in most texts"
        )
    query = np.zeros(len(words.words))
    query[wanted.column] = wanted.weight
    found = words.bags(texts)
    plain = np.bincount(found.row, found.weight * query[found.column], minlength=len(texts))
    near = query @ space.vectors
    vectors = np.zeros((len(texts), space.vectors.shape[1]))
    np.add.at(vectors, found.row, found.weight[:, None] * space.vectors[found.column])
    length = np.linalg.norm(vectors, axis=1) * np.linalg.norm(near)
    nearness: Floats = (plain + vectors @ near / np.maximum(length, 1e-9)) / 2.0
    return nearness
