"""Tokens of many texts at once, as 64-bit hashes: NumPy over the bytes instead of a Python string for each token.

A token's hash is a polynomial over its UTF-8 bytes modulo 2**64, from differences of one running sum over the whole
buffer, then mixed. With a million different tokens the chance that any two collide is 3 in 100 million.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from corpuskit.relevance.counts import Ints

Hashes = npt.NDArray[np.uint64]
BASE = 0x9E3779B97F4A7C15
_CHUNK = 1 << 18
_WORD_BYTE = bytes(byte >= 128 or chr(byte).isalnum() for byte in range(256))
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_HALF = np.uint64(32)


@dataclass(frozen=True, slots=True)
class Hashed:
    """The tokens of some texts, in their order.

    Attributes:
        hashes: one a token.
        row: the text of each token, in order.
        texts: how many texts there are.
        first, size: where each token stands in `buffer`, in bytes.
        buffer: the texts' bytes.
    """

    hashes: Hashes
    row: Ints
    texts: int
    first: Ints
    size: Ints
    buffer: bytes

    def strings(self, positions: Ints) -> list[str]:
        """Return the tokens at some positions."""
        first = self.first[positions]
        edges = zip(first.tolist(), (first + self.size[positions]).tolist(), strict=True)
        return [self.buffer[start:end].decode("utf-8", "surrogatepass") for start, end in edges]


@lru_cache(maxsize=1)
def _bytes_table() -> Hashes:
    return np.random.RandomState(20_240_601).randint(0, 2**63, 256, np.uint64) * np.uint64(2) + np.uint64(1)


@lru_cache(maxsize=16)
def _powers(size: int) -> tuple[Hashes, Hashes]:
    """The base to the powers 0, 1, 2, ..., and its inverse to these, modulo 2**64."""
    both = []
    for base in (BASE, pow(BASE, -1, 2**64)):
        factors = np.full(size, base, np.uint64)
        factors[0] = 1
        both.append(np.multiply.accumulate(factors))
    return both[0], both[1]


def running_sum(raw: npt.NDArray[np.uint8]) -> tuple[Hashes, Hashes]:
    """The sum of the polynomial's terms before each byte, and the inverse powers to bring a difference to its start."""
    size = 1 << max(19, len(raw).bit_length())
    powers, inverse = _powers(size)
    total = np.empty(len(raw) + 1, np.uint64)
    total[0] = 0
    terms = _bytes_table().take(raw, mode="clip")  # no byte is beyond the table; twice as fast as looking
    np.cumsum(terms * powers[: len(raw)], out=total[1:])
    return total, inverse


def mixed(raw: Hashes) -> Hashes:
    """Return polynomial hashes with their bits mixed."""
    raw = (raw ^ (raw >> _HALF)) * _MIX
    return raw ^ (raw >> _HALF)


def _joined(texts: Sequence[str]) -> tuple[bytes, Ints, Ints]:
    """One buffer with a line feed behind each text, and where each text starts and ends in it."""
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)) + 1)
    return b"\n".join([*parts, b""]), np.concatenate([[0], ends[:-1]]).astype(np.int64), ends - 1


def hash_words(texts: Sequence[str]) -> Hashed:
    """Return the words of texts that are lowered already: runs of bytes that are ASCII letters, digits, or beyond ASCII."""
    buffer, starts, _ = _joined(texts)
    raw = np.frombuffer(buffer, np.uint8)
    inside = np.zeros(len(raw) + 2, np.int8)
    inside[1:-1] = np.frombuffer(buffer.translate(_WORD_BYTE), np.int8)  # four times as fast as a table of NumPy
    change = np.diff(inside)
    first, last = np.flatnonzero(change == 1), np.flatnonzero(change == -1)
    total, inverse = running_sum(raw)
    hashes = mixed((total[last] - total[first]) * inverse[first])
    bounds = np.searchsorted(first, np.append(starts, len(raw)))
    row = np.repeat(np.arange(len(texts)), np.diff(bounds))
    return Hashed(hashes, row, len(texts), first, last - first, buffer)


def hash_ngrams(texts: Sequence[str], shortest: int, longest: int) -> Hashed:
    """All runs of so many bytes in each text; of those that start at a byte, the shortest first."""
    buffer, starts, ends = _joined(texts)
    raw = np.frombuffer(buffer, np.uint8)
    total, inverse = running_sum(raw)
    left = np.repeat(ends, ends - starts + 1) - np.arange(len(raw))
    row = np.repeat(np.arange(len(texts)), ends - starts + 1)
    at, sizes = np.nonzero(left[:, None] >= np.arange(shortest, longest + 1))
    sizes += shortest
    hashes = mixed((total[at + sizes] - total[at]) * inverse[at])
    return Hashed(hashes, row[at], len(texts), at, sizes, buffer)


class HashIndex:
    """From hashes to columns: open addressing in a few arrays, for many hashes at once."""

    def __init__(self, hashes: Hashes) -> None:
        self._hashes = hashes
        self._rounds: list[tuple[np.uint64, npt.NDArray[np.int32]]] = []
        left = np.arange(len(hashes))
        while len(left):
            bits = (2 * len(left)).bit_length()
            shift = np.uint64(64 - bits)
            slots = self._slot(hashes[left], len(self._rounds), shift)
            table = np.full(1 << bits, -1, np.int32)
            table[slots[::-1]] = left[::-1]  # the first of equal slots stays
            self._rounds.append((shift, table))
            left = left[table[slots] != left]
            if len(self._rounds) > 40:  # equal hashes: the first one keeps the column
                break

    @staticmethod
    def _slot(hashes: Hashes, number: int, shift: np.uint64) -> npt.NDArray[np.intp]:
        return ((hashes * np.uint64((2 * number + 1) * BASE % 2**64)) >> shift).astype(np.intp)

    def find(self, hashes: Hashes) -> npt.NDArray[np.int32]:
        """Return the column of each hash, or -1."""
        found = np.full(len(hashes), -1, np.int32)
        todo: Ints | slice = slice(None)
        asked = hashes
        for number, (shift, table) in enumerate(self._rounds):
            column = table[self._slot(asked, number, shift)]
            taken = column >= 0
            there = taken & (self._hashes[column] == asked)
            found[todo] = np.where(there, column, np.int32(-1))
            more = np.flatnonzero(taken & ~there)
            todo = more if isinstance(todo, slice) else todo[more]
            asked = asked[more]
            if not len(asked):
                break
        return found


def in_chunks(texts: Iterable[str], size: int = _CHUNK) -> Iterator[list[str]]:
    """Yield the texts in lists of about so many characters: what fits into the processor's cache is done fastest."""
    chunk: list[str] = []
    room = size
    for text in texts:
        chunk.append(text)
        room -= len(text) + 1
        if room <= 0:
            yield chunk
            chunk, room = [], size
    if chunk:
        yield chunk
