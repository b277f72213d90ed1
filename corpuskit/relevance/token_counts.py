"""Token counts of texts, and inverse document frequency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Counts of known tokens per text, as a sparse matrix sorted by text, then by token.

    Attributes:
        row: Position of the text.
        column: Number of the token.
        times: Frequency of the token in the text.
        tokens: Number of tokens per text, known or unknown.
        known: Number of known tokens per text.
    """

    row: Ints
    column: Ints
    times: Ints
    tokens: Ints
    known: Ints

    @property
    def starts(self) -> Ints:
        """First entry of each text, followed by the number of entries."""
        return np.searchsorted(self.row, np.arange(len(self.tokens) + 1)).astype(np.int64)


def inverse_frequency(documents: Ints, total: int) -> Floats:
    """Return the weight of tokens by document frequency: ln((1 + total) / (1 + documents)), at least 0.01.

    The customary + 1 is left out, so that a word in all texts has hardly any weight and no stop words are needed. A topic
    word in half of a corpus still counts.
    """
    idf: Floats = np.maximum(np.log((1.0 + total) / (1.0 + documents)), 0.01)
    return idf
