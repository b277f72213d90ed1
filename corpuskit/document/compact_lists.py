"""Lists of short items, which ``.nlp.txt`` has on one line."""

from __future__ import annotations

from corpuskit.document.elements import LIST_ITEM, TEXT_BLOCK, ElementTable

_SHORT_ITEM = 50  # UTF-16 units, exclusive


def compact_items(table: ElementTable, element_id: int) -> list[str] | None:
    """Texts of a list's items if its one-line form holds it without loss, else None.

    The list is not empty, its title holds no ``>>``, each item is exactly one TextBlock, which is shorter than 50
    UTF-16 units, holds no ``||`` and no blanks at its ends.
    """
    title = table.text[element_id]
    if title is not None and (">>" in title or title != title.strip()):
        return None
    end = table.subtree_end[element_id]
    # Items of one TextBlock each: exactly two rows an item.
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
    """Return the number of UTF-16 units, in which the format's reference counts."""
    return len(text) + sum(character > "\uffff" for character in text) if not text.isascii() else len(text)
