"""Superscripts and subscripts in the notation of TextWorks: ``{Fe_{3}O_{4}}``.

A token without any is plain, with braces escaped by a backslash; a token with some stands in braces, and ``_ ^ { }``
of its text are escaped. A script without a base before it stays plain, as in PDF files.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Final

PLAIN, SUPERSCRIPT, EQUATION, SUBSCRIPT = 0, 1, 2, -1
Piece = tuple[str, int, str | None]
"""A text, its script, and the notation of an equation."""

_SPACE: Final = re.compile(r"(\s+)")
_BRACES: Final = re.compile(r"([\\{}])")
_MARKS: Final = re.compile(r"([\\{}_^])")
_ESCAPED: Final = r"\\\1"
_MARK: Final = {SUPERSCRIPT: "^", SUBSCRIPT: "_"}


def notation(pieces: list[Piece]) -> str:
    """A text of pieces in the notation."""
    token: list[tuple[str, int]] = []
    out: list[str] = []
    for text, script, tex in pieces:
        if script == EQUATION:
            token.append((tex or text, EQUATION))
            continue
        for part in _SPACE.split(text):
            if part.isspace():
                out.append(_token(token) + part)
                token = []
            elif part:
                token.append((part, script))
    return "".join(out) + _token(token)


def _token(token: list[tuple[str, int]]) -> str:
    bare = next((i for i, (_, script) in enumerate(token) if script in {PLAIN, EQUATION}), len(token))
    token[:bare] = [(text, PLAIN) for text, _ in token[:bare]]
    if not any(script for _, script in token):
        return _BRACES.sub(_ESCAPED, "".join(text for text, _ in token))
    parts = []
    for script, group in groupby(token, key=lambda piece: piece[1]):
        text = "".join(piece[0] for piece in group)
        if script != EQUATION:
            text = _MARKS.sub(_ESCAPED, text)
        parts.append(f"{_MARK[script]}{{{text}}}" if script in _MARK else text)
    return "{" + "".join(parts) + "}"
