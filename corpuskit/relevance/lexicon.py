"""A numbered list of tokens that counts itself in texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, pairwise, repeat
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from corpuskit.relevance.counts import Counts, Ints
from corpuskit.relevance.hashing import Hashed, HashIndex, hash_ngrams, hash_words, in_chunks
from corpuskit.relevance.tokens import prepared, tokenizer
from corpuskit.relevance.urls import ngram_text

#: Tokenizers that have a way over hashes, with equal results (held by a test): what prepares a text, what splits it.
_HASHED: dict[str, tuple[Callable[[str], str], Callable[[Sequence[str]], Hashed]]] = {
    "document": (prepared, hash_words),
    "url_ngrams": (ngram_text, partial(hash_ngrams, shortest=3, longest=5)),
}
_MAX_DIFFERENT = 3_000_000
_Number = TypeVar("_Number", bound=np.generic)


class Lexicon:
    """Counts the tokens of a list in texts."""

    def __init__(self, name: str, words: Sequence[str]) -> None:
        self.name = name
        self.size = len(words)
        if name in _HASHED:
            self._hashes: HashIndex | None = HashIndex(_own_hashes(name, words))
        else:
            self._hashes = None
            self._index = {word: number for number, word in enumerate(words)}

    def count(self, texts: Sequence[str]) -> Counts:
        """Return how often each token of the list stands in each text."""
        rows, columns, times, tokens, known = [], [], [], [], []
        start = 0
        for column, row, size in self._columns(texts):
            found = column >= 0
            inside = row[found]
            numbers = _sorted_by_text(column[found], inside, size)
            at = _changes(numbers, inside)
            rows.append(inside[at] + start)
            columns.append(numbers[at])
            times.append(np.diff(at, append=len(numbers)))
            tokens.append(np.bincount(row, minlength=size))
            known.append(np.bincount(inside, minlength=size))
            start += size
        none = np.zeros(0, np.int64)
        parts = (np.concatenate([none, *part]).astype(np.int64) for part in (rows, columns, times, tokens, known))
        return Counts(*parts)

    def _columns(self, texts: Sequence[str]) -> Iterator[tuple[npt.NDArray[np.int32], Ints, int]]:
        """The column (or -1) and the text of every token, some texts at a time."""
        if self._hashes is not None:
            prepare, split = _HASHED[self.name]
            for chunk in in_chunks(map(prepare, texts)):
                hashed = split(chunk)
                yield self._hashes.find(hashed.hashes), hashed.row, len(chunk)
            return
        tokenize = tokenizer(self.name)
        for chunk in in_chunks(texts):
            lists = [tokenize(text) for text in chunk]
            length = np.fromiter(map(len, lists), np.int64, len(lists))
            columns = map(self._index.get, chain.from_iterable(lists), repeat(-1))
            row = np.repeat(np.arange(len(chunk)), length)
            yield np.fromiter(columns, np.int32, len(row)), row, len(chunk)


def _own_hashes(name: str, words: Sequence[str]) -> npt.NDArray[np.uint64]:
    """The hashes of a list of tokens themselves."""
    if name == "document":
        return hash_words(list(words)).hashes
    hashes = np.zeros(len(words), np.uint64)
    for length in sorted({len(word) for word in words}):
        at = [i for i, word in enumerate(words) if len(word) == length]
        hashes[at] = hash_ngrams([words[i] for i in at], length, length).hashes
    return hashes


def frequencies(texts: Sequence[str], name: str) -> dict[str, int]:
    """In how many texts each token stands; among millions of different ones those met once are dropped on the way."""
    found: Counter[str] = Counter()
    if name not in _HASHED:
        tokenize = tokenizer(name)
        for text in texts:
            found.update(set(tokenize(text)))
        return found
    prepare, split = _HASHED[name]
    names: dict[int, str] = {}
    totals: dict[int, int] = {}
    for chunk in in_chunks(map(prepare, texts), 1 << 20):
        hashed = split(chunk)
        by_text = _sorted_by_text(hashed.hashes, hashed.row, hashed.texts)
        once = np.sort(by_text[_changes(by_text, hashed.row)])
        at = _changes(once)
        different, texts_with = once[at], np.diff(at, append=len(once))
        number = HashIndex(different).find(hashed.hashes)
        first = np.zeros(len(different), np.int64)
        first[number[::-1]] = np.arange(len(number) - 1, -1, -1)
        values = different.tolist()
        fresh = [place for place, value in enumerate(values) if value not in names]
        names.update(zip((values[place] for place in fresh), hashed.strings(first[fresh]), strict=True))
        for value, times in zip(values, texts_with.tolist(), strict=True):
            totals[value] = totals.get(value, 0) + times
        if len(totals) > _MAX_DIFFERENT:
            totals = {value: times for value, times in totals.items() if times > 1}
            names = {value: names[value] for value in totals}
    return {names[value]: times for value, times in totals.items()}


def _sorted_by_text(values: npt.NDArray[_Number], row: Ints, texts: int) -> npt.NDArray[_Number]:
    """Sort the values of each text: several hundred at a time are sorted in registers, four times as fast as a long array."""
    values = values.copy()
    for start, end in pairwise(np.searchsorted(row, np.arange(texts + 1)).tolist()):
        values[start:end].sort()
    return values


def _changes(*arrays: npt.NDArray[Any]) -> Ints:
    """Where one of the arrays, of one length, has another value than at the place before; the first place is one."""
    changed = np.zeros(len(arrays[0]), np.bool_)
    changed[:1] = True
    for values in arrays:
        changed[1:] |= values[1:] != values[:-1]
    return np.flatnonzero(changed)
