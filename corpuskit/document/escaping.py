"""Escaping of text for one line of a ``.nlp.txt`` file.

A line feed is written as ``\\n``. A run of backslashes before an ``n`` or a line feed is doubled, so that the text can
be restored: an odd run before ``n`` ends in a line feed, an even run does not. A text that looks like a delimiter is
prefixed with one space; files of the reference implementation may have ``. `` instead.
"""

from __future__ import annotations

import re

_BACKSLASHES = re.compile(r"(\\*)(n|\n)")
_ESCAPED = re.compile(r"(\\+)n")
_NEEDS_GUARD = re.compile(r" *(\. )?##")
_GUARDED = re.compile(r" +(\. )?##")


def escape(text: str) -> str:
    """Escape the line feeds of a text."""
    if "\n" not in text and "\\n" not in text:
        return text
    return _BACKSLASHES.sub(_double, text)


def unescape(line: str) -> str:
    """Restore the line feeds of a text."""
    if "\\n" not in line:
        return line
    return _ESCAPED.sub(_halve, line)


def guard(line: str) -> str:
    """Prefix a line with a space if it looks like a delimiter."""
    return " " + line if _NEEDS_GUARD.match(line) else line


def unguard(line: str) -> str:
    """Remove the prefix that distinguishes a line from a delimiter."""
    if _GUARDED.match(line):
        return line[1:]
    return line[2:] if line.startswith(". ##") else line


def _double(match: re.Match[str]) -> str:
    run, end = match.groups()
    return run * 2 + ("\\n" if end == "\n" else end)


def _halve(match: re.Match[str]) -> str:
    length = len(match[1])
    return "\\" * (length // 2) + ("\n" if length % 2 else "n")
