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
_MOST_BLOCKS: Final = 3_000
_MOST_SPAN: Final = 100
_DEEPEST: Final = 6

Marks = Sequence[Sequence[int]]
"""[start, end, 1 for or 0 against] of words in a text."""


def structure(table: ElementTable, most: int, marks: Callable[[str], Marks]) -> tuple[list[dict[str, Any]], int]:
    """Return the blocks of the main content up to a number of characters, and the number of characters omitted.

    A block is ``{kind, text, marks}``: kind is heading (with depth, from 1), text, item (depth, from 1) or title (of a list
    or table); a table is ``{kind: table, rows}`` of cells ``{text, marks, head, rows, columns}``.

    Args:
        table: the elements of a document.
        most: characters.
        marks: finds words in a text.
    """
    blocks: list[dict[str, Any]] = []
    given = left_out = position = 0
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
            if given + size <= most or not blocks:
                blocks += _table(table, position, marks, most - given)
                given += min(size, most - given)
                left_out += max(0, size - (most - given)) if size > most else 0
            else:
                left_out, given = left_out + size, most
            position = end
            continue
        if text and table.main[position]:
            room = most - given if len(blocks) < _MOST_BLOCKS else 0
            if room > 0:
                shown = text[:room]
                blocks.append(_block(kind, shown, [one for one, _ in ancestors], marks))
            left_out += len(text) - max(0, min(len(text), room))
            given += min(len(text), max(0, room))
        if end > position + 1:
            ancestors.append((kind, end))
        position += 1
    return blocks, left_out


def _block(kind: int, text: str, ancestors: Sequence[int], marks: Callable[[str], Marks]) -> dict[str, Any]:
    lists = sum(one in LISTS for one in ancestors)
    if kind == SECTION:
        depth = sum(one == SECTION for one in ancestors) + 1
        return {"kind": "heading", "depth": min(depth, _DEEPEST), "text": text, "marks": marks(text)}
    if kind != TEXT_BLOCK:
        return {"kind": "title", "text": text, "marks": marks(text)}
    if lists:
        return {"kind": "item", "depth": min(lists, _DEEPEST), "text": text, "marks": marks(text)}
    return {"kind": "text", "text": text, "marks": marks(text)}


def _table(table: ElementTable, position: int, marks: Callable[[str], Marks], most: int) -> list[dict[str, Any]]:
    title = table.text[position]
    blocks = [{"kind": "title", "text": title, "marks": marks(title)}] if title else []
    rows: dict[int, list[tuple[int, dict[str, Any]]]] = {}
    given = 0
    for cell in table.children(position):
        if table.type[cell] not in CELLS or given >= most:
            continue
        row, row_span, column, column_span = table.cells.get(cell, (1, 1, 1, 1))
        texts = (table.text[i] for i in range(cell, table.subtree_end[cell]))
        text = "\n".join(one for one in texts if one)[: most - given]
        given += len(text)
        shown = {
            "text": text, "marks": marks(text), "head": table.type[cell] == TABLE_HEADER,
            "rows": max(1, min(row_span, _MOST_SPAN)), "columns": max(1, min(column_span, _MOST_SPAN)),
        }  # fmt: skip
        rows.setdefault(row, []).append((column, shown))
    ordered = [[cell for _, cell in sorted(rows[row], key=lambda one: one[0])] for row in sorted(rows)]
    return [*blocks, {"kind": "table", "rows": ordered}] if ordered else blocks
