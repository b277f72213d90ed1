"""The media type of bytes, from the bytes themselves."""

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
_DIRECTORY: Final = 2_000_000  # bytes at the end that are looked through
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
_DATA: Final = {
    ".json": "application/json",
    ".jsonl": "application/jsonlines",
    ".ndjson": "application/jsonlines",
    ".geojson": "application/geo+json",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
}
"""Tables and records: text that is no document, whatever markup stands in it."""
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|title|meta|div|p|h1|table|script|!--)[\s>]", re.IGNORECASE)
_PAGE = re.compile(rb"<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
_NLPTEXT = re.compile(rb"(?:\xef\xbb\xbf)?## NLPTextDocument ")
_HEAD: Final = 4096
_BLANK: Final = b"\xef\xbb\xbf \t\r\n\f"
_CONTROLS: Final = bytes(byte for byte in range(32) if byte not in b"\t\n\r\f\x1b\x08")


def detect_media_type(content: bytes, name: str = "", declared: str | None = None) -> str:
    """Return the media type of ``content``.

    What the bytes say comes first, then what was declared, then the suffix of the name. Text that says nothing is
    what its suffix or the declaration says, else plain text; anything else is ``application/octet-stream``.

    Args:
        content: The bytes; the first ones are enough.
        name: The file's name.
        declared: What a server declared.
    """
    import filetype

    head = content[:_HEAD]
    declared = (declared or "").partition(";")[0].strip().lower()
    by_suffix = media_type_of_suffix(name)
    if _NLPTEXT.match(head):
        return "text/x-nlptext"
    if b"%PDF-" in head[:1024]:
        return "application/pdf"
    if head.startswith(b"PK\x03\x04"):
        return _of_package(content, by_suffix or declared) or "application/zip"
    if head.startswith(_OLE):
        return _of_ole(content, by_suffix or declared)
    # No type that is known by its first bytes begins with "<", and asking for all of them takes 0.1 ms.
    is_markup = head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
    kind = None if is_markup else filetype.guess(content[:262_144])
    if kind is not None and kind.mime not in {"text/plain", "application/xml", "text/xml"}:
        return str(kind.mime)
    if by_suffix == "application/pdf" and not declared:
        return by_suffix  # an error page saved under the name of a PDF is a damaged PDF, no document
    if head.startswith(b"{\\rtf"):
        return "application/rtf"
    if not _is_text(head):
        return UNKNOWN
    if by_suffix == "message/rfc822" or declared == "message/rfc822":
        return "message/rfc822"
    if not declared and not _PAGE.match(head.lstrip(_BLANK)) and (data := _DATA.get(_last_suffix(name))):
        return data
    # A text may quote markup; a page begins with it (WHATWG MIME Sniffing, 7.1).
    start = head.lstrip(_BLANK)
    if _says_page(start, head, by_suffix, declared):
        return "application/xhtml+xml" if by_suffix == "application/xhtml+xml" else "text/html"
    if by_suffix and by_suffix.startswith(("text/", "application/xhtml")):
        return by_suffix
    if not declared and b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return UNKNOWN  # no text has null characters (WHATWG MIME Sniffing, 3); pages that servers send do at times
    return declared if declared.startswith("text/") or declared == "application/xhtml+xml" else "text/plain"


def _says_page(start: bytes, head: bytes, by_suffix: str | None, declared: str) -> bool:
    if not declared.endswith("html") and "text/markdown" in {by_suffix, declared}:
        return bool(_PAGE.match(start))  # blocks may be of HTML, the first one too (CommonMark 0.31, 4.6)
    return bool(_HTML.match(start) if by_suffix == "text/plain" else _HTML.search(head))


def _last_suffix(name: str) -> str:
    return name[name.rfind(".") :].lower() if "." in name else ""


def media_type_of_suffix(name: str) -> str | None:
    """What the name's suffix says; None for a suffix that is not known."""
    lower = name[-10:].lower()
    if "." not in lower:
        return None
    return next((kind for suffix, kind in _BY_SUFFIX.items() if lower.endswith(suffix)), None)


def _of_package(content: bytes, hint: str | None) -> str | None:
    """The type of a ZIP file by the names of its parts, which stand in it unpacked; None for a plain archive.

    OpenDocument and EPUB say it in a first, unpacked part ``mimetype`` (OpenDocument 1.3 part 2, 3.3; EPUB OCF 4.3).
    """
    head = content[:256]
    if (place := head.find(b"mimetypeapplication/")) >= 0:
        found = re.match(rb"[\w.+/-]+", head[place + 8 :])
        kind = found[0].partition(b"PK")[0].decode() if found else ""
        return next((known for known in _PACKAGES if kind.startswith(known)), None)
    # The directory at the end names all parts; a file cut short has the names in front of its parts only.
    names = content[-_DIRECTORY:] if b"PK\x05\x06" in content[-_DIRECTORY:] else content
    if b"word/" in names and (b"[Content_Types].xml" in names or b"word/document" in names):
        return hint if hint and "word" in hint else _WORD + "document"
    for folder, kind in ((b"ppt/", _OFFICE + "presentationml.presentation"), (b"xl/", _OFFICE + "spreadsheetml.sheet")):
        if folder in names and b"[Content_Types].xml" in names:
            return kind
    if b"META-INF/container.xml" in names and b"mimetype" in names:
        return "application/epub+zip"  # its mimetype should stand first, and does not everywhere
    return hint if hint and "word" in hint else None


def _of_ole(content: bytes, hint: str | None) -> str:
    """The type of a compound file: an encrypted package is what its name says, a Word document has such a stream."""
    if "EncryptedPackage".encode("utf-16-le") in content:
        return hint if hint and hint.startswith((_OFFICE, "application/vnd.ms-word")) else _WORD + "document"
    if "WordDocument".encode("utf-16-le") in content:
        return "application/msword"
    return hint if hint and hint.startswith("application/") else UNKNOWN


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return True
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return controls * 20 <= len(head)
