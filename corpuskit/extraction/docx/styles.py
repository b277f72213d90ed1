"""Styles: what a paragraph is for, by its style and the styles that one is based on (ECMA-376-1, 17.7)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from lxml import etree

from corpuskit.extraction.docx.names import P_PR, R_PR, VAL, WORD, w
from corpuskit.extraction.docx.package import Package

# Names of built-in styles are stored in English (17.7.4.9), but other programs and people write local ones.
_HEADING: Final = re.compile(
    r"(?:heading|überschrift|berschrift|titre|título|titolo|titlu|kop|koptekst|rubrik|overskrift|otsikko|nagłówek|nadpis"
    r"|naslov|címsor|başlık|rubrica|encabezado|cabeçalho|заголовок|επικεφαλίδα|标题|標題|見出し|제목|antraštė|virsraksts"
    r"|pealkiri|tiêu đề|judul|כותרת|عنوان) ?([1-9])"
)
_TITLE: Final = frozenset((
    "title", "titel", "titre", "título", "titolo", "tytuł", "název", "название", "tittel", "otsikko", "cím", "konu başlığı",
    "τίτλος", "タイトル", "表題", "제목", "titlu", "naslov",
))  # fmt: skip
_CAPTION: Final = frozenset((
    "caption", "beschriftung", "légende", "leyenda", "epígrafe", "legenda", "didascalia", "bijschrift", "titulek",
    "beskrivning", "billedtekst", "bildetekst", "kuvaotsikko", "название объекта", "题注", "標號", "図表番号", "캡션",
    "table caption", "image caption",
))  # fmt: skip
_CODE: Final = re.compile(
    r"(?:source code|html preformatted|preformatted text|code(?: block)?|macro text|listing|plain text)"
)
_CONTENTS: Final = re.compile(r"toc \d|table of figures|contents \d|index \d|verzeichnis \d")
_LIST: Final = re.compile(r"list (?:bullet|number)(?: ([2-9]))?")
_QUOTE: Final = frozenset(("quote", "intense quote", "block text", "quotations", "zitat"))
TITLE_LEVEL: Final = 0
_OFF: Final = frozenset(("0", "false", "off", "none"))
_STYLE_ID, _DEFAULT, _TYPE = w("styleId"), w("default"), w("type")
_LEFT, _START = w("left"), w("start")
_WORD: Final = WORD.encode()
_ROOT_TAG: Final = re.compile(rb"<w:styles\s[^>]*[^/]>")
_STYLE_START: Final = b"<w:style "
_STYLE_END: Final = b"</w:style>"
_STYLE_ID_TEXT: Final = re.compile(rb"\sw:styleId=[\"']([^\"']*)[\"']")
_IS_DEFAULT: Final = re.compile(rb"\sw:default=[\"'](?:1|true|on)[\"']")
_FAR: Final = 24  # styles in a chain; more is a circle


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """What a paragraph's style says.

    Attributes:
        level: 0 for the title, 1 to 9 for headings, else None.
        number: numId of its list; None where it has none.
        list_level: 0-based level in that list; None where the list's levels name the style.
        names_list: the name alone says list, without numbering: its 0-based level.
        indent: twentieths of a point from the left; None where it says nothing.
        role: caption, code, quote, contents or empty.
        continues_list: what stands under an item.
        hidden: the text is not shown.
        ids: the style and those it is based on.
    """

    level: int | None = None
    number: str | None = None
    list_level: int | None = None
    names_list: int | None = None
    indent: int | None = None
    role: str = ""
    continues_list: bool = False
    hidden: bool = False
    ids: tuple[str, ...] = ()


class Styles:
    """The styles of a document; each is parsed and resolved when it is first used.

    A document uses a dozen of some hundred styles, and parsing them all took a third of the time (2026-11-20): the
    part is cut into styles by their tags, which have the prefix ``w`` in files of all known writers; others are parsed
    whole.
    """

    def __init__(self, package: Package, part: str | None) -> None:
        self._package, self._part = package, part or ""
        self._pieces: dict[str, bytes] = {}
        self._root_tag = b""
        self._elements: dict[str, etree._Element] = {}
        self._default: str | None = None
        self._known: dict[str | None, ParagraphStyle] = {}
        self._hidden: dict[str | None, bool] = {}
        content = package.xml(part) if part else None
        self._missing = content is None
        if content is not None and not self._cut(content):
            self._read(package.parse_text(content, self._part))

    def _cut(self, content: bytes) -> bool:
        """Cuts the part into styles; False where it has to be parsed."""
        root = _ROOT_TAG.search(content)
        if root is None or b"&" in root[0] or _WORD not in root[0]:
            return False
        for piece in content[root.end() :].split(_STYLE_END)[:-1]:
            start = piece.find(_STYLE_START)
            tag = piece[start : piece.find(b">", start) + 1]
            style_id = _STYLE_ID_TEXT.search(tag)
            if start < 0 or style_id is None or b"&" in tag or tag.endswith(b"/>"):
                self._pieces.clear()
                return False
            name = style_id[1].decode("utf-8", "replace")
            self._pieces.setdefault(name, piece[start:])
            if _IS_DEFAULT.search(tag) and b'"paragraph"' in tag:
                self._default = name
        self._root_tag = root[0]
        return True

    def _element(self, style_id: str) -> etree._Element | None:
        piece = self._pieces.pop(style_id, None)
        if piece is not None:
            root = self._package.parse_text(self._root_tag + piece + _STYLE_END + b"</w:styles>", self._part)
            if root is not None and len(root):
                self._elements[style_id] = root[0]
        return self._elements.get(style_id)

    def _read(self, root: etree._Element | None) -> None:
        for style in () if root is None else root.iterchildren(w("style")):
            style_id = style.get(_STYLE_ID)
            if style_id is not None:
                self._elements.setdefault(style_id, style)
                if is_on(style.get(_DEFAULT, "0")) and style.get(_TYPE) == "paragraph":
                    self._default = style_id

    def paragraph(self, style_id: str | None) -> ParagraphStyle:
        """The style of a paragraph; the default style for one that is None or not there (17.3.1.27)."""
        found = self._known.get(style_id)
        if found is None:
            known = style_id if style_id is not None and self._element(style_id) is not None else self._default
            found = self._known[style_id] = self._resolve(known, style_id)
        return found

    def is_hidden(self, style_id: str | None) -> bool:
        """Whether a character style hides its text (17.3.2.41)."""
        if style_id not in self._hidden:
            toggles = [value for style in self._chain(style_id) if (value := _toggle(style, "vanish")) is not None]
            self._hidden[style_id] = toggles[0] if toggles else False
        return self._hidden[style_id]

    def numbering_of(self, style_id: str) -> str | None:
        """The numId of a numbering style (17.9.21, 17.9.27)."""
        style = self._element(style_id)
        return None if style is None else value_of(style, P_PR, w("numPr"), w("numId"))

    def has_first_row(self, style_id: str | None) -> bool:
        """Whether a table style makes its first row look other than the rest (17.7.6.6)."""
        return any(
            element.get(w("type")) == "firstRow" and len(element)
            for style in self._chain(style_id)
            for element in style.iterchildren(w("tblStylePr"))
        )

    def _chain(self, style_id: str | None) -> list[etree._Element]:
        chain: list[etree._Element] = []
        while style_id is not None and len(chain) < _FAR and (style := self._element(style_id)) is not None:
            chain.append(style)
            style_id = value_of(style, w("basedOn"))
        return chain

    def _resolve(self, style_id: str | None, asked: str | None) -> ParagraphStyle:
        level: int | None = None
        decided = False
        number = list_level = names_list = indent = hidden = None
        role, continues = "", False
        chain = self._chain(style_id)
        for style in chain:
            names = [name.strip() for name in (value_of(style, w("name")) or "").lower().split(",")]
            outline = value_of(style, P_PR, w("outlineLvl"))
            if not decided and (named := _level_of(names)) is not None:
                level, decided = named, True
            elif not decided and outline is not None:
                level, decided = outline_level(outline), True
            if number is None:
                number = value_of(style, P_PR, w("numPr"), w("numId"))
            if list_level is None:
                list_level = integer(value_of(style, P_PR, w("numPr"), w("ilvl")))
            if indent is None:
                indent = indent_of(style.find(f"{P_PR}/{w('ind')}"))
            if hidden is None:
                hidden = _toggle(style, "vanish")
            for name in names:
                if not role:
                    role = _role_of(name)
                if names_list is None and (match := _LIST.fullmatch(name)):
                    names_list = int(match[1] or 1) - 1
                continues = continues or name.startswith("list continue")
        if not chain and self._missing and asked is not None:
            level = _level_of([asked.lower()])  # a package without styles: the id is all there is
        ids = tuple(style.get(w("styleId")) or "" for style in chain)
        return ParagraphStyle(level, number, list_level, names_list, indent, role, continues, bool(hidden), ids)


def _level_of(names: list[str]) -> int | None:
    for name in names:
        if match := _HEADING.fullmatch(name):
            return int(match[1])
        if name in _TITLE:
            return TITLE_LEVEL
    return None


def _role_of(name: str) -> str:
    if name in _CAPTION:
        return "caption"
    if _CODE.fullmatch(name):
        return "code"
    if name in _QUOTE:
        return "quote"
    return "contents" if _CONTENTS.fullmatch(name) else ""


def _toggle(style: etree._Element, name: str) -> bool | None:
    properties = style.find(R_PR)
    element = None if properties is None else properties.find(w(name))
    return None if element is None else is_on(element.get(VAL, "1"))


def outline_level(value: str | None) -> int | None:
    """1 to 9 of an outline level 0 to 8; None for 9, body text (17.3.1.20)."""
    number = integer(value)
    return number + 1 if number is not None and 0 <= number < 9 else None


def indent_of(element: etree._Element | None) -> int | None:
    """The left indent that ``w:ind`` says (17.3.1.12), ``start`` in strict documents."""
    return None if element is None else integer(element.get(_LEFT) or element.get(_START))


def integer(value: str | None) -> int | None:
    """A number of an attribute; None for what is none."""
    try:
        return int(value) if value is not None else None
    except ValueError:
        return None


def is_on(value: str) -> bool:
    """A truth value (22.9.2.7)."""
    return value not in _OFF


def value_of(element: etree._Element | None, *path: str) -> str | None:
    """The ``val`` of the element at a path of children."""
    for name in path:
        element = None if element is None else element.find(name)
    return None if element is None else element.get(VAL)
