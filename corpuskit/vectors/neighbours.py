"""Cosine similarities between rows of matrices, and exact nearest neighbours."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from corpuskit.relevance.vector_space import comparable, one_thread

__all__ = ["cosines_of", "nearest"]

_STEPS: Final = 1_000_000  # steps of a cosine: values equal to six decimals are ties
_CELLS: Final = 4_000_000  # cosines in memory at a time
_ROWS: Final = 65_536  # rows in double precision at a time


def cosines_of(rows: npt.NDArray[Any], columns: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return the cosines of all pairs of rows, rounded to six decimals: equal on every processor.

    The computation uses double precision. In single precision the error changes the sixth decimal of one value in ten.

    Args:
        rows: Rows of length one, or zeros.
        others: Rows of length one, or zeros.
    """
    cosines = np.empty((len(rows), len(columns)))
    turned = columns.T.astype(np.float64)
    with one_thread():
        for first in range(0, len(rows), _ROWS):
            cosines[first : first + _ROWS] = rows[first : first + _ROWS].astype(np.float64) @ turned
    return comparable(cosines)


def nearest(
    queries: npt.NDArray[Any], among: npt.NDArray[Any], n: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Return the indices of the ``n`` nearest rows of ``among`` for each query row, nearest first, and their cosines.

    The search is exact. Rows of zeros (documents without a known word) have no neighbours and are removed from ``among``, so
    the result may have fewer than ``n`` columns.

    Args:
        queries: Rows of length one, or zeros.
        among: Rows to search, of length one, or zeros.
        n: Number of neighbours.
    """
    known = np.flatnonzero(np.any(among, axis=1))
    n = min(n, len(known))
    rows, cosines = np.zeros((len(queries), n), np.int64), np.zeros((len(queries), n), np.float32)
    if not n:
        return rows, cosines
    known_rows = among[known]
    batch_size = max(1, _CELLS // len(known))
    for first in range(0, len(queries), batch_size):
        # Distance and row number are combined into one distinct integer, so the order is equal on every machine.
        steps = np.rint((1.0 - cosines_of(known_rows, queries[first : first + batch_size]).T) * _STEPS).astype(np.int64)
        order = steps * len(known) + np.arange(len(known))
        best = np.sort(np.partition(order, n - 1, axis=1)[:, :n], axis=1)
        rows[first : first + batch_size] = known[best % len(known)]
        cosines[first : first + batch_size] = 1.0 - best // len(known) / _STEPS
    return rows, cosines
