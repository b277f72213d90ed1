"""Text that is turned or slanted otherwise than its page: heads of columns, names of axes, labels of maps, stamps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from corpuskit.extraction.pdf.box import Box
from corpuskit.extraction.pdf.characters import Characters
from corpuskit.extraction.pdf.frame import Frame
from corpuskit.extraction.pdf.layout.lines import line_of
from corpuskit.extraction.pdf.layout.page_parts import Block, TextLine
from corpuskit.extraction.pdf.words import Run, Word, read_runs, spelled

_MARGIN: Final = 0.08  # of the page's width: turned text farther out is a stamp or a thumb index
_WATERMARK: Final = 3  # times the body size
_NEAR: Final = 2.0  # font sizes between the letters of a slanted phrase


class Turned:
    """A run of turned text: as it is read, and as one word where it stands on the page."""

    def __init__(self, run: Run, frame: Frame, page: Frame) -> None:
        self.run, self.frame = run, frame
        x0, y0, x1, y1 = frame.box_in(page, Box.of(run))
        words = run.words
        word = Word(
            x0, y0, x1, y1, run.text, run.size, (y0 + y1) / 2 + 0.3 * run.size, run.style, False,
            words[0].first, words[-1].last, -1, words[0].font,
        )  # fmt: skip
        self.placed = Run([word]).measure()
        self.placed.y0, self.placed.y1 = y0, y1

    @property
    def line(self) -> TextLine:
        """The text as a line, at its top."""
        return replace(line_of([self.placed]), base=self.placed.y0)


def read_turned(characters: Characters) -> list[Turned]:
    """The turned and slanted text of a page."""
    found = []
    for view in characters.turned:
        view.tag[:] = -1
        found += [Turned(run, view.frame, characters.frame) for run in read_runs(view)]
    return found + [Turned(run, characters.frame, characters.frame) for run in _slanted(characters)]


def _slanted(c: Characters) -> list[Run]:
    """Phrases of slanted text in the order of the file."""
    places = np.flatnonzero(c.slanted & (c.code > 32)).tolist()
    groups: list[list[int]] = []
    for at in places:
        if groups:
            last = groups[-1][-1]
            x, y = c.x0[at] + c.x1[at] - c.x0[last] - c.x1[last], c.y0[at] + c.y1[at] - c.y0[last] - c.y1[last]
            if abs(x) + abs(y) < 2 * _NEAR * (c.size[at] + c.size[last]) / 2 and not _ends_line(c, last, at):
                groups[-1].append(at)
                continue
        groups.append([at])
    return [_phrase(c, group) for group in groups]


def _ends_line(c: Characters, last: int, at: int) -> bool:
    return bool(((c.code[last + 1 : at] == 10) | (c.code[last + 1 : at] == 13)).any())


def _phrase(c: Characters, group: list[int]) -> Run:
    first, last = group[0], group[-1]
    text = "".join(spelled(code) if code > 32 else " " for code in c.code[first : last + 1].tolist())
    own = np.array(group)
    x0, y0, x1, y1 = (
        float(c.x0[own].min()), float(c.y0[own].min()), float(c.x1[own].max()), float(c.y1[own].max()),
    )  # fmt: skip
    size = float(c.size[own].mean())
    style, font = int(c.style[first]), int(c.font[first])
    return Run([Word(x0, y0, x1, y1, " ".join(text.split()), size, y1, style, False, first, last, -1, font)]).measure()


def upright(blocks: Sequence[Block], frame: Frame, page: Frame) -> list[Block]:
    """Blocks that were read in a turned frame, as they stand on the page."""
    return [
        replace(block, lines=[_moved(line, frame, page) for line in block.lines], role="figure") for block in blocks
    ]


def _moved(line: TextLine, frame: Frame, page: Frame) -> TextLine:
    x0, y0, x1, y1 = frame.box_in(page, Box.of(line))
    return replace(line, x0=x0, y0=y0, x1=x1, y1=y1, base=y1)


def is_watermark(text: Turned, page: Frame, body: float) -> bool:
    """Whether slanted text is far larger than the text of the page."""
    return text.frame == page and text.run.size > _WATERMARK * body


def is_stamp(run: Run, page: Frame) -> bool:
    """Whether turned text stands in the outer margin."""
    return run.x1 < _MARGIN * page.width or run.x0 > (1 - _MARGIN) * page.width


def beside(blocks: list[Block], block: Block) -> list[Block]:
    """The blocks of a page with one more, before or behind the one that it is nearest to."""
    if not blocks:
        return [block]
    nearest = min(range(len(blocks)), key=lambda k: blocks[k].box.gap(block.box))
    at = nearest + (block.box.y0 >= blocks[nearest].box.y0)
    return [*blocks[:at], block, *blocks[at:]]
