"""Position automaton of a query pattern (Glushkov 1961): one position per token of the pattern."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from corpuskit.errors import ConfigurationError
from corpuskit.tokens.query import Alternation, Concatenation, Condition, Node, Repetition, TokenNode

_MAX_POSITIONS: Final = 500


@dataclass(slots=True)
class Automaton:
    """Position automaton.

    Attributes:
        conditions: Condition of each position.
        follow: Positions that may follow each position.
        first: Positions at which a match may begin.
        last: Positions at which a match may end.
    """

    conditions: list[Condition] = field(default_factory=list)
    follow: list[set[int]] = field(default_factory=list)
    first: set[int] = field(default_factory=set)
    last: set[int] = field(default_factory=set)


def automaton_of(pattern: Node) -> Automaton:
    """Return the automaton of a pattern.

    Raises:
        ConfigurationError: The pattern has too many positions.
    """
    automaton = Automaton()
    _, automaton.first, automaton.last = _add(automaton, pattern)
    return automaton


_Fragment = tuple[bool, set[int], set[int]]  # may be empty, first positions, last positions


def _add(automaton: Automaton, node: Node) -> _Fragment:
    if isinstance(node, TokenNode):
        if len(automaton.conditions) == _MAX_POSITIONS:
            raise ConfigurationError(
                f"the query is too long: expected at most {_MAX_POSITIONS} tokens, each repetition counted"
            )
        automaton.conditions.append(node.condition)
        automaton.follow.append(set())
        position = {len(automaton.conditions) - 1}
        return False, position, set(position)
    if isinstance(node, Alternation):
        fragments = [_add(automaton, item) for item in node.items]
        return (
            any(empty for empty, _, _ in fragments),
            set().union(*(first for _, first, _ in fragments)),
            set().union(*(last for _, _, last in fragments)),
        )
    if isinstance(node, Concatenation):
        return _concatenate(automaton, [_add(automaton, item) for item in node.items])
    return _repeat(automaton, node)


def _concatenate(automaton: Automaton, fragments: list[_Fragment]) -> _Fragment:
    result: _Fragment = (True, set(), set())
    for empty, first, last in fragments:
        for position in result[2]:
            automaton.follow[position] |= first
        result = (
            result[0] and empty,
            result[1] | first if result[0] else result[1],
            result[2] | last if empty else last,
        )
    return result


def _repeat(automaton: Automaton, node: Repetition) -> _Fragment:
    required = [_add(automaton, node.item) for _ in range(node.minimum)]
    if node.maximum is None:
        loop = required[-1] if required else _add(automaton, node.item)
        for position in loop[2]:
            automaton.follow[position] |= loop[1]
        return _concatenate(automaton, required) if required else (True, loop[1], loop[2])
    optional: list[_Fragment] = []
    for _ in range(node.maximum - node.minimum):
        _, first, last = _add(automaton, node.item)
        optional.append((True, first, last))
    return _concatenate(automaton, required + optional)
