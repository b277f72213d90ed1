"""Clusters of vectors: topics, groups of topics, and how far other seeds find the same ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from corpuskit.errors import MissingExtraError
from corpuskit.relevance.vector_space import one_thread, untied
from corpuskit.vectors.making import Floats, unit
from corpuskit.vectors.neighbours import nearest

__all__ = ["centres_of", "cluster", "found_again", "grouped", "usual_number"]

Labels = npt.NDArray[np.int64]

_TRIES: Final = 3  # other seeds
_SAMPLE: Final = 10_000  # documents that make the clusters
_NEAR: Final = 20  # documents that a document is near to
_MOVES: Final = 3
_BEGINNINGS: Final = 5


def usual_number(documents: int) -> int:
    """Return how many topics to look for: the root of a tenth of the documents, at least two, at most 100."""
    return int(min(100, max(2, round((documents / 10) ** 0.5))))


def cluster(matrix: Floats, n: int, *, seed: int = 0) -> Labels:
    """Return the cluster of each row, the largest first; fewer than ``n`` where fewer rows differ.

    K-means on the rows after :func:`_drawn_together`. Of many rows a sample, evenly spaced, makes the clusters.
    """
    return _clustered(matrix, n, seed)[0]


def found_again(matrix: Floats, n: int, *, seed: int = 0) -> tuple[Labels, npt.NDArray[np.float64]]:
    """Return the cluster of each row, as :func:`cluster`, and of each cluster how far other seeds find it, 0 to 1.

    That is the number of rows that are in both as a share of those in either, at best: the mean over three other seeds.
    """
    labels, drawn = _clustered(matrix, n, seed)
    own, many = labels[:: _step(matrix)], int(labels.max()) + 1
    found = np.zeros(many)
    for other_seed in range(seed + 1, seed + 1 + _TRIES):
        other = _fitted(drawn, drawn, n, other_seed)
        both = np.zeros((many, int(other.max()) + 1))
        np.add.at(both, (own, other), 1.0)
        either = both.sum(axis=1, keepdims=True) + both.sum(axis=0, keepdims=True) - both
        found += (both / np.maximum(either, 1.0)).max(axis=1) / _TRIES
    return labels, found


def _clustered(matrix: Floats, n: int, seed: int) -> tuple[Labels, Floats]:
    step = _step(matrix)
    some, place = _drawn_together(np.asarray(matrix[::step]), n)
    return _in_order(_fitted(some if step == 1 else place(matrix), some, n, seed)), some


def _step(matrix: Floats) -> int:
    return max(1, -(-len(matrix) // _SAMPLE))


def _drawn_together(rows: Floats, n: int) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Rows on which k-means finds topics better; and what puts other rows among them.

    Three times each row moves to the middle of those that it is near to or that are near to it: what stands between two
    topics goes to one. Then of as many directions as there are topics those are taken in which rows differ most, the
    larger ones shortened, so that a few large differences do not hide the others. NMI with classes of three sets, mean of
    three seeds: .611, .583, .638; k-means on the rows as they are .568, .544, .596 (2026-11-23, benchmarks/topics.py).
    """
    from scipy import sparse

    near = max(1, min(_NEAR, len(rows) // (4 * n)))
    graph = _graph(rows, rows, near)
    both = sparse.csr_matrix((graph + graph.T) / 2)
    steps = [rows]
    for _ in range(_MOVES):
        steps.append(unit(both @ steps[-1]))
    middle = steps[-1].mean(axis=0)
    centred = untied(steps[-1])
    centred -= centred.mean(axis=0)
    with one_thread():
        spread, axes = np.linalg.eigh(centred.T @ centred)
    first = np.argsort(-spread, kind="stable")[:n]
    first = first[spread[first] > 1e-6 * max(float(spread.max()), 1e-9)]
    if not len(first):  # rows that do not differ
        return rows, lambda others: others
    turn = axes[:, first] / spread[first] ** 0.25

    def turned(moved: Floats) -> Floats:
        with one_thread():
            return unit((moved - middle).astype(np.float64) @ turn)

    return turned(steps[-1]), lambda others: turned(unit(_graph(others, rows, near) @ steps[-2]))


def _graph(rows: Floats, among: Floats, near: int) -> Any:
    """Of each row those that are nearest to it, with their cosines, as a sparse matrix."""
    from scipy import sparse

    places, cosines = nearest(rows, among, near)
    starts = np.arange(len(rows) + 1) * places.shape[1]
    return sparse.csr_matrix((np.maximum(cosines, 0.0).ravel(), places.ravel(), starts), (len(rows), len(among)))


def _fitted(rows: Floats, some: Floats, n: int, seed: int) -> Labels:
    try:
        from sklearn.cluster import KMeans
        from sklearn.exceptions import ConvergenceWarning
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "relevance") from error
    different = len(np.unique(some.round(5), axis=0))
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # rows that hardly differ: there are fewer clusters
        found = KMeans(min(n, different), n_init=_BEGINNINGS, random_state=seed).fit(untied(some))
        labels: Labels = found.labels_ if rows is some else found.predict(rows.astype(np.float64))
    return labels.astype(np.int64)


def _in_order(labels: Labels) -> Labels:
    sizes = np.bincount(labels)
    order = sorted(dict.fromkeys(labels.tolist()), key=lambda one: -sizes[one])  # of equal size the first to appear
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
