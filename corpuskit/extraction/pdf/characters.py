"""The characters of a page as numpy columns, read from pdfium."""

from __future__ import annotations

import ctypes
import math
import sys
from collections import Counter
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from corpuskit.errors import ResourceLimitError
from corpuskit.extraction.pdf.box import Box
from corpuskit.extraction.pdf.direction import (
    is_leftward,
    is_mark,
    join_marks,
    name_strokes,
    pair_brackets,
    reading_order,
)
from corpuskit.extraction.pdf.drawings import Drawings
from corpuskit.extraction.pdf.fonts import MONO, Fonts
from corpuskit.extraction.pdf.frame import Frame, frame_of
from corpuskit.extraction.pdf.pdfium import address, function

MAX_CHARACTERS: Final = 2_000_000
"""More on one page is no text for people; a full newspaper page has some 50,000."""

_WHITE: Final = 250  # of 255: from here on a colour cannot be read on paper
_ASCENT, _DESCENT = 0.8, 0.2  # of the em: where a font says nothing usable
_STAMP: Final = 0.1  # less visible text than this share stands on a scan, as a stamp or a page number
_SCAN: Final = 0.25  # of the page: a picture of so much may be a scan
_SAME_LINE: Final = 0.4  # of the font size: a letter may be drawn where its mark stands, a line never so near
_BLANKS: Final = (0, 9, 10, 13, 32)  # that pdfium puts in; U+0002 is its hyphen at a line end
_INVISIBLE: Final = 3  # text render mode "neither fill nor stroke" (ISO 32000-1, table 106)


@dataclass(slots=True)
class Characters:
    """The characters of a page in the order of the file.

    Attributes:
        frame: the coordinates of all that follows; the page turned so that most of its text is upright.
        seen: the frame in which a viewer shows the page; locators are given in it.
        code: Unicode code points, UTF-16 halves where pdfium gives them so.
        x0, y0, x1, y1: boxes of ascent and descent, not of ink.
        base: y of the base line.
        size: font size in points as seen.
        style: BOLD, ITALIC, MONO of the font.
        font: number of the font in :class:`Fonts`; -1 where there is none.
        tag: marked content identifier; -1 where there is none.
        real: drawn on the page, not a blank or line end that pdfium made up.
        usable: upright, on the page, and not set aside.
        white: filled with white or nothing.
        hidden: drawn without ink, as the text behind a scan is.
        slanted: drawn aslant, neither upright nor in a quarter turn.
        unmapped: the share of characters whose font does not say what they mean.
        turned: the same characters for each other direction that some are written in, these usable.
        set_aside: how many that are drawn are not used, by reason.
    """

    frame: Frame
    seen: Frame
    code: NDArray[np.int64]
    x0: NDArray[np.float32]
    y0: NDArray[np.float32]
    x1: NDArray[np.float32]
    y1: NDArray[np.float32]
    base: NDArray[np.float32]
    size: NDArray[np.float32]
    style: NDArray[np.int32]
    font: NDArray[np.int32]
    tag: NDArray[np.int32]
    real: NDArray[np.bool_]
    usable: NDArray[np.bool_]
    white: NDArray[np.bool_]
    hidden: NDArray[np.bool_]
    slanted: NDArray[np.bool_]
    unmapped: float = 0.0
    turned: list[Characters] = field(default_factory=list)
    set_aside: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.code)


@dataclass(slots=True)
class _Objects:
    """What the characters of one text object share, one entry an object in the order of the page."""

    size: NDArray[np.float32]
    x: NDArray[np.float32]
    y: NDArray[np.float32]
    font: NDArray[np.int32]
    tag: NDArray[np.int32]
    turns: NDArray[np.int32]
    visible: NDArray[np.bool_]
    white: NDArray[np.bool_]


@dataclass(slots=True)
class _Raw:
    """Characters as pdfium gives them; ``run``: the text object of each."""

    code: NDArray[np.int64]
    boxes: NDArray[np.float32]
    real: NDArray[np.bool_]
    run: NDArray[np.intp]
    unmapped: float


def read_characters(page: Any, fonts: Fonts) -> Characters | None:
    """The characters of a page of pypdfium2; None where it has no text.

    Raises:
        ResourceLimitError: more than :data:`MAX_CHARACTERS`.
    """
    text_page = page.get_textpage()
    try:
        handle = address(text_page)
        count = text_page.count_chars()
        if count <= 0:
            return None
        if count > MAX_CHARACTERS:
            raise ResourceLimitError(f"{count:,} characters on one page, the limit is {MAX_CHARACTERS:,}")
        each = range(count)
        code = _codes(handle, count)
        boxes = np.zeros((count, 4), np.float32)  # FS_RECTF: left, top, right, bottom
        start = boxes.ctypes.data
        places = range(start, start + 16 * count, 16)
        np.fromiter(map(function("FPDFText_GetLooseCharBox"), repeat(handle), each, places), np.int8, count)
        if is_mark(code).any():
            join_marks(code, boxes, _origins(handle, count))
        owner = _owners(handle, code)
        changes = np.flatnonzero(np.concatenate(([True], owner[1:] != owner[:-1])))
        objects = _read_objects(handle, owner, changes, fonts)
        unmapped = _unmapped_share(handle, code)
    finally:
        text_page.close()
    return _assemble(page, fonts, code, boxes, owner != 0, changes, objects, unmapped)


def _codes(handle: int, count: int) -> NDArray[np.int64]:
    """The code points of all characters: in one call where the text has one unit for each, else one by one."""
    get = function("FPDFText_GetUnicode")
    units = np.zeros(2 * count + 2, np.uint16)
    if function("FPDFText_GetText")(handle, 0, count, units.ctypes.data) == count + 1:
        code = units[:count].astype(np.int64)
        doubtful = np.flatnonzero(((code >= 0xD800) & (code < 0xE000)) | (code >= 0xFFFD) | (code == 0))
        for at in doubtful.tolist():  # line-end hyphens and characters beyond the BMP look otherwise in the text
            code[at] = get(handle, at)
    else:
        code = np.fromiter(map(get, repeat(handle), range(count)), np.int64, count)
    code[code > sys.maxunicode] = 0xFFFD  # a font may map to anything
    return code


def _origins(handle: int, count: int) -> NDArray[np.float64]:
    """The origins of all characters: x and y, counted upwards."""
    found = np.zeros((count, 2), np.float64)
    start = found.ctypes.data
    across, up = range(start, start + 16 * count, 16), range(start + 8, start + 8 + 16 * count, 16)
    np.fromiter(map(function("FPDFText_GetCharOrigin"), repeat(handle), range(count), across, up), np.int8, count)
    return found


def _owners(handle: int, code: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The address of the text object of each character; asked for the ends of words, since an object is in one piece."""
    get = function("FPDFText_GetTextObject")
    count = len(code)
    printed = ~np.isin(code, _BLANKS)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], printed, [False])).astype(np.int8)))
    first, last = edges[::2], edges[1::2] - 1
    owner = np.zeros(count, np.uint64)
    if not first.size:
        return owner
    starts = np.fromiter(map(get, repeat(handle), first.tolist()), np.uint64, len(first))
    ends = np.fromiter(map(get, repeat(handle), last.tolist()), np.uint64, len(last))
    size = last - first + 1
    owner[printed] = np.repeat(starts, size)
    for a, b in zip(first[starts != ends].tolist(), last[starts != ends].tolist(), strict=True):
        owner[a : b + 1] = np.fromiter(map(get, repeat(handle), range(a, b + 1)), np.uint64, b - a + 1)
    # A blank between two characters of one object is taken for a part of it; so the object stays in one piece.
    known = np.maximum.accumulate(np.where(printed, np.arange(count), 0))
    return owner[known]


def _read_objects(handle: int, owner: NDArray[np.uint64], changes: NDArray[np.intp], fonts: Fonts) -> _Objects:
    """Font, size, direction and base line: once a text object, since they are the same for all its characters."""
    get_size, get_matrix = function("FPDFText_GetFontSize"), function("FPDFText_GetMatrix")
    get_origin, get_font = function("FPDFText_GetCharOrigin"), function("FPDFTextObj_GetFont")
    get_tag, get_mode = function("FPDFPageObj_GetMarkedContentID"), function("FPDFTextObj_GetTextRenderMode")
    size = len(changes)
    found = _Objects(
        size=np.zeros(size, np.float32),
        x=np.zeros(size, np.float32),
        y=np.zeros(size, np.float32),
        font=np.full(size, -1, np.int32),
        tag=np.full(size, -1, np.int32),
        turns=np.zeros(size, np.int32),
        visible=np.ones(size, np.bool_),
        white=np.zeros(size, np.bool_),
    )
    matrix, x, y = (ctypes.c_float * 6)(), ctypes.c_double(), ctypes.c_double()
    matrix_at, x_at, y_at = ctypes.addressof(matrix), ctypes.addressof(x), ctypes.addressof(y)
    get_colour, colour = function("FPDFText_GetFillColor"), [ctypes.c_uint() for _ in range(4)]
    colour_at = [ctypes.addressof(part) for part in colour]
    numbers: dict[int, int] = {}
    owners = owner[changes].tolist()
    for k, (i, owned) in enumerate(zip(changes.tolist(), owners, strict=True)):
        if not owned:
            continue
        points = get_size(handle, i)
        get_matrix(handle, i, matrix_at)
        scale = math.hypot(matrix[2], matrix[3]) if matrix[1] or matrix[2] else abs(matrix[3])
        found.size[k] = points * scale if scale else points
        found.turns[k] = _quarter_turns(matrix[0], matrix[1])
        get_origin(handle, i, x_at, y_at)
        found.x[k], found.y[k] = x.value, y.value
        font = get_font(owned) or 0
        if font not in numbers:
            numbers[font] = fonts.number(font)
        found.font[k] = numbers[font]
        found.tag[k] = get_tag(owned)
        found.visible[k] = get_mode(owned) != _INVISIBLE
        if get_colour(handle, i, *colour_at):
            red, green, blue, alpha = (part.value for part in colour)
            found.white[k] = alpha == 0 or min(red, green, blue) >= _WHITE
    return found


def _quarter_turns(across: float, up: float) -> int:
    """Direction of writing: 0 right, 1 up, 2 left, 3 down, -1 aslant (more than some 10 degrees off)."""
    if up == 0 and across > 0:
        return 0
    if abs(up) <= 0.2 * abs(across):
        return 0 if across >= 0 else 2
    if abs(across) <= 0.2 * abs(up):
        return 1 if up > 0 else 3
    return -1


def _unmapped_share(handle: int, code: NDArray[np.int64]) -> float:
    """The share of unmapped characters, from at most 200 of the page."""
    visible = np.flatnonzero(code > 32)
    if not visible.size:
        return 1.0
    sample = visible[:: max(1, visible.size // 200)]
    codes = code[sample]
    odd = ((codes >= 0xE000) & (codes < 0xF900)) | ((codes >= 0xFFFD) & (codes <= 0xFFFF))
    failed = map(function("FPDFText_HasUnicodeMapError"), repeat(handle), sample.tolist())
    odd |= np.fromiter(failed, np.int32, len(sample)) == 1
    return float(odd.mean())


def _assemble(
    page: Any,
    fonts: Fonts,
    code: NDArray[np.int64],
    boxes: NDArray[np.float32],
    real: NDArray[np.bool_],
    changes: NDArray[np.intp],
    objects: _Objects,
    unmapped: float,
) -> Characters:
    seen = frame_of(page)
    run = np.repeat(np.arange(len(changes)), np.diff(np.concatenate((changes, [len(code)]))))
    turns = objects.turns[run]
    if is_leftward(code).any():
        order = reading_order(code, boxes, _lines(code, objects, run))
        code, boxes, real, run = code[order], boxes[order], real[order], run[order]
        turns = turns[order]
        name_strokes(code)
        pair_brackets(code, boxes)
    raw = _Raw(code, boxes, real, run, unmapped)
    printed = real & (code > 32)
    main = _main_turns(turns[printed], seen.turns)

    def view(direction: int) -> Characters:
        return _view(seen, seen.turned_to(direction), fonts, raw, objects)

    found = view(main)
    found.turned = [
        view(direction) for direction in range(4) if direction != main and (turns[printed] == direction).any()
    ]
    return found


def _lines(code: NDArray[np.int64], objects: _Objects, run: NDArray[np.intp]) -> NDArray[np.intp]:
    """A number for each character, another one where a line ends: pdfium says so, or base line or direction change."""
    turns = objects.turns[run]
    # A mark may stand on a base line of its own: that of its letter counts, which comes behind it, or before it at an end.
    mark, places = is_mark(code) | (code == 32), np.arange(len(code))
    after = np.minimum.accumulate(np.where(mark, len(code) - 1, places)[::-1])[::-1]
    before = np.maximum.accumulate(np.where(mark, 0, places))
    letter = np.where(np.isin(code[after], (10, 13)), before, after)
    y, size = objects.y[run][letter], objects.size[run][letter]
    ends = (code[:-1] == 10) | (code[1:] == 13) | (turns[1:] != turns[:-1]) | (turns[1:] != 0)
    ends |= np.abs(y[1:] - y[:-1]) > _SAME_LINE * np.maximum(size[1:], size[:-1])
    return np.concatenate(([0], np.cumsum(ends)))


def _view(seen: Frame, frame: Frame, fonts: Fonts, raw: _Raw, objects: _Objects) -> Characters:
    """The characters as they stand in a frame; usable are those that are upright in it."""
    code, boxes, real, run = raw.code, raw.boxes, raw.real, raw.run
    turns = objects.turns[run]
    x0, y0, x1, y1 = frame.boxes(boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3])
    _, base = frame.points(objects.x, objects.y)
    base = base.astype(np.float32)[run]
    size = objects.size[run]
    tall = y1 - y0
    own = real & (code > 32) & (turns == frame.turns)
    towering = (tall > 4 * size) & (turns == frame.turns)
    for number in set(objects.font[run][towering & own].tolist()):
        letters = (objects.font[run] == number) & own
        if np.median((x1 - x0)[letters]) < size[letters].mean():
            # The size is that of the letters, and the font's ascent is that of its tallest sign (Cambria Math: 5.5 em).
            low = letters & towering
            y0[low], y1[low] = (base - _ASCENT * size)[low], (base + _DESCENT * size)[low]
            towering &= ~letters
    # Type 3 fonts often have a size of 1 and a matrix of their own (ISO 32000-1, 9.6.5): then the box tells.
    odd = (size <= 0.5) | towering
    size = np.where(odd, np.maximum(tall, 1.0) * 0.8, size).astype(np.float32)
    visible = objects.visible[run]
    inside = (x1 > 0) & (x0 < frame.width) & (y1 > 0) & (y0 < frame.height)
    for number in list(fonts.doubtful):
        letters = (objects.font[run] == number) & real & (code > 64)
        if letters.sum() >= 15:
            widths = (x1 - x0)[letters] / size[letters]
            if widths.std() > 0.08 * widths.mean():
                fonts.styles[number] &= ~MONO
            fonts.doubtful.discard(number)
    styles = np.array([*fonts.styles, 0], np.int32)
    aside = Counter[str]()
    aside["outside the page"] = int((real & (code > 32) & ~inside).sum())
    return Characters(
        frame=frame,
        seen=seen,
        code=code,
        x0=x0,
        y0=y0,
        x1=x1,
        y1=y1,
        base=base,
        size=size,
        style=styles[objects.font[run]],
        font=objects.font[run],
        tag=objects.tag[run],
        real=real,
        usable=real & inside & (turns == frame.turns),
        white=objects.white[run],
        hidden=~visible,
        slanted=real & inside & (turns < 0),
        unmapped=raw.unmapped,
        set_aside=dict(aside),
    )


def set_aside_unseen(characters: Characters, drawings: Drawings) -> None:
    """Sets aside what nobody sees on a page, with its reason: text without ink that is no layer of a scan, white text."""
    views = [characters, *characters.turned]
    printed = characters.real & (characters.code > 32)
    hidden = characters.hidden & printed
    if hidden.any():
        kept = characters.hidden & _of_scan(characters, drawings, hidden, printed)
        for c in views:
            c.usable &= ~c.hidden | kept
        characters.slanted &= ~characters.hidden | kept
        characters.set_aside["hidden"] = int((hidden & ~kept).sum())
    for c in views:
        white = _unseen_white(c, drawings)
        c.usable &= ~white
        characters.set_aside["white"] = characters.set_aside.get("white", 0) + int((white & printed).sum())


def _of_scan(
    c: Characters, drawings: Drawings, hidden: NDArray[np.bool_], printed: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which text without ink is the text of a scan: nearly all of a page, or over a picture and not over visible text."""
    if hidden.sum() > (1 - _STAMP) * printed.sum():
        return np.ones_like(hidden)
    x, y = (c.x0 + c.x1) / 2, (c.y0 + c.y1) / 2
    on_scan = np.zeros_like(hidden)
    for x0, y0, x1, y1 in drawings.images:
        if (x1 - x0) * (y1 - y0) >= _SCAN * c.frame.width * c.frame.height:
            on_scan |= (x0 <= x) & (x <= x1) & (y0 <= y) & (y <= y1)
    if not on_scan.any():
        return on_scan
    place = (np.round(x / 4).astype(np.int64) << 40) + (np.round(y / 4).astype(np.int64) << 21) + c.code
    visible = place[printed & ~c.hidden]
    twice = np.isin(place, visible)
    return on_scan & ~twice


def _unseen_white(c: Characters, drawings: Drawings) -> NDArray[np.bool_]:
    """White text is hidden unless something coloured lies behind it; a page of nothing but white text is kept."""
    white = c.white & c.usable
    if not white.any() or white.sum() > 0.5 * c.usable.sum() or not drawings.is_whole:
        return np.zeros_like(white)
    x, y = (c.x0 + c.x1) / 2, (c.y0 + c.y1) / 2
    for box in (*drawings.fills, *drawings.shapes, *drawings.images):
        x0, y0, x1, y1 = box if c.frame.turns == drawings.turns else _turned(box, c, drawings.turns)
        white &= ~((x0 <= x) & (x <= x1) & (y0 <= y) & (y <= y1))
    return white


def _turned(box: Box, c: Characters, turns: int) -> Box:
    return c.frame.turned_to(turns).box_in(c.frame, box)


def _main_turns(turns: NDArray[np.int32], of_page: int) -> int:
    """The rotation under which most text is upright; that of the page unless another has far more."""
    counts = np.bincount(turns[turns >= 0], minlength=4)
    best = int(counts.argmax())
    return best if counts[best] > 2 * counts[of_page] else of_page
