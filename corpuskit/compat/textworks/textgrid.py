"""textgrid.json: the rows of each page, with the place of every character.

As TextWorks of 2019 writes it: coordinates are whole hundredths of points, ``[left, top, width, height]``; one locus a
character of the row's text, ``g`` for a glyph, ``i`` for what was inserted: blanks, marks, escapes, and the second and
further letters of a ligature. ``offset`` runs over the texts of a page's rows, without line ends. Pages count from 0.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from corpuskit.compat.textworks.glyphs import Box, GlyphPage, LabelledLine, glyph_pages
from corpuskit.extraction.pdf.analysis import Analysis
from corpuskit.extraction.pdf.notation import pieces_of, tokens_of
from corpuskit.extraction.pdf.words import Word


def textgrid(pdf: Any, analysis: Analysis, document_id: str = "") -> dict[str, Any]:
    """Return the text grid of an analysed document of pypdfium2, ready for ``json.dump``."""
    pages = []
    for page in glyph_pages(pdf, analysis):
        rows, offset = [], 0
        for labelled in page.lines:
            text, loci = _row(page, labelled)
            rows.append({"offset": offset, "text": text, "loci": loci})
            offset += len(text)
        grid = {"stableId": f"{document_id}#{page.number}", "rows": rows, "labels": {"cellLabels": {}}}
        geometry = [0, 0, _hundredths(page.width), _hundredths(page.height)]
        pages.append({"pageGeometry": geometry, "textgrid": grid})
    now = time.time()
    return {
        "description": f"Extracted Pages for {document_id}",
        "documentId": document_id,
        "pages": pages,
        "buildInfo": {
            "name": "corpuskit",
            "version": version("corpuskit"),
            "runAtMillis": int(now * 1000),
            "runAtStr": datetime.fromtimestamp(now, UTC).isoformat(timespec="seconds"),
        },
    }


def _hundredths(value: float) -> int:
    return round(value * 100)


def _row(page: GlyphPage, labelled: LabelledLine) -> tuple[str, list[dict[str, Any]]]:
    """The text of a line and the place of each of its characters."""
    text: list[str] = []
    loci: list[dict[str, Any]] = []

    def add(character: str, box: Box, *, is_glyph: bool) -> None:
        x0, y0, x1, y1 = (_hundredths(value) for value in box)
        place = [character, page.number, [x0, y0, x1 - x0, y1 - y0]]
        text.append(character)
        loci.append({"g": [place]} if is_glyph else {"i": place})

    def add_word(word: Word, escaped: str) -> Box:
        at = 0
        box = page.box([word])
        for glyph in page.glyphs(word):
            box = glyph.box
            for k, character in enumerate(glyph.text):
                if escaped[at] != character or escaped[at : at + 2] == "\\\\":
                    add("\\", box, is_glyph=False)
                    at += 1
                add(character, box, is_glyph=k == 0)
                at += 1
        return box

    for k, group in enumerate(tokens_of(labelled.words)):
        box = page.box(group)
        if k:
            add(" ", (box[0], box[1], box[0], box[3]), is_glyph=False)
        for piece, word in pieces_of(group, labelled.line.size, labelled.line.base):
            if word is None:
                for character in piece:
                    add(character, (box[0], box[1], box[0], box[3]), is_glyph=False)
            else:
                last = add_word(word, piece)
                box = (last[2], last[1], last[2], last[3])
    return "".join(text), loci
