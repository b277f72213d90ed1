"""Scripts that run from right to left: words in logical order, brackets in pairs.

pdfium turns the letters of such scripts around, whatever the order in which they were drawn; so they are put in the order
in which they stand on the page. The order of words follows the Unicode Bidirectional Algorithm (UAX 9) as far as whole
words need it: a phrase of the other direction keeps its own order.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from corpuskit.extraction.pdf.words import Word

# Without the digits of Arabic (U+0660), Persian (U+06F0) and N'Ko (U+07C0), of which the first stands left.
_RTL: Final = re.compile("[\u0590-\u065f\u066d-\u06ef\u06fa-\u07bf\u07ca-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LEFTWARD: Final = np.zeros(0x110000, np.bool_)
_LEFTWARD[[code for code in range(0x590, 0xFEFD) if _RTL.match(chr(code))]] = True
_IS_MARK: Final = np.zeros(0x110000, np.bool_)
_IS_MARK[[code for code in np.flatnonzero(_LEFTWARD).tolist() if unicodedata.category(chr(code)) == "Mn"]] = True
# Ligatures that Unicode has as one character: pdfium writes them out, in the right order.
_FORMS: Final = frozenset(
    form for code in (*range(0xFB50, 0xFE00), *range(0xFE70, 0xFEFD))
    if len(form := unicodedata.normalize("NFKC", chr(code))) > 1
)  # fmt: skip
STROKE: Final = 0xFDD0
"""A noncharacter (Unicode 23.7) for the stroke between two letters."""
# From the right: a sign of per cent is at the right of Hebrew numbers, and at the left of Arabic ones (UAX 9, W4 to W7).
_NUMBER: Final = re.compile(r"[%\u066a]?\d(?:[\d.,:/\u066b\u066c]*\d)?")
_REACH: Final = 12  # letters before and behind a mark of which one is its own
_TOUCHING: Final = 0.06  # of the font size: less between two words is no blank
_NO_ROOM: Final = 0.01  # points
_ENDINGS: Final = tuple(map(ord, ".,:;!?\u060c\u061b\u061f"))
_BRACKETS: Final = ("()", "[]", "{}", "<>", "«»")


def is_rtl(text: str) -> bool:
    """Most of its letters are written from right to left."""
    if text.isascii():
        return False
    letters = [character for character in text[:40] if character.isalpha()]
    rtl = sum(_RTL.match(character) is not None for character in letters)
    return rtl > 0.4 * len(letters) if letters else False


def has_rtl(text: str) -> bool:
    """Some of its characters are written from right to left."""
    return not text.isascii() and _RTL.search(text) is not None


def logical_order(words: list[Word]) -> list[Word]:
    """The words of a line in the order in which they are read; glued words stay together."""
    groups: list[list[Word]] = []
    for word in words:
        if groups and word.glued and abs(word.base - groups[-1][0].base) > 0.05 * word.size:
            groups[-1].append(word)  # a superscript or subscript
        else:
            groups.append([word])
    groups.sort(key=lambda group: min(word.x0 for word in group))
    texts = ["".join(word.text for word in group) for group in groups]
    rightward = not is_rtl("".join(texts))
    if not rightward:
        groups.reverse()
        texts.reverse()
    ordered: list[list[Word]] = []
    start = 0
    while start < len(groups):
        if _strong(texts[start]) is not (not rightward):
            ordered.append(groups[start])
            start += 1
            continue
        last = start  # a phrase of the other direction ends with its last word that has letters
        for k in range(start + 1, len(groups)):
            direction = _strong(texts[k])
            if direction is rightward:
                break
            if direction is not None:
                last = k
        ordered += reversed(groups[start : last + 1])
        start = last + 1
    for before, group in pairwise(ordered):  # a bracket beside a word of the other direction
        gap = max(
            min(w.x0 for w in group) - max(w.x1 for w in before), min(w.x0 for w in before) - max(w.x1 for w in group)
        )
        group[0].glued = gap < _TOUCHING * group[0].size
    if ordered:
        ordered[0][0].glued = False
    return [word for group in ordered for word in group]


def _strong(text: str) -> bool | None:
    """True for letters that run to the right, False for the others, None without letters."""
    if _RTL.search(text):
        return False
    return True if any(map(str.isalpha, text)) else None


def is_mark(code: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which characters are marks over or under letters that run to the left; they may have a base line of their own."""
    marks: NDArray[np.bool_] = _IS_MARK[code]
    return marks


def join_marks(code: NDArray[np.int64], boxes: NDArray[np.float32], origins: NDArray[np.float64]) -> None:
    """Gives marks the left and right side of their letter, in place.

    The letter is the one over or under which a mark stands. Where a font gives letter and marks as one sign, all have the
    origin of the sign, and pdfium cuts its box into one piece for each, side by side; then each of them gets the whole.

    Args:
        code: code points, int64.
        boxes: left, top, right, bottom of each, shape (characters, 4), float32.
        origins: x and y of the origin of each, shape (characters, 2), float64.
    """
    marks = np.flatnonzero(_IS_MARK[code])
    letters = np.flatnonzero(_LEFTWARD[code] & ~_IS_MARK[code])
    signs: dict[tuple[float, ...], list[int]] = {}
    for k in letters.tolist():
        signs.setdefault(tuple(origins[k]), []).append(k)
    alone = []
    for k in marks.tolist():
        members = signs.get(tuple(origins[k]))
        if members is None:
            alone.append(k)
        else:
            members.append(k)
    for members in signs.values():
        if _IS_MARK[code[members[-1]]]:
            boxes[members, 0] = min(boxes[members, 0].min(), origins[members[0], 0])
            boxes[members, 2] = boxes[members, 2].max()
    middle = boxes[:, 0::2].mean(axis=1)
    for k in alone if len(letters) else ():
        at = int(np.searchsorted(letters, k))
        near = letters[max(0, at - _REACH) : at + _REACH]
        apart = np.abs(middle[near] - middle[k]) + np.abs(origins[near, 1] - origins[k, 1])
        boxes[k, 0::2] = boxes[near[apart.argmin()], 0::2]


def name_strokes(code: NDArray[np.int64]) -> None:
    """Turns what stretches a word to the width of its line into :data:`STROKE`, in place.

    The stroke that justifies Arabic script (kashida) is no letter, and its font says a control character of it.
    """
    inner, letter, end = code[1:-1], _LEFTWARD[code], np.isin(code, (10, 13))
    between = (letter[:-2] & (letter | end)[2:]) | (end[:-2] & letter[2:])
    inner[(inner < 32) & ~np.isin(inner, (0, 9, 10, 13)) & between] = STROKE


def is_leftward(code: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which characters follow the one before them on its left."""
    leftward: NDArray[np.bool_] = _LEFTWARD[code] | (code == STROKE)
    return leftward


def reading_order(code: NDArray[np.int64], boxes: NDArray[np.float32], line: NDArray[np.intp]) -> NDArray[np.intp]:
    """The order of characters in which letters that run to the left follow one another as they stand on the page.

    pdfium turns each text around that it takes to be in the order of its drawing, also one that was drawn in the order
    of its reading, and the letters of one sign with it.

    Args:
        code: code points, int64.
        boxes: left, top, right, bottom of each, shape (characters, 4), float32.
        line: a number for each that is the same for characters of one base line.

    Returns:
        Positions.
    """
    order, leftward = np.arange(len(code)), _LEFTWARD[code]
    # A stretch ends with a line, and where letters of the other direction begin.
    rightward = ~leftward & np.fromiter(map(str.isalpha, map(chr, code.tolist())), np.bool_, len(code))
    ends = line[1:] != line[:-1]
    lines = np.flatnonzero(np.concatenate(([True], ends, [True])))
    mostly = np.repeat(np.add.reduceat(leftward, lines[:-1]) > np.add.reduceat(rightward, lines[:-1]), np.diff(lines))
    border = np.concatenate(([True], ends | rightward[1:] | rightward[:-1], [True]))
    for start, end in pairwise(np.flatnonzero(border).tolist()):
        own = start + np.flatnonzero(leftward[start:end])
        if not len(own):
            continue
        # In a line of the other direction, what stands around a phrase does not belong to it.
        first, last = (start, end) if mostly[start] else (int(own[0]), int(own[-1]) + 1)
        last -= int(np.isin(code[first:last], (10, 13)).sum())
        order[first:last] = first + _from_the_right(code[first:last], boxes[first:last])
    return order


def _from_the_right(code: NDArray[np.int64], boxes: NDArray[np.float32]) -> NDArray[np.intp]:
    """The order of a stretch: signs from the right with their marks, numbers from the left."""
    left, right = boxes[:, 0].astype(np.float64), boxes[:, 2].astype(np.float64)
    marks = _IS_MARK[code]
    same = np.concatenate(([False], (boxes[1:] == boxes[:-1]).all(axis=1) & ~marks[1:] & ~marks[:-1]))
    starts = np.flatnonzero(~same)  # letters of one sign have one box
    ends = np.append(starts[1:], len(code))
    place = ((left + right) / 2)[starts]
    for k in np.flatnonzero((code[starts] == 32) & (right - left < _NO_ROOM)[starts]).tolist():
        place[k] = _between(code[starts], place, k)
    ranks = np.array([unicodedata.combining(chr(one)) for one in code[starts].tolist()]) if marks.any() else starts
    found = np.lexsort((ranks, marks[starts], -place))
    text = "".join(map(chr, code[starts][found].tolist()))
    for number in _NUMBER.finditer(text):
        found[number.start() : number.end()] = found[number.start() : number.end()][::-1]
    return np.concatenate([_spelled_out(code, np.arange(starts[k], ends[k])) for k in found.tolist()])


def _between(code: NDArray[np.int64], place: NDArray[np.float64], blank: int) -> float:
    """Where a blank without room of its own belongs: between the word before it and the one behind it."""
    blanks = np.flatnonzero(code == 32)
    at = int(np.searchsorted(blanks, blank))
    before = place[blanks[at - 1] + 1 if at else 0 : blank]
    behind = place[blank + 1 : blanks[at + 1] if at + 1 < len(blanks) else len(code)]
    if len(before) and len(behind) and before.min() > behind.max():
        return float(before.min() + behind.max()) / 2
    return -np.inf


def _spelled_out(code: NDArray[np.int64], members: NDArray[np.intp]) -> NDArray[np.intp]:
    """The letters of one sign in the order of their reading."""
    if len(members) == 1 or "".join(map(chr, code[members].tolist())) in _FORMS:
        return members
    return members[::-1]


def pair_brackets(code: NDArray[np.int64], boxes: NDArray[np.float32]) -> None:
    """Turns brackets of lines that run from right to left the way they are read, in place.

    pdfium mirrors a bracket there only beside letters of that direction. An opening one has room before it and none
    behind, a closing one the other way round.
    """
    letter = _LEFTWARD[code]
    blank = (code <= 32) & ((boxes[:, 2] - boxes[:, 0] > _NO_ROOM) | (code != 32))
    ending = blank | np.isin(code, _ENDINGS)
    edges = [0, *(np.flatnonzero(np.isin(code, (10, 13))) + 1).tolist(), len(code)]
    for start, end in pairwise(edges):
        if not letter[start:end].any() or not is_rtl("".join(map(chr, code[start:end][code[start:end] > 64].tolist()))):
            continue
        for opening, closing in _BRACKETS:
            both = ord(opening), ord(closing)
            places = start + np.flatnonzero(np.isin(code[start:end], both))
            kinds = [_is_opening(blank, ending, at, start, end) for at in places.tolist()]
            for k, kind in enumerate(kinds):  # the other one of the pair may say
                if kind is None and kinds[k + 1 : k + 2] == [False]:
                    kinds[k] = True
                elif kind is None and kinds[max(0, k - 1) : k] == [True]:
                    kinds[k] = False
            if None in kinds and len(places) % 2 == 0 and (code[places] == both[0]).sum() * 2 != len(places):
                kinds = [k % 2 == 0 for k in range(len(places))]
            for at, kind in zip(places.tolist(), kinds, strict=True):
                if kind is not None:
                    code[at] = both[0] if kind else both[1]


def _is_opening(blank: NDArray[np.bool_], ending: NDArray[np.bool_], at: int, start: int, end: int) -> bool | None:
    """Whether a bracket opens, by what is around it; None where that does not say."""
    before = at == start or bool(blank[at - 1])
    behind = at + 1 >= end or bool(ending[at + 1])
    return None if before == behind else before
