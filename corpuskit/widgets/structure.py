"""What a card shows of a document: headings, paragraphs, lists and tables of its main content, as data for the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from corpuskit.document.elements import (
    CELLS,
    LISTS,
    SECTION,
    TABLE,
    TABLE_HEADER,
    TEXT_BLOCK,
    ElementTable,
)

SHOWN: Final = 6_000
"""Characters of a card."""
OPENED: Final = 200_000
"""Characters of a card that was opened."""
_MAX_BLOCKS: Final = 3_000
_MAX_SPAN: Final = 100
_DEEPEST: Final = 6

Marks = Sequence[Sequence[int]]
"""[start, end, 1 for or 0 against] of words in a text."""


def structure(table: ElementTable, maximum: int, marks: Callable[[str], Marks]) -> tuple[list[dict[str, Any]], int]:
    """Return the blocks of the main content up to a number of characters, and the number of characters omitted.

    A block is ``{kind, text, marks}``: kind is heading (with depth, from 1), text, item (depth, from 1) or title (of a list
    or table); a table is ``{kind: table, rows}`` of cells ``{text, marks, head, rows, columns}``.

    Args:
        table: Elements of a document.
        maximum: Maximum number of characters.
        marks: Function that finds words in a text.
    """
    blocks: list[dict[str, Any]] = []
    n_characters = left_out = position = 0
    ancestors: list[tuple[int, int]] = []  # (type, end)
    while position < len(table):
        while ancestors and ancestors[-1][1] <= position:
            ancestors.pop()
        kind, text, end = table.type[position], table.text[position], table.subtree_end[position]
        if not table.main[position] and kind == TEXT_BLOCK:
            position += 1
            continue
        if kind == TABLE and table.main[position]:
            size = sum(len(table.text[i] or "") for i in range(position, end))
            if n_characters + size <= maximum or not blocks:
                blocks += _table(table, position, marks, maximum - n_characters)
                n_characters += min(size, maximum - n_characters)
                left_out += max(0, size - (maximum - n_characters)) if size > maximum else 0
            else:
                left_out, n_characters = left_out + size, maximum
            position = end
            continue
        if text and table.main[position]:
            remaining = maximum - n_characters if len(blocks) < _MAX_BLOCKS else 0
            if remaining > 0:
                shown = text[:remaining]
                blocks.append(_block(kind, shown, [ancestor for ancestor, _ in ancestors], marks))
            left_out += len(text) - max(0, min(len(text), remaining))
            n_characters += min(len(text), max(0, remaining))
        if end > position + 1:
            ancestors.append((kind, end))
        position += 1
    return blocks, left_out


def _block(kind: int, text: str, ancestors: Sequence[int], marks: Callable[[str], Marks]) -> dict[str, Any]:
    lists = sum(ancestor in LISTS for ancestor in ancestors)
    if kind == SECTION:
        depth = sum(ancestor == SECTION for ancestor in ancestors) + 1
        return {"kind": "heading", "depth": min(depth, _DEEPEST), "text": text, "marks": marks(text)}
    if kind != TEXT_BLOCK:
        return {"kind": "title", "text": text, "marks": marks(text)}
    if lists:
        return {"kind": "item", "depth": min(lists, _DEEPEST), "text": text, "marks": marks(text)}
    return {"kind": "text", "text": text, "marks": marks(text)}


def _table(table: ElementTable, position: int, marks: Callable[[str], Marks], maximum: int) -> list[dict[str, Any]]:
    title = table.text[position]
    blocks = [{"kind": "title", "text": title, "marks": marks(title)}] if title else []
    rows: dict[int, list[tuple[int, dict[str, Any]]]] = {}
    n_characters = 0
    for cell in table.children(position):
        if table.type[cell] not in CELLS or n_characters >= maximum:
            continue
        row, row_span, column, column_span = table.cells.get(cell, (1, 1, 1, 1))
        texts = (table.text[i] for i in range(cell, table.subtree_end[cell]))
        text = "\n".join(part for part in texts if part)[: maximum - n_characters]
        n_characters += len(text)
        shown = {
            "text": text, "marks": marks(text), "head": table.type[cell] == TABLE_HEADER,
            "rows": max(1, min(row_span, _MAX_SPAN)), "columns": max(1, min(column_span, _MAX_SPAN)),
        }  # fmt: skip
        rows.setdefault(row, []).append((column, shown))
    ordered = [[cell for _, cell in sorted(rows[row], key=lambda part: part[0])] for row in sorted(rows)]
    return [*blocks, {"kind": "table", "rows": ordered}] if ordered else blocks
