"""Properties of a document: core (ECMA-376-2, clause 8), extended and custom ones (part 1, 22.2 and 22.3)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from lxml import etree

from corpuskit.dates import parse_iso_date
from corpuskit.extraction.docx.package import Package

_CORE: Final = {
    "creator": "author", "subject": "subject", "description": "description", "keywords": "keywords",
    "category": "category", "language": "language", "lastModifiedBy": "last_modified_by", "revision": "revision",
    "contentStatus": "content_status", "identifier": "identifier", "version": "document_version",
}  # fmt: skip
_EXTENDED: Final = {"Application": "producer", "Company": "company", "Manager": "manager", "Pages": "pages"}
_JUNK: Final = re.compile(
    r"(?:untitled.*|title|unbenannt.*|(?:word )?document\d*|dokument\d*|microsoft (?:word|office).*|.*\.(?:docx?|rtf|odt)"
    r"|powerpoint.*|[\W\d_]*)",
    re.IGNORECASE,
)
_NO_DATE: Final = 1601  # what Word writes where it knows none


def read_properties(package: Package) -> tuple[str, dict[str, str], datetime | None]:
    """The title, the metadata, and the date: modified, else created; metadata says which as ``timestamp_source``.

    Custom properties keep their names, with ``custom_`` before those that are taken.
    """
    metadata: dict[str, str] = {}
    title = ""
    dates: dict[str, datetime] = {}
    core = _part(package, "core-properties", "docProps/core.xml")
    for element in () if core is None else core:
        name, text = _local(element), _clean(element.text)
        if not text:
            continue
        if name == "title":
            title = "" if _JUNK.fullmatch(text) else text
        elif name in {"created", "modified", "lastPrinted"}:
            date = parse_date(text)
            if date is not None and name != "lastPrinted":
                dates[name] = date
        elif name in _CORE:
            metadata[_CORE[name]] = text
    extended = _part(package, "extended-properties", "docProps/app.xml")
    for element in () if extended is None else extended:
        if (key := _EXTENDED.get(_local(element))) and (text := _clean(element.text)):
            metadata[key] = text
    for name, date in dates.items():
        metadata[name] = date.isoformat()
    timestamp = dates.get("modified") or dates.get("created")
    if timestamp is not None:
        metadata["timestamp_source"] = "modified" if "modified" in dates else "created"
    custom = _part(package, "custom-properties", "docProps/custom.xml")
    for element in () if custom is None else custom:
        key = _clean(element.get("name")).replace("=", " ").strip()
        text = _clean(" ".join(map(str, element.itertext())))
        if key and text:
            metadata[f"custom_{key}" if key in metadata else key] = text
    return title, metadata, timestamp


def parse_date(text: str) -> datetime | None:
    """Return a date of W3C's profile of ISO 8601 in UTC; None if it is none."""
    date = parse_iso_date(text)
    return date if date is not None and date.year > _NO_DATE else None


def _part(package: Package, kind: str, usual: str) -> etree._Element | None:
    name = package.related("", kind)
    return package.parse(name if name and name in package else usual)


def _local(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _clean(text: str | None) -> str:
    return " ".join((text or "").split())
