"""The query language once more, as plainly as can be: every beginning and every end of every text is tried."""

import re

from corpuskit.text import WORD
from corpuskit.tokens.query import Alternation, And, AttributeTest, Concatenation, Not, Or, TokenNode


class Text:
    """Texts (doc_id, element_id, text, main) as lists of words with the structures they stand in."""

    def __init__(self, rows):
        self.words, self.element, self.document, self.main, self.sentence = [], [], [], [], []
        self.ends = {}  # (pattern, start, stop) → ends: repeats of repeats ask for the same again and again
        for number, (doc_id, _, text, main) in enumerate(rows):
            for match in WORD.finditer(text):
                self.words.append(match[0])
                self.element.append(number)
                self.document.append(doc_id)
                self.main.append(main)
                # Sentences of the test's texts end with a full stop, and nothing else has one.
                self.sentence.append((number, text.count(".", 0, match.start())))

    def of(self, structure):
        return {"block": self.element, "document": self.document, "sentence": self.sentence}[structure]


def holds(condition, word):
    if isinstance(condition, AttributeTest):
        text = word.lower() if condition.attribute == "lower" else word
        flags = re.IGNORECASE if condition.ignore_case else 0
        pattern = re.escape(condition.pattern) if condition.literal else condition.pattern
        return re.fullmatch(pattern, text, flags) is not None
    if isinstance(condition, Not):
        return not holds(condition.condition, word)
    if isinstance(condition, And):
        return all(holds(one, word) for one in condition.conditions)
    assert isinstance(condition, Or)
    return any(holds(one, word) for one in condition.conditions)


def ends_of(node, text, start, stop):
    """All ends of matches that begin at a place and do not go beyond another; the empty match's is its beginning."""
    key = node, start, stop
    if key not in text.ends:
        text.ends[key] = _ends_of(node, text, start, stop)
    return text.ends[key]


def _ends_of(node, text, start, stop):
    if isinstance(node, TokenNode):
        return {start + 1} if start < stop and holds(node.condition, text.words[start]) else set()
    if isinstance(node, Alternation):
        return {end for item in node.items for end in ends_of(item, text, start, stop)}
    if isinstance(node, Concatenation):
        ends = {start}
        for item in node.items:
            ends = {end for place in ends for end in ends_of(item, text, place, stop)}
        return ends
    ends, found, count = {start}, {start} if not node.minimum else set(), 0
    seen = set()
    while ends and (node.maximum is None or count < node.maximum) and (count, frozenset(ends)) not in seen:
        seen.add((count, frozenset(ends)))
        ends = {end for place in ends for end in ends_of(node.item, text, place, stop)}
        count += 1
        if count >= node.minimum:
            if ends <= found and node.maximum is None and count > len(text.words) + node.minimum:
                break
            found |= ends
    return found


def matches_of(query, text, main=True, every=False):
    """(start, end) of all matches, in order."""
    size, structure = len(text.words), text.of(query.within)
    found = []
    for start in range(size):
        stop = start
        while stop < size and structure[stop] == structure[start]:
            stop += 1
        if query.pattern is None:
            ends = {stop} if start == 0 or structure[start - 1] != structure[start] else set()
        else:
            ends = ends_of(query.pattern, text, start, stop)
        ends = sorted(end for end in ends if end > start and at_an_end(query.ends, text, end))
        if ends and at_a_beginning(query.begins, text, start):
            found.append((start, ends[0]))
    found = [(start, end) for start, end in found if not main or all(text.main[start:end])]
    if query.pattern is not None and not every:
        found = [one for one in found if not any(other[1] == one[1] and other[0] < one[0] for other in found)]
    for inner, wanted in query.containing:
        within = matches_of(inner, text, main, every=True)
        found = [(s, e) for s, e in found if any(s <= a and b <= e for a, b in within) == wanted]
    return found


def at_a_beginning(structure, text, start):
    return structure is None or start == 0 or text.of(structure)[start - 1] != text.of(structure)[start]


def at_an_end(structure, text, end):
    return structure is None or end == len(text.words) or text.of(structure)[end - 1] != text.of(structure)[end]
