"""Notation of TextWorks for superscripts and subscripts: ``{Fe_{3}O_{4}}``.

A token without scripts is written plainly, with braces escaped by a backslash. A token with scripts is enclosed in braces,
and ``_ ^ { }`` in its text are escaped. A script without a base before it stays plain: it is an apostrophe, a footnote
marker, or part of a formula with its base in another token.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

PLAIN, SUPERSCRIPT, EQUATION, SUBSCRIPT = 0, 1, 2, -1
"""Script positions of a text; an equation already uses the notation."""

_BRACES: Final = re.compile(r"([\\{}])")
_MARKS: Final = re.compile(r"([\\{}_^])")
_ESCAPED: Final = r"\\\1"
_OPENED_BY: Final = {SUPERSCRIPT: "^{", SUBSCRIPT: "_{"}


def escape_plain(text: str) -> str:
    """Return a token without scripts, with its braces escaped."""
    return _BRACES.sub(_ESCAPED, text)


def token_pieces(parts: Sequence[tuple[str, int]]) -> list[tuple[str, int | None]]:
    """Return the pieces of a token in the notation.

    Args:
        parts: Texts of the token with their scripts.

    Returns:
        Texts with their index in ``parts``, and the added markup with None as index.
    """
    scripts = [script for _, script in parts]
    base = next((i for i, script in enumerate(scripts) if script not in _OPENED_BY), len(scripts))
    scripts[:base] = [PLAIN] * base
    if not any(scripts):
        return [(escape_plain(text), i) for i, (text, _) in enumerate(parts)]
    pieces: list[tuple[str, int | None]] = [("{", None)]
    for script, group in groupby(range(len(parts)), key=scripts.__getitem__):
        texts = [(parts[i][0] if script == EQUATION else _MARKS.sub(_ESCAPED, parts[i][0]), i) for i in group]
        pieces += [(_OPENED_BY[script], None), *texts, ("}", None)] if script in _OPENED_BY else texts
    return [*pieces, ("}", None)]
