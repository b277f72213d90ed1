"""From the blocks of pages to those of the document: headings over lines, captions as titles, tables over pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from corpuskit.extraction.pdf.fonts import BOLD
from corpuskit.extraction.pdf.layout.page_parts import Block
from corpuskit.extraction.pdf.patterns import CHAPTER_LABEL, HEADING_NUMBER
from corpuskit.extraction.pdf.tables.grid import Grid
from corpuskit.extraction.pdf.tables.rows import is_number

_TABLE_CAPTION: Final = re.compile(r"^(?:table|tab\.|tabelle|tableau|exhibit)\b", re.IGNORECASE)
_CONTINUED: Final = re.compile(r"\b(?:continued|cont[’'.]?d|fortsetzung|suite)\b", re.IGNORECASE)


def document_blocks(blocks: Sequence[Block]) -> list[Block]:
    """The blocks of the document in reading order; those given stay as they are."""
    return _with_titles(_joined_tables(_joined_headings(blocks)))


def _joined_headings(blocks: Sequence[Block]) -> list[Block]:
    """'Chapter 7' and the title below it are one heading, as are the lines of a long title."""
    found: list[Block] = []
    for block in blocks:
        before = found[-1] if found else None
        if before is not None and block.role == before.role == "section-heading" and _is_one_heading(before, block):
            text = f"{before.text.strip()} {block.text.strip()}"
            found[-1] = replace(before, text=text, lines=before.lines + block.lines)
        else:
            found.append(block)
    return found


def _is_one_heading(above: Block, below: Block) -> bool:
    if above.page != below.page or (above.tag_type and above.tag != below.tag):
        return False
    if CHAPTER_LABEL.fullmatch(above.text.strip()):
        return True
    last, first = above.lines[-1], below.lines[0]
    gap = first.base - last.base
    is_tight = first.has_all(BOLD) and last.has_all(BOLD) and 0 < gap < 1.15 * first.size
    same = (abs(first.size - last.size) < 0.6 and first.style == last.style) or (
        is_tight and 0.85 < first.size / last.size < 1.18
    )
    touches = first.x0 < last.x1 and first.x1 > last.x0
    centred = abs(first.x0 + first.x1 - last.x0 - last.x1) < 6 and abs(first.x0 - last.x0) > 10
    if not (same and touches and 0 < gap < (2.2 if centred else 1.4) * first.size):
        return False
    return (first.size >= 13 or is_tight) and not HEADING_NUMBER.match(below.text)


def _joined_tables(blocks: Sequence[Block]) -> list[Block]:
    """A table at the end of a page and one of the same columns at the top of the next are one."""
    found: list[Block] = []
    for block in blocks:
        above = next((k for k in range(len(found) - 1, max(-1, len(found) - 3), -1) if found[k].role == "table"), None)
        if (
            above is not None
            and block.grid is not None
            and found[above].grid is not None
            and found[above].page + len(_pages(found[above])) == block.page
            and all(_is_between(other) for other in found[above + 1 :])
        ):
            joined = _joined(found[above], block)
            if joined is not None:
                found[above:] = [joined]
                continue
        found.append(block)
    return found


def _pages(block: Block) -> set[int]:
    assert block.grid is not None
    return {page for page, _ in block.grid.boxes} or {block.page}


def _is_between(block: Block) -> bool:
    """What may stand between the two parts: 'Table 3 (continued)'."""
    return bool(_CONTINUED.search(block.text)) and len(block.text) < 150


def _joined(above: Block, below: Block) -> Block | None:
    first, second = above.grid, below.grid
    assert first is not None
    assert second is not None
    rows, cols = first.size
    tolerance = 0.03 * max(first.box.width, 1.0) + 2
    aligned = abs(first.box.x0 - second.box.x0) < tolerance and abs(first.box.x1 - second.box.x1) < tolerance
    if second.size[1] != cols or not aligned or first.is_drawn != second.is_drawn:
        return None
    # What is repeated at the top of a page is the head; rows below it may be equal for other reasons.
    body = min((cell.row for cell in first.cells if not cell.is_header), default=1)
    most = max(1, body)
    head = 0
    while head < min(most + 1, rows, second.size[0] - 1) and _row(first, head) == _row(second, head):
        head += 1
    if head > most:  # more than the head is equal: rows that say the same twice
        head = most if _kinds(first, most - 1) != _kinds(first, most) else 0
    cells = list(first.cells)
    for cell in second.cells:
        if cell.row >= head:
            is_header = cell.is_header and (head > 0 or cell.row > 0) and cell.row < head
            cells.append(replace(cell, row=cell.row - head + rows, is_header=is_header, page=below.page))
    boxes = first.boxes or [(above.page, first.box)]
    grid = Grid(first.box, cells, first.title, first.is_drawn, [*boxes, (below.page, second.box)])
    return replace(above, grid=grid, lines=above.lines + below.lines)


def _row(grid: Grid, row: int) -> list[tuple[int, int, str]]:
    return [(cell.col, cell.col_span, cell.text) for cell in grid.cells if cell.row == row]


def _kinds(grid: Grid, row: int) -> list[tuple[int, bool]]:
    """Which cells of a row hold numbers: those of a head do not where those of the rows below do."""
    return [(cell.col, is_number(cell.text)) for cell in grid.cells if cell.row == row]


def _with_titles(blocks: Sequence[Block]) -> list[Block]:
    """The caption above a table is its title; one below stays where it is, for the reading order."""
    found: list[Block] = []
    for block in blocks:
        if block.grid is not None and found and _is_caption_of(found[-1], block):
            found[-1] = _titled(block, found[-1])
        else:
            found.append(block)
    return found


def _is_caption_of(caption: Block, table: Block) -> bool:
    return caption.role == "caption" and caption.page == table.page and bool(_TABLE_CAPTION.match(caption.text))


def _titled(table: Block, caption: Block) -> Block:
    grid = table.grid
    assert grid is not None
    boxes = [(caption.page, caption.box), *(grid.boxes or [(table.page, grid.box)])]
    return replace(table, grid=replace(grid, title=caption.text.strip(), boxes=boxes), tex=caption.tex)
