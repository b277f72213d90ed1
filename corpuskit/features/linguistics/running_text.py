"""Searching the running text, across words and punctuation: each element is read."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.features.linguistics.lines import MOST_CHARACTERS, Sort
from corpuskit.store import CorpusFolder
from corpuskit.store.element_cache import element_tables
from corpuskit.text import WORD
from corpuskit.text.patterns import arrow_pattern, compiled_pattern, matches_in
from corpuskit.text.tokens import WORD_BACKWARDS
from corpuskit.tokens import TokenSelection

if TYPE_CHECKING:
    import pyarrow as pa

_SLICE: Final = 2_000  # elements whose texts become strings at once, so that the first lines come early

Line = tuple[str, int, str, str, str]


def lines(folder: CorpusFolder, pattern: str, selection: TokenSelection, *, window: int = 8) -> Iterator[Line]:
    """The lines (doc_id, element_id, left, match, right) in reading order, as they are found.

    Args:
        folder: the corpus.
        pattern: a regular expression, case-insensitive, matched within one element, in the syntax of the package ``regex``:
            Python's, with ``\\p{Greek}`` and the like.
        selection: where to look.
        window: words on each side, in at most 50 characters for each.

    Raises:
        ConfigurationError: the pattern cannot be read, or takes too long.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    compiled = compiled_pattern(pattern)
    # The texts that may match, without creating Python strings of all.
    translated = arrow_pattern(pattern)
    where: dict[str, Callable[[pa.ChunkedArray], Any]] = {
        "text": pc.is_valid if translated is None else translated.mask
    }
    if selection.main:
        where["main"] = functools.partial(pc.equal, True)
    before, after = _contexts(window)
    most = MOST_CHARACTERS * window
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
                        left = text[size - _reach(before, backwards, size - first, most) : first]
                        right = text[last : _reach(after, text, last, most)]
                        yield doc_id, element_id, " ".join(left.split()), match[0], " ".join(right.split())


def sorted_lines(rows: list[Line], places: Sort) -> list[Line]:
    """The lines by the words at some places; a line without such a word comes behind those that have it."""

    def key(line: Line) -> list[tuple[bool, str]]:
        words = {"L": WORD.findall(line[2].casefold())[::-1], "R": WORD.findall(line[4].casefold())}
        return [
            (False, line[3].casefold())
            if place == 0
            else (False, words[side][place - 1])
            if len(words[side]) >= place
            else (True, "")
            for place, side in places
        ]

    return sorted(rows, key=key)


def _doc_ids(selection: TokenSelection) -> list[str] | None:
    """The documents of a selection; None where these are all."""
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
    """Up to so many words: before a place, in the text read backwards, and after it."""
    return re.compile(rf"(?:\W*{WORD_BACKWARDS}){{0,{window}}}"), re.compile(rf"(?:\W*{WORD.pattern}){{0,{window}}}")


def _reach(words: re.Pattern[str], text: str, place: int, most: int) -> int:
    """Where the words from a place on end."""
    found = words.match(text, place, place + most)
    return found.end() if found else place
