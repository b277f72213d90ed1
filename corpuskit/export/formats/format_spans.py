"""Formatting of an element: which part of its text is bold, italic, code and the like."""

from __future__ import annotations

import itertools
import json

from corpuskit.document import ElementTable
from corpuskit.document.elements import FORMATTING

Piece = tuple[str, tuple[str, ...]]
"""A part of a text, and the kinds of its formatting, sorted."""


def pieces(table: ElementTable, element_id: int, start: int, end: int) -> list[Piece]:
    """Return the parts of a text from ``start`` to ``end``; one without formatting where none was kept."""
    text = table.text[element_id] or ""
    spans = _spans(table, element_id)
    borders = sorted({start, end, *(at for span in spans for at in span[:2] if start < at < end)})
    found = []
    for first, last in itertools.pairwise(borders):
        kinds = {kind for begin, stop, kind in spans if begin <= first and last <= stop}
        found.append((text[first:last], tuple(sorted(kinds))))
    return found


def _spans(table: ElementTable, element_id: int) -> list[tuple[int, int, str]]:
    stored = table.marks.get(FORMATTING, {}).get(element_id)
    if not stored:
        return []
    try:
        found = json.loads(stored)
    except (ValueError, RecursionError):
        return []
    size = len(table.text[element_id] or "")
    return [
        (span[0], span[1], span[2])
        for span in (found if isinstance(found, list) else ())
        if isinstance(span, list)
        and [type(part) for part in span] == [int, int, str]
        and 0 <= span[0] < span[1] <= size
    ]
