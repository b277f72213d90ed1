"""HTML within Markdown, made to end where its block or paragraph does: what it leaves open must not take in what follows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final

_REST: Final = {
    "audio", "body", "button", "canvas", "dialog", "frameset", "head", "html", "iframe", "math", "noembed", "noframes", "noscript",
    "object", "plaintext", "script", "select", "style", "svg", "template", "textarea", "title", "video", "xmp",
}  # fmt: skip
"""Elements that, left open, hide what follows, make it text or end the page: those of GitHub's Markdown (6.11) and their like."""
_HIDDEN: Final = re.compile(
    r"(?:^|\s)(?:hidden|aria-hidden)\b|display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE
)
# No < or > within an attribute: then each character is read once, whatever stands there.
_TAG: Final = re.compile(r"""<(/?)([A-Za-z][\w-]*)((?:[^<>"']|"[^"<>]*"|'[^'<>]*')*)>""")
_ASIDE: Final = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">"))


def contained(parts: Sequence[str]) -> list[str]:
    """Return the HTML of a block, or of each place of a paragraph, with what has no end in it as text.

    Args:
        parts: What is written, in order.

    Example:
        >>> contained(["<b>", "<script>"])
        ['<b>', '&lt;script>']
    """
    taken = [list(_taken(part)) for part in parts]
    kept: set[int] = set()
    open_tags: dict[str, list[int]] = {}
    numbers = count()
    for pieces in taken:
        for _, tag in pieces:
            number = next(numbers)
            if tag is None:
                continue
            name, is_end = tag[2].lower(), bool(tag[1])
            waiting = open_tags.setdefault(name, [])
            if is_end and waiting:
                kept |= {number, waiting.pop()}
            elif not is_end and name != "plaintext":
                waiting.append(number)
            if name not in _REST and not _HIDDEN.search(tag[3]):
                kept.add(number)
    numbers = count()
    return [
        "".join(text if next(numbers) in kept or tag is None else f"&lt;{text[1:]}" for text, tag in pieces)
        for pieces in taken
    ]


def _taken(content: str) -> Iterator[tuple[str, re.Match[str] | None]]:
    """The pieces of HTML: its tags, and what stands between them, where a < that begins nothing is text."""
    start, endless = 0, set[str]()
    while (at := content.find("<", start)) >= 0:
        if at > start:
            yield content[start:at], None
        if tag := _TAG.match(content, at):
            yield tag[0], tag
            start = tag.end()
            continue
        start = at + 1
        for begin, end in _ASIDE:
            if content.startswith(begin, at) and begin not in endless:
                close = content.find(end, at + len(begin))
                if close >= 0:
                    yield content[at : close + len(end)], None
                    start = close + len(end)
                    break
                endless.add(begin)  # nor has the next one an end
        else:
            yield "&lt;", None
    yield content[start:], None
