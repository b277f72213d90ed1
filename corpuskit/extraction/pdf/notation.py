"""Superscripts and subscripts of lines, in the notation of :mod:`corpuskit.extraction.notation`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from corpuskit.extraction.notation import token_pieces
from corpuskit.extraction.pdf.words import SMALL, Word

_NO_SCRIPT: Final = frozenset("'’‘´`\"”“°.,;:·…")  # raised or lowered by their design or by bad fonts


def script_of(word: Word, size: float, base: float) -> int:
    """1 for a superscript, -1 for a subscript, 0 for neither, beside text of this size on this base line."""
    if word.size >= SMALL * size or all(character in _NO_SCRIPT for character in word.text):
        return 0
    rise = base - word.base
    if rise > 0.14 * size:
        return 1
    return -1 if rise < -0.08 * size else 0


def tokens_of(words: Sequence[Word]) -> list[list[Word]]:
    """The words of a line in tokens: glued words are one."""
    groups: list[list[Word]] = []
    for word in words:
        if groups and word.glued:
            groups[-1].append(word)
        else:
            groups.append([word])
    return groups


def pieces_of(group: Sequence[Word], size: float, base: float) -> list[tuple[str, Word | None]]:
    """A token in pieces: (mark, None) for what the notation adds, (text with escapes, word) for words."""
    pieces = token_pieces([(word.text, script_of(word, size, base)) for word in group])
    return [(text, None if i is None else group[i]) for text, i in pieces]


def token_of(group: Sequence[Word], size: float, base: float) -> str:
    """A token as TextWorks writes it."""
    return "".join(text for text, _ in pieces_of(group, size, base))


def has_scripts(words: Sequence[Word], size: float, base: float) -> bool:
    """Whether any token of the line has notation."""
    return any(word.glued and script_of(word, size, base) for word in words)


def tex_of(words: Sequence[Word], size: float, base: float) -> str | None:
    """The line in notation; None where it has no super- or subscript."""
    if not has_scripts(words, size, base):
        return None
    return " ".join(token_of(group, size, base) for group in tokens_of(words))
