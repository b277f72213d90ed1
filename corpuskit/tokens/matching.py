"""Matching of queries against token positions, vectorized over many positions at once.

For each start the shortest match counts. Of matches with the same end, the longest counts. This is the strategy "standard" of
CQP. A match has at most 500 tokens, and all of them are in the selection.
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
from corpuskit.tokens.index import TokenIndex, missing_attribute_message
from corpuskit.tokens.index_part import IndexPart
from corpuskit.tokens.lexicon_search import LexiconSearch
from corpuskit.tokens.query import (
    And,
    AttributeTest,
    Concatenation,
    Condition,
    Node,
    Not,
    Or,
    Query,
    Repetition,
    TokenNode,
)
from corpuskit.tokens.result_cache import cached_by_owner
from corpuskit.tokens.token_selection import TokenSelection

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[Any]
    Bools = npt.NDArray[np.bool_]

_MAX_LENGTH: Final = 500  # tokens of a match
_MIN_BLOCK: Final = 1 << 12  # starts in the first block; small, so that the first matches arrive early
_MAX_BLOCK: Final = 1 << 22  # starts times positions of the automaton
_MAX_WORK: Final = 10**11  # starts times squared positions of the automaton; takes minutes

Spans = tuple["Numbers", "Numbers"]


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Matches of a query in reading order.

    Attributes:
        selection: The searched tokens.
        part: Number of the part of each match.
        start: First token of each match.
        end: End (exclusive) of each match.
    """

    selection: TokenSelection
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


def find(selection: TokenSelection, query: Query, limit: int | None = None) -> Matches:
    """Return the matches of a query.

    Args:
        selection: Tokens to search.
        query: The query.
        limit: Maximum number of matches. None: all.

    Raises:
        ConfigurationError: The index lacks an attribute of the query, or a pattern takes too long.
    """
    blocks: list[tuple[int, Numbers, Numbers]] = []
    count = 0
    for number, (starts, ends) in _blocks(selection, query):
        blocks.append((number, starts, ends))
        count += len(starts)
        if limit is not None and count >= limit:
            break
    empty = np.empty(0, np.int64)
    return Matches(
        selection,
        np.concatenate([empty, *(np.full(len(starts), number) for number, starts, _ in blocks)])[:limit],
        np.concatenate([empty, *(starts for _, starts, _ in blocks)])[:limit],
        np.concatenate([empty, *(ends for _, _, ends in blocks)])[:limit],
    )


def find_by_part(selection: TokenSelection, query: Query) -> Iterator[tuple[int, Numbers, Numbers]]:
    """Yield the matches of a query part by part, which saves memory.

    Args:
        selection: Tokens to search.
        query: The query.

    Yields:
        Number of a part with matches, starts and ends (exclusive) of the matches.

    Raises:
        ConfigurationError: The index lacks an attribute of the query, or a pattern takes too long.
    """
    for number, group in groupby(_blocks(selection, query), key=itemgetter(0)):
        blocks = [block for _, block in group]
        yield number, np.concatenate([starts for starts, _ in blocks]), np.concatenate([ends for _, ends in blocks])


def _blocks(selection: TokenSelection, query: Query) -> Iterator[tuple[int, Spans]]:
    check_query(selection.index, query)
    for number in range(len(selection.index.parts)):
        if selection.documents[number].any():
            for block in _Finder(selection, number, query).blocks():
                if len(block[0]):
                    yield number, block


@cached_by_owner
def lexicon_search(index: TokenIndex, number: int) -> LexiconSearch:
    """Return the searcher of the lexica of a part."""
    return LexiconSearch(index.parts[number])


def check_query(index: TokenIndex, query: Query) -> None:
    """Raise if an index cannot answer a query.

    Args:
        index: The index.
        query: The query.

    Raises:
        ConfigurationError: The index lacks an attribute of the query.
    """
    for test in _tests(query):
        if any(not part.has(test.attribute) for part in index.parts):
            raise ConfigurationError(f"query {query.text!r}: {missing_attribute_message(index, test.attribute)}")


def _tests(query: Query) -> Iterator[AttributeTest]:
    def tests_of(condition: Condition) -> Iterator[AttributeTest]:
        if isinstance(condition, AttributeTest):
            yield condition
        elif isinstance(condition, Not):
            yield from tests_of(condition.condition)
        else:
            for operand in condition.conditions:
                yield from tests_of(operand)

    for condition in automaton_of(query.pattern).conditions if query.pattern is not None else ():
        yield from tests_of(condition)
    for inner, _ in query.containing:
        yield from _tests(inner)


class _Finder:
    """Search for a query in one part."""

    def __init__(self, selection: TokenSelection, number: int, query: Query) -> None:
        self._selection, self._number, self._query = selection, number, query
        self._part: IndexPart = selection.index.parts[number]
        self._strings = lexicon_search(selection.index, number)
        self._masks: dict[AttributeTest, Bools] = {}
        self._contained: dict[Query, Spans] = {}

    def blocks(self, *, standard: bool = True) -> Iterator[Spans]:
        """Yield the matches in blocks. Without ``standard``, include matches with the same end."""
        for starts, ends in self._standard(self._unfiltered()) if standard else self._unfiltered():
            keep = np.ones(len(starts), np.bool_)
            for inner, is_required in self._query.containing:
                keep &= self._contain(starts, ends, inner) == is_required
            yield starts[keep], ends[keep]

    def _unfiltered(self) -> Iterator[Spans]:
        if self._query.pattern is None:
            bounds = self._bounds(self._query.within)
            yield self._selected(bounds[:-1], bounds[1:])
            return
        tokens = _tokens(self._query.pattern)
        simple = tokens is not None and self._query.ends is None
        automaton = automaton_of(self._query.pattern)
        starts, size, at = self._candidate_starts(automaton), _MIN_BLOCK, 0
        max_size = max(_MIN_BLOCK, _MAX_BLOCK // len(automaton.conditions))
        if len(starts) * len(automaton.conditions) ** 2 > _MAX_WORK:
            raise ConfigurationError(
                f"query {self._query.text!r} is too expensive: it can start at {len(starts):,} tokens and has "
                f"{len(automaton.conditions)} tokens, each repetition counted; start it with a rarer word, or repeat less often"
            )
        while at < len(starts):
            block = starts[at : at + size]
            at, size = at + size, min(size * 2, max_size)
            if simple and tokens is not None:
                yield self._fixed(block, tokens)
            else:
                yield self._selected(*self._run(automaton, block))

    def _standard(self, blocks: Iterator[Spans]) -> Iterator[Spans]:
        """Yield the first of matches with the same end."""
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

    def _allowed(self, test: AttributeTest) -> Bools:
        """Return a mask of the strings that pass. For ``lower`` it is a mask of words, to save a lookup per token."""
        if test not in self._masks:
            attribute = self._strings.attribute(test)
            allowed = np.zeros(len(self._part.lexicon(attribute)), np.bool_)
            allowed[self._strings.numbers(test)] = True
            if attribute == "lower":
                allowed = allowed[self._part.column("lower_of_word")]
            self._masks[test] = allowed
        return self._masks[test]

    def _holds(self, condition: Condition, positions: Numbers) -> Bools:
        if isinstance(condition, AttributeTest):
            column = "word" if self._strings.attribute(condition) == "lower" else condition.attribute
            return self._allowed(condition)[self._part.column(column)[positions]]
        if isinstance(condition, Not):
            return ~self._holds(condition.condition, positions)
        is_and = isinstance(condition, And)
        mask = np.full(len(positions), is_and)
        for operand in condition.conditions:
            if is_and:
                mask &= self._holds(operand, positions)
            else:
                mask |= self._holds(operand, positions)
        return mask

    def _frequency(self, condition: Condition) -> int:
        """Return an upper bound of the number of tokens that satisfy a condition."""
        if isinstance(condition, AttributeTest):
            return self._part.frequency(self._strings.attribute(condition), self._strings.numbers(condition))
        if isinstance(condition, Not) or not condition.conditions:
            return len(self._part)
        bounds = [self._frequency(operand) for operand in condition.conditions]
        return min(bounds) if isinstance(condition, And) else min(sum(bounds), len(self._part))

    def _matching_positions(self, condition: Condition) -> Numbers:
        """Return the sorted positions of the tokens that satisfy a condition."""
        if isinstance(condition, AttributeTest):
            return self._part.positions(self._strings.attribute(condition), self._strings.numbers(condition))
        if self._frequency(condition) < len(self._part) and isinstance(condition, (And, Or)):
            if isinstance(condition, And):
                rarest = min(condition.conditions, key=self._frequency)
                positions = self._matching_positions(rarest)
                return positions[self._holds(condition, positions)]
            return np.unique(np.concatenate([self._matching_positions(operand) for operand in condition.conditions]))
        all_positions = np.arange(len(self._part))
        return all_positions[self._holds(condition, all_positions)]

    def _candidate_starts(self, automaton: Automaton) -> Numbers:
        """Return possible starts, from the rarest token with a known distance from the start."""
        assert self._query.pattern is not None
        known = list(_tokens_at_known_distance(self._query.pattern))
        from_first = sum(self._frequency(automaton.conditions[position]) for position in automaton.first)
        best = min(known, key=lambda item: self._frequency(item[1]), default=None)
        required = min((item.condition for item in _required(self._query.pattern)), key=self._frequency, default=None)
        if best is not None and self._frequency(best[1]) <= from_first:
            positions = self._matching_positions(best[1]) - best[0]
            starts = positions[positions >= 0]
        else:
            either = Or(tuple(automaton.conditions[position] for position in sorted(automaton.first)))
            starts = self._matching_positions(either)
        holds = self._selection.holds(self._number, starts)
        starts = starts if holds is None else starts[holds]
        if self._query.begins is not None:
            starts = starts[np.isin(starts, self._bounds(self._query.begins)[:-1])]
        if required is not None and self._frequency(required) * 10 < len(starts):
            # Each match contains this token. Drop starts that have none after them in the same structure.
            positions = np.append(self._matching_positions(required), np.iinfo(np.int64).max)
            starts = starts[positions[np.searchsorted(positions, starts)] < self._ends_of(starts, self._query.within)]
        return starts

    # -- structures

    def _bounds(self, structure: str) -> Numbers:
        """Return the first token of each structure, followed by the end of the last one."""
        if structure == "document":
            return self._part.document_bounds()
        if structure == "sentence":
            return self._part.sentence_bounds()
        return self._part.column("element_start").astype(np.int64)

    def _ends_of(self, starts: Numbers, structure: str) -> Numbers:
        bounds = self._bounds(structure)
        return bounds[np.searchsorted(bounds, starts, side="right")]

    def _selected(self, starts: Numbers, ends: Numbers) -> Spans:
        """Return the spans that contain only selected tokens."""
        elements = self._selection.elements(self._number)
        if elements is None:
            keep = ends > starts
        else:
            before = np.concatenate([[0], np.cumsum(elements)])
            first, last = self._part.element_of(starts), self._part.element_of(ends - 1) + 1
            keep = (before[last] - before[first] == last - first) & (ends > starts)
        return starts[keep], ends[keep]

    def _contain(self, starts: Numbers, ends: Numbers, inner: Query) -> Bools:
        """Return which matches contain a match of another query."""
        if inner not in self._contained:
            finder = _Finder(self._selection, self._number, inner)
            blocks = [block for block in finder.blocks(standard=False) if len(block[0])]
            empty = np.empty(0, np.int64)
            inner_starts = np.concatenate([empty, *(starts_of for starts_of, _ in blocks)])
            inner_ends = np.concatenate([empty, *(ends_of for _, ends_of in blocks)])
            # For each inner match, the earliest end of all inner matches that start there or later.
            earliest = np.minimum.accumulate(inner_ends[::-1])[::-1]
            self._contained[inner] = inner_starts, np.append(earliest, np.iinfo(np.int64).max)
        inner_starts, earliest = self._contained[inner]
        contains: Bools = earliest[np.searchsorted(inner_starts, starts)] <= ends
        return contains

    # -- the automaton

    def _fixed(self, starts: Numbers, tokens: list[Condition]) -> Spans:
        """Return the matches of a pattern without repetitions."""
        if len(tokens) > 1 or self._query.within == "document":
            ends = self._ends_of(starts, self._query.within)
            starts = starts[starts + len(tokens) <= ends]
        for distance, condition in enumerate(tokens):
            if not len(starts):
                break
            if len(tokens) > 1 or not isinstance(condition, AttributeTest):
                starts = starts[self._holds(condition, starts + distance)]
        if self._query.within == "document" and len(tokens) > 1:
            return self._selected(starts, starts + len(tokens))
        return starts, starts + len(tokens)

    def _run(self, automaton: Automaton, starts: Numbers) -> Spans:
        """Run the automaton from each start. Return the starts with a match, and the ends of their shortest matches."""
        size = len(automaton.conditions)
        conditions = list(dict.fromkeys(automaton.conditions))
        condition_of = [conditions.index(condition) for condition in automaton.conditions]
        follow = np.zeros((size, size), np.float32)  # floats, so that products use BLAS
        for position, successors in enumerate(automaton.follow):
            follow[position, list(successors)] = True
        last = np.zeros(size, np.bool_)
        last[list(automaton.last)] = True
        ends_at = self._bounds(self._query.ends) if self._query.ends is not None else None
        bound = self._ends_of(starts, self._query.within)
        rows = np.arange(len(starts))
        reached = np.zeros((len(starts), size), np.bool_)
        reached[:, list(automaton.first)] = True
        result = np.full(len(starts), -1, np.int64)
        for distance in range(_MAX_LENGTH):
            is_within = starts[rows] + distance < bound[rows]
            rows, reached = rows[is_within], reached[is_within]
            if not len(rows):
                break
            positions = starts[rows] + distance
            for number, condition in enumerate(conditions):
                states = [state for state, of_state in enumerate(condition_of) if of_state == number]
                active = reached[:, states].any(axis=1)
                if active.any():
                    passed = np.zeros(len(rows), np.bool_)
                    passed[active] = self._holds(condition, positions[active])
                    reached[:, states] &= passed[:, None]
            done = (reached & last).any(axis=1)
            if ends_at is not None:
                done &= ends_at[np.searchsorted(ends_at, positions + 1)] == positions + 1
            result[rows[done]] = positions[done] + 1
            pending = ~done & reached.any(axis=1)
            rows, reached = rows[pending], reached[pending].astype(np.float32) @ follow > 0
        keep = result >= 0
        return starts[keep], result[keep]


def _tokens(pattern: Node | None) -> list[Condition] | None:
    """Return the conditions of a pattern that is one token or a sequence of tokens, otherwise None."""
    if isinstance(pattern, TokenNode):
        return [pattern.condition]
    if isinstance(pattern, Concatenation) and all(isinstance(item, TokenNode) for item in pattern.items):
        return [item.condition for item in pattern.items if isinstance(item, TokenNode)]
    return None


def _required(pattern: Node) -> Iterator[TokenNode]:
    """Yield tokens that each match contains."""
    for item in pattern.items if isinstance(pattern, Concatenation) else (pattern,):
        inner = item.item if isinstance(item, Repetition) and item.minimum else item
        if isinstance(inner, TokenNode):
            yield inner


def _tokens_at_known_distance(pattern: Node) -> Iterator[tuple[int, Condition]]:
    """Yield tokens that each match contains at a fixed distance from its start."""
    items = pattern.items if isinstance(pattern, Concatenation) else (pattern,)
    for distance, item in enumerate(items):
        if not isinstance(item, TokenNode):
            return
        yield distance, item.condition
