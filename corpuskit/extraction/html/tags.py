"""What the walk needs to know of a start tag: its kind, its number, whether it is hidden, its link.

The walk reads the parsed page as serialised XML, so a start tag is the string between ``<`` and ``>``: ``div
class="a b"``. The same start tags come again and again, so what was found is kept by that string.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

(
    INLINE,
    BLOCK,
    SKIPPED,
    BREAK,
    LINK,
    IMAGE,
    HEADING,
    LIST,
    ITEM,
    DEFINITIONS,
    TERM,
    DEFINITION,
    TABLE,
    ROW,
    CELL,
    CAPTION,
    VERBATIM,
    RULE,
    SPACED,
    TITLE,
    MATH,
) = range(21)

SELF_CLOSED: Final = 1
HIDDEN: Final = 2
NAVIGATION: Final = 4
LICENSE: Final = 8


def _kinds() -> dict[str, int]:
    blocks = """address article aside blockquote body button center dd details dialog dir div fieldset figcaption
        figure footer form frameset header hgroup html legend main marquee nav noframes p section search summary
        tbody tfoot thead optgroup rt rp colgroup"""
    skipped = """script style noscript template svg iframe head input datalist object audio video canvas embed param
        source track meta link base col area map progress meter applet"""
    kinds = dict.fromkeys(blocks.split(), BLOCK) | dict.fromkeys(skipped.split(), SKIPPED)
    kinds |= {f"h{level}": HEADING for level in range(1, 7)} | dict.fromkeys(("ul", "ol", "menu", "dir"), LIST)
    kinds |= dict.fromkeys(("pre", "textarea", "listing", "xmp", "plaintext"), VERBATIM)
    return kinds | {
        "br": BREAK,
        "a": LINK,
        "img": IMAGE,
        "li": ITEM,
        "dl": DEFINITIONS,
        "dt": TERM,
        "dd": DEFINITION,
        "table": TABLE,
        "tr": ROW,
        "td": CELL,
        "th": CELL,
        "caption": CAPTION,
        "hr": RULE,
        "option": SPACED,
        "title": TITLE,
        "math": MATH,
        "rt": INLINE,
        "rp": INLINE,
        "map": INLINE,
    }


KINDS: Final = _kinds()
"""Tag → kind. The blocks are those of the rendering section of the HTML standard, and ``button`` and ``textarea``."""

_ATTRIBUTE: Final = re.compile(r'([^\s="]+)="([^"]*)"')
_ENTITIES: Final = re.compile(r"&(?:#(\d+)|#x([0-9a-fA-F]+)|(lt|gt|amp|quot|apos));")
_NAMED: Final = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_INVISIBLE_STYLE: Final = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_BLOCK_STYLE: Final = re.compile(r"(?:^|;)\s*display\s*:\s*(?:block|flex|grid|list-item|table)\b", re.IGNORECASE)
_HIDDEN_CLASSES: Final = frozenset(("hidden", "invisible"))
# A hidden body is shown by a script when the page is ready.
_NEVER_HIDDEN: Final = frozenset(("html", "body", "main"))
_MARKED: Final = re.compile(r"\b(?:class|id|role|itemprop|itemtype)=")


class Tag(NamedTuple):
    """What a start tag says.

    Attributes:
        kind: one of the constants of this module.
        name: the tag's name.
        flags: of ``SELF_CLOSED``, ``HIDDEN``, ``NAVIGATION``, ``LICENSE``.
        number: of a heading its level; 1 of a link that is shown as a block.
        attributes: the attributes, decoded; only of tags whose kind needs them.
        key: class, id and the like as one string for the classifier; empty where there is none.
    """

    kind: int
    name: str
    flags: int
    number: int
    attributes: dict[str, str]
    key: str


_NONE: Final[dict[str, str]] = {}
_WITH_ATTRIBUTES: Final = frozenset((LINK, IMAGE, CELL, MATH))


def decoded(text: str) -> str:
    """The text without the five entities and the numbers that an XML serialiser writes; decoded once."""
    return _ENTITIES.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if name:
        return _NAMED[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(code) if code < 0x110000 else "\ufffd"


def read_tag(head: str, shown_as_block: frozenset[str]) -> Tag:
    """Reads a start tag.

    Args:
        head: what stands between ``<`` and ``>``.
        shown_as_block: selectors (``span``, ``.x``, ``span.x``) that the page's style sheets display as blocks.
    """
    flags = 0
    if head[-1] == "/":
        flags = SELF_CLOSED
        head = head[:-1]
    name, _, rest = head.partition(" ")
    kind = KINDS.get(name, INLINE)
    number = int(name[1]) if kind == HEADING else 0
    if not rest:
        if kind == INLINE and shown_as_block and name in shown_as_block:
            kind = BLOCK
        return Tag(kind, name, flags | (NAVIGATION if name == "nav" else 0), number, _NONE, "")
    attributes = dict(_ATTRIBUTE.findall(rest))
    if "&" in rest:
        attributes = {key: decoded(value) for key, value in attributes.items()}
    classes = attributes.get("class", "")
    role = attributes.get("role", "")
    style = attributes.get("style")
    if name == "nav" or role == "navigation":
        flags |= NAVIGATION
    if name not in _NEVER_HIDDEN and _is_hidden(attributes, classes, role, style):
        flags |= HIDDEN
    if kind in (INLINE, LINK) and _is_block(name, classes, style, shown_as_block):
        kind = BLOCK if kind == INLINE else kind
        number = 1
    if attributes.get("rel") == "license":
        flags |= LICENSE
    key = ""
    if _MARKED.search(rest):
        key = f"{classes} {attributes.get('id', '')} {role} {attributes.get('itemprop', '')}".lower()
    return Tag(kind, name, flags, number, attributes if kind in _WITH_ATTRIBUTES else _NONE, key)


def _is_hidden(attributes: dict[str, str], classes: str, role: str, style: str | None) -> bool:
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    if attributes.get("aria-hidden") == "true" or role == "search":
        return True
    if style and _INVISIBLE_STYLE.search(style):
        return True
    if "hidden" in classes or "invisible" in classes:
        tokens = classes.split()
        # "hidden md:block" is shown on wide screens.
        return not _HIDDEN_CLASSES.isdisjoint(tokens) and ":" not in classes
    return False


def _is_block(name: str, classes: str, style: str | None, shown_as_block: frozenset[str]) -> bool:
    if style and _BLOCK_STYLE.search(style):
        return True
    if not shown_as_block:
        return False
    if name in shown_as_block:
        return True
    return any(f".{token}" in shown_as_block or f"{name}.{token}" in shown_as_block for token in classes.split())


def block_selectors(style_sheet: str) -> frozenset[str]:
    """Simple selectors of a style sheet that make an element a block: ``span``, ``.x``, ``span.x``."""
    found: set[str] = set()
    if "display" not in style_sheet:
        return frozenset()
    for rule in style_sheet.split("}"):
        selectors, _, body = rule.rpartition("{")
        if "display" in body and _BLOCK_STYLE.search(body):
            found.update(s for s in map(str.strip, selectors.split(",")) if _SIMPLE.fullmatch(s))
    return frozenset(found)


_SIMPLE: Final = re.compile(r"(?:a|span)?\.[\w-]+|span|a")
