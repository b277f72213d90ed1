"""Sentences of a block, by corpuskit.text."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any


def sentence_texts(text: str, lang: str) -> list[str]:
    """The sentences of a text, without blanks around them; a line feed ends one too (lines of a table or poem)."""
    split = _splitter()
    if split is None:
        return [line.strip() for line in text.split("\n") if line.strip()]
    spans: Iterable[tuple[int, int]] = split(text, lang)
    found = [text[start:end].strip() for start, end in spans]
    return [sentence for sentence in found if sentence]


@cache
def _splitter() -> Any:
    try:
        from corpuskit.text import sentences
    except ImportError:
        return None
    return sentences
