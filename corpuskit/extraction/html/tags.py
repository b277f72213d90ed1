"""What the walk needs to know of a start tag: its kind, its number, whether it is hidden, its link.

The walk reads the parsed page as serialised XML, so a start tag is the string between ``<`` and ``>``: ``div
class="a b"``. The same start tags come again and again, so what was found is kept by that string.
"""

from __future__ import annotations

import re
from typing import Any, Final

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
    FORMATTED,
) = range(22)

SELF_CLOSED: Final = 1
HIDDEN: Final = 2
NAVIGATION: Final = 4
LICENSE: Final = 8
ENDS_SECTIONS: Final = 32
APART: Final = 64
UNIT: Final = 128

# Where the Sections of the headings inside end: sectioning content and the roots of the HTML standard's outline, and the
# parts of a page that stand for themselves. In those that stand apart a heading ends no Section from outside.
_APART: Final = frozenset((
    "aside", "nav", "footer", "blockquote", "details", "dialog", "fieldset", "figure", "td", "th", "li", "dd",
))  # fmt: skip
_SECTIONING: Final = _APART | {"html", "body", "main", "article", "section"}


def _kinds() -> dict[str, int]:
    blocks = """address article aside blockquote body button center dd details dialog dir div fieldset figcaption head
        figure footer form frameset header hgroup html legend main marquee nav noframes p section search summary
        tbody tfoot thead optgroup rt rp colgroup"""
    skipped = """script style noscript template svg iframe input datalist object audio video canvas embed param
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

_SPACED_ATTRIBUTE: Final = re.compile(r' ([^\s="]+)="([^"]*)"')
_ENTITIES: Final = re.compile(r"&(?:#(\d+)|#x([0-9a-fA-F]+)|(lt|gt|amp|quot|apos));")
_NAMED: Final = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_INVISIBLE_STYLE: Final = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_BLOCK_STYLE: Final = re.compile(r"(?:^|;)\s*display\s*:\s*(?:block|flex|grid|list-item|table)\b", re.IGNORECASE)
_COLLAPSED: Final = re.compile(
    r"(?:^|[\s_-])(?:tabs?|tabpanel|accordion\w*|collaps\w*|faqs?|answer|panel|toggle\w*|expand\w*)(?:$|[\s_-])",
    re.IGNORECASE,
)
# MediaWiki's "[edit]" behind titles, now and before 2012, "^ a b" before notes, and "Jump to content".
_DECORATION: Final = frozenset(("mw-editsection", "editsection", "mw-cite-backlink", "mw-jump-link"))
_HIDDEN_CLASSES: Final = frozenset(("hidden", "invisible"))
# A hidden body is shown by a script when the page is ready.
_NEVER_HIDDEN: Final = frozenset(("html", "body", "main"))


# What one person wrote at one time: a post of a thread, a comment, a review.
_UNITS: Final = frozenset((BLOCK, ITEM, TABLE))
_UNIT_NAMES: Final = ("post", "comment", "answer", "review", "reply", "message", "msg", "question")
_UNIT_DATA: Final = re.compile(r"data-(post|comment|reply|answer|review|message|question)-?id")
_UNIT_ID: Final = re.compile(
    r"(?:^|[-_])(post|comment|reply|answer|review|message|msg)[-_]?(?:id[-_]?)?(\d+)$", re.IGNORECASE
)
_IS_POST: Final = re.compile(r"(?:^|[\s_-])c?(?:post|message|answer)(?:$|[\s_-])")
_PHPBB_ID: Final = re.compile(r"p(\d+)")
_UNIT_TYPES: Final = {
    "Comment": "comment", "UserComments": "comment", "Answer": "post", "Review": "review", "UserReview": "review",
}  # fmt: skip


Tag = tuple[int, int, int, str, str]
"""What a start tag says: its kind, one of the constants of this module; flags of ``SELF_CLOSED``, ``HIDDEN``,
``NAVIGATION``, ``LICENSE``, ``ENDS_SECTIONS``, ``APART``, ``UNIT``; a number, of a heading its level, 1 of a link that is shown as a block; its name; and the
tag itself, without the slash at its end. A plain tuple, for it is unpacked for each element of a page."""


def decoded(text: str) -> str:
    """The text without the five entities and the numbers that an XML serialiser writes; decoded once."""
    return _ENTITIES.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if name:
        return _NAMED[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(code) if code < 0x110000 else "\ufffd"


def without_target(head: str) -> tuple[str, str]:
    """The start tag of a link without its ``href``, and the ``href``; the empty string where there is none."""
    before, _, rest = head.partition(' href="')
    # A quote begins or ends a value; one that begins stands behind "=".
    if not rest or (before != "a" and (before[-1] != '"' or before[-2] == "=")):
        return head, ""
    target, _, after = rest.partition('"')
    return before + after, decoded(target) if "&" in target else target


def attributes_of(head: str) -> dict[str, str]:
    """The attributes of a start tag, decoded."""
    rest = head.partition(" ")[2]
    if not rest:
        return {}
    # A serialiser writes name="value" with one blank between and no quote in a value; but names may hold quotes and
    # values begin with a blank, and then the pieces are no pairs.
    pieces: list[Any] = [piece.split('="') for piece in rest[:-1].split('" ')]
    try:
        found: dict[str, str] = dict(pieces)
    except ValueError:
        found = dict(_SPACED_ATTRIBUTE.findall(head))
    if "&" in rest:
        found = {name: decoded(value) if "&" in value else value for name, value in found.items()}
    return found


def key_of(head: str) -> str:
    """Class and id, role and itemprop of a start tag as one string, tabs between; empty where there is none."""
    rest = head.partition(" ")[2]
    if rest[:7] == 'class="' and rest.find('"', 7) == len(rest) - 1 and "&" not in rest:
        classes = rest[7:-1]  # the one attribute: half of all tags
        return f"{classes} \t\t" if classes else ""
    get = attributes_of(head).get
    classes, identifier, role, item = get("class", ""), get("id", ""), get("role", ""), get("itemprop", "")
    return f"{classes} {identifier}\t{role}\t{item}" if classes or identifier or role or item else ""


def read_tag(head: str, shown_as_block: frozenset[str]) -> Tag:
    """Reads a start tag.

    Args:
        head: what stands between ``<`` and ``>``.
        shown_as_block: selectors (``span``, ``.x``, ``span.x``) that the page's style sheets display as blocks.
    """
    flags = number = 0
    if head[-1] == "/":
        flags = SELF_CLOSED
        head = head[:-1].rstrip(" ")  # XHTML is written with a blank before the slash
    name, _, rest = head.partition(" ")
    kind = KINDS.get(name, INLINE)
    if kind == HEADING:
        number = int(name[1])
    elif name in _SECTIONING:
        flags |= ENDS_SECTIONS | APART if name in _APART else ENDS_SECTIONS
        if name == "nav":
            flags |= NAVIGATION
    if not rest or (kind == SKIPPED and name != "noscript"):
        if kind == INLINE and name in shown_as_block:
            kind = BLOCK
        return kind, flags, number, name, head
    if kind == LINK and 'rel="license"' in rest:
        flags |= LICENSE
    is_inline = kind in (INLINE, LINK)
    if kind in _UNITS:
        low = rest.lower()  # eight searches for words take a tenth of the time of one for a pattern that ignores case
        for word in _UNIT_NAMES:
            if word in low:
                if unit_of(head):
                    flags |= UNIT | ENDS_SECTIONS | APART
                break
    if ('class="mw-' in rest or '="editsection' in rest) and not _DECORATION.isdisjoint(
        attributes_of(head).get("class", "").split()
    ):
        return kind, flags | HIDDEN, number, name, head
    # To take all tags apart would be a third of the walk's time.
    if (
        'style="' in rest
        or "idden" in rest
        or 'role="' in rest
        or "invisible" in rest
        or (is_inline and shown_as_block)
    ):
        attributes = attributes_of(head)
        classes, style, role = (attributes.get(name, "") for name in ("class", "style", "role"))
        suspect = "idden" in rest or role == "search" or "invisible" in classes
        if (suspect or (style and _INVISIBLE_STYLE.search(style))) and name not in _NEVER_HIDDEN:
            flags |= HIDDEN if _is_hidden(attributes, classes, style) else 0
        if is_inline and _is_block(name, classes, style, shown_as_block):
            kind = BLOCK if kind == INLINE else kind
            number = 1
        if role == "navigation":
            flags |= NAVIGATION
    return kind, flags, number, name, head


def unit_of(head: str) -> tuple[str, str] | None:
    """What one person wrote at one time: ``post``, ``comment`` or ``review``, and the number it goes by, if any.

    The number is what forums and weblogs have in common (``comment-12``, ``data-post-id="12"``, ``js-post-12``); else the
    type of schema.org. An article of WordPress has one too, and is none.
    """
    attributes = attributes_of(head)
    classes = set(attributes.get("class", "").lower().split())
    if "hentry" in classes or "status-publish" in classes or attributes.get("id", "").endswith("-0"):
        return None
    kind = number = ""
    for name, value in attributes.items():
        if found := _UNIT_DATA.fullmatch(name):
            kind, number = kind or found[1], value
        elif name in ("id", "data-content") and (found := _UNIT_ID.search(value)):
            kind, number = kind or found[1].lower(), found[2]
        elif name == "id" and "post" in classes and (found := _PHPBB_ID.fullmatch(value)):
            kind, number = kind or "post", found[1]
    kind = kind or _UNIT_TYPES.get(attributes.get("itemtype", "").rpartition("/")[2], "")
    if not kind:
        return None
    if "review" in classes or kind == "review":
        return "review", number
    # Forums call their posts comments in what they write for machines, and posts in what they write for style sheets.
    return ("comment" if kind == "comment" and not _IS_POST.search(" ".join(classes)) else "post"), number


def _is_hidden(attributes: dict[str, str], classes: str, style: str) -> bool:
    """Whether nobody can see it. What opens at a click (tabs, accordions) and what a script moves into place, as
    server-side rendering of React does with ``<div hidden id="S:0">``, is no hidden content."""
    role = attributes.get("role")
    if role == "search":
        return True
    if role == "tabpanel" or "aria-labelledby" in attributes or attributes.get("id", "")[:2] == "S:":
        return False
    if _COLLAPSED.search(classes):
        return False
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    if attributes.get("aria-hidden") == "true" or (style and _INVISIBLE_STYLE.search(style)):
        return True
    if "hidden" in classes or "invisible" in classes:
        # "hidden md:block" is shown on wide screens.
        return not _HIDDEN_CLASSES.isdisjoint(classes.split()) and ":" not in classes
    return False


def _is_block(name: str, classes: str, style: str, shown_as_block: frozenset[str]) -> bool:
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
