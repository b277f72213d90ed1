"""Runs of inline content become the text of a block and its links."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urljoin, urlsplit

from corpuskit.document.spans import Span, clip, remap

# Control characters cannot come out of the parser, so these three never stand in a page.
BREAK: Final = "\x01"
LINK_START: Final = "\x02"
LINK_END: Final = "\x03"
FORMULA: Final = "\x00"
"""Stands for the URL where a span is no link but a formula."""

_BREAKS: Final = re.compile(" ?\x01 ?")
_MARKS: Final = re.compile("([\x02\x03])")
_UNSEEN: Final = -1
_NO_TARGET: Final = ("javascript:", "data:", "about:", "blob:", "vbscript:")


def collapse(raw: str) -> str:
    """Blanks, tabs and line ends become one blank, those at the ends go; no-break spaces stay.

    CSS Text Module Level 3, section 4.1.1; a ``br`` is a line feed.
    """
    text = single_blanks(raw).strip(" ")
    if BREAK in text:
        text = _BREAKS.sub("\n", text).strip(" \n")
    return text


def single_blanks(raw: str) -> str:
    """Runs of blanks, tabs and line ends as one blank each. Searching for a character is much faster than a pattern."""
    for blank in "\n\t\r\f":
        if blank in raw:
            raw = raw.replace(blank, " ")
    while "  " in raw:
        raw = raw.replace("    ", " ").replace("  ", " ")
    return raw


def collapse_linked(raw: str, urls: list[str]) -> tuple[str, list[Span]]:
    """Collapses a run that holds link marks; returns the text and the links' (start, end, URL), inner before outer ones."""
    if raw[0] == LINK_START and raw[-1] == LINK_END and len(urls) == 1:
        text = collapse(raw[1:-1])
        return text, [(0, len(text), urls[0])] if text else []
    links: list[Span] = []
    parts: list[str] = []
    length, next_url = 0, 0
    starts: list[int] = []  # of the open spans, a formula within a link; _UNSEEN until their first text
    pending = False
    for part in _MARKS.split(raw):
        if part == LINK_START:
            starts.append(_UNSEEN)
        elif part == LINK_END:
            start = starts.pop() if starts else _UNSEEN
            if start != _UNSEEN and next_url < len(urls):
                links.append((start, length, urls[next_url]))
            next_url += 1
        elif part:
            text = single_blanks(part)
            if text == " ":
                pending = True
                continue
            if text[0] == " ":
                pending = True
                text = text[1:]
            if pending and length:
                parts.append(" ")
                length += 1
            pending = text[-1] == " "
            if pending:
                text = text[:-1]
            if starts and starts[-1] == _UNSEEN:
                starts = [length if start == _UNSEEN else start for start in starts]
            parts.append(text)
            length += len(text)
    text = "".join(parts)
    if BREAK in text:
        text, links = _break(text, links)
    return text, links


def _break(text: str, links: list[Span]) -> tuple[str, list[Span]]:
    """Breaks become line feeds, the blanks around them and the breaks at the ends go; offsets move along."""
    new_at: list[int] = []
    out: list[str] = []
    length = 0
    position = 0
    for match in _BREAKS.finditer(text):
        for _ in range(position, match.start()):
            new_at.append(length)
            length += 1
        out.append(text[position : match.start()])
        new_at.extend([length] * (match.end() - match.start()))
        out.append("\n")
        length += 1
        position = match.end()
    out.append(text[position:])
    new_at.extend(range(length, length + len(text) - position + 1))
    joined = "".join(out)
    cut = len(joined) - len(joined.lstrip(" \n"))
    clean = joined.strip(" \n")
    return clean, clip(remap(links, new_at), cut, len(clean))


def verbatim(raw: str, urls: list[str]) -> tuple[str, list[Span]]:
    """The text of ``pre`` to the letter, but for line ends around it; with its links."""
    raw = raw.replace(BREAK, "\n")
    links: list[Span] = []
    parts: list[str] = []
    length = 0
    starts: list[int] = []
    for part in _MARKS.split(raw):
        if part == LINK_START:
            starts.append(length)
        elif part == LINK_END:
            links.append((starts.pop(), length, urls[len(links)]))
        else:
            parts.append(part)
            length += len(part)
    text = "".join(parts)
    cut = len(text) - len(text.lstrip("\n"))
    text = text.strip("\n")
    return text, clip(links, cut, len(text))


class Resolver:
    """Makes URLs absolute, with the shortcuts that most need; RFC 3986 through urljoin for the rest."""

    def __init__(self, base: str | None) -> None:
        self._base = base or ""
        self._is_file = False
        try:
            parts = urlsplit(self._base)
            self._origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
            self._is_file = parts.scheme == "file"
        except ValueError:
            self._base = self._origin = ""
        self._page = self._base.partition("#")[0]

    def __call__(self, href: str) -> str:
        """The absolute URL; empty for scripts and inline data."""
        href = href.strip()
        if href.startswith(("https://", "http://")):
            return href
        if not href or not self._base:
            return href if not href.lower().startswith(_NO_TARGET) else ""
        if href[0] == "/" and href[1:2] != "/" and "/." not in href and self._origin:
            return self._origin + href
        if href[0] == "/" and self._is_file:
            return href  # of a host that is not known, and no folder of this machine
        if href[0] == "#":
            return self._page + href
        if href.lower().startswith(_NO_TARGET):
            return ""
        try:
            return urljoin(self._base, href)
        except ValueError:
            return href
