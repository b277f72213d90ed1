"""Sentences of a block."""

from __future__ import annotations

from corpuskit.text import sentences


def sentence_texts(text: str, lang: str) -> list[str]:
    """The sentences of a text, without blanks around them; a line feed ends one too (lines of a table or poem)."""
    return [found for start, end in sentences(text, lang) if (found := text[start:end].strip())]
