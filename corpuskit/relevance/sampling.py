"""Query strategies: selection of the texts to label next."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice, zip_longest
from typing import Literal

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.relevance.linear_table import lsa_vectors
from corpuskit.relevance.model import RelevanceModel, probability
from corpuskit.relevance.token_counts import Floats
from corpuskit.relevance.vector_space import VectorSpace, comparable, matrix, one_thread, untied

Reason = Literal["uncertain", "certain", "random", "seed words", "new region"]


_MIN_RELEVANT = 10  # labels; from then on, texts with the highest scores are no longer asked
_BATCH_SIZE = 100
_REGIONS = 20
_POOL = 5_000  # texts that are clustered into regions


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A text to label.

    Args:
        index: Position in the pool, from 0.
        reason: Reason for the choice.
        score: P(relevant), NaN without a model.
    """

    index: int
    reason: Reason
    score: float


def select(model: RelevanceModel, pool_texts: Sequence[str], n: int, *, exclude: Collection[int] = ()) -> list[int]:
    """Return the positions of `n` texts to label: those that the model is least certain of, and dissimilar to each other.

    The result is shorter if the pool is exhausted. Of equal texts only one is returned.

    Args:
        model: The model.
        pool_texts: Texts to choose from.
        n: Maximum number of texts.
        exclude: Positions to leave out.
    """
    return [suggestion.index for suggestion in suggest(model, pool_texts, n, exclude=exclude)]


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

    Uncertain texts are chosen from the 2n texts nearest to the class boundary: the nearest one first, then always the text
    least similar to the chosen ones, because near-duplicates teach the same.

    Args:
        model: Model of the labels so far.
        pool_texts: Texts to choose from.
        n: Number of texts.
        exclude: Positions of labelled texts.
        certain: Number of texts with the highest scores among the `n`. They reveal confident mistakes.
        random: Number of random texts among the `n`. They are an unbiased sample of the pool.
        seed: Seed of the random texts.

    Raises:
        RelevanceError: `n` is negative or smaller than ``certain + random``.
    """
    if n < 0 or certain + random > n:
        raise RelevanceError(f"found n={n}, certain={certain}, random={random}, expected 0 <= certain + random <= n")
    logits = model.logits(pool_texts)
    chosen = query_positions(
        model, logits, _free(pool_texts, exclude), n, lambda positions: [pool_texts[i] for i in positions],
        certain=certain, random=random, seed=seed,
    )  # fmt: skip
    return [Suggestion(i, reason, float(probability(logits[i]))) for i, reason in chosen.items()]


def query_positions(
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
    """Return position and reason of `n` texts to label next, uncertain ones first.

    Args:
        model: Model of the labels so far.
        logits: Logit of each text of the pool by this model.
        free: Positions to choose from.
        n: Number of texts.
        read: Function that returns the texts at given positions. At most twice the number of uncertain texts are read.
        certain, random, seed: See :func:`suggest`.
    """
    order = comparable(logits)
    drawn = np.random.RandomState(seed).permutation(len(free))[:random] if random else ()
    chosen: dict[int, Reason] = dict.fromkeys((free[i] for i in drawn), "random")
    remaining = [i for i in free if i not in chosen]
    highest: dict[int, Reason] = dict.fromkeys(nsmallest(certain, remaining, key=lambda i: (-order[i], i)), "certain")
    remaining = [i for i in remaining if i not in highest]
    n_uncertain = n - len(chosen) - len(highest)
    candidates = nsmallest(2 * n_uncertain, remaining, key=lambda i: (abs(order[i] - model.query_boundary), i))
    diverse = (candidates[i] for i in _diverse(model, read(candidates), n_uncertain))
    uncertain: dict[int, Reason] = dict.fromkeys(diverse, "uncertain")
    return uncertain | highest | chosen


def exploration_quota(model: RelevanceModel, n: int) -> tuple[int, int]:
    """Return the number of texts with the highest scores, and of random texts, among `n` texts to label.

    A quarter has the highest scores until ten labels are relevant, which finds more texts of a rare class. One in ten is
    random, which can find unexpected texts.
    """
    return n // 4 if model.card.relevant < _MIN_RELEVANT else 0, n // 10


def _diverse(model: RelevanceModel, texts: Sequence[str], n: int) -> list[int]:
    """Return `n` positions: the first one, then always the text least similar to any chosen one.

    Similarity is the mean of two cosines, of words and, if the model has them, of LSA vectors.
    """
    n, chosen = min(n, len(texts)), list[int]()
    table = model.tables[0]
    for first in range(0, n, _BATCH_SIZE):
        size = min(_BATCH_SIZE, n - first)
        start, end = len(texts) * first // n, len(texts) * (first + size) // n
        features = table.tfidf(texts[start:end])
        words = matrix(features, len(table.words))
        similarity = (words @ words.T).toarray()
        if table.lsa is not None:
            direction = lsa_vectors(features, table.lsa.vectors)[0]
            similarity = (similarity + direction @ direction.T) / 2.0
        max_similarity = np.full(end - start, -1.0)
        max_similarity[0] = -2.0
        for _ in range(size):
            at = int(np.argmin(max_similarity))
            chosen.append(start + at)
            max_similarity = np.maximum(max_similarity, comparable(similarity[at]))
            max_similarity[at] = np.inf
    return chosen


def _free(pool_texts: Sequence[str], exclude: Collection[int]) -> list[int]:
    excluded = {int(i) for i in exclude}
    seen = {pool_texts[i] for i in excluded if 0 <= i < len(pool_texts)}
    free = []
    for position, text in enumerate(pool_texts):
        if position not in excluded and text not in seen:
            seen.add(text)
            free.append(position)
    if not free:  # only duplicates of labelled texts remain
        free = [position for position in range(len(pool_texts)) if position not in excluded]
    return free


def cold_start_queries(
    texts: Sequence[str],
    n: int,
    *,
    seeds: Sequence[str] = (),
    labelled: Collection[int] = (),
    space: VectorSpace | None = None,
    seed: int = 0,
) -> list[Suggestion]:
    """Return `n` texts to label before there is a model. Any prefix of the result is a good start.

    Two of three are similar to the seed words, one is from a region without labels. Regions are twenty clusters of the LSA
    vectors of the texts; the text nearest to the centre is asked, largest cluster first. Without seed words all are from such
    regions. The rest is random. Texts similar to the seed words alone would give relevant labels and no others; see
    benchmarks/cold_start.py.

    Args:
        texts: Texts to choose from, including the labelled ones.
        n: Number of texts.
        seeds: Words of the topic. Words that occur in no text are ignored.
        labelled: Positions of labelled texts.
        space: Vector space of the texts. None: fit one.
        seed: Seed of the clusters and the random texts.
    """
    free = _free(texts, labelled)
    drawn = [free[i] for i in np.random.RandomState(seed).permutation(len(free))]
    if space is None:
        try:
            space = VectorSpace.fit([texts[i] for i in sorted(drawn[:_POOL])])
        except RelevanceError:  # no text has a word
            return [Suggestion(i, "random", float("nan")) for i in drawn[:n]]
    by_seeds: list[int] = []
    if seeds:
        try:
            similarity = comparable(rank_by_seeds([texts[i] for i in free], seeds, space=space))
            by_seeds = [i for negative, i in sorted(zip((-similarity).tolist(), free, strict=True)) if negative < 0]
        except RelevanceError:
            pass
    central = _region_centres(texts, sorted(drawn[:_POOL]), sorted(labelled), space, seed)
    elsewhere: list[tuple[int, Reason]] = [(i, "new region") for i in central] + [(i, "random") for i in drawn]
    by_words: list[tuple[int, Reason]] = [(i, "seed words") for i in by_seeds]
    interleaved = [
        pair for triple in zip_longest(by_words[::2], elsewhere, by_words[1::2]) for pair in triple if pair is not None
    ]
    chosen: dict[int, Reason] = {}
    for i, reason in interleaved:
        chosen.setdefault(i, reason)
    return [Suggestion(i, reason, float("nan")) for i, reason in islice(chosen.items(), n)]


def _region_centres(
    texts: Sequence[str], free: list[int], labelled: list[int], space: VectorSpace, seed: int
) -> list[int]:
    """Return the text nearest to the centre of each cluster without labels, largest cluster first."""
    from sklearn.cluster import KMeans

    positions = [*free, *labelled]
    points = lsa_vectors(space.tables[0].tfidf([texts[i] for i in positions]), space.codes)[0]
    length = np.linalg.norm(points, axis=1, keepdims=True)
    points = points / np.maximum(length, 1e-9)
    known = np.flatnonzero(length[:, 0] > 0)
    distinct = len(np.unique(points[known].round(6), axis=0))
    if not distinct:
        return []
    with one_thread():
        clusters = KMeans(min(_REGIONS, distinct), n_init=1, random_state=seed).fit(untied(points[known]))
    with_labels = {clusters.labels_[at] for at, i in enumerate(known) if i >= len(free)}
    sizes = np.bincount(clusters.labels_)
    centres = []
    by_position = (cluster for cluster in dict.fromkeys(clusters.labels_.tolist()) if cluster not in with_labels)
    for cluster in sorted(by_position, key=lambda cluster: -sizes[cluster]):
        members = known[clusters.labels_ == cluster]
        best = np.argmax(comparable(points[members] @ clusters.cluster_centers_[cluster]))
        centres.append(positions[int(members[best])])
    return centres


def rank_by_seeds(texts: Sequence[str], seeds: Sequence[str], *, space: VectorSpace | None = None) -> Floats:
    """Return the similarity of each text to seed words, in [-1, 1]. Labels are not needed.

    It is the mean of two cosines: of tf-idf vectors, and of LSA vectors, which also find texts without the words.

    Args:
        texts: The texts.
        seeds: The words.
        space: Vector space of the texts. None: fit one.

    Raises:
        RelevanceError: The seed words are empty, or no text contains any of them.
    """
    if isinstance(seeds, str) or not seeds:
        raise RelevanceError(f"found seeds={seeds!r}, expected a list of words")
    space = space or VectorSpace.fit(texts)
    vocabulary = space.tables[0]
    seed_features = vocabulary.tfidf([" ".join(seeds)])
    if not len(seed_features.column):
        raise RelevanceError(
            f"found none of the seed words {', '.join(seeds)} in the texts, or all of them in most texts"
        )
    query_positions = np.zeros(len(vocabulary.words))
    query_positions[seed_features.column] = seed_features.weight
    features = vocabulary.tfidf(texts)
    by_words = np.bincount(features.row, features.weight * query_positions[features.column], minlength=len(texts))
    query_vector = query_positions @ space.vectors
    vectors = np.zeros((len(texts), space.vectors.shape[1]))
    np.add.at(vectors, features.row, features.weight[:, None] * space.vectors[features.column])
    length = np.linalg.norm(vectors, axis=1) * np.linalg.norm(query_vector)
    similarity: Floats = (by_words + vectors @ query_vector / np.maximum(length, 1e-9)) / 2.0
    return similarity
