"""A page as a picture, with the boxes of its blocks coloured by role."""

from __future__ import annotations

from typing import Final

from corpuskit.document.page_picture import PagePicture
from corpuskit.errors import ExtractionError
from corpuskit.extraction.pdf.analysis import Analysis, analyse
from corpuskit.extraction.pdf.box import Box
from corpuskit.extraction.pdf.opening import open_pdf

COLOURS: Final = {  # Okabe and Ito 2008: told apart by colour-blind readers too
    "section-heading": (213, 94, 0),
    "title": (213, 94, 0),
    "paragraph": (0, 114, 178),
    "list": (86, 180, 233),
    "table": (0, 158, 115),
    "caption": (204, 121, 167),
    "figure": (230, 159, 0),
    "code": (120, 94, 240),
    "footnote": (140, 110, 60),
    "equation": (180, 170, 0),
    "reference": (90, 60, 150),
    "page-header": (140, 140, 140),
    "page-footer": (140, 140, 140),
}
_OTHER: Final = (60, 60, 60)


def page_picture(
    content: bytes, number: int, *, scale: float = 1.5, password: str | None = None, analysis: Analysis | None = None
) -> PagePicture:
    """A page with the boxes of its blocks.

    Args:
        content: the PDF.
        number: 1-based.
        scale: pixels a point.
        password: opens an encrypted PDF.
        analysis: of the same content, where there is one.

    Raises:
        ExtractionError: no such page, or no PDF.
    """
    with open_pdf(content, password=password) as opened:
        pages = len(opened.pdf)
        if not 1 <= number <= pages:
            raise ExtractionError(f"page {number}: the document has pages 1 to {pages}")
        analysis = analysis or analyse(opened.pdf)
        page = opened.pdf[number - 1]
        image = page.render(scale=scale).to_pil().convert("RGB")
        page.close()
    from PIL import ImageDraw

    draw = ImageDraw.Draw(image, "RGBA")
    picture = PagePicture(image, number)
    for role, box in _boxes(analysis, number - 1):
        colour = COLOURS.get(role, _OTHER)
        x0, y0, x1, y1 = (value * scale for value in box)
        draw.rectangle((x0 - 1, y0 - 1, x1 + 1, y1 + 1), fill=(*colour, 40), outline=(*colour, 255), width=2)
        draw.text((x0, max(0.0, y0 - 11)), role, fill=(*colour, 255))
        picture.roles[role] = picture.roles.get(role, 0) + 1
    return picture


def _boxes(analysis: Analysis, page: int) -> list[tuple[str, Box]]:
    """Role and box, as seen, of all that stands on a page (0-based)."""
    info = analysis.pages[page]
    if info.frame is None or info.seen is None:
        return []
    found = [(block.role, info.frame.box_in(info.seen, block.box)) for block in analysis.blocks if block.page == page]
    for line in info.furniture:
        role = "page-header" if line.base < info.frame.height / 2 else "page-footer"
        found.append((role, info.frame.box_in(info.seen, Box.of(line))))
    return found
