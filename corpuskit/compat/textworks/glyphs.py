"""The lines of an analysis with their words and glyphs: the characters are read again, the layout is not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from corpuskit.extraction.pdf.analysis import Analysis, PageInfo
from corpuskit.extraction.pdf.characters import Characters, read_characters
from corpuskit.extraction.pdf.fonts import Fonts
from corpuskit.extraction.pdf.layout.page_parts import TextLine
from corpuskit.extraction.pdf.naming import is_publisher
from corpuskit.extraction.pdf.words import Word, is_text, spelled

Box = tuple[float, float, float, float]


@dataclass(slots=True)
class Glyph:
    """One drawn character: what it stands for (a ligature for several letters), and its box as seen."""

    text: str
    box: Box


@dataclass(slots=True)
class LabelledLine:
    """A line with the labels of its block."""

    block: int
    labels: tuple[str, str]
    line: TextLine
    words: list[Word]


@dataclass(slots=True)
class GlyphPage:
    """The lines of a page in reading order.

    Attributes:
        number: 0-based.
        width, height: as seen, in points.
    """

    number: int
    width: float
    height: float
    lines: list[LabelledLine]
    _characters: Characters | None = None
    _info: PageInfo | None = None
    _chosen: Any = None

    def box(self, words: list[Word]) -> Box:
        """The box around words as seen: left, top, right, bottom, inside the page."""
        return self._seen(
            (min(w.x0 for w in words), min(w.y0 for w in words), max(w.x1 for w in words), max(w.y1 for w in words))
        )

    def glyphs(self, word: Word) -> list[Glyph]:
        """The glyphs of a word; their texts in a row are the text of the word."""
        c = self._characters
        assert c is not None
        found: list[Glyph] = []
        high = ""
        for i in range(word.first, word.last + 1):
            if not self._chosen[i]:
                continue
            code = int(c.code[i])
            if 0xD800 <= code < 0xDC00:
                high = chr(code)
                continue
            text = (
                (high + chr(code)).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
                if high
                else spelled(code)
            )
            if not high and 0xDC00 <= code < 0xE000:
                text = "\ufffd"
            high = ""
            box = float(c.x0[i]), float(c.y0[i]), float(c.x1[i]), float(c.y1[i])
            found.append(Glyph(text, self._seen(box)))
        return found

    def _seen(self, box: Box) -> Box:
        info = self._info
        if info is not None and info.frame is not None and info.seen is not None:
            box = info.frame.box_in(info.seen, box)
        x0, x1 = (min(max(x, 0.0), self.width) for x in (box[0], box[2]))
        y0, y1 = (min(max(y, 0.0), self.height) for y in (box[1], box[3]))
        return x0, y0, x1, y1


def glyph_pages(pdf: Any, analysis: Analysis) -> Iterator[GlyphPage]:
    """The pages of an analysed document of pypdfium2, one after the other."""
    by_page: dict[int, list[tuple[int, tuple[str, str], TextLine]]] = {}
    for number, block in enumerate(analysis.blocks):
        for line in block.lines:
            by_page.setdefault(block.page, []).append((number, (block.zone, block.label or block.role), line))
    fonts = Fonts()
    for number, info in enumerate(analysis.pages):
        lines = by_page.get(number, [])
        if info.seen is None or info.frame is None:
            yield GlyphPage(number, 0.0, 0.0, [])
            continue
        page = pdf[number]
        try:
            characters = read_characters(page, fonts)
        finally:
            page.close()
        found = GlyphPage(number, info.seen.width, info.seen.height, [])
        if characters is not None:
            found._characters, found._info, found._chosen = characters, info, is_text(characters)
            tops, bottoms = _furniture(info, len(analysis.blocks), is_first=number == 0)
            found.lines = [
                LabelledLine(block, labels, line, _words(characters, found._chosen, line))
                for block, labels, line in (*tops, *lines, *bottoms)
            ]
        yield found


def _furniture(info: PageInfo, first: int, *, is_first: bool) -> tuple[list[Any], list[Any]]:
    """Running heads and feet as blocks of their own, with block numbers from ``first`` on."""
    assert info.frame is not None
    tops: list[Any] = []
    bottoms: list[Any] = []
    for k, line in enumerate(info.furniture):
        is_top = line.base < info.frame.height / 2
        labels = ("body", "page-header" if is_top else "page-footer")
        if is_first and is_publisher(line.text):
            labels = ("header", "publisher")
        (tops if is_top else bottoms).append((first + k, labels, line))
    return tops, bottoms


def _words(c: Characters, chosen: Any, line: TextLine) -> list[Word]:
    """The words of a line, made again from their spans."""
    words = []
    for first, last, glued in line.spans.tolist():
        span = slice(first, last + 1)
        mask = chosen[span]
        text = "".join(spelled(code) for code in c.code[span][mask].tolist())
        if any("\ud800" <= character <= "\udfff" for character in text):
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        words.append(
            Word(
                float(c.x0[span][mask].min()), float(c.y0[span][mask].min()),
                float(c.x1[span][mask].max()), float(c.y1[span][mask].max()),
                text, float(c.size[first]), float(c.base[first]), int(c.style[first]), bool(glued), first, last, -1, -1,
            )
        )  # fmt: skip
    return words
