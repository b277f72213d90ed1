"""The nearest rows of a matrix of vectors, by their cosine."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from corpuskit.errors import MissingExtraError
from corpuskit.relevance.space import comparable, one_thread

__all__ = ["nearest"]


def nearest(
    asked: npt.NDArray[Any], among: npt.NDArray[Any], n: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Return of each row asked for the ``n`` nearest others, the nearest first, and their cosines.

    All are compared with all, exactly. Rows of zeros, documents without a word that is known, are near to nothing: they are
    left out of ``among``, so there may be fewer columns than ``n``.

    Args:
        asked: rows of length one, or zeros.
        among: the same.
        n: how many.
    """
    try:
        from sklearn.neighbors import NearestNeighbors
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "relevance") from error
    known = np.flatnonzero(np.any(among, axis=1))
    n = min(n, len(known))
    if not n or not len(asked):
        return np.zeros((len(asked), n), np.int64), np.zeros((len(asked), n), np.float32)
    with one_thread():
        # Of rows of length one the nearest by distance are those with the largest cosine.
        search = NearestNeighbors(n_neighbors=n, algorithm="brute").fit(np.ascontiguousarray(among[known]))
        distances, places = search.kneighbors(np.ascontiguousarray(asked))
    cosines: npt.NDArray[np.float32] = (1.0 - distances**2 / 2.0).astype(np.float32)
    cosines[~np.any(asked, axis=1)] = 0.0
    order = np.lexsort((places, -comparable(cosines)), axis=-1)
    return known[np.take_along_axis(places, order, 1)].astype(np.int64), np.take_along_axis(cosines, order, 1)
