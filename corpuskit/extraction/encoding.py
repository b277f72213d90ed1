"""Decoding of text, and repair of the encoding of XML."""

from __future__ import annotations

import codecs
import re
from typing import Final

_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_XML_ENCODING: Final = re.compile(rb"<\?xml[^>]{1,60}?encoding=[\"']([A-Za-z0-9._-]{1,40})[\"']")
_SURROGATES: Final = re.compile(
    rb"&#(?:[xX]0{0,9}[dD][89a-fA-F][0-9a-fA-F]{2}|0{0,9}(?:5529[6-9]|55[3-9]\d\d|56\d{3}|57[0-2]\d\d|573[0-3]\d|5734[0-3]));"
)
_MAX_DETECTION_BYTES: Final = 100_000  # bytes for encoding detection


def decode_text(content: bytes, charset: str | None = None) -> str:
    """Decode text by byte order mark, as UTF-8, by the declared charset or by detection, in this order.

    UTF-8 takes precedence because declarations are often wrong, and text in other encodings is almost never valid UTF-8.
    Undecodable bytes become U+FFFD.
    """
    for mark, name in _BYTE_ORDER_MARKS:
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

    best = from_bytes(content[:_MAX_DETECTION_BYTES]).best()
    return content.decode(best.encoding if best else "cp1252", "replace")


def sound_xml(content: bytes) -> bytes:
    """Return XML without surrogate references and invalid bytes.

    In recover mode libxml2 keeps both, and lxml raises later, when the text is read.
    """
    content = _SURROGATES.sub(b"&#xFFFD;", content)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content
    try:
        content.decode()
    except UnicodeDecodeError:
        declared = _XML_ENCODING.match(content)
        try:
            text = content.decode(declared[1].decode("ascii") if declared else "utf-8", "replace")
        except (LookupError, ValueError):  # an unknown encoding, or not a text encoding
            text = content.decode("utf-8", "replace")
        return _XML_ENCODING.sub(b'<?xml version="1.0" encoding="UTF-8"', text.encode("utf-8", "replace"), count=1)
    return content
