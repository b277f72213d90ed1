"""Numbering: which paragraphs are items of which list, and how deep (ECMA-376-1, 17.9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lxml import etree

from corpuskit.extraction.docx.names import P_PR, VAL, w
from corpuskit.extraction.docx.styles import Styles, indent_of, integer, value_of

_FAR: Final = 8  # links from numbering to style to numbering

_ABSTRACT_ID, _OVERRIDE, _LEVEL, _LEVEL_ID = w("abstractNumId"), w("lvlOverride"), w("lvl"), w("ilvl")
_LEVEL_TEXT, _PICTURE, _FORMAT, _STYLE = w("lvlText"), w("lvlPicBulletId"), w("numFmt"), w("pStyle")
_STYLE_LINK, _INDENT = w("numStyleLink"), f"{P_PR}/{w('ind')}"


@dataclass(frozen=True, slots=True)
class ListLevel:
    """A level of a list.

    Attributes:
        is_shown: it shows a number or a bullet; what shows nothing goes on with the item above.
        indent: twentieths of a point from the left; None where it says nothing.
        style: the paragraph style that stands for this level.
    """

    is_shown: bool
    indent: int | None
    style: str | None


class Numbering:
    """The lists of a document; each is resolved when it is first used."""

    def __init__(self, root: etree._Element | None, styles: Styles) -> None:
        self._styles = styles
        self._abstract: dict[str, etree._Element] = {}
        self._numbers: dict[str, etree._Element] = {}
        self._levels: dict[str, dict[int, ListLevel]] = {}
        self._lists: dict[str, str] = {}
        self._read: dict[str, dict[int, ListLevel]] = {}  # of abstract definitions, which many lists share
        if root is not None:
            self._abstract = {e.get(_ABSTRACT_ID, ""): e for e in root.iterchildren(w("abstractNum"))}
            self._numbers = {e.get(w("numId"), ""): e for e in root.iterchildren(w("num"))}

    def level(self, number: str, level: int) -> ListLevel | None:
        """A level of a list; None where there is no such list. Levels that are not defined are like others."""
        levels = self._levels_of(number)
        if levels is None:
            return None
        return levels.get(level) or ListLevel(is_shown=True, indent=None, style=None)

    def level_of_style(self, number: str, style_ids: tuple[str, ...]) -> int:
        """The level of a list whose paragraphs have one of these styles (17.9.23), else 0."""
        levels = self._levels_of(number) or {}
        for style_id in style_ids:
            for number_of_level, level in levels.items():
                if level.style == style_id:
                    return number_of_level
        return 0

    def list_of(self, number: str) -> str:
        """What all numbers of one list have in common: its abstract definition."""
        if number not in self._lists:
            self._lists[number] = value_of(self._numbers.get(number), _ABSTRACT_ID) or number
        return self._lists[number]

    def _levels_of(self, number: str) -> dict[int, ListLevel] | None:
        if number not in self._levels:
            element = self._numbers.get(number)
            if element is None:
                return None
            levels = self._abstract_levels(element)
            for override in element.iterchildren(_OVERRIDE):  # 17.9.8
                levels.update(_read_levels(override))
            self._levels[number] = levels
        return self._levels[number]

    def _abstract_levels(self, element: etree._Element) -> dict[int, ListLevel]:
        for _ in range(_FAR):
            abstract = self._abstract.get(value_of(element, _ABSTRACT_ID) or "")
            if abstract is None:
                break
            linked = value_of(abstract, _STYLE_LINK)  # the levels stand where a style says (17.9.21)
            following = self._numbers.get(self._styles.numbering_of(linked) or "") if linked else None
            if following is None or following is element:
                key = abstract.get(_ABSTRACT_ID, "")
                if key not in self._read:
                    self._read[key] = _read_levels(abstract)
                return dict(self._read[key])
            element = following
        return {}


def _read_levels(parent: etree._Element) -> dict[int, ListLevel]:
    levels = {}
    for element in parent.iterchildren(_LEVEL):
        number = integer(element.get(_LEVEL_ID))
        if number is None:
            continue
        text = element.find(_LEVEL_TEXT)
        is_empty = text is not None and not (text.get(VAL) or "").strip() and element.find(_PICTURE) is None
        is_shown = not is_empty or value_of(element, _FORMAT) not in {"none", "bullet"}
        levels[number] = ListLevel(is_shown, indent_of(element.find(_INDENT)), value_of(element, _STYLE))
    return levels
