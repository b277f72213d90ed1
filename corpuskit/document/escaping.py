"""How text becomes one line of a ``.nlp.txt`` file and back.

A line feed is written ``\\n``. So that a backslash before an ``n`` in the text stays one, a run of backslashes before
an ``n`` or a line feed is doubled; on reading, an odd run before ``n`` ends in a line feed, an even run does not.
A text that would look like a delimiter gets one blank in front; files of the reference may hold ``. `` instead.
"""

from __future__ import annotations

import re

_BACKSLASHES = re.compile(r"(\\*)(n|\n)")
_ESCAPED = re.compile(r"(\\+)n")
_NEEDS_GUARD = re.compile(r" *(\. )?##")
_GUARDED = re.compile(r" +(\. )?##")


def escape(text: str) -> str:
    """The text without line feeds."""
    if "\n" not in text and "\\n" not in text:
        return text
    return _BACKSLASHES.sub(_double, text)


def unescape(line: str) -> str:
    """The text with its line feeds."""
    if "\\n" not in line:
        return line
    return _ESCAPED.sub(_halve, line)


def guard(line: str) -> str:
    """The line, one blank in front where it could be taken for a delimiter."""
    return " " + line if _NEEDS_GUARD.match(line) else line


def unguard(line: str) -> str:
    """The line without its guard."""
    if _GUARDED.match(line):
        return line[1:]
    return line[2:] if line.startswith(". ##") else line


def _double(match: re.Match[str]) -> str:
    run, end = match.groups()
    return run * 2 + ("\\n" if end == "\n" else end)


def _halve(match: re.Match[str]) -> str:
    length = len(match[1])
    return "\\" * (length // 2) + ("\n" if length % 2 else "n")
