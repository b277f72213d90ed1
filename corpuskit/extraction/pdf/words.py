"""From characters to words, and to runs: words side by side on one base line."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from corpuskit.extraction.pdf.characters import Characters
from corpuskit.extraction.pdf.direction import STROKE, has_rtl, is_leftward, is_rtl, logical_order
from corpuskit.extraction.pdf.fonts import ITALIC, MONO

SMALL: Final = 0.86
"""A word smaller than this share of its line, off the base line, is a superscript or subscript."""

# Ligatures written out; the line-end hyphen of pdfium (U+0002), soft and other hyphens as the plain one.
_SPELLED: Final = {
    0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st",
    0x2: "-", 0xAD: "-", 0x2010: "-", 0x2011: "-", 0x1: "\u2212", STROKE: "",
}  # fmt: skip
_CONTROLS: Final = [code for code in (*range(32), *range(0x7F, 0xA0)) if code not in _SPELLED]
_TRANSLATION: Final = {**_SPELLED, **dict.fromkeys(_CONTROLS, "\ufffd")}
_BLANKS: Final = [32, 160, 9, 10, 13, 0, 0x3000, 0xFEFF, 0xFFFE, 0xFFFF, *range(0x2000, 0x200C)]
_IS_BLANK: Final = np.zeros(0x110000, np.bool_)
_IS_BLANK[_BLANKS] = True
_IS_SPECIAL: Final = np.zeros(0x110000, np.bool_)
_IS_SPECIAL[list(_TRANSLATION)] = True


@dataclass(slots=True)
class Word:
    """Characters without a blank between.

    Attributes:
        x0, y0, x1, y1: box, y counted downwards.
        text: what it says.
        size: font size in points.
        base: y of the base line.
        style: BOLD, ITALIC, MONO.
        glued: no blank before it: a superscript, subscript or the like.
        first, last: characters of the page, inclusive.
        tag: marked content identifier, -1 for none.
        font: number of its font.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    size: float
    base: float
    style: int
    glued: bool
    first: int
    last: int
    tag: int
    font: int


@dataclass(slots=True)
class Run:
    """Words side by side on one base line, with no wide gap between; :meth:`measure` fills the rest.

    Attributes:
        style: that of most of its characters.
        length: characters.
        styles, fonts: of its words that hold letters or digits.
    """

    words: list[Word]
    x0: float = 0.0
    y0: float = 0.0
    x1: float = 0.0
    y1: float = 0.0
    base: float = 0.0
    size: float = 0.0
    style: int = 0
    length: int = 0
    text: str = ""
    tag: int = -1
    styles: frozenset[int] = field(default_factory=frozenset)
    fonts: frozenset[int] = field(default_factory=frozenset)

    def measure(self) -> Run:
        """Box, size, base line and text from the words."""
        words = self.words
        first = words[0]
        if len(words) == 1:
            self.x0, self.x1, self.length = first.x0, first.x1, len(first.text)
            looks = {(first.size, first.style, first.font)}
        else:
            self.x0 = min([word.x0 for word in words])
            self.x1 = max([word.x1 for word in words])
            self.length = sum([len(word.text) for word in words])
            looks = {(word.size, word.style, word.font) for word in words}
        if len(looks) == 1 or len({look[:2] for look in looks}) == 1:
            self.size, self.style = round(first.size * 2) / 2, first.style
            main = words
        else:
            counts: Counter[tuple[float, int]] = Counter()
            for word in words:
                counts[round(word.size * 2) / 2, word.style] += len(word.text)
            (self.size, self.style), _ = counts.most_common(1)[0]
            main = [word for word in words if word.size >= SMALL * self.size] or words
        if len(main) == 1:
            self.base, top, bottom = main[0].base, main[0].y0, main[0].y1
        else:
            bases = sorted([word.base for word in main])
            self.base = bases[len(bases) // 2]
            top, bottom = min([word.y0 for word in main]), max([word.y1 for word in main])
        # Loose boxes of some fonts are twice as tall as their letters: the em box bounds them.
        self.y0 = max(top, self.base - self.size)
        self.y1 = min(bottom, self.base + 0.3 * self.size)
        self.text = joined(words)
        if has_rtl(self.text):
            self.words = words = logical_order(words)
            self.text = joined(words)
        self.tag = main[0].tag
        has_letters = (word for word in words if word.text.isalnum() or any(map(str.isalnum, word.text)))
        lettered = list(itertools.islice(has_letters, 1) if len(looks) == 1 else has_letters)
        self.styles = frozenset([word.style & 7 for word in lettered])
        self.fonts = frozenset([word.font for word in lettered])
        return self

    @property
    def is_mono(self) -> bool:
        """All its letters and digits are of a fixed pitch."""
        return bool(self.styles) and all(style & MONO for style in self.styles)


def joined(words: list[Word]) -> str:
    """The text of words, with blanks but before glued ones."""
    if len(words) == 1:
        return words[0].text
    if not any(word.glued for word in words[1:]):
        return " ".join([word.text for word in words])
    parts = [words[0].text]
    for word in words[1:]:
        if not word.glued:
            parts.append(" ")
        parts.append(word.text)
    return "".join(parts)


def without(runs: Iterable[Run], taken: Iterable[Run]) -> list[Run]:
    """Return the runs that are not among others; compared by identity, since equal ones can stand on one page."""
    own = {id(run) for run in taken}
    return [run for run in runs if id(run) not in own]


def spelled(code: int) -> str:
    """What a code point stands for: ligatures written out, all hyphens alike, controls as the replacement character."""
    return _TRANSLATION.get(code, chr(code))


def is_blank(code: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which code points are blanks, those that do not break a line among them."""
    blank: NDArray[np.bool_] = _IS_BLANK[code]
    return blank


def is_text(characters: Characters) -> NDArray[np.bool_]:
    """Which characters are part of words."""
    chosen: NDArray[np.bool_] = characters.usable & ~_IS_BLANK[characters.code]
    return chosen & (characters.x1 > characters.x0 - 0.01)


def read_runs(characters: Characters) -> list[Run]:
    """The runs of a page: first as the file has them one after the other, then joined side by side."""
    words = _words(characters)
    if not words:
        return []
    return _merge(_split(words))


def _words(c: Characters) -> list[Word]:
    blank = _IS_BLANK[c.code]
    chosen = np.flatnonzero(is_text(c))
    if chosen.size == 0:
        return []
    x0, x1, size, base, code = c.x0[chosen], c.x1[chosen], c.size[chosen], c.base[chosen], c.code[chosen]
    starts = np.concatenate(([True], _word_breaks(blank, chosen, x0, x1, size, base, code) | _leaning(c, chosen)))
    first = np.flatnonzero(starts)
    end = np.append(first[1:], len(chosen))
    glued = np.concatenate(([False], ~_spaced(blank, chosen)))[first] & _close(x0, x1, size, base, first)
    glued[1:] |= glued[:-1] & _stacked(x0[first], size[first], base[first])
    text = code.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    written = [text[a:b] for a, b in zip(first.tolist(), end.tolist(), strict=True)]
    if _IS_SPECIAL[code].any():
        written = [word if word.isascii() and word.isprintable() else word.translate(_TRANSLATION) for word in written]
    if ((code >= 0xD800) & (code < 0xE000)).any():  # UTF-16 halves
        written = [word.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for word in written]
    columns = (
        np.minimum.reduceat(x0, first), np.minimum.reduceat(c.y0[chosen], first),
        np.maximum.reduceat(x1, first), np.maximum.reduceat(c.y1[chosen], first),
        size[first], base[first], c.style[chosen][first], glued, chosen[first], chosen[end - 1],
        c.tag[chosen][first], c.font[chosen][first],
    )  # fmt: skip
    wx0, wy0, wx1, wy1, sizes, bases, styles, gluing, firsts, lasts, tags, fonts = (v.tolist() for v in columns)
    return [
        Word(*row)
        for row in zip(
            wx0, wy0, wx1, wy1, written, sizes, bases, styles, gluing, firsts, lasts, tags, fonts,
            strict=True,
        )
    ]  # fmt: skip


def _spaced(blank: NDArray[np.bool_], chosen: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether a blank stands between one chosen character and the next."""
    seen = np.cumsum(blank)
    between: NDArray[np.bool_] = np.diff(seen[chosen]) > 0
    return between


def _word_breaks(
    blank: NDArray[np.bool_],
    chosen: NDArray[np.intp],
    x0: NDArray[np.float32],
    x1: NDArray[np.float32],
    size: NDArray[np.float32],
    base: NDArray[np.float32],
    code: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Between which characters a word ends: blanks of the file where there is some room, else the room alone."""
    both = _follow_leftward(code, x0)
    gap = np.where(both, x0[:-1] - x1[1:], x0[1:] - x1[:-1])
    # Both letters of a ligature that pdfium writes out have the same box.
    gap = np.where((x0[1:] == x0[:-1]) & (x1[1:] == x1[:-1]), 0, gap)
    larger, smaller = np.maximum(size[1:], size[:-1]), np.minimum(size[1:], size[:-1])
    rise = np.abs(np.diff(base))
    apart: NDArray[np.bool_] = (rise > 0.6 * larger) | (gap < -0.7 * larger) | (gap > 3 * larger)
    script = (rise > 0.12 * larger) & (smaller < SMALL * larger)
    same_size = larger - smaller <= 0.1 * larger
    wide = np.where(
        _spaced(blank, chosen), gap > 0.08 * smaller, ((gap > 0.22 * larger) & same_size) | (gap > 0.35 * larger)
    )
    return apart | script | wide | (rise > 0.3 * larger)


def _follow_leftward(code: NDArray[np.int64], x0: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which characters stand on the left of the one before them: letters of such scripts, and the signs beside them."""
    leftward = is_leftward(code)
    if not leftward.any():
        return np.zeros(len(code) - 1, np.bool_)
    sign = ~leftward & ~np.fromiter(map(str.isalnum, map(chr, code.tolist())), np.bool_, len(code))
    fits = (leftward[1:] & (leftward | sign)[:-1]) | (sign[1:] & leftward[:-1])
    follow: NDArray[np.bool_] = fits & ((leftward[1:] & leftward[:-1]) | (x0[1:] < x0[:-1]))
    return follow


def _leaning(c: Characters, chosen: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Between which characters a blank ends a word though its room is taken: an italic f reaches over it, to both sides."""
    before, after = chosen[:-1], chosen[1:]
    blank, size = after - 1, c.size[after]
    leans = (c.style & ITALIC) > 0
    left = np.where(leans[before] & (c.x0[blank] > c.x0[before]), np.minimum(c.x1[before], c.x0[blank]), c.x1[before])
    right = np.where(leans[after] & (c.x1[blank] < c.x1[after]), np.maximum(c.x0[after], c.x1[blank]), c.x0[after])
    room = right - left
    breaks: NDArray[np.bool_] = _IS_BLANK[c.code[blank]] & (c.x0[after] > c.x0[before])
    breaks &= (room > 0.12 * size) & (room < size) & (np.abs(c.base[after] - c.base[before]) < 0.1 * size)
    return breaks


def _close(
    x0: NDArray[np.float32],
    x1: NDArray[np.float32],
    size: NDArray[np.float32],
    base: NDArray[np.float32],
    first: NDArray[np.intp],
) -> NDArray[np.bool_]:
    """Whether a word stands tight after the character before it, off its base line."""
    before = np.maximum(first - 1, 0)
    larger = np.maximum(size[first], size[before])
    gap = x0[first] - x1[before]
    rise = np.abs(base[first] - base[before])
    close: NDArray[np.bool_] = (
        (gap < 0.2 * larger) & (gap > -0.7 * larger) & (rise > 0.05 * larger) & (rise < 0.9 * larger)
    )
    return close


def _stacked(x0: NDArray[np.float32], size: NDArray[np.float32], base: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether a word stands right above or below the one before it, as a superscript over a subscript does."""
    rise, near = np.abs(np.diff(base)), np.abs(np.diff(x0))
    larger, smaller = np.maximum(size[1:], size[:-1]), np.minimum(size[1:], size[:-1])
    stacked: NDArray[np.bool_] = (near < 0.25 * larger) & (rise > 0.5 * larger) & (rise < 1.6 * larger)
    return stacked & (smaller > 0.85 * larger)


def _split(words: list[Word]) -> list[Run]:
    """Runs of consecutive words."""
    x0, x1, size, base, tag = np.array([(w.x0, w.x1, w.size, w.base, w.tag) for w in words]).T
    larger, smaller = np.maximum(size[1:], size[:-1]), np.minimum(size[1:], size[:-1])
    gap = x0[1:] - x1[:-1]
    for at in np.flatnonzero(gap < 0).tolist() if any(has_rtl(word.text) for word in words) else ():
        if is_rtl(words[at].text) and is_rtl(words[at + 1].text):
            gap[at] = x0[at] - x1[at + 1]
    rise = np.abs(base[1:] - base[:-1])
    ends = (gap > larger) | (gap < -0.7 * larger) | (tag[1:] != tag[:-1])
    ends |= rise > np.where(smaller < SMALL * larger, 0.6, 0.25) * larger
    glued = np.array([word.glued for word in words])
    ends &= ~(glued[1:] & glued[:-1] & (np.abs(x0[1:] - x0[:-1]) < 0.25 * larger))
    edges = [0, *(np.flatnonzero(ends) + 1).tolist(), len(words)]
    return [Run(words[a:b]).measure() for a, b in itertools.pairwise(edges)]


def _merge(runs: list[Run]) -> list[Run]:
    """Joins runs that lie side by side on one base line, whatever their order in the file."""
    found: list[Run] = []
    shelves: dict[int, list[Run]] = {}
    for run in sorted(runs, key=lambda run: run.x0):
        shelf = int(run.base // 3)
        for k in (shelf, shelf - 1, shelf + 1, shelf - 2, shelf + 2):
            left = next((left for left in shelves.get(k, ()) if _adjacent(left, run)), None)
            if left is not None:
                if run.words[0].x0 - left.x1 < 0.2 * max(run.size, left.size) and _is_script(left, run):
                    run.words[0].glued = True
                elif run.words[0].x0 - left.x1 > 0.1 * max(run.size, left.size):
                    run.words[0].glued = False
                left.words = left.words + run.words
                left.measure()
                break
        else:
            run.words[0].glued = False
            shelves.setdefault(shelf, []).append(run)
            found.append(run)
    return found


def _is_script(left: Run, right: Run) -> bool:
    return min(left.size, right.size) < SMALL * max(left.size, right.size)


def _adjacent(left: Run, right: Run) -> bool:
    if left.tag != right.tag:
        return False
    larger = max(left.size, right.size)
    script = _is_script(left, right)
    gap = right.x0 - left.x1
    if not -0.5 * larger < gap < (0.35 if script else 0.8) * larger:
        return False
    return abs(right.base - left.base) < (0.55 if script else 0.25) * larger
