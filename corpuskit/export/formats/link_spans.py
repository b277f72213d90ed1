"""Links of an element: which part of its text leads where."""

from __future__ import annotations

import json

from corpuskit.document import ElementTable


def link_spans(table: ElementTable, element_id: int) -> list[tuple[int, int, str]]:
    """(start, end, URL) in the element's text, in order; those that overlap or lie outside are left out."""
    stored = table.marks.get("links", {}).get(element_id)
    if not stored:
        return []
    try:
        found = json.loads(stored)
    except (ValueError, RecursionError):
        return []
    size = len(table.text[element_id] or "")
    spans = []
    last = 0
    for link in (
        sorted((x for x in found if _is_link(x)), key=lambda x: (x[0], x[1])) if isinstance(found, list) else ()
    ):
        start, end, url = link
        if last <= start < end <= size:
            spans.append((start, end, url))
            last = end
    return spans


def _is_link(link: object) -> bool:
    return isinstance(link, list) and [type(part) for part in link] == [int, int, str]
