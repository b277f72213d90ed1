"""Boxes beside the text: they are read apart from the lines that stand on their left or right."""

from __future__ import annotations

from itertools import combinations
from typing import Final

from corpuskit.extraction.pdf.base_lines import rows_of
from corpuskit.extraction.pdf.box import Box
from corpuskit.extraction.pdf.drawings import Drawings
from corpuskit.extraction.pdf.frame import Frame
from corpuskit.extraction.pdf.layout.page_parts import Block
from corpuskit.extraction.pdf.words import Run, without

_LEAST_WIDTH, _LEAST_HEIGHT = 60.0, 40.0  # points
_LARGEST: Final = 0.55  # of the page
_FEWEST_ROWS: Final = 3  # in the box, and beside it
_PROSE: Final = 25  # characters of a line of running text
_SLACK: Final = 3.0  # points by which text may reach over an edge
_NEAR: Final = 2.0  # font sizes between a box and a line of its column
_MOST: Final = 60  # boxes of a page; more are cells or bars


def find_boxes(runs: list[Run], drawings: Drawings, frame: Frame) -> list[tuple[Box, list[Run]]]:
    """The boxes with text beside them, each with its runs; a box in a column of its own width is part of the column."""
    found: list[tuple[Box, list[Run]]] = []
    taken: set[int] = set()
    for box in _candidates(drawings, frame):
        inside = [run for run in runs if _is_in(run, box)]
        if len(inside) < _FEWEST_ROWS or any(id(run) in taken for run in inside) or len(rows_of(inside)) < _FEWEST_ROWS:
            continue
        others = without(runs, inside)
        level = [run for run in others if box.y0 < run.base - 0.3 * run.size < box.y1]
        if any(run.x1 > box.x0 + _SLACK and run.x0 < box.x1 - _SLACK for run in level):
            continue
        if sum(run.length >= _PROSE for run in level) < _FEWEST_ROWS or any(
            _is_under(run, box) for run in others if run not in level
        ):
            continue
        found.append((box, inside))
        taken |= {id(run) for run in inside}
    return found


def placed(blocks: list[Block], box: Box, inside: list[Block]) -> list[Block]:
    """The blocks of a page with those of a box: before the text on its right, behind that on its left."""
    beside = [k for k, block in enumerate(blocks) if block.box.y0 < box.y1 and block.box.y1 > box.y0]
    if not beside:
        at = sum(block.box.y1 <= box.y0 for block in blocks)
    elif box.x0 > min(blocks[k].box.x0 for k in beside):
        at = beside[-1] + 1
    else:
        at = beside[0]
    return [*blocks[:at], *inside, *blocks[at:]]


def _candidates(drawings: Drawings, frame: Frame) -> list[Box]:
    """Filled boxes and frames of four lines, the largest first."""
    most = _LARGEST * frame.width * frame.height
    drawn = [*drawings.fills, *_frames(drawings)]
    boxes = [
        box for box in drawn
        if box.width >= _LEAST_WIDTH and box.height >= _LEAST_HEIGHT and box.width * box.height <= most
    ]  # fmt: skip
    if len(boxes) > _MOST:
        return []
    boxes = [box for box in boxes if not any(_touches(box, other) for other in drawn)]
    return sorted(boxes, key=lambda box: -box.width * box.height)


def _frames(drawings: Drawings) -> list[Box]:
    tall = [line for line in drawings.vertical if line.end - line.start >= _LEAST_HEIGHT]
    if not 2 <= len(tall) <= _MOST:
        return []
    found = []
    for a, b in combinations(sorted(tall, key=lambda line: line.at), 2):
        if b.at - a.at < _LEAST_WIDTH or abs(a.start - b.start) > _SLACK or abs(a.end - b.end) > _SLACK:
            continue
        edges = [
            line for line in drawings.horizontal
            if abs(line.start - a.at) <= _SLACK and abs(line.end - b.at) <= _SLACK
        ]  # fmt: skip
        if all(any(abs(line.at - y) <= _SLACK for line in edges) for y in (a.start, a.end)):
            found.append(Box(a.at, a.start, b.at, a.end))
    return found


def _is_in(run: Run, box: Box) -> bool:
    middle = run.base - 0.3 * run.size
    return box.x0 - _SLACK <= run.x0 and run.x1 <= box.x1 + _SLACK and box.y0 < middle < box.y1


def _is_under(run: Run, box: Box) -> bool:
    """Whether a line stands close above or below in the width of a box."""
    is_near = box.y0 - _NEAR * run.size < run.y1 and run.y0 < box.y1 + _NEAR * run.size
    return is_near and run.x0 > box.x0 - 2 * run.size and run.x1 < box.x1 + 2 * run.size


def _touches(a: Box, b: Box) -> bool:
    """Whether two boxes stand side by side, or one on the other, as cells do."""
    if a == b:
        return False
    across, along = a.shared(b)
    return (abs(across) <= _SLACK and along > 0) or (abs(along) <= _SLACK and across > 0)
