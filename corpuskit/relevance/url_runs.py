"""The runs of three to five characters of many URLs, found in tables: what :class:`WordTable` does for n-grams, faster.

A run of four begins with a run of three. So each place of a text is looked up three times: which run of three begins
there, which of four that begin with it, which of five; tables of (run, next character) answer, and a hash is not needed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from corpuskit.relevance.counts import Floats, Ints
from corpuskit.relevance.table import WordTable

Numbers = npt.NDArray[np.int32]
_SLOTS = 1 << 20
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


class RunTable:
    """The runs of a word table, in tables of the next character.

    Args:
        table: of n-grams of three to five characters.
    """

    def __init__(self, table: WordTable) -> None:
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
            here = sorted({word[:size] for word in runs if len(word) >= size})
            numbers = {run: number for number, run in enumerate(here, 1)}
            before = 1 if size == 3 else len(known) + 1
            step = np.zeros(before * self._width ** (3 if size == 3 else 1), np.int32)
            if here:
                codes = self._code[np.frombuffer("".join(here).encode(), np.uint8)].reshape(len(here), size)
                if size == 3:
                    at = (codes[:, 0] * self._width + codes[:, 1]) * self._width + codes[:, 2]
                else:
                    at = np.array([known[run[:-1]] for run in here]) * self._width + codes[:, -1]
                step[at] = np.arange(1, len(here) + 1)
            column = np.array([-1, *(runs.get(run, -1) for run in here)])
            part = np.where(column >= 0, amount[column] if len(amount) else 0.0, 0.0)
            weight = np.where(column >= 0, table.weight[column] if len(amount) else 0.0, 0.0)
            self._steps.append((step, part * weight, part * part))
            known = numbers

    def logits(self, raw: npt.NDArray[np.uint8], starts: Ints, row: Ints) -> Floats:
        """Return the logit of each text.

        Args:
            raw: the texts, lowered, one behind the other; what stands between two is in no run.
            starts: where each text begins.
            row: the text of each byte.
        """
        code, width = self._code.take(raw), self._width
        pair = code[:-1] * width
        pair += code[1:]
        key = pair[:-1] * width
        key += code[2:]
        first = self._steps[0][0].take(key)
        found = [first]
        for step, _, _ in self._steps[1:]:
            key = found[-1][:-1] * width
            key += code[len(code) - len(key) :]
            found.append(step.take(key))
        amount, square = np.zeros(len(raw)), np.zeros(len(raw))
        for here, (_, parts, squares) in zip(found, self._steps, strict=True):
            amount[: len(here)] += parts.take(here)
            square[: len(here)] += squares.take(here)
        total, length = np.add.reduceat(amount, starts), np.add.reduceat(square, starts)
        texts = len(starts)
        # A run that is there twice is so with its first three characters.
        again = repeated(row[: len(first)], first)
        for here, (_, parts, squares) in zip(found, self._steps, strict=True):
            at = again[again < len(here)]
            at = at[here[at] > 0]
            more, longer = surplus(row[at], here[at], parts, squares, texts)
            total += more
            length += longer
        return scaled(total, length, self.bias)


def scaled(total: Floats, square: Floats, bias: float) -> Floats:
    """Return a text's sum of contributions, scaled to the length of its weighted tokens, and what every text gets."""
    length = np.sqrt(np.maximum(square, 0.0))
    return np.divide(total, length, out=np.zeros(len(total)), where=length > 0) + bias


@lru_cache(maxsize=1)
def _slots() -> Numbers:
    return np.zeros(_SLOTS, np.int32)


def repeated(row: Ints, number: Any) -> Ints:
    """The places whose number (above 0) may stand twice in its row; all that do are among them.

    Each writes its place into a slot of a table; who finds another one there shares the slot, by its number or by chance.
    """
    at = np.flatnonzero(number)
    key = row[at].astype(np.uint64) << np.uint64(32)
    key += number[at].astype(np.uint64)
    key *= _SPREAD
    key >>= np.uint64(64 - _SLOTS.bit_length() + 1)
    slot = key.astype(np.int64)
    table, places = _slots(), np.arange(len(at), dtype=np.int32)
    table[slot] = places
    lost = table.take(slot) != places
    shared = np.zeros(_SLOTS, bool)
    shared[slot[lost]] = True
    return at[shared.take(slot)]


def surplus(row: Ints, number: Any, parts: Floats, squares: Floats, texts: int) -> tuple[Floats, Floats]:
    """Return what sums over all places miss or have too much, since a token that stands there t times counts 1 + ln t."""
    total, square = np.zeros(texts), np.zeros(texts)
    if not len(row):
        return total, square
    width = len(parts)
    key: Any
    kind = np.int32 if texts * width < 2**31 else np.int64  # sorting is most of the work, and faster so
    key = row.astype(kind)
    key *= width
    key += number.astype(kind)
    key, times = np.unique(key, return_counts=True)
    key, times = key[times > 1], times[times > 1]
    where, what = key // width, key % width
    counts = 1.0 + np.log(times)
    total += np.bincount(where, (counts - times) * parts[what], minlength=texts)
    square += np.bincount(where, (counts * counts - times) * squares[what], minlength=texts)
    return total, square
