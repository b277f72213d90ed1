"""Where the texts and links that lie over pages go in the document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from corpuskit.document.spans import Span, dump
from corpuskit.extraction.pdf.analysis import PageInfo
from corpuskit.extraction.pdf.annotations import Overlay
from corpuskit.extraction.pdf.box import Box
from corpuskit.extraction.pdf.layout.page_parts import Block


class Placement:
    """Form values and notes after the block they lie at or beside; see :meth:`after`.

    Args:
        blocks: of the document, in reading order.
        pages: with what lies over them.
    """

    def __init__(self, blocks: Sequence[Block], pages: Sequence[PageInfo]) -> None:
        self._after: dict[int, list[tuple[int, Overlay]]] = defaultdict(list)
        self.first: list[tuple[int, Overlay]] = []
        """Those with no block before them: (page from 0, overlay)."""
        if not any(page.overlays for page in pages):
            return
        by_page: dict[int, list[Block]] = defaultdict(list)
        for block in blocks:
            by_page[block.page].append(block)
        last: Block | None = None
        for number, page in enumerate(pages):
            members = by_page.get(number, [])
            for overlay in page.overlays:
                anchor = min(members, key=lambda block: _distance(overlay.box, block.box)) if members else last
                (self.first if anchor is None else self._after[id(anchor)]).append((number, overlay))
            last = members[-1] if members else last

    def after(self, block: Block) -> list[tuple[int, Overlay]]:
        """What follows a block: (page from 0, overlay)."""
        return self._after.get(id(block), [])


def _distance(box: Box, block: Box) -> float:
    """How far a block is from a field: its label stands above it or on its left, so that the other sides count double."""
    above, left = box.y0 - block.y1, box.x0 - block.x1
    below, right = block.y0 - box.y1, block.x0 - box.x1
    return max(above, 2 * below, 0.0) + max(left, 2 * right, 0.0)


class LinkFinder:
    """Finds the words of links in the texts of elements."""

    def __init__(self, pages: Sequence[PageInfo]) -> None:
        self._left = {number: list(page.links) for number, page in enumerate(pages) if page.links}

    def links(self, text: str, boxes: Sequence[tuple[int, Box]]) -> str | None:
        """The ``links`` mark of a text that stands in these boxes (page from 0, box); None where it has none."""
        found: list[Span] = []
        start = 0
        for page, box in boxes:
            for link in list(self._left.get(page, ())):
                if not any(area.overlaps(box) for area in link.boxes):
                    continue
                place = _find(text, link.words, start)
                if place is not None:
                    found.append((*place, link.url))
                    start = place[1]
                    self._left[page].remove(link)
        return dump(sorted(found)) if found else None


def _find(text: str, words: str, start: int) -> tuple[int, int] | None:
    """Where words stand in a text in which lines are joined, first behind what is found already."""
    for variant in dict.fromkeys((words, words.replace("- ", ""), words.replace("- ", "-"), words.replace(" ", ""))):
        for begin in (start, 0):
            at = text.find(variant, begin)
            if at >= 0:
                return at, at + len(variant)
    return None
