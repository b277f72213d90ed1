"""segmentation.json: pages, labelled blocks, lines of tokens, and the box of each token.

``{"boxFormat": ..., "pages": [{"page": 0, "blocks": [{"labels": [section, role], "lines": [[[tokens], [ids]]]}]}],
"ids": [[id, [page, [top, left, width, height]]]]}``, as the specification of TextWorks has it: boxes in points from the
top left corner of the page as seen, top before left; pages count from 0. A file that keeps its boxes in another order
says so in ``boxFormat``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpuskit.compat.textworks.glyphs import glyph_pages
from corpuskit.extraction.pdf.analysis import Analysis
from corpuskit.extraction.pdf.notation import token_of, tokens_of

BOX_FORMAT = ["top", "left", "width", "height"]


def segmentation(pdf: Any, analysis: Analysis, document_id: str = "") -> dict[str, Any]:
    """Return the segmentation of an analysed document of pypdfium2, ready for ``json.dump``."""
    pages: list[dict[str, Any]] = []
    ids: list[list[Any]] = []
    for page in glyph_pages(pdf, analysis):
        blocks: list[dict[str, Any]] = []
        before = None
        for labelled in page.lines:
            if labelled.block != before:
                blocks.append({"labels": list(labelled.labels), "lines": []})
                before = labelled.block
            tokens, numbers = [], []
            for group in tokens_of(labelled.words):
                x0, y0, x1, y1 = page.box(group)
                tokens.append(token_of(group, labelled.line.size, labelled.line.base))
                numbers.append(len(ids))
                box = [round(value, 2) for value in (y0, x0, x1 - x0, y1 - y0)]
                ids.append([len(ids), [page.number, box]])
            blocks[-1]["lines"].append([tokens, numbers])
        geometry = [0.0, 0.0, round(page.width, 2), round(page.height, 2)]
        pages.append({"page": page.number, "pageGeometry": geometry, "blocks": blocks})
    return {"documentId": document_id, "boxFormat": BOX_FORMAT, "pages": pages, "ids": ids}


def page_size_tokens(metadata: Mapping[str, str]) -> str:
    """``WIDTH595 HEIGHT842`` of the first page, the last two tokens of a line for the classifier of TextWorks.

    Whole points in capitals, so that they cannot be mistaken for words. Empty where no page was read.
    """
    width, height = metadata.get("page_width"), metadata.get("page_height")
    return f"WIDTH{width} HEIGHT{height}" if width and height else ""
