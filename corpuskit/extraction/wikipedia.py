"""Extractor of MediaWiki pages rendered by Parsoid (MediaWiki, Specs/HTML 2.x), through the HTML extractor."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from lxml import etree

from corpuskit.document import NLPTextDocument
from corpuskit.document.elements import TABLE
from corpuskit.errors import ExtractionError
from corpuskit.extraction.extractors import extracts
from corpuskit.extraction.html.selectors import remove
from corpuskit.extraction.options import ExtractOptions

# Roles → classes of such elements, shared by all wikis or used in the largest language editions.
_NOT_MAIN: Final = {
    "navigation": frozenset((
        "navbox", "vertical-navbox", "navbox-container", "navframe", "sidebar", "catlinks", "toc", "portalbox", "portal-bar",
        "sistersitebox", "sister-box", "side-box", "sisterproject", "authority-control", "succession-box",
        "bandeau-portail", *(f"normdaten-typ-{kind}" for kind in "gkpsuvw"),
    )),
    "hatnote": frozenset(("hatnote", "dablink", "rellink", "homonymie", "bandeau-container", "begriffsklärungshinweis")),
    "notice": frozenset(("ambox", "mbox-small", "tmbox", "ombox", "fmbox", "asbox", "metadata", "stub", "printfooter")),
}  # fmt: skip
_NAVIGATION: Final = _NOT_MAIN["navigation"]  # some navigation also has a class of _DROPPED, but is extracted
_INFOBOX: Final = re.compile(r"infobox(?:[_-]\w+)?|taxobox|infobox_v[23]|geobox|biota")
_REFERENCES: Final = frozenset(("references", "mw-references", "mw-references-wrap", "reflist", "refbegin"))
# Not text of the page: reference marks, backlinks, edit links, formula images, style sheets.
_DROPPED: Final = frozenset((
    "mw-ref", "mw-cite-backlink", "mw-editsection", "mwe-math-fallback-image-inline", "mwe-math-fallback-image-display",
    "mw-empty-elt", "noprint", "mw-kartographer-maplink",
    "geo-multi-punct", "geo-nondefault",  # coordinates in a second notation, hidden by style sheets
    "navigation-only", "navbar", "mw-indicator", "mw-jump-link",
))  # fmt: skip
_DROPPED_TAGS: Final = frozenset(("style", "script"))
_MATHS: Final = "mwe-math-element"
_TEX_STYLE: Final = re.compile(r"\{\\(?:display|text)style\s*(.*)\}", re.DOTALL)
_REVISION: Final = re.compile(r"/revision/(\d+)")


@extracts("text/x-mediawiki-html")
def extract_wikipedia(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None = None
) -> NLPTextDocument:
    """Extract an article.

    Infoboxes are tables with the role ``infobox``. References have the role ``reference`` and the zone ``references``.
    Hatnotes, navigation boxes and editorial notices are not main content. Reference marks are removed from the text.
    Formulas are extracted as TeX, as entered by the editors.

    Raises:
        ExtractionError: The page has no content.
    """
    from corpuskit.extraction.html import extract_tree

    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, huge_tree=True)
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ExtractionError(f"{uri or 'input'}: not HTML: {error}") from error
    if root is None or root.find("body") is None:
        raise ExtractionError(f"{uri or 'input'}: the page has no content")
    _clean(root)
    if root.find("head") is not None and uri:
        for base in root.iterfind("head/base"):
            base.set("href", uri)  # links are relative to the article; the base of Parsoid has no scheme
    document = extract_tree(root, uri=uri, options=options)
    document.table.main[:] = [True] * len(document.table)
    _mark(document, _kinds(root))
    _read_head(document, root)
    return document


def _clean(root: etree._Element) -> None:
    for element in list(root.iter(etree.Element)):
        classes = _classes(element)
        if element.tag in _DROPPED_TAGS or (_DROPPED.intersection(classes) and not _NAVIGATION.intersection(classes)):
            remove(element)
        elif _MATHS in classes:
            _write_formula(element)


def _write_formula(element: etree._Element) -> None:
    """Replace a formula by its TeX; otherwise it is an image and hidden MathML."""
    texts = (e.get("alttext") or e.get("alt") for e in element.iter("math", "img"))
    tex = " ".join((next(filter(None, texts), "")).split())
    style = _TEX_STYLE.fullmatch(tex)
    for child in list(element):
        element.remove(child)
    element.text = style[1] if style else tex


def _classes(element: etree._Element) -> list[str]:
    return (element.get("class") or "").lower().split()


def _kinds(root: etree._Element) -> dict[str, str]:
    """Return element path (as in locators) → role, inherited from the outermost ancestor with a role."""
    paths = {root: f"/{root.tag}"}
    kinds = {paths[root]: ""}
    for element in root.iter(etree.Element):
        around = paths.pop(element)
        counts: Counter[str] = Counter()
        for child in element.iterchildren(etree.Element):
            name = str(child.tag)
            counts[name] += 1
            paths[child] = path = f"{around}/{name}[{counts[name]}]"
            kinds[path] = kinds[around] or _kind_of(_classes(child))
    return kinds


def _kind_of(classes: list[str]) -> str:
    kind = next((kind for kind, names in _NOT_MAIN.items() if names.intersection(classes)), "")
    if not kind and any(_INFOBOX.fullmatch(name) for name in classes):
        return "infobox"
    return kind or ("reference" if _REFERENCES.intersection(classes) else "")


def _mark(document: NLPTextDocument, kinds: dict[str, str]) -> None:
    table = document.table
    for row, locator in table.marks.get("locator", {}).items():
        path = locator
        while path not in kinds and path:  # elements inside a formula have no path in the page
            path = path.rpartition("/")[0]
        kind = kinds.get(path)
        if kind in _NOT_MAIN:
            table.main[row] = False
            table.mark("role", row, kind)
        elif kind == "infobox" and table.type[row] == TABLE:
            table.mark("role", row, "infobox")
        elif kind == "reference":
            table.mark("role", row, "reference")
            table.mark("zone", row, "references")


def _read_head(document: NLPTextDocument, root: etree._Element) -> None:
    """Read title, language, revision and date from the head written by Parsoid."""
    from corpuskit.extraction.docx.properties import parse_date

    title = root.findtext("head/title")
    document.title = " ".join((title or document.title).split())
    if match := _REVISION.search(root.get("about") or ""):
        document.metadata["revision"] = match[1]
    language = root.get("lang") or root.find("body").get("lang")  # type: ignore[union-attr]
    if language:
        document.metadata["language"] = language
    for meta in root.iterfind("head/meta"):
        name, value = meta.get("property") or "", meta.get("content") or ""
        if name == "mw:pageId":
            document.metadata["page_id"] = value
        elif name == "dc:modified" and (date := parse_date(value)):
            document.timestamp = date
            document.metadata["modified"] = date.isoformat()
            document.metadata["timestamp_source"] = "modified"
