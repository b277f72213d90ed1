"""Cosines between the rows of matrices of vectors, and the nearest rows by them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from corpuskit.relevance.vector_space import comparable, one_thread

__all__ = ["cosines_of", "nearest"]

_STEPS: Final = 1_000_000  # of a cosine: equal in six decimals is equal
_CELLS: Final = 4_000_000  # cosines in memory at a time
_ROWS: Final = 65_536  # rows in double precision at a time


def cosines_of(rows: npt.NDArray[Any], others: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return the cosine of each row with each of the others, in six decimals: the same on every processor.

    Double precision, since in single precision the error of one in ten is large enough to change the sixth decimal.

    Args:
        rows: rows of length one, or zeros.
        others: the same.
    """
    found = np.empty((len(rows), len(others)))
    turned = others.T.astype(np.float64)
    with one_thread():
        for first in range(0, len(rows), _ROWS):
            found[first : first + _ROWS] = rows[first : first + _ROWS].astype(np.float64) @ turned
    return comparable(found)


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
    known = np.flatnonzero(np.any(among, axis=1))
    n = min(n, len(known))
    places, cosines = np.zeros((len(asked), n), np.int64), np.zeros((len(asked), n), np.float32)
    if not n:
        return places, cosines
    there = among[known]
    at_once = max(1, _CELLS // len(known))
    for first in range(0, len(asked), at_once):
        # The distance in steps and the position as one number: all differ, so the order is the same on every machine.
        steps = np.rint((1.0 - cosines_of(there, asked[first : first + at_once]).T) * _STEPS).astype(np.int64)
        order = steps * len(known) + np.arange(len(known))
        best = np.sort(np.partition(order, n - 1, axis=1)[:, :n], axis=1)
        places[first : first + at_once] = known[best % len(known)]
        cosines[first : first + at_once] = 1.0 - best // len(known) / _STEPS
    return places, cosines
