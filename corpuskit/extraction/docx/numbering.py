"""Numbering: which paragraphs are items of which list, and how deep (ECMA-376-1, 17.9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lxml import etree

from corpuskit.extraction.docx.names import P_PR, VAL, w
from corpuskit.extraction.docx.styles import Styles, indent_of, integer, value_of

_FAR: Final = 8  # links from numbering to style to numbering


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
        if root is not None:
            self._abstract = {e.get(w("abstractNumId"), ""): e for e in root.iterchildren(w("abstractNum"))}
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
            self._lists[number] = value_of(self._numbers.get(number), w("abstractNumId")) or number
        return self._lists[number]

    def _levels_of(self, number: str) -> dict[int, ListLevel] | None:
        if number not in self._levels:
            element = self._numbers.get(number)
            if element is None:
                return None
            levels = self._abstract_levels(element)
            for override in element.iterchildren(w("lvlOverride")):  # 17.9.8
                levels.update(_read_levels(override))
            self._levels[number] = levels
        return self._levels[number]

    def _abstract_levels(self, element: etree._Element) -> dict[int, ListLevel]:
        for _ in range(_FAR):
            abstract = self._abstract.get(value_of(element, w("abstractNumId")) or "")
            if abstract is None:
                break
            linked = value_of(abstract, w("numStyleLink"))  # the levels stand where a style says (17.9.21)
            following = self._numbers.get(self._styles.numbering_of(linked) or "") if linked else None
            if following is None or following is element:
                return _read_levels(abstract)
            element = following
        return {}


def _read_levels(parent: etree._Element) -> dict[int, ListLevel]:
    levels = {}
    for element in parent.iterchildren(w("lvl")):
        number = integer(element.get(w("ilvl")))
        if number is None:
            continue
        text = element.find(w("lvlText"))
        is_empty = text is not None and not (text.get(VAL) or "").strip() and element.find(w("lvlPicBulletId")) is None
        is_shown = not is_empty or value_of(element, w("numFmt")) not in {"none", "bullet"}
        levels[number] = ListLevel(
            is_shown, indent_of(element.find(f"{P_PR}/{w('ind')}")), value_of(element, w("pStyle"))
        )
    return levels
