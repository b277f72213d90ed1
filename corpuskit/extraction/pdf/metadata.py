"""Metadata of a PDF: document information, XMP, language, and what the pages tell."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any, Final

from corpuskit.extraction.pdf.analysis import Analysis, PageInfo
from corpuskit.extraction.pdf.opening import Opened
from corpuskit.extraction.pdf.pdfium import entry

_INFORMATION: Final = {  # ISO 32000-1, table 317 → our names
    "Author": "author", "Subject": "description", "Keywords": "keywords", "Creator": "creator", "Producer": "producer",
}  # fmt: skip
_DATE: Final = re.compile(  # ISO 32000-1, 7.9.4
    r"^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?)?"
)
_JUNK_TITLE: Final = re.compile(
    r"^(?:untitled.*|title|unbenannt.*|microsoft (?:word|powerpoint|excel).*|.*\.(?:docx?|dvi|tex|pdf|indd|qxd|pptx?|xlsx?|pub|rtf|odt|ps|fm)"
    r"|document\d*|slide \d+|powerpoint.*|print|no job name|layout \d+|[\W\d_]*|\S{1,3}"
    # A DOI, an identifier of a publisher, an address, pages.
    r"|(?:(?:doi|pii)\b\s*:?\s*|https?://\S*/)?10\.\d{4,9}/\S+|pii\b:?\s*\S+|arxiv:\S+|https?://\S+|file:\S.*"
    r"|(?:pages?|pp?\.|s\.)\s*\d+\s*(?:\.\.|[-–—])\s*\d+|\S+\s+\d+\s*\.\.\s*\d+)$",
    re.IGNORECASE,
)
SET_ASIDE: Final = 0.02
"""A page of which a larger share of the characters is in no element is flagged."""
MOST_WARNINGS: Final = 20
GARBLED: Final = 0.3
"""Share of unmapped characters from which the text of a file is no text."""
_XMP_LANGUAGE: Final = re.compile(
    rb"<dc:language>.*?<rdf:li[^>]*>\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]+)*)\s*</rdf:li>", re.DOTALL
)
_XMP_RIGHTS: Final = re.compile(
    rb"<(?:xmpRights:WebStatement|cc:license)[^>]*?(?:>\s*|rdf:resource=\")(https?://[^<\"\s]+)", re.DOTALL
)


def information(opened: Opened, content: bytes) -> tuple[dict[str, str], datetime | None, str]:
    """Metadata that the file states, its date, and the title of its information dictionary."""
    pdf = opened.pdf
    found: dict[str, str] = {}
    for name, ours in _INFORMATION.items():
        value = _clean(entry(pdf, name))
        if value:
            found[ours] = value
    created, modified = (_date(entry(pdf, name)) for name in ("CreationDate", "ModDate"))
    if created:
        found["created"] = created.isoformat()
    if modified:
        found["modified"] = modified.isoformat()
    date = modified or created
    if date is not None:
        found["timestamp_source"] = "modified" if modified else "created"
    language = _language(pdf) or _xmp(content, _XMP_LANGUAGE)
    if language:
        found["language"] = language
    rights = _xmp(content, _XMP_RIGHTS)
    if rights:
        found["license"] = rights
    found["pages"] = str(len(pdf))
    if opened.is_encrypted:
        found["encrypted"] = "true"
    if opened.is_repaired:
        found["repaired"] = "true"
    return found, date, _clean(entry(pdf, "Title"))


def page_flags(pages: list[PageInfo]) -> dict[str, str]:
    """What the pages tell: those that failed, have no text, are scanned, lack much of what is drawn, or mean nothing."""
    found: dict[str, str] = {}
    first = next((page.seen for page in pages if page.seen is not None), None)
    if first is not None:
        found["page_width"], found["page_height"] = str(round(first.width)), str(round(first.height))
    empty = [not page.characters and not page.error for page in pages]
    if failed := _numbers(page.error for page in pages):
        found["failed_pages"] = failed
    if any(empty):
        found["pages_without_text"] = _numbers(empty)
    if pages and all(empty):
        found["status"] = "no_text"
    if any(page.images and not page.characters for page in pages):
        found["scanned"] = "true" if sum(empty) > len(pages) / 2 else "partly"
    if aside := _numbers(sum(page.set_aside.values()) > SET_ASIDE * page.printed for page in pages):
        found["set_aside_pages"] = aside
    total = sum(page.characters for page in pages)
    unmapped = sum(page.unmapped * page.characters for page in pages)
    if total and unmapped >= 0.01 * total:
        found["unmapped_share"] = f"{unmapped / total:.2f}"
        if unmapped > GARBLED * total:
            found["garbled"] = "true"
    return found


def _numbers(flags: Iterable[object]) -> str:
    """Return the numbers of the pages whose flag is set, from 1."""
    return " ".join([str(number) for number, flag in enumerate(flags, 1) if flag][:1_000])


def page_warnings(pages: list[PageInfo]) -> list[str]:
    """What went wrong on pages, and what of their characters is in no element, with counts; no more than some."""
    found = []
    for number, page in enumerate(pages, 1):
        if page.error:
            found.append(f"page {number}: {page.error}")
        elif aside := sum(page.set_aside.values()):
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in page.set_aside.items())
            found.append(f"page {number}: {aside:,} of {page.printed:,} characters set aside: {reasons}")
    return found[:MOST_WARNINGS]


def title_of(stated: str, analysis: Analysis) -> str:
    """The stated title, or that on the first page where the stated one is junk.

    On the page it is the block of the largest letters in its upper part; the 2016 rule of TextWorks (the tallest of the
    first lines longer than five characters) refined.
    """
    if stated and not _JUNK_TITLE.match(stated.strip()):
        return stated
    first = [block for block in analysis.blocks if block.page == 0 and block.lines and block.role != "table"][:12]
    candidates = [block for block in first if 5 < len(block.text) < 250]
    if not candidates:
        return ""
    best = max(candidates, key=lambda block: (round(block.size), -block.lines[0].base))
    return best.text.strip() if best.size > 1.15 * analysis.document.body else ""


def _clean(value: str | None) -> str:
    return " ".join((value or "").replace("\x00", "").replace("\ufeff", "").split())


def _date(value: str | None) -> datetime | None:
    match = _DATE.match(value or "")
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) if part else None for part in match.groups()[:6])
    zone: tzinfo = UTC
    if match[8]:
        offset = timedelta(hours=int(match[9]), minutes=int(match[10] or 0))
        if offset >= timedelta(hours=24):
            return None
        zone = timezone(offset if match[8] == "+" else -offset)
    try:
        return datetime(year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=zone)
    except ValueError:
        return None


def _language(pdf: Any) -> str:
    """The natural language of the catalogue (ISO 32000-1, 14.9.2)."""
    from pypdfium2 import raw

    length = raw.FPDFCatalog_GetLanguage(pdf, None, 0)
    if not 2 < length < 200:
        return ""
    buffer = (ctypes.c_ushort * (length // 2))()
    raw.FPDFCatalog_GetLanguage(pdf, buffer, length)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\x00").strip()


def _xmp(content: bytes, pattern: re.Pattern[bytes]) -> str:
    """A value of the XMP packet, where that is not compressed."""
    start = content.find(b"<x:xmpmeta")
    if start < 0:
        return ""
    match = pattern.search(content, start, min(len(content), start + 200_000))
    return match[1].decode("utf-8", "replace") if match else ""
