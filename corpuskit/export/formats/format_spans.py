"""Formatting of an element: which part of its text is bold, italic, code and the like."""

from __future__ import annotations

import itertools

from corpuskit.document import ElementTable
from corpuskit.document.elements import FORMATTING
from corpuskit.export.formats.link_spans import stored_spans

Piece = tuple[str, tuple[str, ...]]
"""A part of a text, and the kinds of its formatting, sorted."""


def pieces(table: ElementTable, element_id: int, start: int, end: int) -> list[Piece]:
    """Return the parts of a text from ``start`` to ``end``; one without formatting where none was kept."""
    text = table.text[element_id] or ""
    spans = stored_spans(table, FORMATTING, element_id)
    borders = sorted({start, end, *(at for span in spans for at in span[:2] if start < at < end)})
    found = []
    for first, last in itertools.pairwise(borders):
        kinds = {kind for begin, stop, kind in spans if begin <= first and last <= stop}
        found.append((text[first:last], tuple(sorted(kinds))))
    return found
