"""The nearest rows of a matrix of vectors, by their cosine."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from corpuskit.relevance.space import one_thread

__all__ = ["nearest"]

_CELLS: Final = 1 << 24  # of a block of cosines: 64 MB


def nearest(
    asked: npt.NDArray[Any], among: npt.NDArray[Any], n: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Return of each row asked for the ``n`` nearest others, the nearest first, and their cosines.

    All are compared with all, some at a time. Of equally near ones the first come first.

    Args:
        asked: rows of length one.
        among: rows of length one.
        n: at most as many as there are rows in ``among``.
    """
    step = max(1, _CELLS // max(1, len(among)))
    places = np.zeros((len(asked), n), np.int64)
    cosines = np.zeros((len(asked), n), np.float32)
    with one_thread():
        for start in range(0, len(asked), step):
            near = asked[start : start + step] @ among.T
            if n < len(among):
                found = np.argpartition(-near, n - 1, axis=1)[:, :n]
            else:
                found = np.broadcast_to(np.arange(n), near.shape)
            found = np.sort(found, axis=1)
            values = np.take_along_axis(near, found, axis=1)
            order = np.argsort(-values, axis=1, kind="stable")
            places[start : start + step] = np.take_along_axis(found, order, axis=1)
            cosines[start : start + step] = np.take_along_axis(values, order, axis=1)
    return places, cosines
