"""Bytes of text to characters."""

from __future__ import annotations

import codecs
from typing import Final

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
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
