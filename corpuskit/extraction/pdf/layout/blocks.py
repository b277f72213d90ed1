"""Blocks: the lines of a region in paragraphs, between its tables."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from corpuskit.extraction.notation import escape_plain
from corpuskit.extraction.pdf.base_lines import rows_of
from corpuskit.extraction.pdf.box import Box
from corpuskit.extraction.pdf.drawings import Line
from corpuskit.extraction.pdf.fonts import BOLD, ITALIC, MONO
from corpuskit.extraction.pdf.layout.charts import Chart
from corpuskit.extraction.pdf.layout.contents import find_contents
from corpuskit.extraction.pdf.layout.lines import Vocabulary, line_of
from corpuskit.extraction.pdf.layout.page_parts import Block, TextLine
from corpuskit.extraction.pdf.patterns import BULLET, BULLET_START, ENUMERATOR, HEADING_NUMBER, SENTENCE_END
from corpuskit.extraction.pdf.tables.aligned import Found, columns_beside, find_aligned_tables
from corpuskit.extraction.pdf.tables.grid import Grid, under_bar
from corpuskit.extraction.pdf.tags import PageTags
from corpuskit.extraction.pdf.words import Run

_REFERENCE_MARK: Final = re.compile(r"^\[\w+\]")


class TableItem:
    """A table found before the columns: it takes part in the reading order like a run."""

    def __init__(self, grid: Grid, runs: list[Run]) -> None:
        self.grid, self.runs = grid, runs
        self.x0, self.y0, self.x1, self.y1 = grid.box
        self.length = 60  # as a line of prose


class RegionReader:
    """Makes the blocks of regions; what it needs to know of the document.

    Args:
        body: size of the body font.
        body_style: its style bits.
        vocabulary: for hyphens at line ends.
        tags: the page's structure tags, where they are usable.
        obstacles: boxes and images that lines end before.
    """

    def __init__(
        self,
        body: float,
        body_style: int,
        vocabulary: Vocabulary,
        tags: PageTags | None = None,
        obstacles: Sequence[Box] = (),
    ) -> None:
        self._body, self._body_style, self._vocabulary, self._tags = body, body_style, vocabulary, tags
        self._obstacles = obstacles

    def blocks(
        self, page: int, region: int, items: Sequence[Run | TableItem | Chart], rules: list[Line]
    ) -> list[Block]:
        """The blocks of a region from the top down."""
        tables = [item for item in items if isinstance(item, TableItem)]
        charts = [item for item in items if isinstance(item, Chart)]
        runs = [item for item in items if isinstance(item, Run)]
        if not tables and not charts:
            parts = _beside(rows_of(runs))
            if len(parts) > 1:
                return [block for part in parts for block in self.blocks(page, region, part, rules)]
        found: list[tuple[float, Block]] = []
        for table in tables:
            lines = [line_of(row) for row in rows_of(table.runs)]
            found.append((table.y0, Block(page, lines, role="table", grid=table.grid, region=region)))
        found += [(chart.y0, self._figure(page, region, chart)) for chart in charts]
        rows = rows_of(runs)
        used: set[int] = set()
        first, last = find_contents(rows) or (len(rows), len(rows) - 1)
        for k in range(first, last + 1):
            found.append((rows[k][0].y0, self._entry(page, region, rows[k])))
            used.add(k)
        for start, part in ((0, rows[:first]), (last + 1, rows[last + 1 :])):
            for place, grid in self._aligned_tables(part, rules):
                top, bottom = start + place.first, start + place.last
                lines = [line_of(row) for row in rows[top : bottom + 1]]
                found.append((grid.box.y0, Block(page, lines, role="table", grid=grid, region=region)))
                used |= set(range(top, bottom + 1))
        lines = [line_of(row, k) for k, row in enumerate(rows) if k not in used]
        tops = [top for top, _ in found]
        found += [(block.lines[0].y0, block) for block in self._paragraphs(page, region, lines, tops)]
        found.sort(key=lambda pair: pair[0])
        return _with_bars([block for _, block in found])

    def _paragraphs(self, page: int, region: int, lines: list[TextLine], tops: list[float]) -> list[Block]:
        if not lines:
            return []
        leading = self._leading(lines)
        right = float(np.percentile([line.x1 for line in lines], 90))
        left = float(np.percentile([line.x0 for line in lines], 10))
        groups = [[lines[0]]]
        for above, line in itertools.pairwise(lines):
            if self._starts_block(groups[-1], above, line, (left, self._end_of(above, right), leading), tops):
                groups.append([line])
            else:
                groups[-1].append(line)
        blocks = []
        for group in groups:
            is_code = all(line.has_all(MONO) for line in group) and len(group) > 1
            is_code = is_code and not all(line.has_all(BOLD) and line.size > 1.1 * self._body for line in group)
            block = Block(page, group, left=left, right=right, leading=leading, region=region, tag=group[0].tag)
            if self._tags is not None and block.tag >= 0:
                block.tag_type = self._tags.blocks[block.tag].type
            block.role = "code" if is_code and not self._body_style & MONO else "paragraph"
            fill_text(block, self._vocabulary)
            if block.text.strip():
                blocks.append(block)
        return blocks

    def _aligned_tables(self, rows: list[list[Run]], rules: list[Line]) -> list[tuple[Found, Grid]]:
        if not rows:
            return []
        left, right = min(run.x0 for row in rows for run in row), max(run.x1 for row in rows for run in row)
        near = [rule for rule in rules if rule.end - rule.start > 30 and rule.start < right and rule.end > left]
        return find_aligned_tables(rows, near, is_mono_page=bool(self._body_style & MONO))

    def _figure(self, page: int, region: int, chart: Chart) -> Block:
        """The labels of a chart, line by line."""
        block = Block(page, [line_of(row) for row in rows_of(chart.runs)], role="figure", region=region)
        block.text = " ".join(line.text for line in block.lines)
        return block

    def _entry(self, page: int, region: int, row: list[Run]) -> Block:
        """A line of the contents."""
        block = Block(page, [line_of(row)], role="list", region=region)
        fill_text(block, self._vocabulary)
        return block

    def _end_of(self, line: TextLine, right: float) -> float:
        """Where a line must end: at the margin, or at what stands on its right."""
        middle = (line.y0 + line.y1) / 2
        ahead = (x0 - line.size for x0, y0, _, y1 in self._obstacles if y0 < middle < y1 and x0 >= line.x1 - 2)
        return max(min((right, *ahead)), line.x1)

    def _leading(self, lines: list[TextLine]) -> float:
        """The usual distance of base lines."""
        gaps = Counter(
            round((b.base - a.base) * 2) / 2
            for a, b in itertools.pairwise(lines)
            if b.row == a.row + 1 and abs(a.size - b.size) < 0.6 and b.base - a.base < 3 * self._body
        )
        usual = gaps.most_common(1)[0][0] if gaps else 1.2 * self._body
        return max(usual, 0.9 * self._body)

    def _starts_block(
        self,
        current: list[TextLine],
        above: TextLine,
        line: TextLine,
        margins: tuple[float, float, float],
        tops: list[float],
    ) -> bool:
        """Whether a line starts a new block after the lines of the current one."""
        if above.tag >= 0 and line.tag >= 0:
            return above.tag != line.tag
        left, right, leading = margins
        gap = line.base - above.base
        usual = leading * max(1.0, line.size / self._body) if line.size > self._body else leading
        if above.has_all(MONO) and line.has_all(MONO) and not self._body_style & MONO:
            usual *= 2  # blank lines in code
        if (
            line.row != above.row + 1
            or gap > 1.28 * usual + 0.5
            or abs(line.size - above.size) > 0.12 * max(line.size, above.size)
            or any(above.base < top < line.base for top in tops)
        ):
            return True
        if above.has_all(MONO) and line.has_all(MONO) and not self._body_style & MONO:
            return False
        if len(current) == 1 and _is_numbered_heading(above, line, right - 2 * self._body):
            return True
        if starts_item(line) or _changes_style(above, line, right - 4 * self._body):
            return True
        before = above.text.rstrip()
        ends_sentence = before.endswith(SENTENCE_END)
        starts_anew = not line.text[:1].islower()
        width = right - left
        if (
            width > 100
            and above.x1 < right - 0.18 * width
            and (ends_sentence or (starts_anew and right - above.x1 > 0.35 * width))
        ):
            return True
        start = min(other.x0 for other in current)
        indented = (
            line.x0 - start > 0.8 * line.size and line.x0 - above.x0 > 0.8 * line.size and not _hangs(current, line)
        )
        if indented and (ends_sentence or above.x1 < right - 2 * self._body):
            return True
        outdented = above.x0 - line.x0 > 0.8 * line.size and len(current) > 1
        return outdented and ends_sentence and starts_anew


def _with_bars(blocks: list[Block]) -> list[Block]:
    """Puts a bar of filled cells on the rows below it, of as many columns: they are one table."""
    found: list[Block] = []
    for block in blocks:
        above = found[-1] if found else None
        joined = under_bar(above.grid, block.grid) if above and above.grid and block.grid else None
        if above is not None and joined is not None:
            above.grid, above.lines = joined, above.lines + block.lines
        else:
            found.append(block)
    return found


def _beside(rows: list[list[Run]]) -> list[list[Run]]:
    """The runs of a region in parts that are read one after the other: two texts side by side are two parts."""
    parts: list[list[Run]] = []
    at = 0
    for place in columns_beside(rows):
        middle = sum(place.gaps[0]) / 2
        inside = [run for row in rows[place.first : place.last + 1] for run in row]
        parts += [
            [run for row in rows[at : place.first] for run in row],
            [run for run in inside if (run.x0 + run.x1) / 2 < middle],
            [run for run in inside if (run.x0 + run.x1) / 2 >= middle],
        ]
        at = place.last + 1
    parts.append([run for row in rows[at:] for run in row])
    return [part for part in parts if part]


def starts_item(line: TextLine) -> bool:
    """Whether a line begins with a bullet or the number of a list item."""
    first = line.text.split(" ", 1)[0]
    return bool((BULLET_START.match(line.text + " ") and BULLET.match(first[:1])) or ENUMERATOR.match(first))


def _is_numbered_heading(above: TextLine, line: TextLine, right: float) -> bool:
    """A short line with the number of a section, in a font that the next line does not use."""
    number = HEADING_NUMBER.match(above.text)
    if number is None or not number["first"].isdigit():
        return False
    if above.x1 > right and not (number["rest"] and above.style_of_all not in (None, line.style_of_all)):
        return False
    return bool(above.fonts) and not above.fonts & line.fonts


def _changes_style(above: TextLine, line: TextLine, right: float) -> bool:
    """Whether bold starts or ends between two lines, or all letters of one differ in style from all of the other."""
    if (line.style ^ above.style) & BOLD and line.length > 3 and (above.has_all(BOLD) or line.has_all(BOLD)):
        return True
    before, after = above.style_of_all, line.style_of_all
    return (
        before is not None
        and after is not None
        and before != after
        and (before | after) & (BOLD | ITALIC) != 0
        and above.x1 < right
    )


def _hangs(current: list[TextLine], line: TextLine) -> bool:
    """Whether a line is indented as the continuation of a list item or reference."""
    if len(current) != 1:
        return False
    return starts_item(current[0]) or bool(_REFERENCE_MARK.match(current[0].text)) or line.x0 > current[0].x0


def _indented(lines: list[TextLine]) -> list[str]:
    """The lines of code with the blanks before them, told by where they start."""
    left = min(line.x0 for line in lines)
    widths = sorted((line.x1 - line.x0) / len(line.text) for line in lines)
    width = max(widths[len(widths) // 2], 1.0)
    return [" " * min(round((line.x0 - left) / width), 80) + line.text for line in lines]


def fill_text(block: Block, vocabulary: Vocabulary) -> None:
    """The text and notation of a block from its lines; the lines of code stay apart."""
    texts = [line.text for line in block.lines]
    if block.role == "code":
        block.text = "\n".join(_indented(block.lines))
        block.tex = None
        return
    block.text = vocabulary.join_all(texts)
    block.tex = None
    if any(line.tex for line in block.lines):
        block.tex = vocabulary.join_all(line.tex or escape_plain(line.text) for line in block.lines)
