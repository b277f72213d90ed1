"""Lists of short items, which ``.nlp.txt`` stores on one line."""

from __future__ import annotations

from corpuskit.document.elements import LIST_ITEM, TEXT_BLOCK, ElementTable

_SHORT_ITEM = 50  # UTF-16 units, exclusive


def compact_items(table: ElementTable, element_id: int) -> list[str] | None:
    """Return the texts of the items if the one-line form represents a list without loss, else None.

    The list must not be empty, and its title must not contain ``>>``. Each item must be exactly one TextBlock of fewer
    than 50 UTF-16 units, without ``||`` and without white space at its ends.
    """
    title = table.text[element_id]
    if title is not None and (">>" in title or title != title.strip()):
        return None
    end = table.subtree_end[element_id]
    # An item and its TextBlock are two rows.
    if end == element_id + 1 or (end - element_id) % 2 == 0:
        return None
    items = []
    for position in range(element_id + 1, end, 2):
        if table.type[position] != LIST_ITEM or table.type[position + 1] != TEXT_BLOCK:
            return None
        if table.subtree_end[position] != position + 2:
            return None
        text = table.text[position + 1] or ""
        if not text or text != text.strip() or "||" in text or utf16_length(text) >= _SHORT_ITEM:
            return None
        items.append(text)
    return items


def utf16_length(text: str) -> int:
    """Return the number of UTF-16 units, the unit of length in the reference implementation."""
    return len(text) + sum(character > "\uffff" for character in text) if not text.isascii() else len(text)
