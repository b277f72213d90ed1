"""Words of classes, ids and short texts, and how strongly they speak for or against main content."""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = re.compile(r"[\w-]+")
_WORD_OF_NAME: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]{2,}")
_WORD: Final = re.compile(r"[^\W\d_]+")
_LONGEST_TEXT: Final = 200
_MOST_WORDS: Final = 10
_SHORT: Final = 40


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
    words = _WORD.findall(start)[:_MOST_WORDS]
    if len(text) <= _SHORT:
        words.append("=" + " ".join(words))
    return words
