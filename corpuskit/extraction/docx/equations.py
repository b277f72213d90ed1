"""Equations: OMML (ECMA-376-1, 22.1) in one line.

The form is that of Unicode Technical Note 28 (UnicodeMath), which Word itself shows as the linear format: ``a^2``,
``(a+b)/c``, ``√(x)``, ``∑_(n=1)^∞ a_n``. Where that form has signs that nobody reads, the choice is ours: a matrix is
``(a, b; c, d)``, an array of equations has a line each, a function's name and argument are parted by a space.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Final

from lxml import etree

from corpuskit.extraction.docx.names import DEL, MATH, MOVE_FROM, T, m

_VAL: Final = m("val")
_TEXT: Final = m("t")
_OFF: Final = frozenset(("0", "off", "false"))
_SCRIPTS: Final = {"sSup": ("", "sup"), "sSub": ("sub", ""), "sSubSup": ("sub", "sup")}
_LARGE: Final = "∫"  # the operator of m:nary that names none (22.1.2.70)


def linear(element: etree._Element, *, braces: bool = False) -> str:
    """An equation in one line; with ``braces`` scripts are written ``^{2}`` and ``_{2}``."""
    return _Linear(braces).children(element).strip()


class _Linear:
    def __init__(self, braces: bool) -> None:
        self._braces = braces

    def children(self, element: etree._Element) -> str:
        return "".join(map(self._one, element))

    def _one(self, element: etree._Element) -> str:
        tag = element.tag
        if tag in {_TEXT, T}:
            return element.text or ""
        if tag in {DEL, MOVE_FROM} or not isinstance(tag, str):
            return ""
        name = tag.rpartition("}")[2]
        if name.endswith("Pr"):
            return ""
        if not tag.startswith("{" + MATH):
            return self.children(element)
        write = _WRITERS.get(name)
        return write(self, element, name) if write else self.children(element)

    def part(self, element: etree._Element, name: str) -> str:
        found = element.find(m(name))
        return "" if found is None else self.children(found)

    def script(self, mark: str, text: str) -> str:
        if not text:
            return ""
        if self._braces:
            return f"{mark}{{{text}}}"
        return mark + (text if _is_atom(text) else f"({text})")

    def scripts(self, element: etree._Element, name: str) -> str:
        below, above = _SCRIPTS[name]
        lower = self.script("_", self.part(element, below)) if below else ""
        upper = self.script("^", self.part(element, above)) if above else ""
        return _grouped(self.part(element, "e")) + lower + upper

    def before(self, element: etree._Element, _: str) -> str:
        lower = self.script("_", self.part(element, "sub"))
        return lower + self.script("^", self.part(element, "sup")) + self.part(element, "e")

    def fraction(self, element: etree._Element, _: str) -> str:
        over, under = self.part(element, "num"), self.part(element, "den")
        if _property(element, "fPr", "type") == "noBar":
            return f"{over}¦{under}"
        return f"{_grouped(over)}/{_grouped(under)}"

    def root(self, element: etree._Element, _: str) -> str:
        degree = "" if _is_set(element, "radPr", "degHide") else self.part(element, "deg")
        return f"√({degree}&{self.part(element, 'e')})" if degree else f"√({self.part(element, 'e')})"

    def large(self, element: etree._Element, _: str) -> str:
        sign = _property(element, "naryPr", "chr")
        lower = "" if _is_set(element, "naryPr", "subHide") else self.part(element, "sub")
        upper = "" if _is_set(element, "naryPr", "supHide") else self.part(element, "sup")
        limits = self.script("_", lower) + self.script("^", upper)
        return (_LARGE if sign is None else sign) + limits + (" " if limits else "") + self.part(element, "e")

    def fenced(self, element: etree._Element, _: str) -> str:
        opening, closing, mark = (_property(element, "dPr", name) for name in ("begChr", "endChr", "sepChr"))
        inner = ("|" if mark is None else mark).join(self.children(e) for e in element.iterchildren(m("e")))
        return ("(" if opening is None else opening) + inner + (")" if closing is None else closing)

    def function(self, element: etree._Element, _: str) -> str:
        name, argument = self.part(element, "fName"), self.part(element, "e")
        return name + ("" if not argument or argument[0] in "([{|" else " ") + argument

    def limit(self, element: etree._Element, name: str) -> str:
        return self.part(element, "e") + self.script("_" if name == "limLow" else "^", self.part(element, "lim"))

    def accent(self, element: etree._Element, _: str) -> str:
        return _combined(self.part(element, "e"), _property(element, "accPr", "chr") or "\u0302")

    def bar(self, element: etree._Element, _: str) -> str:
        top = _property(element, "barPr", "pos") == "top"
        return _combined(self.part(element, "e"), "\u0305" if top else "\u0332")

    def matrix(self, element: etree._Element, _: str) -> str:
        rows = (", ".join(self.children(e) for e in row.iterchildren(m("e"))) for row in element.iterchildren(m("mr")))
        return f"({'; '.join(rows)})"

    def array(self, element: etree._Element, _: str) -> str:
        return "\n".join(self.children(e) for e in element.iterchildren(m("e")))

    def phantom(self, element: etree._Element, _: str) -> str:
        shown = _property(element, "phantPr", "show")
        return "" if shown in _OFF else self.part(element, "e")


_WRITERS: Final[dict[str, Callable[[_Linear, etree._Element, str], str]]] = {
    **dict.fromkeys(_SCRIPTS, _Linear.scripts),
    "sPre": _Linear.before,
    "f": _Linear.fraction,
    "rad": _Linear.root,
    "nary": _Linear.large,
    "d": _Linear.fenced,
    "func": _Linear.function,
    "limLow": _Linear.limit,
    "limUpp": _Linear.limit,
    "acc": _Linear.accent,
    "bar": _Linear.bar,
    "m": _Linear.matrix,
    "eqArr": _Linear.array,
    "phant": _Linear.phantom,
}


def _property(element: etree._Element, properties: str, name: str) -> str | None:
    found = element.find(f"{m(properties)}/{m(name)}")
    return None if found is None else found.get(_VAL, "")


def _is_set(element: etree._Element, properties: str, name: str) -> bool:
    value = _property(element, properties, name)
    return value is not None and value not in _OFF


def _is_atom(text: str) -> bool:
    """Needs no parentheses: one sign, a number, or a word of letters."""
    return len(text) == 1 or text.isalnum()


def _grouped(text: str) -> str:
    """In parentheses unless it is an atom, or stands in some."""
    stripped = text.strip()
    if _is_atom(stripped) or not stripped or _is_fenced(stripped):
        return text
    return f"({text})"


def _is_fenced(text: str) -> bool:
    if text[0] != "(" or text[-1] != ")":
        return False
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return place == len(text) - 1
    return False


def _combined(text: str, mark: str) -> str:
    """A letter with its accent; a longer text in parentheses before it."""
    if unicodedata.combining(mark[:1]):
        return text + mark if len(text) == 1 else f"({text}){mark}"
    return text + mark
