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


def tokens_of(words: Sequence[Word], size: float, base: float) -> list[tuple[str, list[Word]]]:
    """The tokens of a line: glued words together, in notation where one of them is a script."""
    groups: list[list[Word]] = []
    for word in words:
        if groups and word.glued:
            groups[-1].append(word)
        else:
            groups.append([word])
    return [(_token(group, size, base), group) for group in groups]


def _token(group: list[Word], size: float, base: float) -> str:
    scripts = [script_of(word, size, base) for word in group]
    if scripts[0]:  # no base letter: the mark belongs to nothing here
        lead = next((i for i, script in enumerate(scripts) if not script), len(scripts))
        scripts[:lead] = [0] * lead
    if not any(scripts):
        return escape_plain("".join(word.text for word in group))
    parts: list[str] = []
    open_script = 0
    for word, script in zip(group, scripts, strict=True):
        if script != open_script:
            if open_script:
                parts.append("}")
            if script:
                parts.append("^{" if script > 0 else "_{")
            open_script = script
        parts.append(_escape_inside(word.text))
    if open_script:
        parts.append("}")
    return "{" + "".join(parts) + "}"


def has_scripts(words: Sequence[Word], size: float, base: float) -> bool:
    """Whether any token of the line has notation."""
    return any(word.glued and script_of(word, size, base) for word in words)


def tex_of(words: Sequence[Word], size: float, base: float) -> str | None:
    """The line in notation; None where it has no super- or subscript."""
    if not has_scripts(words, size, base):
        return None
    return " ".join(token for token, _ in tokens_of(words, size, base))
