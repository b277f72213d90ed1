"""Regular expression search in the running text of elements, across words and punctuation."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.features.linguistics.lines import MAX_CHARACTERS_PER_WORD, SortKeys
from corpuskit.store import CorpusFolder
from corpuskit.store.element_cache import element_tables
from corpuskit.text import WORD
from corpuskit.text.patterns import arrow_pattern, compiled_pattern, matches_in
from corpuskit.text.tokens import WORD_BACKWARDS
from corpuskit.tokens import TokenSelection

if TYPE_CHECKING:
    import pyarrow as pa

_SLICE: Final = 2_000  # elements converted to strings together: small, so the first lines come early

Line = tuple[str, int, str, str, str]


def lines(folder: CorpusFolder, pattern: str, selection: TokenSelection, *, window: int = 8) -> Iterator[Line]:
    """Yield the lines (doc_id, element_id, left, match, right) in reading order.

    Args:
        folder: The corpus.
        pattern: Regular expression, case-insensitive, matched within one element. The syntax is that of the package ``regex``:
            Python's with additions such as ``\\p{Greek}``.
        selection: Tokens to search.
        window: Number of words on each side, with at most 50 characters per word.

    Raises:
        ConfigurationError: The pattern is invalid or takes too long.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    compiled = compiled_pattern(pattern)
    # Filter texts in Arrow first, without creating a Python string for each.
    translated = arrow_pattern(pattern)
    where: dict[str, Callable[[pa.ChunkedArray], Any]] = {
        "text": pc.is_valid if translated is None else translated.mask
    }
    if selection.main:
        where["main"] = functools.partial(pc.equal, True)
    before, after = _contexts(window)
    max_characters = MAX_CHARACTERS_PER_WORD * window
    for table in element_tables(folder, _doc_ids(selection), columns=["doc_id", "element_id", "text"], where=where):
        for start in range(0, len(table), _SLICE):
            part = table.slice(start, _SLICE)
            ids = part.column("doc_id").cast(pa.string()).to_pylist()
            texts = part.column("text").to_pylist()
            for doc_id, element_id, text in zip(ids, part.column("element_id").to_pylist(), texts, strict=True):
                backwards, size = "", len(text)
                for match in matches_in(text, compiled):
                    first, last = match.span()
                    if first < last:
                        backwards = backwards or text[::-1]
                        left = text[size - _reach(before, backwards, size - first, max_characters) : first]
                        right = text[last : _reach(after, text, last, max_characters)]
                        yield doc_id, element_id, " ".join(left.split()), match[0], " ".join(right.split())


def sorted_lines(rows: list[Line], keys: SortKeys) -> list[Line]:
    """Return the lines sorted by words. Lines without a word at a position come last."""

    def key(line: Line) -> list[tuple[bool, str]]:
        words = {"L": WORD.findall(line[2].casefold())[::-1], "R": WORD.findall(line[4].casefold())}
        return [
            (False, line[3].casefold())
            if distance == 0
            else (False, words[side][distance - 1])
            if len(words[side]) >= distance
            else (True, "")
            for distance, side in keys
        ]

    return sorted(rows, key=key)


def _doc_ids(selection: TokenSelection) -> list[str] | None:
    """Return the documents of a selection, or None if it contains all."""
    index = selection.index
    if all(np.array_equal(chosen, alive) for chosen, alive in zip(selection.documents, index.alive, strict=True)):
        return None
    ids = []
    for part, chosen in zip(index.parts, selection.documents, strict=True):
        known = part.documents.column("doc_id")
        ids += [known[number].as_py() for number in np.flatnonzero(chosen).tolist()]
    return ids


@cache
def _contexts(window: int) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for up to ``window`` words: before a position, in the reversed text, and after it."""
    return re.compile(rf"(?:\W*{WORD_BACKWARDS}){{0,{window}}}"), re.compile(rf"(?:\W*{WORD.pattern}){{0,{window}}}")


def _reach(words: re.Pattern[str], text: str, start: int, max_characters: int) -> int:
    """Return the end of the words that begin at a position."""
    match = words.match(text, start, start + max_characters)
    return match.end() if match else start
