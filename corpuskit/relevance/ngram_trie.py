"""Character n-grams of many URLs in tables: the n-gram scores of :class:`LinearTable`, faster.

An n-gram of four characters begins with one of three. So each position is looked up three times: the n-gram of three that
begins there, then that of four, then that of five. Tables of (n-gram, next character) answer without hashes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from corpuskit.relevance.linear_table import LinearTable
from corpuskit.relevance.token_counts import Floats, Ints

Numbers = npt.NDArray[np.int32]
_SLOTS = 1 << 20
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


class NgramTrie:
    """The n-grams of a linear table, in tables of the next character.

    Args:
        table: Linear table of n-grams of three to five characters.
    """

    def __init__(self, table: LinearTable) -> None:
        runs = {word: number for number, word in enumerate(table.words) if word.isascii() and 3 <= len(word) <= 5}
        letters = sorted({letter for word in runs for letter in word})
        self._code = np.zeros(256, np.int32)
        self._code[[ord(letter) for letter in letters]] = np.arange(1, len(letters) + 1)
        self._width = len(letters) + 1
        amount = table.idf.astype(np.float64)
        self.bias = table.bias
        self._steps: list[tuple[Numbers, Floats, Floats]] = []
        known: dict[str, int] = {}
        for size in (3, 4, 5):
            prefixes = sorted({word[:size] for word in runs if len(word) >= size})
            numbers = {run: number for number, run in enumerate(prefixes, 1)}
            before = 1 if size == 3 else len(known) + 1
            step = np.zeros(before * self._width ** (3 if size == 3 else 1), np.int32)
            if prefixes:
                codes = self._code[np.frombuffer("".join(prefixes).encode(), np.uint8)].reshape(len(prefixes), size)
                if size == 3:
                    at = (codes[:, 0] * self._width + codes[:, 1]) * self._width + codes[:, 2]
                else:
                    at = np.array([known[run[:-1]] for run in prefixes]) * self._width + codes[:, -1]
                step[at] = np.arange(1, len(prefixes) + 1)
            column = np.array([-1, *(runs.get(run, -1) for run in prefixes)])
            part = np.where(column >= 0, amount[column] if len(amount) else 0.0, 0.0)
            weight = np.where(column >= 0, table.weight[column] if len(amount) else 0.0, 0.0)
            self._steps.append((step, part * weight, part * part))
            known = numbers

    def logits(self, raw: npt.NDArray[np.uint8], starts: Ints, row: Ints) -> Floats:
        """Return the logit of each text.

        Args:
            raw: Lower-case texts, concatenated. Separators between texts occur in no n-gram.
            starts: Start of each text.
            row: Text of each byte.
        """
        code, width = self._code.take(raw), self._width
        pair = code[:-1] * width
        pair += code[1:]
        key = pair[:-1] * width
        key += code[2:]
        first = self._steps[0][0].take(key)
        matches = [first]
        for step, _, _ in self._steps[1:]:
            key = matches[-1][:-1] * width
            key += code[len(code) - len(key) :]
            matches.append(step.take(key))
        amount, square = np.zeros(len(raw)), np.zeros(len(raw))
        for numbers, (_, parts, squares) in zip(matches, self._steps, strict=True):
            amount[: len(numbers)] += parts.take(numbers)
            square[: len(numbers)] += squares.take(numbers)
        total, length = np.add.reduceat(amount, starts), np.add.reduceat(square, starts)
        texts = len(starts)
        # A repeated n-gram implies that its first three characters are repeated.
        candidates = candidate_repeats(row[: len(first)], first)
        for numbers, (_, parts, squares) in zip(matches, self._steps, strict=True):
            at = candidates[candidates < len(numbers)]
            at = at[numbers[at] > 0]
            more, longer = sublinear_tf_correction(row[at], numbers[at], parts, squares, texts)
            total += more
            length += longer
        return l2_scaled(total, length, self.bias)


def l2_scaled(total: Floats, square: Floats, bias: float) -> Floats:
    """Return the logit: the sum of contributions divided by the length of the features, plus the bias."""
    length = np.sqrt(np.maximum(square, 0.0))
    return np.divide(total, length, out=np.zeros(len(total)), where=length > 0) + bias


@lru_cache(maxsize=1)
def _slots() -> Numbers:
    return np.zeros(_SLOTS, np.int32)


def candidate_repeats(row: Ints, number: Any) -> Ints:
    """Return positions with a number above 0 that may be repeated in their row, including all that are repeated.

    Each position is written into a slot of a hash table. Positions that share a slot are returned.
    """
    at = np.flatnonzero(number)
    key = row[at].astype(np.uint64) << np.uint64(32)
    key += number[at].astype(np.uint64)
    key *= _SPREAD
    key >>= np.uint64(64 - _SLOTS.bit_length() + 1)
    slot = key.astype(np.int64)
    table, positions = _slots(), np.arange(len(at), dtype=np.int32)
    table[slot] = positions
    lost = table.take(slot) != positions
    shared = np.zeros(_SLOTS, bool)
    shared[slot[lost]] = True
    return at[shared.take(slot)]


def sublinear_tf_correction(
    row: Ints, number: Any, parts: Floats, squares: Floats, texts: int
) -> tuple[Floats, Floats]:
    """Return corrections of sums over all positions, because a token with frequency t counts 1 + ln t, not t."""
    total, square = np.zeros(texts), np.zeros(texts)
    if not len(row):
        return total, square
    width = len(parts)
    key: Any
    kind = np.int32 if texts * width < 2**31 else np.int64  # most of the time is sorting, which is faster for int32
    key = row.astype(kind)
    key *= width
    key += number.astype(kind)
    key, times = np.unique(key, return_counts=True)
    key, times = key[times > 1], times[times > 1]
    text, token = key // width, key % width
    counts = 1.0 + np.log(times)
    total += np.bincount(text, (counts - times) * parts[token], minlength=texts)
    square += np.bincount(text, (counts * counts - times) * squares[token], minlength=texts)
    return total, square
