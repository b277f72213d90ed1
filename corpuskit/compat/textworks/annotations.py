"""annotations.json: the labels of a document as zones, in the form of TextWorks' annotation server.

Boxes are whole hundredths of points from the top left corner, as in the text grid; pages count from 0. An entry of a
reference list is a Reference, its number or key a NumericRefMarker or AlphabeticRefMarker; of authors that stand in one
block each name is an Author.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from corpuskit.compat.textworks.glyphs import Box, GlyphPage, LabelledLine, glyph_pages
from corpuskit.extraction.pdf.analysis import Analysis
from corpuskit.extraction.pdf.words import Word

OWNER: Final = "corpuskit"
_LABELS: Final = {
    "title": "Title", "authors": "Authors", "affiliation": "Affiliations", "dates": "Dates", "abstract": "Abstract",
    "keywords": "Keywords", "publisher": "Publisher", "section-heading": "Heading", "paragraph": "Para", "list": "List",
    "caption": "Caption", "table": "Table", "figure": "Figure", "footnote": "Footnote", "equation": "Equation",
    "code": "Code", "reference": "ReferenceBlock", "page-header": "PageHeader", "page-footer": "PageFooter",
}  # fmt: skip
_NUMERIC: Final = re.compile(r"^(?:\[\d{1,3}\]|\(\d{1,3}\)|\d{1,3}[.)]?)$")
_ALPHABETIC: Final = re.compile(r"^\[[A-Z][\w+, ]{1,20}\]$")
_NO_NAME: Final = frozenset(("and", "&", "und", "et"))
_INDENT: Final = 6.0  # points: a line further in goes on with the entry above


def annotation_json(
    pdf: Any, analysis: Analysis, document_id: str = "", *, created: datetime | None = None
) -> dict[str, Any]:
    """Return the annotations of an analysed document of pypdfium2, ready for ``json.dump``.

    Args:
        pdf: the document.
        analysis: of it.
        document_id: its name in the files.
        created: when; default: now.
    """
    when = (created or datetime.now(UTC)).isoformat(timespec="seconds")
    found = []
    for page in glyph_pages(pdf, analysis):
        for label, boxes, text in _zones(page):
            number = hashlib.sha256(f"{document_id} {page.number} {label} {boxes}".encode()).hexdigest()[:16]
            regions = [
                {"page": {"stableId": document_id, "pageNum": page.number}, "bbox": _bbox(box)} for box in boxes
            ]  # fmt: skip
            found.append(
                {
                    "id": number, "document": document_id, "owner": OWNER, "annotPath": f"{OWNER}/{label}",
                    "created": when, "label": label, "location": {"Zone": {"regions": regions}}, "body": {"text": text},
                }
            )  # fmt: skip
    return {"documentId": document_id, "annotations": found}


def _bbox(box: Box) -> dict[str, int]:
    x0, y0, x1, y1 = (round(value * 100) for value in box)
    return {"left": x0, "top": y0, "width": x1 - x0, "height": y1 - y0}


def _zones(page: GlyphPage) -> Iterator[tuple[str, list[Box], str]]:
    """Label, boxes and text of the blocks of a page, those that stand in them behind them."""
    blocks: dict[int, list[LabelledLine]] = {}
    for line in page.lines:
        blocks.setdefault(line.block, []).append(line)
    for lines in blocks.values():
        role = lines[0].labels[1]
        yield _LABELS.get(role, role), [page.box(_words(lines))], "\n".join(line.line.text for line in lines)
        if role == "reference":
            yield from _references(page, lines)
        elif role == "authors":
            for name in _names(lines):
                yield "Author", [page.box(name)], " ".join(word.text for word in name)


def _words(lines: list[LabelledLine]) -> list[Word]:
    return [word for line in lines for word in line.words]


def _references(page: GlyphPage, lines: list[LabelledLine]) -> Iterator[tuple[str, list[Box], str]]:
    """The entries of a block, parted by their markers, else by their hanging lines."""
    margin = min(line.line.x0 for line in lines)
    has_markers = any(_marker(line) for line in lines)
    hangs = any(line.line.x0 > margin + _INDENT for line in lines)
    entries: list[list[LabelledLine]] = []
    for line in lines:
        begins = bool(_marker(line)) if has_markers else hangs and line.line.x0 <= margin + _INDENT
        if begins or not entries:
            entries.append([])
        entries[-1].append(line)
    for entry in entries:
        yield "Reference", [page.box(line.words) for line in entry], "\n".join(line.line.text for line in entry)
        if label := _marker(entry[0]):
            yield label, [page.box(entry[0].words[:1])], entry[0].words[0].text


def _marker(line: LabelledLine) -> str:
    first = line.words[0].text
    if _ALPHABETIC.match(first):
        return "AlphabeticRefMarker"
    return "NumericRefMarker" if _NUMERIC.match(first) and len(line.words) > 1 else ""


def _names(lines: list[LabelledLine]) -> Iterator[list[Word]]:
    """The names of a list of authors: between commas, semicolons and the word for and."""
    for line in lines:
        name: list[Word] = []
        for word in line.words:
            if word.text.lower() in _NO_NAME:
                if name:
                    yield name
                name = []
                continue
            name.append(word)
            if word.text.endswith((",", ";")):
                yield name
                name = []
        if name:
            yield name
