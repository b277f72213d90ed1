"""The media type of bytes, from the bytes themselves."""

from __future__ import annotations

import re
from typing import Final

UNKNOWN: Final = "application/octet-stream"
_WORD: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_BY_SUFFIX: Final = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".nlp.txt": "text/x-nlptext",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".docx": _WORD + "document",
    ".dotx": _WORD + "template",
    ".docm": "application/vnd.ms-word.document.macroenabled.12",
    ".dotm": "application/vnd.ms-word.template.macroenabled.12",
}
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|meta|div|p|h1|table|script|!--)[\s>]", re.IGNORECASE)
_NLPTEXT = re.compile(rb"(?:\xef\xbb\xbf)?## NLPTextDocument ")
_HEAD: Final = 4096
_TEXT_CONTROLS: Final = frozenset(b"\t\n\r\f\x1b\x08")


def detect_media_type(content: bytes, name: str = "", declared: str | None = None) -> str:
    """The media type of ``content``.

    What the bytes say comes first, then what was declared, then the suffix of the name. Text that says nothing is
    what its suffix or the declaration says, else plain text; anything else is ``application/octet-stream``.
    """
    import filetype

    head = content[:_HEAD]
    declared = (declared or "").partition(";")[0].strip().lower()
    by_suffix = media_type_of_suffix(name)
    if _NLPTEXT.match(head):
        return "text/x-nlptext"
    if b"%PDF-" in head[:1024]:
        return "application/pdf"
    kind = filetype.guess(content[:262_144])
    if kind is not None:
        if kind.mime == "application/zip" or kind.mime.startswith(_WORD):
            return _office(content, by_suffix or declared) or str(kind.mime)
        if kind.mime not in {"text/plain", "application/xml", "text/xml"}:
            return str(kind.mime)
    if by_suffix == "application/pdf" and not declared:
        return by_suffix  # an error page saved under the name of a PDF is a damaged PDF, no document
    if not _is_text(head):
        return UNKNOWN
    if _HTML.search(head):
        return "application/xhtml+xml" if by_suffix == "application/xhtml+xml" else "text/html"
    if by_suffix and by_suffix.startswith(("text/", "application/xhtml")):
        return by_suffix
    return declared if declared.startswith("text/") or declared == "application/xhtml+xml" else "text/plain"


def media_type_of_suffix(name: str) -> str | None:
    """What the name's suffix says; None for a suffix that is not known."""
    lower = name.lower()
    return next((kind for suffix, kind in _BY_SUFFIX.items() if lower.endswith(suffix)), None)


def _office(content: bytes, hint: str | None) -> str | None:
    """The type of a ZIP package whose parts are those of a Word document."""
    import io
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            names = package.namelist()[:10_000]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return hint if hint and "word" in hint else None
    if "[Content_Types].xml" in names and any(name.startswith("word/") for name in names):
        return hint if hint and "word" in hint else _WORD + "document"
    return None


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return True
    controls = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in head)
    return controls * 20 <= len(head)
