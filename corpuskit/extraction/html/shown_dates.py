"""The dates that a page shows where its head says nothing: in a line of their own near the title, or where the markup says date."""

from __future__ import annotations

import logging
import re
from datetime import datetime
from html import escape
from typing import Final

from corpuskit.document.elements import SECTION
from corpuskit.extraction.html.metadata import parse_date
from corpuskit.extraction.html.rows import Walked

_log = logging.getLogger(__name__)
_DATED: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|(?<!\d)\d\d?[./-]\d\d?[./-]\d\d(?!\d)")
_NAMED: Final = re.compile(r"date|time|publi|posted|byline|author|meta|datum|fecha", re.IGNORECASE)
_UPDATED: Final = re.compile(
    r"\bupdat|\bmodif|\brevis|aktualisiert|geändert|mis à jour|actualizad|atualizad|aggiornat", re.I
)
_RIGHTS: Final = re.compile(r"©|\bcopyright\b|all rights", re.IGNORECASE)
_LINE: Final = 120  # characters; a longer text is no line about the page
_BELOW_TITLE: Final = 8  # elements
_AROUND: Final = 3  # elements whose names count
_MOST: Final = 6  # lines that are looked at


def shown_dates(walked: Walked, *, earliest: str | None = None) -> tuple[datetime | None, datetime | None]:
    """Return when the page was published and when it was updated, as its lines say; htmldate reads them.

    Args:
        walked: the page.
        earliest: days before, as ``"1995-01-01"``, are passed over.
    """
    from htmldate import find_date
    from lxml.html import fromstring

    published = updated = None
    for line in _lines(walked):
        try:
            # A tree: a string that begins with "http" would be loaded.
            page = fromstring(f'<html><body><div class="date">{escape(line)}</div></body></html>')
            found = find_date(page, extensive_search=False, original_date=True, min_date=earliest)
        except Exception as error:  # texts nobody has seen; without a date the page is as good
            _log.debug("htmldate: %s", error)
            continue
        date = parse_date(found) if found else None
        if date is not None and _UPDATED.search(line):
            updated = updated or date
        elif date is not None:
            published = date
            break
    return published, updated


def _lines(walked: Walked) -> list[str]:
    """Short texts with a year or a date: those below the title, then those whose element has a name for it."""
    table = walked.table
    title: int | None = None
    below, named = [], []
    for row, kind in enumerate(table.type):
        if kind == SECTION:
            if title is None and walked.node_tag[walked.row_node[row]][3] == "h1":
                title = row
            continue
        text = table.text[row]
        if not text or len(text) > _LINE or not _DATED.search(text) or _RIGHTS.search(text):
            continue
        if title is not None and row - title <= _BELOW_TITLE:
            below.append(text)
        elif _is_named(walked, walked.row_node[row]):
            named.append(text)
    return (below + named)[:_MOST]


def _is_named(walked: Walked, node: int) -> bool:
    for _ in range(_AROUND):
        if node < 0:
            return False
        _, _, _, name, head = walked.node_tag[node]
        if name == "time" or _NAMED.search(head):
            return True
        node = walked.node_parent[node]
    return False
