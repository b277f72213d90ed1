"""What counting tokens gives, and how rare tokens weigh more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each known token stands in each text.

    Entries are sorted by text, then by column.

    Attributes:
        row: the text's position.
        column: the token's number.
        times: how often it stands there.
        tokens: tokens of each text, known or not.
        known: of these, how many are known.
    """

    row: Ints
    column: Ints
    times: Ints
    tokens: Ints
    known: Ints

    @property
    def starts(self) -> Ints:
        """Where each text's entries begin; one more than there are texts."""
        return np.searchsorted(self.row, np.arange(len(self.tokens) + 1)).astype(np.int64)


def inverse_frequency(documents: Ints, total: int) -> Floats:
    """Return the weight of a token that stands in so many of `total` texts: ln((1 + total) / (1 + documents)), at least 0.01.

    Without the customary + 1, a word of every text weighs next to nothing, and no list of stop words is needed; a topic
    word of half a corpus still counts.
    """
    idf: Floats = np.maximum(np.log((1.0 + total) / (1.0 + documents)), 0.01)
    return idf
