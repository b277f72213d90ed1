"""UTF-8 that was read as Windows-1252 (``Ã©`` for é), and Windows-1252 that was read as UTF-8.

The repair is local, so that a page may mix good and bad text and every change has a place. ftfy's measure of badness judges
each run: a run is repaired if it decodes and looks wrong as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_HIGH: Final = "".join(
    bytes([code]).decode("cp1252") for code in range(0x80, 0xC0) if code not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
)
_FOLLOWS: Final = "\x80-\xbf" + "".join(char for char in _HIGH if char > "\xff")
_LEADS: Final = frozenset(map(chr, range(0xC2, 0xF5)))
_FOLLOWING: Final = frozenset(_HIGH) | frozenset(map(chr, range(0x80, 0xC0))) | {" "}
_RUN: Final = re.compile(
    rf"(?:[\xc2-\xdf][{_FOLLOWS}]|[\xe0-\xef][{_FOLLOWS}]{{2}}|[\xf0-\xf4][{_FOLLOWS}]{{3}}"
    r"|(?<![A-ZÀ-Þ])Ã (?! $))+"
)
_ANY: Final = re.compile(rf"[\xc2-\xf4][{_FOLLOWS}]")  # what every run holds, found eight times as fast
_BYTE_OF: Final = {char: char.encode("cp1252") for char in _HIGH}
# Where a lost character can only have been ’ (byte 92 of Windows-1252, the commonest of those that are not UTF-8).
_LOST: Final = re.compile(
    r"(?:(?<=\b[cdjlmnstCDJLMNST])|(?<=\b[qQ]u)|(?<=\b(?:[Ll]orsqu|[Pp]uisqu))|(?<=\b[Jj]usqu))\ufffd"
    r"(?=[aeiouyhàâéèêëîïôûœAEIOUYHÀÂÉÈÊËÎÏÔÛŒ])"
    r"|(?<=[A-Za-z])\ufffd(?=(?:s|t|d|m|re|ve|ll)\b)"
)


def may_be_mojibake(chars: set[str]) -> bool:
    """Return whether a text of these characters can contain UTF-8 decoded as Windows-1252."""
    return not chars.isdisjoint(_LEADS) and not chars.isdisjoint(_FOLLOWING)


def has_candidates(text: str) -> bool:
    """Return whether a part of the text could be UTF-8 decoded as Windows-1252; repair depends on the context."""
    return _ANY.search(text) is not None or "Ã " in text


def utf8_as_win1252(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the parts to repair: start, end and replacement."""
    if not has_candidates(text):
        return
    from ftfy.badness import is_bad

    for match in _RUN.finditer(text):
        start, end = match.span()
        run = match[0]
        # A run's neighbours tell a word that ends in capital Ã before a closing quotation mark.
        if len(run) == 2 and run[1] in "»”’™" and text[max(0, start - 2) : start].isupper():
            continue
        spaced = run.endswith("Ã ") and not text.startswith(" ", end)
        source = run.replace("Ã ", "Ã\xa0")
        try:
            good = b"".join(_BYTE_OF.get(char) or char.encode("latin-1") for char in source).decode("utf-8")
        except (UnicodeDecodeError, UnicodeEncodeError):
            continue
        if any("\x80" <= char < "\xa0" for char in good):
            continue
        before, after = text[max(0, start - 1) : start], text[end : end + 1]
        # In no language stands a capital Ã after a small letter, or before a sign that a small letter follows.
        capital = run[0] == "Ã" and (before.islower() or (not before.isalpha() and after.islower()))
        if capital or is_bad(run) or is_bad(before + run + after):
            yield start, end, good + " " * spaced


def win1252_as_utf8(text: str) -> Iterator[tuple[int, int, str]]:
    """Replacement characters (U+FFFD) that stand for an apostrophe: after an elided word, before an English ending."""
    for match in _LOST.finditer(text):
        yield match.start(), match.end(), "’"
