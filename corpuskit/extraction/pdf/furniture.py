"""Running heads and page numbers: found by what repeats at the edges of pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from corpuskit.extraction.pdf.base_lines import rows_of
from corpuskit.extraction.pdf.layout.page_parts import PageParts
from corpuskit.extraction.pdf.patterns import PAGE_NUMBER
from corpuskit.extraction.pdf.words import Run, without

_NUMBER: Final = re.compile(r"\d+|\b[ivxlc]+\b")
_MARGIN: Final = 0.13  # of the page's height, where furniture stands
_ROWS: Final = 3  # at each edge that may be furniture
_APART: Final = 8  # font sizes between the parts of a running head
_BIG: Final = 1.35  # times the body size: a title, no running head

Key = tuple[str, str, int]


class FurnitureFinder:
    """Collects what stands at the edges of pages and takes out what repeats.

    Pages are given in groups, so that a long document is never in memory as a whole; what was counted in earlier
    groups helps the later ones.
    """

    def __init__(self, body: float, title: str = "") -> None:
        """``body``: size of the body font; ``title``: that of the document, where the file states it."""
        self._body = body
        self._title = " ".join(title.lower().split())
        self._pages_of: dict[Key, set[int]] = defaultdict(set)
        self._with_text = 0
        self._offsets: Counter[int] = Counter()  # printed number less position in the file → pages

    def take_out(self, pages: Sequence[PageParts]) -> None:
        """Moves the furniture of these pages from ``runs`` to ``furniture``."""
        edges = {page.number: self._edge_rows(page) for page in pages if page.runs}
        self._with_text += len(edges)
        for number, rows in edges.items():
            for side, row in rows:
                self._pages_of[_key(side, row)].add(number)
                for run in row:
                    self._pages_of[_key(side, [run])].add(number)
                if len(row) > 1:
                    self._offsets.update(_page_offsets(number, row))
        for page in pages:
            taken = self._furniture(page, edges.get(page.number, []))
            page.furniture = [run for run in page.runs if id(run) in taken]
            page.runs = [run for run in page.runs if id(run) not in taken]

    def _edge_rows(self, page: PageParts) -> list[tuple[str, list[Run]]]:
        height = page.frame.height
        vertical = page.drawings.vertical
        runs = [
            run
            for run in page.runs
            if not _MARGIN < run.base / height < 1 - _MARGIN
            and not any(line.start < run.base - 0.3 * run.size < line.end for line in vertical)  # a row of a table
        ]
        rows = rows_of(runs)
        top = [row for row in rows if row[0].base < _MARGIN * height][:_ROWS]
        bottom = [row for row in rows if row[0].base > (1 - _MARGIN) * height][-_ROWS:]
        return [("top", row) for row in top] + [("bottom", row) for row in reversed(bottom)]

    def _repeats(self, key: Key) -> bool:
        count = len(self._pages_of[key])
        return count >= 2 and (count >= 0.25 * self._with_text or count >= 4)

    def _is_in_margin(self, page: PageParts, row: list[Run], side: str, text: str, taken: set[int]) -> bool:
        """A short row far out and well apart, as a running head of a page that has no like: a file of one chapter."""
        height = page.frame.height
        if len(text) > 120 or row[0].size > 1.05 * self._body:
            return False
        left = [run for run in page.runs if id(run) not in taken]
        beyond = without(left, row)
        if any(run.base < row[0].base if side == "top" else run.base > row[0].base for run in beyond):
            return False
        numbered = any(PAGE_NUMBER.match(run.text.strip()) for run in (row[0], row[-1])) and len(row) > 1
        if numbered:
            return _stands_apart(row, left, side, 1.2)
        is_out = row[0].base < _OUTER * height if side == "top" else row[0].base > (1 - _OUTER) * height
        return is_out and _stands_apart(row, left, side, 2.0)

    def _is_over_rule(self, page: PageParts, row: list[Run], side: str, taken: set[int]) -> bool:
        """The outermost row, its parts at both margins, with a rule across the page between it and the text."""
        size = max(run.size for run in row)
        if len(row) < 2 or max(b.x0 - a.x1 for a, b in pairwise(row)) < _APART * size:
            return False
        top, bottom = min(run.y0 for run in row), max(run.y1 for run in row)
        left, right = row[0].x0, row[-1].x1
        edge = (bottom, bottom + 1.2 * size) if side == "top" else (top - 1.2 * size, top)
        if not any(
            edge[0] - 0.3 * size <= rule.at <= edge[1] + 0.3 * size
            and rule.start <= left + size
            and rule.end >= right - size
            for rule in page.drawings.horizontal
        ):
            return False
        others = [run.base for run in without(page.runs, row) if id(run) not in taken]
        return all(base > bottom for base in others) if side == "top" else all(base < top for base in others)

    def _furniture(self, page: PageParts, rows: list[tuple[str, list[Run]]]) -> set[int]:
        """The runs of a page that are furniture; rows are looked at from the edges inwards."""
        taken: set[int] = set()
        for side, row in rows:
            small = row[0].size <= _BIG * self._body
            apart = _stands_apart(row, page.runs, side)
            text = " ".join(run.text for run in row).strip()
            if (
                (small and self._repeats(_key(side, row)))
                or (page.number and small and apart and self._title and text.lower() == self._title)
                or (PAGE_NUMBER.match(text) and len(row) <= 2 and apart and row[0].size <= 1.1 * self._body)
                or (small and self._is_over_rule(page, row, side, taken))
                or (small and self._is_in_margin(page, row, side, text, taken))
            ):
                taken |= {id(run) for run in row}
            elif len(row) > 1:
                limit = _BIG * self._body
                taken |= {id(run) for run in row if run.size <= limit and self._repeats(_key(side, [run]))}
                # Titles of chapters alternate with those of sections beside the page number.
                counted = any(self._offsets[offset] >= 2 for offset in _page_offsets(page.number, row))
                if counted and apart and small and id(row[0]) not in taken:
                    taken |= {id(run) for run in row}
        return taken


_OUTER: Final = 0.075  # of the page's height: above and below stands hardly ever running text


def _page_offsets(number: int, row: list[Run]) -> set[int]:
    """Printed page number less the position in the file, for numbers at the ends of a row."""
    return {
        int(run.text) - number
        for run in (row[0], row[-1])
        if run.text.isascii() and run.text.isdigit() and len(run.text) < 5
    }


def _key(side: str, row: list[Run]) -> Key:
    text = _NUMBER.sub("#", " ".join(run.text for run in row).lower()).strip()
    return side, text, round(row[0].base / 6)


def _stands_apart(row: list[Run], runs: list[Run], side: str, room: float = 0.5) -> bool:
    """Whether some room, in font sizes, parts a row from the rest of the page, which stands on one side of it."""
    top, bottom = min(run.y0 for run in row), max(run.y1 for run in row)
    size = max(run.size for run in row)
    rest = without(runs, row)
    if side == "top":
        others = [run.y0 for run in rest if run.y0 > top]
        return not others or min(others) - bottom > room * size
    others = [run.y1 for run in rest if run.y1 < bottom]
    return not others or top - max(others) > room * size
