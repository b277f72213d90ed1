"""Bytes of text to characters."""

from __future__ import annotations

import codecs
import re
from typing import Final

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED: Final = re.compile(rb"<\?xml[^>]{1,60}?encoding=[\"']([A-Za-z0-9._-]{1,40})[\"']")
_SURROGATES: Final = re.compile(
    rb"&#(?:[xX]0{0,9}[dD][89a-fA-F][0-9a-fA-F]{2}|0{0,9}(?:5529[6-9]|55[3-9]\d\d|56\d{3}|57[0-2]\d\d|573[0-3]\d|5734[0-3]));"
)
_ENOUGH: Final = 100_000  # bytes for the detector


def decode_text(content: bytes, charset: str | None = None) -> str:
    """The text of plain bytes: by byte order mark, as UTF-8, by the declared charset, by detection.

    UTF-8 comes before the declaration, since other encodings hardly ever are valid UTF-8 and declarations are often
    wrong. What no encoding explains becomes U+FFFD.
    """
    for mark, name in _MARKS:
        if content.startswith(mark):
            return content.decode(name, "replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if charset:
        try:
            return content.decode(charset, "strict")
        except (LookupError, UnicodeDecodeError, ValueError):
            pass
    from charset_normalizer import from_bytes

    best = from_bytes(content[:_ENOUGH]).best()
    return content.decode(best.encoding if best else "cp1252", "replace")


def sound_xml(content: bytes) -> bytes:
    """XML whose bytes are what they are declared as.

    libxml2, told to mend, keeps references to surrogates and bytes that are no UTF-8: lxml then raises, not when it
    parses but when such a text is read.
    """
    content = _SURROGATES.sub(b"&#xFFFD;", content)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content
    try:
        content.decode()
    except UnicodeDecodeError:
        declared = _DECLARED.match(content)
        try:
            text = content.decode(declared[1].decode("ascii") if declared else "utf-8", "replace")
        except (LookupError, ValueError):  # unknown, or none of text
            text = content.decode("utf-8", "replace")
        return _DECLARED.sub(b'<?xml version="1.0" encoding="UTF-8"', text.encode("utf-8", "replace"), count=1)
    return content
