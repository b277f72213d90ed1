"""Detection of media types from content, declared type and file name."""

from __future__ import annotations

import re
from typing import Final

UNKNOWN: Final = "application/octet-stream"
_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
_WORD: Final = _OFFICE + "wordprocessingml."
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # compound files: Office before 2007, and encrypted packages
_PACKAGES: Final = (
    "application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.presentation",
    "application/vnd.oasis.opendocument.spreadsheet", "application/epub+zip",
)  # fmt: skip
_DIRECTORY_BYTES: Final = 2_000_000  # bytes at the end of a ZIP file that are searched for its directory
_BY_SUFFIX: Final = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".nlp.txt": "text/x-nlptext",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".eml": "message/rfc822",
    ".pdf": "application/pdf",
    ".docx": _WORD + "document",
    ".dotx": _WORD + "template",
    ".docm": "application/vnd.ms-word.document.macroenabled.12",
    ".doc": "application/msword",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".rtf": "application/rtf",
    ".pptx": _OFFICE + "presentationml.presentation",
    ".odp": "application/vnd.oasis.opendocument.presentation",
    ".dotm": "application/vnd.ms-word.template.macroenabled.12",
}
_DATA_TYPES: Final = {
    ".json": "application/json",
    ".jsonl": "application/jsonlines",
    ".ndjson": "application/jsonlines",
    ".geojson": "application/geo+json",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
}
"""Suffixes of tables and records: not documents, even if their values contain markup."""
_HTML_TAG = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|meta|div|p|h1|table|script|!--)[\s>]", re.IGNORECASE)
_HTML_START = re.compile(rb"<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
_NLPTEXT = re.compile(rb"(?:\xef\xbb\xbf)?## NLPTextDocument ")
_HEAD_BYTES: Final = 4096
_LEADING_BLANKS: Final = b"\xef\xbb\xbf \t\r\n\f"
_CONTROL_CHARACTERS: Final = bytes(byte for byte in range(32) if byte not in b"\t\n\r\f\x1b\x08")


def detect_media_type(content: bytes, name: str = "", declared: str | None = None) -> str:
    """Return the media type of ``content``.

    The content decides first, then the declared type, then the suffix of the name. Text that cannot be identified gets the
    type of its suffix or the declared type, else ``text/plain``. Unknown binary content is ``application/octet-stream``.

    Args:
        content: The bytes; the beginning is sufficient, except for ZIP packages.
        name: The file name.
        declared: The type that a server or archive declared.
    """
    import filetype

    head = content[:_HEAD_BYTES]
    declared = (declared or "").partition(";")[0].strip().lower()
    by_suffix = media_type_of_suffix(name)
    if _NLPTEXT.match(head):
        return "text/x-nlptext"
    if b"%PDF-" in head[:1024]:
        return "application/pdf"
    if head.startswith(b"PK\x03\x04"):
        return _type_of_package(content, by_suffix or declared) or "application/zip"
    if head.startswith(_OLE):
        return _type_of_ole(content, by_suffix or declared)
    # No signature in filetype starts with "<"; skipping the check for markup saves 0.1 ms per file.
    is_markup = head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    kind = None if is_markup else filetype.guess(content[:262_144])
    if kind is not None and kind.mime not in {"text/plain", "application/xml", "text/xml"}:
        return str(kind.mime)
    if by_suffix == "application/pdf" and not declared:
        return by_suffix  # an HTML error page saved as .pdf counts as a damaged PDF
    if head.startswith(b"{\\rtf"):
        return "application/rtf"
    if not _is_text(head):
        return UNKNOWN
    if by_suffix == "message/rfc822" or declared == "message/rfc822":
        return "message/rfc822"
    if (
        not declared
        and not _HTML_START.match(head.lstrip(_LEADING_BLANKS))
        and (data := _DATA_TYPES.get(_last_suffix(name)))
    ):
        return data
    # Plain text may contain markup; an HTML page starts with it (WHATWG MIME Sniffing, 7.1).
    start = head.lstrip(_LEADING_BLANKS)
    if _is_html(start, head, by_suffix, declared):
        return "application/xhtml+xml" if by_suffix == "application/xhtml+xml" else "text/html"
    if by_suffix and by_suffix.startswith(("text/", "application/xhtml")):
        return by_suffix
    if not declared and b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return UNKNOWN  # NUL means binary (WHATWG MIME Sniffing, 3), except in pages that a server declares as text
    return declared if declared.startswith("text/") or declared == "application/xhtml+xml" else "text/plain"


def _is_html(start: bytes, head: bytes, by_suffix: str | None, declared: str) -> bool:
    if not declared.endswith("html") and "text/markdown" in {by_suffix, declared}:
        return bool(_HTML_START.match(start))  # Markdown may start with an HTML block (CommonMark 0.31, 4.6)
    return bool(_HTML_TAG.match(start) if by_suffix == "text/plain" else _HTML_TAG.search(head))


def _last_suffix(name: str) -> str:
    return name[name.rfind(".") :].lower() if "." in name else ""


def media_type_of_suffix(name: str) -> str | None:
    """Return the media type for the suffix of a file name, or None for unknown suffixes."""
    lower = name[-10:].lower()
    if "." not in lower:
        return None
    return next((kind for suffix, kind in _BY_SUFFIX.items() if lower.endswith(suffix)), None)


def _type_of_package(content: bytes, hint: str | None) -> str | None:
    """Return the type of a ZIP-based format by the names of its members, or None for a plain archive.

    OpenDocument and EPUB start with an uncompressed member ``mimetype`` (OpenDocument 1.3 part 2, 3.3; EPUB OCF 4.3).
    """
    head = content[:256]
    if (offset := head.find(b"mimetypeapplication/")) >= 0:
        match = re.match(rb"[\w.+/-]+", head[offset + 8 :])
        kind = match[0].partition(b"PK")[0].decode() if match else ""
        return next((known for known in _PACKAGES if kind.startswith(known)), None)
    # The directory at the end lists all members. A truncated file has no directory, only a header before each member.
    names = content[-_DIRECTORY_BYTES:] if b"PK\x05\x06" in content[-_DIRECTORY_BYTES:] else content
    if b"word/" in names and (b"[Content_Types].xml" in names or b"word/document" in names):
        return hint if hint and "word" in hint else _WORD + "document"
    for folder, kind in ((b"ppt/", _OFFICE + "presentationml.presentation"), (b"xl/", _OFFICE + "spreadsheetml.sheet")):
        if folder in names and b"[Content_Types].xml" in names:
            return kind
    if b"META-INF/container.xml" in names and b"mimetype" in names:
        return "application/epub+zip"  # some files do not store mimetype as the first member
    return hint if hint and "word" in hint else None


def _type_of_ole(content: bytes, hint: str | None) -> str:
    """Return the type of an OLE compound file: an encrypted Office package, or a Word document before 2007."""
    if "EncryptedPackage".encode("utf-16-le") in content:
        return hint if hint and hint.startswith((_OFFICE, "application/vnd.ms-word")) else _WORD + "document"
    if "WordDocument".encode("utf-16-le") in content:
        return "application/msword"
    return hint if hint and hint.startswith("application/") else UNKNOWN


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return True
    controls = len(head) - len(head.translate(None, _CONTROL_CHARACTERS))
    return controls * 20 <= len(head)
