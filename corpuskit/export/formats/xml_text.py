"""Text in XML 1.0: what must be escaped, and what has no place in it.

Characters that XML 1.0 forbids (most control characters, U+FFFE, U+FFFF) become the processing instruction
``<?char 000B?>``, which every schema allows, so that the text survives.
"""

from __future__ import annotations

import re
from typing import Any, Final

from corpuskit.errors import DocumentFormatError

CHARACTER: Final = "char"
_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SPECIAL: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_QUOTED: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)
_MAX_BYTES: Final = 512 * 1024 * 1024


def content(text: str) -> str:
    """Text as the content of an element."""
    text = text.translate(_SPECIAL) if any(character in text for character in "&<>\r") else text
    return _FORBIDDEN.sub(_instruction, text) if not text.isprintable() else text


def attribute(value: object) -> str:
    """Text as the value of an attribute in double quotes; what XML forbids becomes U+FFFD."""
    return _FORBIDDEN.sub("\ufffd", str(value).translate(_QUOTED))


def _instruction(match: re.Match[str]) -> str:
    return f"<?{CHARACTER} {ord(match[0]):04X}?>"


def text_of(node: Any) -> str:
    """Return the text of an element and its descendants, with the characters that XML forbids restored."""
    parts: list[str] = []
    # No recursion: a hostile file may be nested deeper than Python's stack.
    waiting: list[Any] = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            parts.append(part)
            continue
        if not isinstance(part.tag, str):
            if getattr(part, "target", None) == CHARACTER and re.fullmatch(r"[0-9A-F]{4}", part.text or ""):
                parts.append(chr(int(part.text, 16)))
            continue
        if part.text:
            parts.append(part.text)
        for child in reversed(part):
            if child.tail:
                waiting.append(child.tail)
            waiting.append(child)
    return "".join(parts)


def parse(data: bytes, where: str) -> Any:
    """Return the root of an untrusted XML file, parsed without entities, DTD and network access.

    Raises:
        DocumentFormatError: The file is not well-formed, is too large, or declares entities.
    """
    from lxml import etree

    if len(data) > _MAX_BYTES:
        raise DocumentFormatError(1, f"{len(data):,} bytes", "at most 512 MiB", where=where)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise DocumentFormatError(error.lineno or 1, error.msg or "", "well-formed XML", where=where) from None
    subset: Any = root.getroottree().docinfo.internalDTD
    if subset is not None and next(iter(subset.iterentities()), None) is not None:
        raise DocumentFormatError(1, "a document type with entities", "none", where=where)
    return root
