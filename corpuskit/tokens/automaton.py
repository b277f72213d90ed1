"""The automaton of a pattern, after Glushkov 1961: a place for each token of the pattern, and which may follow which."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from corpuskit.errors import ConfigurationError
from corpuskit.tokens.query import Choice, Condition, Node, One, Repeat, Sequence

_MOST_PLACES: Final = 500


@dataclass(slots=True)
class Automaton:
    """Attributes:
    conditions: of each place, what its token must be.
    follow: of each place, the places that may come next.
    first: the places that a match may begin with.
    last: those that it may end with.
    """

    conditions: list[Condition] = field(default_factory=list)
    follow: list[set[int]] = field(default_factory=list)
    first: set[int] = field(default_factory=set)
    last: set[int] = field(default_factory=set)


def automaton_of(pattern: Node) -> Automaton:
    """The automaton of a pattern.

    Raises:
        ConfigurationError: it has too many places.
    """
    automaton = Automaton()
    _, automaton.first, automaton.last = _add(automaton, pattern)
    return automaton


_Part = tuple[bool, set[int], set[int]]  # may be empty, first, last


def _add(automaton: Automaton, node: Node) -> _Part:
    if isinstance(node, One):
        if len(automaton.conditions) == _MOST_PLACES:
            raise ConfigurationError(f"the query is too long: more than {_MOST_PLACES} tokens, repetitions counted")
        automaton.conditions.append(node.condition)
        automaton.follow.append(set())
        place = {len(automaton.conditions) - 1}
        return False, place, set(place)
    if isinstance(node, Choice):
        parts = [_add(automaton, item) for item in node.items]
        return (
            any(empty for empty, _, _ in parts),
            set().union(*(first for _, first, _ in parts)),
            set().union(*(last for _, _, last in parts)),
        )
    if isinstance(node, Sequence):
        return _chain(automaton, [_add(automaton, item) for item in node.items])
    return _repeat(automaton, node)


def _chain(automaton: Automaton, parts: list[_Part]) -> _Part:
    whole: _Part = (True, set(), set())
    for empty, first, last in parts:
        for place in whole[2]:
            automaton.follow[place] |= first
        whole = (
            whole[0] and empty,
            whole[1] | first if whole[0] else whole[1],
            whole[2] | last if empty else last,
        )
    return whole


def _repeat(automaton: Automaton, node: Repeat) -> _Part:
    least = [_add(automaton, node.item) for _ in range(node.least)]
    if node.most is None:
        again = least[-1] if least else _add(automaton, node.item)
        for place in again[2]:
            automaton.follow[place] |= again[1]
        return _chain(automaton, least) if least else (True, again[1], again[2])
    optional: list[_Part] = []
    for _ in range(node.most - node.least):
        _, first, last = _add(automaton, node.item)
        optional.append((True, first, last))
    return _chain(automaton, least + optional)
