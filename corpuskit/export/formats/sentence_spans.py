"""Sentences of a block."""

from __future__ import annotations

from corpuskit.text import sentences


def sentence_texts(text: str, lang: str) -> list[str]:
    """Return the sentences of a text without surrounding spaces. A line feed also ends a sentence (tables, poems)."""
    return [sentence for start, end in sentences(text, lang) if (sentence := text[start:end].strip())]
