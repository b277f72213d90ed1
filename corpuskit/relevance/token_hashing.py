"""Token hashes of many texts at once: NumPy over bytes instead of a Python string per token.

The hash of a token is a polynomial over its UTF-8 bytes modulo 2**64, computed as a difference of a running sum over the
whole buffer, then mixed. With a million distinct tokens the probability of any collision is 3 in 100 million.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from corpuskit.relevance.token_counts import Ints

Hashes = npt.NDArray[np.uint64]
BASE = 0x9E3779B97F4A7C15
_BATCH_SIZE = 1 << 18  # characters
_WORD_BYTE = bytes(byte >= 128 or chr(byte).isalnum() for byte in range(256))
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_HALF = np.uint64(32)


@dataclass(frozen=True, slots=True)
class Hashed:
    """Hashed tokens of texts, in order.

    Attributes:
        hashes: Hash per token.
        row: Text of each token, ascending.
        texts: Number of texts.
        first, size: Offset and length of each token in `buffer`, in bytes.
        buffer: Bytes of the texts.
    """

    hashes: Hashes
    row: Ints
    texts: int
    first: Ints
    size: Ints
    buffer: bytes

    def strings(self, positions: Ints) -> list[str]:
        """Return the tokens at the given positions."""
        first = self.first[positions]
        edges = zip(first.tolist(), (first + self.size[positions]).tolist(), strict=True)
        return [self.buffer[start:end].decode("utf-8", "surrogatepass") for start, end in edges]


@lru_cache(maxsize=1)
def _bytes_table() -> Hashes:
    return np.random.RandomState(20_240_601).randint(0, 2**63, 256, np.uint64) * np.uint64(2) + np.uint64(1)


@lru_cache(maxsize=16)
def _powers(size: int) -> tuple[Hashes, Hashes]:
    """Return the powers 0, 1, 2, ... of the base, and those of its inverse, modulo 2**64."""
    both = []
    for base in (BASE, pow(BASE, -1, 2**64)):
        factors = np.full(size, base, np.uint64)
        factors[0] = 1
        both.append(np.multiply.accumulate(factors))
    return both[0], both[1]


def running_sum(raw: npt.NDArray[np.uint8]) -> tuple[Hashes, Hashes]:
    """Return the sum of terms before each byte, and the inverse powers that shift a difference to its start."""
    size = 1 << max(19, len(raw).bit_length())
    powers, inverse = _powers(size)
    total = np.empty(len(raw) + 1, np.uint64)
    total[0] = 0
    terms = _bytes_table().take(raw, mode="clip")  # twice as fast as a bounds check, which bytes do not need
    np.cumsum(terms * powers[: len(raw)], out=total[1:])
    return total, inverse


def mix_bits(raw: Hashes) -> Hashes:
    """Return polynomial hashes with their bits mixed."""
    raw = (raw ^ (raw >> _HALF)) * _MIX
    return raw ^ (raw >> _HALF)


def _concatenate(texts: Sequence[str]) -> tuple[bytes, Ints, Ints]:
    """Return one buffer with a line feed after each text, and the start and end of each text in it."""
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)) + 1)
    return b"\n".join([*parts, b""]), np.concatenate([[0], ends[:-1]]).astype(np.int64), ends - 1


def hash_words(texts: Sequence[str]) -> Hashed:
    """Return the words of lower-case texts: runs of ASCII letters, digits and bytes beyond ASCII."""
    buffer, starts, _ = _concatenate(texts)
    raw = np.frombuffer(buffer, np.uint8)
    is_word = np.zeros(len(raw) + 2, np.int8)
    is_word[1:-1] = np.frombuffer(buffer.translate(_WORD_BYTE), np.int8)  # four times as fast as a NumPy table
    change = np.diff(is_word)
    first, last = np.flatnonzero(change == 1), np.flatnonzero(change == -1)
    total, inverse = running_sum(raw)
    hashes = mix_bits((total[last] - total[first]) * inverse[first])
    bounds = np.searchsorted(first, np.append(starts, len(raw)))
    row = np.repeat(np.arange(len(texts)), np.diff(bounds))
    return Hashed(hashes, row, len(texts), first, last - first, buffer)


def hash_ngrams(texts: Sequence[str], min_size: int, max_size: int) -> Hashed:
    """Return all n-grams of bytes in each text, by start, then by size."""
    buffer, starts, ends = _concatenate(texts)
    raw = np.frombuffer(buffer, np.uint8)
    total, inverse = running_sum(raw)
    left = np.repeat(ends, ends - starts + 1) - np.arange(len(raw))
    row = np.repeat(np.arange(len(texts)), ends - starts + 1)
    at, sizes = np.nonzero(left[:, None] >= np.arange(min_size, max_size + 1))
    sizes += min_size
    hashes = mix_bits((total[at + sizes] - total[at]) * inverse[at])
    return Hashed(hashes, row[at], len(texts), at, sizes, buffer)


class HashIndex:
    """Map from hashes to columns: open addressing in a few arrays, vectorized over many hashes."""

    def __init__(self, hashes: Hashes) -> None:
        self._hashes = hashes
        self._rounds: list[tuple[np.uint64, npt.NDArray[np.int32]]] = []
        pending = np.arange(len(hashes))
        while len(pending):
            bits = (2 * len(pending)).bit_length()
            shift = np.uint64(64 - bits)
            slots = self._slot(hashes[pending], len(self._rounds), shift)
            table = np.full(1 << bits, -1, np.int32)
            table[slots[::-1]] = pending[::-1]  # of equal slots the first one wins
            self._rounds.append((shift, table))
            pending = pending[table[slots] != pending]
            if len(self._rounds) > 40:  # only equal hashes remain: the first one keeps its column
                break

    @staticmethod
    def _slot(hashes: Hashes, number: int, shift: np.uint64) -> npt.NDArray[np.intp]:
        return ((hashes * np.uint64((2 * number + 1) * BASE % 2**64)) >> shift).astype(np.intp)

    def find(self, hashes: Hashes) -> npt.NDArray[np.int32]:
        """Return the column of each hash, or -1."""
        result = np.full(len(hashes), -1, np.int32)
        todo: Ints | slice = slice(None)
        pending = hashes
        for number, (shift, table) in enumerate(self._rounds):
            column = table[self._slot(pending, number, shift)]
            occupied = column >= 0
            is_match = occupied & (self._hashes[column] == pending)
            result[todo] = np.where(is_match, column, np.int32(-1))
            more = np.flatnonzero(occupied & ~is_match)
            todo = more if isinstance(todo, slice) else todo[more]
            pending = pending[more]
            if not len(pending):
                break
        return result


def batches(texts: Iterable[str], size: int = _BATCH_SIZE) -> Iterator[list[str]]:
    """Yield the texts in lists of about ``size`` characters, which fit into the processor's cache."""
    batch: list[str] = []
    remaining = size
    for text in texts:
        batch.append(text)
        remaining -= len(text) + 1
        if remaining <= 0:
            yield batch
            batch, remaining = [], size
    if batch:
        yield batch
