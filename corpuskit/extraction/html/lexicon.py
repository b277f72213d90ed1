"""Words of classes, ids and short texts, and how strongly they speak for or against main content."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

_NAME: Final = re.compile(r"[\w-]+")
_WORD_OF_NAME: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]{2,}")
_WORD: Final = re.compile(r"[^\W\d_]+")
_LONGEST_TEXT: Final = 200
_MOST_WORDS: Final = 10
_SHORT: Final = 40
_FIRST_LOOK: Final = 90
_KEPT_LENGTH: Final = 60
_MOST_KEPT: Final = 20_000


def name_tokens(name: str, key: str) -> tuple[str, ...]:
    """Tokens of an element: its tag, the names in class, id and role, and the words these are made of."""
    tokens = {f"<{name}>"}
    for found in _NAME.findall(key):
        if len(found) <= 40:
            tokens.add("." + found.lower().rstrip("0123456789-_"))
            tokens.update([word.lower() for word in _WORD_OF_NAME.findall(found)])
    return tuple(tokens)


def text_tokens(text: str) -> list[str]:
    """Tokens of a text: its first words, and a short text as a whole."""
    start = text[:_LONGEST_TEXT].lower()
    words = _WORD.findall(start[:_FIRST_LOOK])
    if len(words) <= _MOST_WORDS and len(start) > _FIRST_LOOK:  # else the last one may be cut, and is not needed
        words = _WORD.findall(start)
    del words[_MOST_WORDS:]
    if len(text) <= _SHORT:
        words.append("=" + " ".join(words))
    return words


@dataclass(slots=True)
class Lexicon:
    """Log-odds of tokens: of elements' names, and of texts."""

    names: Mapping[str, float]
    texts: Mapping[str, float]
    _of_pair: dict[tuple[str, str], tuple[float, float, float]] = field(default_factory=dict, repr=False)
    _of_text: dict[str, tuple[float, float, float, float]] = field(default_factory=dict, repr=False)

    def of_pair(self, pair: tuple[str, str]) -> tuple[float, float, float]:
        """Least, greatest and mean log-odds of an element's (name, key); those of a site come again and again."""
        found = self._of_pair.get(pair)
        if found is None:
            values = [self.names[token] for token in name_tokens(*pair) if token in self.names]
            found = (min(values), max(values), sum(values) / len(values)) if values else (0.0, 0.0, 0.0)
            if len(self._of_pair) < _MOST_KEPT:
                self._of_pair[pair] = found
        return found

    def of_text(self, text: str) -> tuple[float, float, float, float]:
        """Least, greatest and mean log-odds of a text's first words, and that of a short text as a whole."""
        found = self._of_text.get(text)
        if found is None:
            tokens, known = text_tokens(text), self.texts
            values = [value for value in map(known.get, tokens) if value is not None]
            whole = known.get(tokens[-1], 0.0) if tokens and tokens[-1][0] == "=" else 0.0
            found = (min(values), max(values), sum(values) / len(values), whole) if values else (0.0, 0.0, 0.0, whole)
            if len(text) <= _KEPT_LENGTH and len(self._of_text) < _MOST_KEPT:
                self._of_text[text] = found
        return found
