"""The text of a paragraph: its runs in order, with links, scripts, notes and what is anchored in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from corpuskit.document.spans import Span, clip, shift
from corpuskit.extraction.docx import names as n
from corpuskit.extraction.docx.equations import linear
from corpuskit.extraction.docx.names import m, w
from corpuskit.extraction.docx.package import Relationship
from corpuskit.extraction.docx.styles import Styles, is_on
from corpuskit.extraction.notation import EQUATION, PLAIN, SUBSCRIPT, SUPERSCRIPT, token_pieces

_LINK_FIELD: Final = re.compile(r'\s*HYPERLINK\s+(?:\\[a-z]\s+)*(?:"([^"]*)"|([^\s\\]\S*))', re.IGNORECASE)
_COUNT_FIELD: Final = re.compile(r"\s*SEQ\s+(\S+)", re.IGNORECASE)
_PRIVATE: Final = re.compile("[\uf020-\uf0ff]")
_LINE_END: Final = re.compile(r"\s*[\r\n]\s*")
_SCRIPT: Final = {"superscript": SUPERSCRIPT, "subscript": SUBSCRIPT}
_SPACE: Final = re.compile(r"(\s+)")
_VANISH, _R_STYLE, _VERT_ALIGN, _R_FONTS = w("vanish"), w("rStyle"), w("vertAlign"), w("rFonts")
Piece = tuple[str, int, str | None]
"""A text, its script, and the notation of an equation."""

# Characters of symbol fonts, which Word keeps at U+F020 to U+F0FF, in Unicode (17.3.3.30).
# Adobe's Symbol encoding, as the Unicode Consortium's SYMBOL.TXT maps it; a space stands for what has no character.
_SYMBOL: Final = dict(
    zip(
        [*range(0x20, 0x7F), *range(0xA0, 0xFF)],
        " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
        "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
        strict=True,
    )
)
_WINGDINGS: Final = {
    0x4A: "☺", 0x4C: "☹", 0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x75: "◆", 0x76: "❖", 0x77: "⬥", 0x9F: "•",
    0xA7: "▪", 0xA8: "◻", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xEF: "⇦", 0xF0: "⇨",
    0xF3: "⬄", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip


@dataclass(slots=True)
class Line:
    """The content of a paragraph.

    Attributes:
        pieces: its texts with their scripts.
        links: (start, end, URL) in the joined text.
        boxes: text boxes anchored in it.
        pictures: alternative texts of its pictures.
        diagrams: relationship ids of its diagrams.
        notes: (``footnote`` or ``endnote``, id) referred to.
        counted: what its SEQ field counts: ``Table``, ``Figure`` ...
        has_equation: it holds an equation.
        has_words: it holds text beside equations.
    """

    pieces: list[Piece] = field(default_factory=list)
    length: int = 0
    links: list[Span] = field(default_factory=list)
    boxes: list[etree._Element] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    diagrams: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    counted: str | None = None
    has_equation: bool = False
    has_words: bool = False

    def add(self, text: str, script: int = PLAIN, tex: str | None = None) -> None:
        """Adds a text."""
        self.pieces.append((text, script, tex))
        self.length += len(text)

    def precede(self, other: Line) -> None:
        """Puts the content of the paragraph before in front of this one."""
        self.links = other.links + shift(self.links, other.length)
        self.pieces = other.pieces + self.pieces
        self.length += other.length
        self.boxes[:0], self.pictures[:0], self.diagrams[:0] = other.boxes, other.pictures, other.diagrams
        self.notes[:0] = other.notes
        self.counted = self.counted or other.counted
        self.has_equation = self.has_equation or other.has_equation
        self.has_words = self.has_words or other.has_words

    def text(self) -> tuple[str, str | None, list[Span]]:
        """The text without space around it, its notation where scripts need one, and the links in it."""
        text = "".join([piece[0] for piece in self.pieces])
        clean = text.strip()
        links = clip(self.links, len(text) - len(text.lstrip()), len(clean))
        is_plain = all(piece[1] == PLAIN for piece in self.pieces)
        return clean, None if is_plain else notation(self.pieces).strip(), links


@dataclass(slots=True)
class _Field:
    """A complex field that has begun (17.16.18)."""

    code: list[str] = field(default_factory=list)
    in_result: bool = False
    start: int = 0


class Reader:
    """Reads paragraphs one after the other; fields may span some.

    Args:
        styles: to know hidden character styles.
        original: deleted text counts and inserted text does not.
    """

    def __init__(self, styles: Styles, *, original: bool) -> None:
        self.relations: dict[str, Relationship] = {}
        self._styles = styles
        self._dropped = {n.INS, n.MOVE_TO} if original else {n.DEL, n.MOVE_FROM}
        self._kept = ({n.DEL, n.MOVE_FROM} if original else {n.INS, n.MOVE_TO}) | n.WRAPPERS
        self._texts = {n.T, w("delText")} if original else {n.T}
        self._codes = {w("instrText"), w("delInstrText")} if original else {w("instrText")}
        self._fields: list[_Field] = []
        self._line = Line()
        self._is_hidden = False

    def read(self, paragraph: etree._Element, *, is_hidden: bool = False) -> Line:
        """The content of a paragraph; ``is_hidden``: its style hides the runs that do not say otherwise."""
        self._line = Line()
        self._is_hidden = is_hidden
        for open_field in self._fields:
            open_field.start = 0
        self._contents(paragraph)
        for open_field in self._fields:  # a link that goes on in the next paragraph
            if open_field.in_result:
                self._close(open_field)
        return self._line

    def _contents(self, parent: etree._Element) -> None:
        for element in parent:
            tag = element.tag
            if tag == n.R:
                self._run(element)
            elif tag == n.P_PR or tag in self._dropped:
                continue
            elif tag == _HYPERLINK:
                self._hyperlink(element)
            elif tag in self._kept:
                self._contents(element)
            elif tag == _FIELD:
                self._simple_field(element)
            elif tag in _EQUATIONS:
                if not self._is_hidden:
                    self._equation(element)
            elif tag == n.ALTERNATE:
                self._alternate(element, self._contents)

    def _run(self, run: etree._Element) -> None:
        script, font = PLAIN, ""
        vanish: bool | None = None
        properties = run.find(n.R_PR)
        if properties is not None:
            for element in properties:
                tag = element.tag
                if tag == _R_FONTS:
                    font = element.get(_ASCII) or element.get(_HIGH_ANSI) or ""
                elif tag == _VERT_ALIGN:
                    script = _SCRIPT.get(element.get(n.VAL, ""), PLAIN)
                elif tag == _VANISH:
                    vanish = is_on(element.get(n.VAL, "1"))
                elif tag == _R_STYLE and vanish is None and self._styles.is_hidden(element.get(n.VAL)):
                    vanish = True  # the style stands first in the properties (17.3.2.28); a direct value overrules it
        if vanish or (vanish is None and self._is_hidden):
            self._run_contents(run, PLAIN, "", fields_only=True)
            return
        self._run_contents(run, script, font)

    def _run_contents(self, run: etree._Element, script: int, font: str, *, fields_only: bool = False) -> None:
        line = self._line
        for element in run:
            tag = element.tag
            if tag == _FIELD_CHAR:
                self._field_char(element)
            elif tag in self._codes:
                if self._fields and not self._fields[-1].in_result:
                    self._fields[-1].code.append(element.text or "")
            elif fields_only:
                continue
            elif tag in self._texts:
                text = element.text
                if text:
                    if "\n" in text or "\r" in text:
                        text = _LINE_END.sub(" ", text)
                    if font and _PRIVATE.search(text):
                        text = from_font(font, text)
                    line.add(text, script)
                    line.has_words = line.has_words or not text.isspace()
            elif tag in _SIGNS:
                line.add(_SIGNS[tag])
            elif tag == _SYM:
                line.add(symbol(element.get(_FONT, ""), element.get(_CHAR, "")), script)
            elif tag in _NOTES:
                line.notes.append((_NOTES[tag], element.get(n.ID, "")))
            elif tag in _DRAWINGS:
                self._drawing(element)
            elif tag == n.ALTERNATE:
                self._alternate(element, lambda branch: self._run_contents(branch, script, font))
            elif tag == _RUBY:
                for base in element.iterchildren(_RUBY_BASE):  # the guide text above it is no text of the line
                    self._contents(base)

    def _alternate(self, element: etree._Element, read: Callable[[etree._Element], None]) -> None:
        """Reads one branch: the first choice that gives something, else the fallback (part 3, 7.5)."""
        line = self._line
        for branch in (*element.iterchildren(n.CHOICE), *element.iterchildren(n.FALLBACK)):
            before = (len(line.pieces), len(line.boxes), len(line.diagrams), len(line.pictures))
            read(branch)
            if (len(line.pieces), len(line.boxes), len(line.diagrams), len(line.pictures)) != before:
                return

    def _hyperlink(self, element: etree._Element) -> None:
        relation = self.relations.get(element.get(n.R_ID, ""))
        start = self._line.length
        self._contents(element)
        if relation is not None and relation.external and relation.target:
            anchor = element.get(_ANCHOR)
            url = f"{relation.target}#{anchor}" if anchor and "#" not in relation.target else relation.target
            self._link(start, url)

    def _link(self, start: int, url: str) -> None:
        if start < self._line.length and url:
            self._line.links.append((start, self._line.length, url))

    def _simple_field(self, element: etree._Element) -> None:
        """A field in one element (17.16.19); its content is the result."""
        done = _Field([element.get(_INSTRUCTION, "")], True, self._line.length)
        self._contents(element)
        self._close(done)

    def _field_char(self, element: etree._Element) -> None:
        kind = element.get(_FIELD_CHAR_TYPE)
        if kind == "begin":
            self._fields.append(_Field(start=self._line.length))
        elif self._fields and kind == "separate":
            self._fields[-1].in_result = True
            self._fields[-1].start = self._line.length
        elif self._fields and kind == "end":
            self._close(self._fields.pop())

    def _close(self, ended: _Field) -> None:
        code = "".join(ended.code)
        if match := _LINK_FIELD.match(code):
            self._link(ended.start, match[1] or match[2] or "")
        elif match := _COUNT_FIELD.match(code):
            self._line.counted = match[1]

    def _equation(self, element: etree._Element) -> None:
        equations = element.findall(m("oMath")) if element.tag == _EQUATION_PARAGRAPH else [element]
        for place, equation in enumerate(equations):
            text = linear(equation)
            if text:
                line = self._line
                line.add("\n" + text if place else text, EQUATION, linear(equation, braces=True))
                line.has_equation = True

    def _drawing(self, element: etree._Element) -> None:
        line = self._line
        for found in element.iter(n.TEXT_BOX, _PICTURE, _DIAGRAM, _TEXT_PATH):
            tag = found.tag
            if any(a.tag in _INNER for a in _between(found, element)):
                continue  # of a box in this box, or of the other branch
            if tag == n.TEXT_BOX:
                line.boxes.append(found)
            elif tag == _DIAGRAM:
                line.diagrams.append(found.get(_DIAGRAM_DATA, ""))
            elif text := (found.get("string" if tag == _TEXT_PATH else "descr") or "").strip():
                line.pictures.append(text)


def notation(pieces: list[Piece]) -> str:
    """Return a text of pieces in the notation of :mod:`corpuskit.extraction.notation`."""
    token: list[tuple[str, int]] = []
    out: list[str] = []

    def end_token() -> None:
        out.extend(text for text, _ in token_pieces(token))
        token.clear()

    for text, script, tex in pieces:
        if script == EQUATION:
            token.append((tex or text, EQUATION))
            continue
        for part in _SPACE.split(text):
            if part.isspace():
                end_token()
                out.append(part)
            elif part:
                token.append((part, script))
    end_token()
    return "".join(out)


def symbol(font: str, code: str) -> str:
    """The character of a ``w:sym``: a hexadecimal code in a font; empty for a code that is none."""
    try:
        number = int(code, 16)
        return from_font(font, chr(number + 0xF000 if number < 0x100 else number))
    except (ValueError, OverflowError):
        return ""


def from_font(font: str, text: str) -> str:
    """A text whose private characters are those of a symbol font; unknown ones become U+FFFD."""
    table = _SYMBOL if font.lower() == "symbol" else _WINGDINGS if font.lower().startswith("wingdings") else {}
    return "".join(
        table.get(ord(c) - 0xF000, "•" if ord(c) == 0xF0B7 else "\ufffd") if 0xF020 <= ord(c) <= 0xF0FF else c
        for c in text
    )


def _between(element: etree._Element, outer: etree._Element) -> list[etree._Element]:
    """The ancestors of an element below another."""
    found = []
    parent = element.getparent()
    while parent is not None and parent is not outer:
        found.append(parent)
        parent = parent.getparent()
    return found


_HYPERLINK, _FIELD, _FIELD_CHAR, _SYM, _RUBY = w("hyperlink"), w("fldSimple"), w("fldChar"), w("sym"), w("ruby")
_RUBY_BASE, _ANCHOR, _INSTRUCTION, _FIELD_CHAR_TYPE = w("rubyBase"), w("anchor"), w("instr"), w("fldCharType")
_FONT, _CHAR, _ASCII, _HIGH_ANSI = w("font"), w("char"), w("ascii"), w("hAnsi")
_EQUATION_PARAGRAPH: Final = m("oMathPara")
_EQUATIONS: Final = frozenset((m("oMath"), _EQUATION_PARAGRAPH))
# 17.3.3: the characters that these elements stand for.
_SIGNS: Final = {
    w("tab"): "\t", w("ptab"): "\t", w("br"): "\n", w("cr"): "\n", w("noBreakHyphen"): "\u2011",
    w("softHyphen"): "\u00ad",
}  # fmt: skip
_NOTES: Final = {w("footnoteReference"): "footnote", w("endnoteReference"): "endnote"}
_DRAWINGS: Final = frozenset((w("drawing"), w("pict"), w("object")))
_PICTURE: Final = f"{{{n.PLACING}}}docPr"
_DIAGRAM: Final = f"{{{n.DIAGRAM}}}relIds"
_DIAGRAM_DATA: Final = f"{{{n.RELATIONS}}}dm"
_TEXT_PATH: Final = "{urn:schemas-microsoft-com:vml}textpath"
_INNER: Final = frozenset((n.TEXT_BOX, n.FALLBACK))
