"""Scripts that run from right to left: words in logical order, brackets in pairs.

pdfium gives the letters of a word in logical order; the order of words follows the Unicode Bidirectional Algorithm
(UAX 9) as far as whole words need it: a phrase of the other direction keeps its own order.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from corpuskit.extraction.pdf.words import Word

_RTL: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LAM, _ALEFS = 0x644, (0x622, 0x623, 0x625, 0x627)
_TOUCHING: Final = 0.06  # of the font size: less between two words is no blank
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


def order_ligatures(code: NDArray[np.int64], boxes: NDArray[np.float32]) -> None:
    """Puts lam before alef where both are one sign, in place.

    pdfium turns a text that it takes to be in the order of its drawing, and with it the two letters that a font gives
    for the ligature of lam and alef; as one sign they have one box.
    """
    swapped = np.isin(code[:-1], _ALEFS) & (code[1:] == _LAM) & (boxes[:-1] == boxes[1:]).all(axis=1)
    for at in np.flatnonzero(swapped).tolist():
        code[at], code[at + 1] = code[at + 1], code[at]


def pair_brackets(code: NDArray[np.int64]) -> None:
    """Mends brackets of lines that run from right to left, in place.

    pdfium mirrors a bracket there only beside letters of that direction, so that both of a pair come out as the same.
    """
    rtl = ((code >= 0x590) & (code <= 0x8FF)) | ((code >= 0xFB1D) & (code <= 0xFDFF))
    if not rtl.any():
        return
    ends = np.flatnonzero((code == 10) | (code == 13))
    edges = [0, *(ends + 1).tolist(), len(code)]
    for start, end in pairwise(edges):
        if not is_rtl("".join(map(chr, code[start:end][code[start:end] > 64].tolist()))):
            continue
        for opening, closing in _BRACKETS:
            places = np.flatnonzero((code[start:end] == ord(opening)) | (code[start:end] == ord(closing)))
            kinds = code[start:end][places]
            if len(places) % 2 or (kinds == ord(opening)).sum() * 2 == len(places):
                continue
            code[start + places[::2]] = ord(opening)
            code[start + places[1::2]] = ord(closing)
