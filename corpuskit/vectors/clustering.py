"""Clusters of vectors: topics, groups of topics, and how far other seeds find the same ones."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from corpuskit.errors import MissingExtraError
from corpuskit.relevance.space import one_thread
from corpuskit.vectors.making import Floats, unit
from corpuskit.vectors.neighbours import nearest

__all__ = ["centres_of", "cluster", "grouped", "stability", "usual_number"]

Labels = npt.NDArray[np.int64]

_TRIES: Final = 3  # other seeds
_SAMPLE: Final = 10_000  # documents that make the clusters
_NEAR: Final = 20  # documents whose middle a document is moved to
_BEGINNINGS: Final = 5


def usual_number(documents: int) -> int:
    """Return how many topics to look for: the root of a tenth of the documents, at least two, at most 100."""
    return int(min(100, max(2, round((documents / 10) ** 0.5))))


def cluster(matrix: Floats, n: int, *, seed: int = 0) -> Labels:
    """Return the cluster of each row, the largest first; fewer than ``n`` where fewer rows differ.

    K-means on rows that were moved, twice, to the middle of those most like them: what two topics share moves to the one it
    is nearer to. Of many rows a sample, evenly spaced, makes the clusters.
    """
    some = matrix[:: _step(matrix)]
    return _in_order(_fitted(*_smoothed(matrix, some, n), n, seed))


def _step(matrix: Floats) -> int:
    return max(1, -(-len(matrix) // _SAMPLE))


def _smoothed(matrix: Floats, some: Floats, n: int) -> tuple[Floats, Floats]:
    """All rows and a sample of them, each moved to the middle of the rows of the sample that are most like it."""
    near = max(1, min(_NEAR, len(some) // (4 * n)))
    places, cosines = nearest(some, some, near)
    moved = _middles(some, places, cosines)
    twice = _middles(moved, places, cosines)
    return (
        twice if some is matrix or len(some) == len(matrix) else _middles(moved, *nearest(matrix, some, near))
    ), twice


def _middles(rows: Floats, places: Labels, cosines: Floats) -> Floats:
    weights = np.maximum(cosines, 0.0)
    sums = np.zeros((len(places), rows.shape[1]), np.float32)
    for at in range(places.shape[1]):
        sums += weights[:, at, None] * rows[places[:, at]]
    return unit(sums)


def _fitted(rows: Floats, some: Floats, n: int, seed: int) -> Labels:
    try:
        from sklearn.cluster import KMeans
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "relevance") from error
    different = len(np.unique(some.round(5), axis=0))
    with one_thread():
        found = KMeans(min(n, different), n_init=_BEGINNINGS, random_state=seed).fit(some)
        labels: Labels = found.predict(rows).astype(np.int64)
    return labels


def _in_order(labels: Labels) -> Labels:
    sizes = np.bincount(labels)
    order = sorted((cluster for cluster in range(len(sizes)) if sizes[cluster]), key=lambda one: (-sizes[one], one))
    number = np.zeros(len(sizes), np.int64)
    number[order] = np.arange(len(order))
    numbered: Labels = number[labels]
    return numbered


def centres_of(matrix: Floats, labels: npt.NDArray[Any], n: int) -> Floats:
    """Return the direction of the rows of each cluster, of length one; zeros for one without rows."""
    sums = np.zeros((n, matrix.shape[1]), np.float64)
    np.add.at(sums, labels[labels >= 0], matrix[labels >= 0])
    return unit(sums)


def grouped(centres: Floats) -> Labels:
    """Return the group of each topic: about the root of their number, by Ward's method."""
    from scipy.cluster.hierarchy import fcluster, linkage

    if len(centres) < 3:
        return np.zeros(len(centres), np.int64)
    tree = linkage(np.asarray(centres, np.float64), "ward")
    found = fcluster(tree, round(len(centres) ** 0.5), "maxclust")
    first: dict[int, int] = {}
    for group in found.tolist():
        first.setdefault(group, len(first))
    return np.array([first[group] for group in found.tolist()], np.int64)


def stability(matrix: Floats, labels: Labels, *, seed: int = 0) -> npt.NDArray[np.float64]:
    """Return of each cluster how far other seeds find it: the documents of both as a share of those of either, at best.

    The mean over three other seeds; of many documents a sample, evenly spaced.
    """
    step, n = _step(matrix), int(labels.max()) + 1
    some, own = matrix[::step], labels[::step]
    _, smoothed = _smoothed(some, some, n)
    found = np.zeros(n)
    for other_seed in range(seed + 1, seed + 1 + _TRIES):
        other = _fitted(smoothed, smoothed, n, other_seed)
        both = np.zeros((n, int(other.max()) + 1))
        np.add.at(both, (own, other), 1.0)
        either = both.sum(axis=1, keepdims=True) + both.sum(axis=0, keepdims=True) - both
        found += (both / np.maximum(either, 1.0)).max(axis=1) / _TRIES
    return found
