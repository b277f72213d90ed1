"""Tables of contents and indexes: titles on the left, the pages they stand on in a column on the right."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from corpuskit.extraction.pdf.patterns import HEADING_NUMBER
from corpuskit.extraction.pdf.tables.plausibility import has_leader
from corpuskit.extraction.pdf.words import Run

Row = list[Run]

_NUMBER: Final = re.compile(r"(?:\d{1,4}|(?P<roman>[ivxlc]{1,8}))$", re.IGNORECASE)
_PAGE: Final = re.compile(r"(?:pages?|seiten?|p\.|s\.)$", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_FEWEST: Final = 5  # entries; fewer numbers stand in rising order by chance
_ROMAN: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def find_contents(rows: list[Row]) -> tuple[int, int] | None:
    """The first and the last row (inclusive) of a list of contents; None where a region has none.

    Its entries end in numbers of pages that never fall, or in leaders; between them stand titles without a number.
    """
    entries = [i for i, row in enumerate(rows) if _page_of(row) is not None or has_leader(row)]
    if len(entries) < _FEWEST:
        return None
    pages = [page for i in entries if (page := _page_of(rows[i])) is not None]
    rising = sum(b >= a for a, b in pairwise(pages))
    if rising < 0.9 * (len(pages) - 1) or (pages and pages[0] == pages[-1]):
        return None
    if not _is_column([rows[i][-1] for i in entries]) or _is_counted(rows, entries) or _has_head(rows, entries[0]):
        return None
    first, last = entries[0], entries[-1]
    if len(entries) < 0.5 * (last - first + 1):
        return None
    while first and len(rows[first - 1]) == 1 and _starts_part(rows[first - 1][0].text):
        first -= 1
    return first, last


def _starts_part(text: str) -> bool:
    """'Part II. The Lost Homeland', above the entries of that part."""
    number = HEADING_NUMBER.match(text.strip())
    return number is not None and number["word"] is not None


def _page_of(row: Row) -> int | None:
    """The number at the end of an entry: front matter has roman ones, which come before all others."""
    if len(row) < 2 or not any(_WORD.search(run.text) for run in row[:-1]):
        return None
    text = row[-1].text.strip()
    found = _NUMBER.match(text)
    if found is None:
        return None
    return _roman(text.lower()) - 1_000 if found["roman"] else int(text)


def _roman(text: str) -> int:
    values = [_ROMAN[letter] for letter in text]
    return sum(-a if a < b else a for a, b in pairwise([*values, 0]))


def _is_column(ends: Row) -> bool:
    """The numbers end at one edge, or start at one."""
    size = ends[0].size
    for edges in ([run.x1 for run in ends], [run.x0 for run in ends]):
        middle = sorted(edges)[len(edges) // 2]
        if sum(abs(edge - middle) < 0.5 * size for edge in edges) >= 0.8 * len(edges):
            return True
    return False


def _is_counted(rows: list[Row], entries: list[int]) -> bool:
    """Rows of more numbers than that of a page are a table."""
    return sum(len(rows[i]) > 2 and _NUMBER.match(rows[i][-2].text.strip()) is not None for i in entries) > 0.3 * len(
        entries
    )


def _has_head(rows: list[Row], first: int) -> bool:
    """A word above the numbers that is not 'page' is the head of a table's column."""
    above = rows[first - 1] if first else []
    if len(above) < 2 or above[-1].x1 < rows[first][-1].x0 or rows[first][-1].x1 < above[-1].x0:
        return False
    return _PAGE.match(above[-1].text.strip()) is None
