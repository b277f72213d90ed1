"""Texts to counts of known tokens, in plain NumPy: what scoring needs, without SciPy or scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import numpy.typing as npt

__all__ = ["Counts", "Floats", "Ints", "count", "inverse_frequency"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Tokenizer = Callable[[str], list[str]]

_CHUNK_TOKENS = 2_000_000


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


def _chunks(texts: Iterable[str], tokenize: Tokenizer) -> Iterator[list[list[str]]]:
    chunk: list[list[str]] = []
    size = 0
    for text in texts:
        tokens = tokenize(text)
        chunk.append(tokens)
        size += len(tokens)
        if size >= _CHUNK_TOKENS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def count(texts: Sequence[str], index: Mapping[str, int], tokenize: Tokenizer) -> Counts:
    """Count the tokens of `index` in every text."""
    width = max(len(index), 1)
    keys, times, tokens = [], [], []
    first = 0
    for chunk in _chunks(texts, tokenize):
        lengths = np.fromiter(map(len, chunk), np.int64, len(chunk))
        flat = (token for words in chunk for token in words)
        columns = np.fromiter(map(index.get, flat, repeat(-1)), np.int64, int(lengths.sum()))
        rows = np.repeat(np.arange(first, first + len(chunk)), lengths)
        found = columns >= 0
        chunk_keys, chunk_times = np.unique(rows[found] * width + columns[found], return_counts=True)
        keys.append(chunk_keys)
        times.append(chunk_times)
        tokens.append(lengths)
        first += len(chunk)
    key = np.concatenate(keys) if keys else np.zeros(0, np.int64)
    number = np.concatenate(times).astype(np.int64) if times else np.zeros(0, np.int64)
    length = np.concatenate(tokens) if tokens else np.zeros(0, np.int64)
    row = key // width
    known = np.bincount(row, number, minlength=len(length)).astype(np.int64)
    return Counts(row, key - row * width, number, length, known)


def inverse_frequency(documents: Ints, total: int) -> Floats:
    """The weight of a token that stands in so many of `total` texts: ln((1 + total) / (1 + documents)), at least 0.01.

    Without the customary + 1, a word of every text weighs next to nothing, and no list of stop words is needed; a topic
    word of half a corpus still counts.
    """
    idf: Floats = np.maximum(np.log((1.0 + total) / (1.0 + documents)), 0.01)
    return idf
