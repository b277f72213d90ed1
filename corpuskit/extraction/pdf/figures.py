"""Labels of drawn figures: short lines between the running text and the caption below."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from corpuskit.extraction.notation import escape_plain
from corpuskit.extraction.pdf.layout.page_parts import Block
from corpuskit.extraction.pdf.patterns import HEADING_NUMBER

_FIGURE: Final = re.compile(r"^(?:fig|abb|scheme|chart|plate|graph|map)", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]{3}")
_LONGEST: Final = 60  # characters of a label
_FEWEST: Final = 3  # labels that make a figure


def set_figures(blocks: Sequence[Block], is_in_outline: Callable[[Block], bool]) -> None:
    """Makes headings and tables without rules that are labels of a figure part of it.

    Half of the labels are numbers of an axis, single letters and the like: short lines of words may be headings.
    """
    by_page: dict[int, list[Block]] = defaultdict(list)
    for block in blocks:
        by_page[block.page].append(block)
    for members in by_page.values():
        for caption in [block for block in members if block.role == "caption" and _FIGURE.match(block.text)]:
            labels = _labels_above(caption, members)
            texts = [block.text for block in labels if block.grid is None]
            scraps = sum(not _WORD.search(text) for text in texts)
            if len(texts) < _FEWEST or scraps < 0.5 * len(texts) or any(map(is_in_outline, labels)):
                continue
            for block in labels:
                _make_figure(block)


def _labels_above(caption: Block, members: Sequence[Block]) -> list[Block]:
    """The labels above a caption with nothing but labels between."""
    left, top, right, _ = caption.box
    above = [(block, block.box) for block in members if block.box.y1 <= top + 2]
    above = [(block, box) for block, box in above if box.x1 > left - 20 and box.x0 < right + 20]
    others = [box for block, box in above if not _is_label(block, members)]
    found = []
    for block, (x0, _, x1, y1) in above:
        if _is_label(block, members) and not any(b.y1 > y1 and b.x0 < x1 and b.x1 > x0 for b in others):
            found.append(block)
    return found


def _is_label(block: Block, members: Sequence[Block]) -> bool:
    if block.tag_type:
        return False
    if block.grid is not None:
        before = members[members.index(block) - 1] if block is not members[0] else None
        return not block.grid.is_drawn and (before is None or before.role != "caption")
    text = block.text.strip()
    if block.role not in {"paragraph", "equation", "section-heading", "figure"} or len(block.lines) > 2:
        return False
    number = HEADING_NUMBER.match(text)
    return len(text) <= _LONGEST and not (number and number["first"].isdigit() and block.role == "section-heading")


def _make_figure(block: Block) -> None:
    if block.grid is not None:
        block.grid = None
        block.text = " ".join(line.text for line in block.lines)
        if any(line.tex for line in block.lines):
            block.tex = " ".join(line.tex or escape_plain(line.text) for line in block.lines)
    block.role, block.level = "figure", 0
