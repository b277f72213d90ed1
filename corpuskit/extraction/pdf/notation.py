"""The notation of TextWorks for superscripts and subscripts: ``{Fe_{3}O_{4}}``.

A token without any is plain, with braces escaped by a backslash. A token with some stands in braces, and ``_ ^ { }``
of its text are escaped. A mark without a base letter before it stays plain: it is an apostrophe, a footnote sign or
part of a formula whose base is elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from corpuskit.extraction.pdf.words import SMALL, Word

_BRACES: Final = re.compile(r"([\\{}])")
_MARKS: Final = re.compile(r"([\\{}_^])")
_NO_SCRIPT: Final = frozenset("'’‘´`\"”“°.,;:·…")  # raised or lowered by their design or by bad fonts


def escape_plain(text: str) -> str:
    """A token without notation."""
    return _BRACES.sub(r"\\\1", text)


def _escape_inside(text: str) -> str:
    return _MARKS.sub(r"\\\1", text)


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
    scripts = [script_of(word, size, base) for word in group]
    if scripts[0]:  # no base letter: the mark belongs to nothing here
        lead = next((i for i, script in enumerate(scripts) if not script), len(scripts))
        scripts[:lead] = [0] * lead
    if not any(scripts):
        return [(escape_plain(word.text), word) for word in group]
    pieces: list[tuple[str, Word | None]] = [("{", None)]
    open_script = 0
    for word, script in zip(group, scripts, strict=True):
        if script != open_script:
            if open_script:
                pieces.append(("}", None))
            if script:
                pieces.append(("^{" if script > 0 else "_{", None))
            open_script = script
        pieces.append((_escape_inside(word.text), word))
    if open_script:
        pieces.append(("}", None))
    return [*pieces, ("}", None)]


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
