"""Formulas: what MathML, KaTeX, MathJax and MediaWiki put into a page in several copies becomes its TeX, once.

A formula stands in a page as a picture or a heap of elements for the eye, as hidden MathML for readers of screens, and as
TeX in an annotation, an attribute or a script. Here the whole becomes ``<math alttext="TeX"/>``, which the walk reads.
"""

from __future__ import annotations

import re
from typing import Final

from lxml import etree

from corpuskit.extraction.html.selectors import remove

# One is in each tag that can be part of a formula; to search for them is a tenth of the cost of the pattern.
_PARTS: Final = ("math", "Math", "mjx-", "atex", 'tex="', '"tex', "-formula", "-expr")
_SIGN: Final = re.compile(
    r'(?:\w+:)?math\b|mjx-|script .*type="math/|.*(?:mwe-math| data-(?:tex|latex|katex|formula|expr|math)='
    r'|class="(?:[^"]* )?(?:katex|MathJax|latex|tex)[ "])',
    re.DOTALL,
)
# Elements that hold one formula and nothing else: of KaTeX, of MathJax 2, 3 and 4, and of MediaWiki.
_HOLDERS: Final = frozenset((
    "katex", "katex-display", "katex-mathml", "katex-html", "katex-error",
    "MathJax", "MathJax_Display", "MathJax_SVG", "MathJax_SVG_Display", "MathJax_CHTML", "MathJax_MathML", "MathJax_Preview",
    "MJXc-display", "MJX_Assistive_MathML", "mjx-chtml", "mjx-full-width",
    "mwe-math-element", "mwe-math-element-inline", "mwe-math-element-block", "mwe-math-mathml-inline",
    "mwe-math-mathml-display", "mwe-math-mathml-a11y",
))  # fmt: skip
_HOLDER_TAGS: Final = frozenset(("mjx-container", "mjx-assistive-mml", "mjx-math"))
_PICTURES: Final = ("mwe-math-fallback-image", "latex", "tex")
_SURE: Final = ("data-tex", "data-latex", "data-katex")
_LIKELY: Final = ("data-formula", "data-expr", "data-math")  # where the class says so too
_IS_MATH: Final = re.compile(r"(?:^|[\s_-])(?:math|tex|latex|katex|formula|equation)", re.IGNORECASE)
_STYLED: Final = re.compile(r"\{\\(?:displaystyle|textstyle)\b\s*(.*)\}", re.DOTALL)
_DELIMITED: Final = re.compile(r"(?:\$\$(.*)\$\$|\$(.*)\$|\\\((.*)\\\)|\\\[(.*)\\\])", re.DOTALL)
_TAG: Final = re.compile(r"<[^<>]*>")
_IN_MARKUP: Final = re.compile(r'\balttext="([^"]*)"|<annotation[^<>]*tex[^<>]*>(.*?)</annotation>', re.DOTALL)


def is_sign(head: str) -> bool:
    """Whether a start tag, what stands between ``<`` and ``>``, can be part of a formula."""
    for part in _PARTS:  # a generator for any() costs more than the eight searches
        if part in head:
            return _SIGN.match(head) is not None
    return False


def settle(root: etree._Element) -> bool:
    """Put ``<math alttext="TeX"/>`` in the place of each formula of a parsed page; return whether there was any."""
    found = []
    walk = etree.iterwalk(root, events=("start",))
    for _, element in walk:
        tex = _tex_of(element)
        if tex is not None:
            found.append((element, tex))
            walk.skip_subtree()  # what is in a formula is part of it, however deep
    found.sort(key=lambda one: one[0].tag != "script")  # with a script go the copies before it
    for element, written in found:
        if not _is_beneath(element, root):
            continue  # it was a copy of a formula that is settled
        tex = plain(written)
        if element.tag == "script":
            _drop_copies_before(element)
        elif not tex and element.tag != "math":
            continue
        _replace(_holder_of(element), tex)
    return bool(found)


def plain(tex: str) -> str:
    """TeX without the marks around it: dollars, parentheses, and the style that MediaWiki writes."""
    tex = tex.strip()
    for pattern in (_DELIMITED, _STYLED):
        if found := pattern.fullmatch(tex):
            tex = next(group for group in found.groups() if group is not None).strip()
    return " ".join(tex.split())


def _is_beneath(element: etree._Element, root: etree._Element) -> bool:
    """Whether an element still stands in the page."""
    top = element
    while (around := top.getparent()) is not None:
        top = around
    return top is root


def _tex_of(element: etree._Element) -> str | None:
    """The TeX of an element that stands for a formula; None of another."""
    name = element.tag
    if name == "math":
        return _of_mathml(element)
    if name == "script":
        kind = str(element.get("type", "")).partition(";")[0].strip().lower()
        if kind in ("math/tex", "math/latex", "math/asciimath"):
            return element.text or ""
        return _of_markup(element.text or "") if kind == "math/mml" else None
    classes = str(element.get("class", ""))
    if name == "img":
        is_picture = any(one.startswith(_PICTURES[0]) or one in _PICTURES[1:] for one in classes.split())
        return str(element.get("alt", "")) if is_picture else None
    for attribute in _SURE:
        if element.get(attribute):
            return str(element.get(attribute))
    if _IS_MATH.search(classes):
        for attribute in _LIKELY:
            if element.get(attribute):
                return str(element.get(attribute))
    return None


def _of_mathml(math: etree._Element) -> str:
    """``alttext``, else the annotation in TeX, else the text that is shown."""
    if math.get("alttext"):
        return str(math.get("alttext"))
    shown = []
    for part in math.iter("annotation", "annotation-xml"):
        if "tex" in str(part.get("encoding", "")).lower() and part.text:
            return str(part.text)
    for part in math.iter():
        if part.tag not in ("annotation", "annotation-xml") and part.text and not part.text.isspace():
            shown.append(part.text.strip())
    return " ".join(shown)


def _of_markup(markup: str) -> str:
    """As :func:`_of_mathml`, of MathML that stands in a script as text."""
    found = _IN_MARKUP.search(markup)
    return (found.group(1) or found.group(2)) if found else _TAG.sub(" ", markup)


def _is_holder(element: etree._Element) -> bool:
    return element.tag in _HOLDER_TAGS or not _HOLDERS.isdisjoint(str(element.get("class", "")).split())


def _holder_of(element: etree._Element) -> etree._Element:
    """The outermost element around that holds this formula alone."""
    holder = element
    around = element.getparent()
    while around is not None and _is_holder(around):
        holder, around = around, around.getparent()
    return holder


def _drop_copies_before(script: etree._Element) -> None:
    """MathJax 2 puts what it shows before the script that it read."""
    before = script.getprevious()
    while before is not None and _is_holder(before) and not (before.tail or "").strip():
        earlier = before.getprevious()
        _replace(before, None)
        before = earlier


def _replace(holder: etree._Element, tex: str | None) -> None:
    """Take an element out of the page; its tail stays, behind the formula if there is one."""
    around = holder.getparent()
    if around is not None and tex:
        formula = etree.Element("math", alttext=tex)
        formula.tail = holder.tail
        holder.tail = None
        around.replace(holder, formula)
    else:
        remove(holder)
