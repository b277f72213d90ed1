"""Finds the matches of a query, many places at a time.

Matches begin at different tokens. For each beginning the shortest match counts; of matches that end with the same token, the
longest: the strategy "standard" of CQP. A match is at most 500 tokens long, and all of them are in the selection.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.tokens.automaton import Automaton, automaton_of
from corpuskit.tokens.caching import cached_by_owner
from corpuskit.tokens.index import TokenIndex, lacking
from corpuskit.tokens.part import Part
from corpuskit.tokens.query import Both, Condition, Either, Node, Not, One, Query, Repeat, Sequence, Test
from corpuskit.tokens.selection import Selection
from corpuskit.tokens.strings import Strings

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[Any]
    Bools = npt.NDArray[np.bool_]

_LONGEST: Final = 500
_FIRST_BLOCK: Final = 1 << 12  # beginnings looked at together, so that the first matches come early
_LARGEST_BLOCK: Final = 1 << 22  # beginnings times places of the automaton
_MOST_WORK: Final = 10**11  # beginnings times the places of the automaton squared: minutes

Spans = tuple["Numbers", "Numbers"]


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Where a query was found, in reading order.

    Attributes:
        selection: where it was looked for.
        part: of each match, the number of its part.
        start: its first token.
        end: the token behind its last.
    """

    selection: Selection
    part: Numbers
    start: Numbers
    end: Numbers

    def __len__(self) -> int:
        return len(self.start)

    def of_part(self, number: int) -> Spans:
        """Return the matches of a part.

        Args:
            number: Number of the part.
        """
        first, last = np.searchsorted(self.part, [number, number + 1])
        return self.start[first:last], self.end[first:last]

    def take(self, rows: Numbers | slice) -> Matches:
        """Return some of the matches.

        Args:
            rows: Their positions.
        """
        return Matches(self.selection, self.part[rows], self.start[rows], self.end[rows])


def find(selection: Selection, query: Query, limit: int | None = None) -> Matches:
    """Return the matches of a query.

    Args:
        selection: where to look.
        query: what to look for.
        limit: only the first so many.

    Raises:
        ConfigurationError: an attribute that the index does not have, or a pattern that takes too long.
    """
    found: list[tuple[int, Numbers, Numbers]] = []
    count = 0
    for number, (starts, ends) in _blocks(selection, query):
        found.append((number, starts, ends))
        count += len(starts)
        if limit is not None and count >= limit:
            break
    empty = np.empty(0, np.int64)
    return Matches(
        selection,
        np.concatenate([empty, *(np.full(len(starts), number) for number, starts, _ in found)])[:limit],
        np.concatenate([empty, *(starts for _, starts, _ in found)])[:limit],
        np.concatenate([empty, *(ends for _, _, ends in found)])[:limit],
    )


def find_by_part(selection: Selection, query: Query) -> Iterator[tuple[int, Numbers, Numbers]]:
    """Return the matches of a query part by part, for those who need not hold all of them at once.

    Args:
        selection: where to look.
        query: what to look for.

    Yields:
        The number of a part that has matches, their first tokens, and the tokens behind their last.

    Raises:
        ConfigurationError: an attribute that the index does not have, or a pattern that takes too long.
    """
    for number, blocks in groupby(_blocks(selection, query), key=itemgetter(0)):
        found = [block for _, block in blocks]
        yield number, np.concatenate([starts for starts, _ in found]), np.concatenate([ends for _, ends in found])


def _blocks(selection: Selection, query: Query) -> Iterator[tuple[int, Spans]]:
    check_query(selection.index, query)
    for number in range(len(selection.index.parts)):
        if selection.documents[number].any():
            for block in _Finder(selection, number, query).blocks():
                if len(block[0]):
                    yield number, block


@cached_by_owner
def strings_of(index: TokenIndex, number: int) -> Strings:
    """Return the searches in the lexica of a part."""
    return Strings(index.parts[number])


def check_query(index: TokenIndex, query: Query) -> None:
    """Check that an index can answer a query.

    Args:
        index: The index.
        query: The query.

    Raises:
        ConfigurationError: it asks for an attribute that the index does not have.
    """
    for test in _tests(query):
        if any(not part.has(test.attribute) for part in index.parts):
            raise ConfigurationError(f"query {query.text!r}: {lacking(index, test.attribute)}")


def _tests(query: Query) -> Iterator[Test]:
    def of(condition: Condition) -> Iterator[Test]:
        if isinstance(condition, Test):
            yield condition
        elif isinstance(condition, Not):
            yield from of(condition.condition)
        else:
            for one in condition.conditions:
                yield from of(one)

    for condition in automaton_of(query.pattern).conditions if query.pattern is not None else ():
        yield from of(condition)
    for inner, _ in query.containing:
        yield from _tests(inner)


class _Finder:
    """Looks for a query in one part."""

    def __init__(self, selection: Selection, number: int, query: Query) -> None:
        self._selection, self._number, self._query = selection, number, query
        self._part: Part = selection.index.parts[number]
        self._strings = strings_of(selection.index, number)
        self._words: dict[Test, Bools] = {}
        self._contained: dict[Query, Spans] = {}

    def blocks(self, *, standard: bool = True) -> Iterator[Spans]:
        """The matches, some at a time; without ``standard`` those that end together too."""
        for starts, ends in self._standard(self._unfiltered()) if standard else self._unfiltered():
            keep = np.ones(len(starts), np.bool_)
            for inner, wanted in self._query.containing:
                keep &= self._contain(starts, ends, inner) == wanted
            yield starts[keep], ends[keep]

    def _unfiltered(self) -> Iterator[Spans]:
        if self._query.pattern is None:
            bounds = self._bounds(self._query.within)
            yield self._selected(bounds[:-1], bounds[1:])
            return
        tokens = _tokens(self._query.pattern)
        simple = tokens is not None and self._query.ends is None
        automaton = automaton_of(self._query.pattern)
        starts, size, at = self._beginnings(automaton), _FIRST_BLOCK, 0
        most = max(_FIRST_BLOCK, _LARGEST_BLOCK // len(automaton.conditions))
        if len(starts) * len(automaton.conditions) ** 2 > _MOST_WORK:
            raise ConfigurationError(
                f"query {self._query.text!r}: it can begin at {len(starts):,} tokens and has "
                f"{len(automaton.conditions)} places, repetitions counted; begin it with a rarer word, or repeat less often"
            )
        while at < len(starts):
            block = starts[at : at + size]
            at, size = at + size, min(size * 2, most)
            if simple and tokens is not None:
                yield self._fixed(block, tokens)
            else:
                yield self._selected(*self._run(automaton, block))

    def _standard(self, blocks: Iterator[Spans]) -> Iterator[Spans]:
        """Of matches that end together the first."""
        before = np.empty(0, np.int64)
        for starts, ends in blocks:
            if _tokens(self._query.pattern) is not None or self._query.pattern is None:
                yield starts, ends
                continue
            _, first = np.unique(ends, return_index=True)
            keep = np.zeros(len(ends), np.bool_)
            keep[first] = True
            keep &= ~np.isin(ends, before)
            before = ends
            yield starts[keep], ends[keep]

    # -- conditions

    def _allowed(self, test: Test) -> Bools:
        """Of each string of the attribute's column, whether it passes; of words where case does not matter, of the word."""
        if test not in self._words:
            attribute = self._strings.attribute(test)
            allowed = np.zeros(len(self._part.lexicon(attribute)), np.bool_)
            allowed[self._strings.numbers(test)] = True
            if attribute == "lower":  # so that a token's number is looked up once
                allowed = allowed[self._part.column("lower_of_word")]
            self._words[test] = allowed
        return self._words[test]

    def _holds(self, condition: Condition, places: Numbers) -> Bools:
        if isinstance(condition, Test):
            column = "word" if self._strings.attribute(condition) == "lower" else condition.attribute
            return self._allowed(condition)[self._part.column(column)[places]]
        if isinstance(condition, Not):
            return ~self._holds(condition.condition, places)
        held = np.full(len(places), isinstance(condition, Both))
        for one in condition.conditions:
            if isinstance(condition, Both):
                held &= self._holds(one, places)
            else:
                held |= self._holds(one, places)
        return held

    def _frequency(self, condition: Condition) -> int:
        """At most so many tokens pass."""
        if isinstance(condition, Test):
            return self._part.frequency(self._strings.attribute(condition), self._strings.numbers(condition))
        if isinstance(condition, Not) or not condition.conditions:
            return len(self._part)
        parts = [self._frequency(one) for one in condition.conditions]
        return min(parts) if isinstance(condition, Both) else min(sum(parts), len(self._part))

    def _places(self, condition: Condition) -> Numbers:
        """Where the tokens stand that pass, in order."""
        if isinstance(condition, Test):
            return self._part.places(self._strings.attribute(condition), self._strings.numbers(condition))
        if self._frequency(condition) < len(self._part) and isinstance(condition, (Both, Either)):
            if isinstance(condition, Both):
                rarest = min(condition.conditions, key=self._frequency)
                places = self._places(rarest)
                return places[self._holds(condition, places)]
            return np.unique(np.concatenate([self._places(one) for one in condition.conditions]))
        every = np.arange(len(self._part))
        return every[self._holds(condition, every)]

    def _beginnings(self, automaton: Automaton) -> Numbers:
        """Where a match can begin: found from the rarest token whose distance from the beginning is known."""
        assert self._query.pattern is not None
        known = list(_known_places(self._query.pattern))
        from_first = sum(self._frequency(automaton.conditions[place]) for place in automaton.first)
        best = min(known, key=lambda one: self._frequency(one[1]), default=None)
        needed = min((item.condition for item in _needed(self._query.pattern)), key=self._frequency, default=None)
        if best is not None and self._frequency(best[1]) <= from_first:
            places = self._places(best[1]) - best[0]
            starts = places[places >= 0]
        else:
            either = Either(tuple(automaton.conditions[place] for place in sorted(automaton.first)))
            starts = self._places(either)
        holds = self._selection.holds(self._number, starts)
        starts = starts if holds is None else starts[holds]
        if self._query.begins is not None:
            starts = starts[np.isin(starts, self._bounds(self._query.begins)[:-1])]
        if needed is not None and self._frequency(needed) * 10 < len(starts):
            # A token that each match has, however far on: without one behind it in its structure, none begins here.
            places = np.append(self._places(needed), np.iinfo(np.int64).max)
            starts = starts[places[np.searchsorted(places, starts)] < self._ends_of(starts, self._query.within)]
        return starts

    # -- structures

    def _bounds(self, structure: str) -> Numbers:
        """Where the structures begin, and where the last ends."""
        if structure == "document":
            return self._part.document_bounds()
        if structure == "sentence":
            return self._part.sentence_bounds()
        return self._part.column("element_start").astype(np.int64)

    def _ends_of(self, starts: Numbers, structure: str) -> Numbers:
        bounds = self._bounds(structure)
        return bounds[np.searchsorted(bounds, starts, side="right")]

    def _selected(self, starts: Numbers, ends: Numbers) -> Spans:
        """Those of which all tokens are in the selection."""
        elements = self._selection.elements(self._number)
        if elements is None:
            keep = ends > starts
        else:
            before = np.concatenate([[0], np.cumsum(elements)])
            first, last = self._part.element_of(starts), self._part.element_of(ends - 1) + 1
            keep = (before[last] - before[first] == last - first) & (ends > starts)
        return starts[keep], ends[keep]

    def _contain(self, starts: Numbers, ends: Numbers, inner: Query) -> Bools:
        """Which matches have a match of another query in them."""
        if inner not in self._contained:
            finder = _Finder(self._selection, self._number, inner)
            found = [block for block in finder.blocks(standard=False) if len(block[0])]
            empty = np.empty(0, np.int64)
            inner_starts = np.concatenate([empty, *(one for one, _ in found)])
            inner_ends = np.concatenate([empty, *(one for _, one in found)])
            # The earliest end of all that begin at or behind each.
            earliest = np.minimum.accumulate(inner_ends[::-1])[::-1]
            self._contained[inner] = inner_starts, np.append(earliest, np.iinfo(np.int64).max)
        inner_starts, earliest = self._contained[inner]
        held: Bools = earliest[np.searchsorted(inner_starts, starts)] <= ends
        return held

    # -- the automaton

    def _fixed(self, starts: Numbers, tokens: list[Condition]) -> Spans:
        """Matches of a pattern without repetition: a token behind the other."""
        if len(tokens) > 1 or self._query.within == "document":
            ends = self._ends_of(starts, self._query.within)
            starts = starts[starts + len(tokens) <= ends]
        for distance, condition in enumerate(tokens):
            if not len(starts):
                break
            if len(tokens) > 1 or not isinstance(condition, Test):
                starts = starts[self._holds(condition, starts + distance)]
        if self._query.within == "document" and len(tokens) > 1:
            return self._selected(starts, starts + len(tokens))
        return starts, starts + len(tokens)

    def _run(self, automaton: Automaton, starts: Numbers) -> Spans:
        """For each start the end of its shortest match, where there is one."""
        size = len(automaton.conditions)
        conditions = list(dict.fromkeys(automaton.conditions))
        of = [conditions.index(condition) for condition in automaton.conditions]
        follow = np.zeros((size, size), np.float32)  # numbers, so that products are those of BLAS
        for place, after in enumerate(automaton.follow):
            follow[place, list(after)] = True
        last = np.zeros(size, np.bool_)
        last[list(automaton.last)] = True
        ends_at = self._bounds(self._query.ends) if self._query.ends is not None else None
        bound = self._ends_of(starts, self._query.within)
        rows = np.arange(len(starts))
        reached = np.zeros((len(starts), size), np.bool_)
        reached[:, list(automaton.first)] = True
        result = np.full(len(starts), -1, np.int64)
        for distance in range(_LONGEST):
            inside = starts[rows] + distance < bound[rows]
            rows, reached = rows[inside], reached[inside]
            if not len(rows):
                break
            places = starts[rows] + distance
            for number, condition in enumerate(conditions):
                states = [place for place, one in enumerate(of) if one == number]
                asked = reached[:, states].any(axis=1)
                if asked.any():
                    held = np.zeros(len(rows), np.bool_)
                    held[asked] = self._holds(condition, places[asked])
                    reached[:, states] &= held[:, None]
            done = (reached & last).any(axis=1)
            if ends_at is not None:
                done &= ends_at[np.searchsorted(ends_at, places + 1)] == places + 1
            result[rows[done]] = places[done] + 1
            on = ~done & reached.any(axis=1)
            rows, reached = rows[on], reached[on].astype(np.float32) @ follow > 0
        keep = result >= 0
        return starts[keep], result[keep]


def _tokens(pattern: Node | None) -> list[Condition] | None:
    """The conditions of a pattern that is one token or a sequence of tokens."""
    if isinstance(pattern, One):
        return [pattern.condition]
    if isinstance(pattern, Sequence) and all(isinstance(item, One) for item in pattern.items):
        return [item.condition for item in pattern.items if isinstance(item, One)]
    return None


def _needed(pattern: Node) -> Iterator[One]:
    """Tokens that each match has."""
    for item in pattern.items if isinstance(pattern, Sequence) else (pattern,):
        inner = item.item if isinstance(item, Repeat) and item.least else item
        if isinstance(inner, One):
            yield inner


def _known_places(pattern: Node) -> Iterator[tuple[int, Condition]]:
    """Tokens that each match has, and how far from its beginning."""
    items = pattern.items if isinstance(pattern, Sequence) else (pattern,)
    for distance, item in enumerate(items):
        if not isinstance(item, One):
            return
        yield distance, item.condition
