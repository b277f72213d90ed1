"""Files that tell why a PDF was read as it was: its fonts, and each block with what its role was told by."""

from __future__ import annotations

from collections import Counter
from typing import Any

from corpuskit.extraction.pdf.analysis import Analysis
from corpuskit.extraction.pdf.characters import read_characters
from corpuskit.extraction.pdf.fonts import BOLD, ITALIC, MONO, Fonts
from corpuskit.extraction.pdf.layout.page_parts import Block

_STYLES = ((BOLD, "bold"), (ITALIC, "italic"), (MONO, "mono"))


def font_summary(pdf: Any, analysis: Analysis) -> dict[str, Any]:
    """Fonts of a document with sizes: ``{body, fonts: [{name, styles, sizes: {points: characters}, pages}]}``."""
    fonts = Fonts()
    sizes: dict[int, Counter[float]] = {}
    pages: dict[int, set[int]] = {}
    for number in range(len(analysis.pages)):
        if analysis.pages[number].frame is None:
            continue
        page = pdf[number]
        try:
            characters = read_characters(page, fonts)
        finally:
            page.close()
        if characters is None:
            continue
        used = characters.usable & (characters.code > 32)
        for font, size in zip(characters.font[used].tolist(), characters.size[used].tolist(), strict=True):
            sizes.setdefault(font, Counter())[round(size * 2) / 2] += 1
            pages.setdefault(font, set()).add(number)
    found: list[dict[str, Any]] = [
        {
            "name": fonts.names[font] if font >= 0 else "",
            "styles": [name for bit, name in _STYLES if font >= 0 and fonts.styles[font] & bit],
            "sizes": {f"{size:g}": count for size, count in sorted(counts.items())},
            "pages": sorted(pages[font]),
        }
        for font, counts in sizes.items()
    ]
    found.sort(key=lambda entry: (-sum(entry["sizes"].values()), entry["name"]))
    return {"body": analysis.document.body, "fonts": found}


def trace_log(analysis: Analysis) -> dict[str, Any]:
    """Blocks in reading order with what tells their role, and what happened on each page; numbers in points."""
    return {
        "pages": [
            {
                "page": number, "characters": page.characters, "unmapped": round(page.unmapped, 4),
                "images": page.images, "furniture": [line.text for line in page.furniture], "error": page.error,
            }
            for number, page in enumerate(analysis.pages)
        ],
        "blocks": [_traced(block) for block in analysis.blocks],
    }  # fmt: skip


def _traced(block: Block) -> dict[str, Any]:
    text = block.text if block.grid is None else " | ".join(cell.text for cell in block.grid.cells)
    return {
        "page": block.page, "region": block.region, "role": block.role, "zone": block.zone, "level": block.level,
        "box": [round(value, 2) for value in block.box], "lines": len(block.lines),
        "sizes": sorted({line.size for line in block.lines}), "leading": block.leading, "tag": block.tag_type,
        "table": None if block.grid is None else {"size": list(block.grid.size), "ruled": block.grid.is_drawn},
        "text": text[:80],
    }  # fmt: skip
