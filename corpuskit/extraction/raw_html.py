"""Sanitizing of raw HTML in Markdown: unclosed tags are escaped, so that they do not affect the following text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final

_RISKY_ELEMENTS: Final = {
    "audio", "body", "button", "canvas", "dialog", "frameset", "head", "html", "iframe", "math", "noembed", "noframes", "noscript",
    "object", "plaintext", "script", "select", "style", "svg", "template", "textarea", "title", "video", "xmp",
}  # fmt: skip
"""Elements that, if not closed, hide the following text or change its parsing (GitHub Flavored Markdown 6.11, and similar)."""
_HIDDEN: Final = re.compile(
    r"(?:^|\s)(?:hidden|aria-hidden)\b|display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE
)
# Attributes without < and >, so that matching is linear for any input.
_TAG: Final = re.compile(r"""<(/?)([A-Za-z][\w-]*)((?:[^<>"']|"[^"<>]*"|'[^'<>]*')*)>""")
_DELIMITERS: Final = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">"))


def escape_unclosed(parts: Sequence[str]) -> list[str]:
    """Return the HTML parts of a block or paragraph, with unclosed tags escaped as text.

    Args:
        parts: Raw HTML, in document order.

    Example:
        >>> escape_unclosed(["<b>", "<script>"])
        ['<b>', '&lt;script>']
    """
    tokenized = [list(_tokenize(part)) for part in parts]
    allowed: set[int] = set()
    open_tags: dict[str, list[int]] = {}
    numbers = count()
    for pieces in tokenized:
        for _, tag in pieces:
            number = next(numbers)
            if tag is None:
                continue
            name, is_end = tag[2].lower(), bool(tag[1])
            unclosed_starts = open_tags.setdefault(name, [])
            if is_end and unclosed_starts:
                allowed |= {number, unclosed_starts.pop()}
            elif not is_end and name != "plaintext":
                unclosed_starts.append(number)
            if name not in _RISKY_ELEMENTS and not _HIDDEN.search(tag[3]):
                allowed.add(number)
    numbers = count()
    return [
        "".join(text if next(numbers) in allowed or tag is None else f"&lt;{text[1:]}" for text, tag in pieces)
        for pieces in tokenized
    ]


def _tokenize(content: str) -> Iterator[tuple[str, re.Match[str] | None]]:
    """Yield tags with their match, and the text between them with None; a ``<`` that starts no markup is escaped."""
    start, unclosed = 0, set[str]()
    while (at := content.find("<", start)) >= 0:
        if at > start:
            yield content[start:at], None
        if tag := _TAG.match(content, at):
            yield tag[0], tag
            start = tag.end()
            continue
        start = at + 1
        for begin, end in _DELIMITERS:
            if content.startswith(begin, at) and begin not in unclosed:
                close = content.find(end, at + len(begin))
                if close >= 0:
                    yield content[at : close + len(end)], None
                    start = close + len(end)
                    break
                unclosed.add(begin)  # later occurrences are unclosed as well
        else:
            yield "&lt;", None
    yield content[start:], None
