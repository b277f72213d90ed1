"""Spans that are kept beside the text of an element: its links, its formatting."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable

from corpuskit.document import ElementTable
from corpuskit.document.elements import FORMATTING

Span = tuple[int, int, str]
"""Start and end in the text, and the value: a URL or a kind of formatting."""


def stored_spans(table: ElementTable, column: str, element_id: int) -> list[Span]:
    """Return the stored spans of a column without those outside the text."""
    stored = table.marks.get(column, {}).get(element_id)
    if not stored:
        return []
    try:
        values = json.loads(stored)
    except (ValueError, RecursionError):
        return []
    size = len(table.text[element_id] or "")
    return [
        (span[0], span[1], span[2])
        for span in (values if isinstance(values, list) else ())
        if isinstance(span, list)
        and [type(part) for part in span] == [int, int, str]
        and 0 <= span[0] < span[1] <= size
    ]


def link_spans(table: ElementTable, element_id: int) -> list[Span]:
    """Return the links of an element's text in order, without overlapping ones."""
    spans: list[Span] = []
    for span in sorted(stored_spans(table, "links", element_id), key=lambda link: link[:2]):
        if not spans or spans[-1][1] <= span[0]:
            spans.append(span)
    return spans


Piece = tuple[str, tuple[str, ...]]
"""A part of a text, and the kinds of its formatting, sorted."""


def pieces(table: ElementTable, element_id: int, start: int, end: int) -> list[Piece]:
    """Return the parts of a text from ``start`` to ``end``; a single part without formatting if none is stored."""
    text = table.text[element_id] or ""
    spans = stored_spans(table, FORMATTING, element_id)
    borders = sorted({start, end, *(at for span in spans for at in span[:2] if start < at < end)})
    parts = []
    for first, last in itertools.pairwise(borders):
        kinds = {kind for begin, stop, kind in spans if begin <= first and last <= stop}
        parts.append((text[first:last], tuple(sorted(kinds))))
    return parts


def linked(
    table: ElementTable, element_id: int, styled: Callable[[int, int], str], link: Callable[[str, str], str]
) -> str:
    """Return the text of an element as markup.

    Args:
        table: The elements.
        element_id: Which of them.
        styled: Start and end → that part of the text with its formatting.
        link: URL and markup → the markup as a link.
    """
    parts, last = [], 0
    for start, end, url in link_spans(table, element_id):
        parts += [styled(last, start), link(url, styled(start, end))]
        last = end
    return "".join([*parts, styled(last, len(table.text[element_id] or ""))])
