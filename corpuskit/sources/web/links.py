"""The links of a page, with what is said about them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from corpuskit.errors import RefusedError
from corpuskit.sources.web.urls import canonical_url

MAX_LINKS: Final = 5000
_MAX_ANCHOR: Final = 200
_MAX_CONTEXT: Final = 300
_MAX_OTHERS: Final = 500
_MAX_TEXT: Final = 5_000  # characters that tell the language of a page
_MAX_SHELL: Final = 200_000  # bytes; larger pages are not looked through for the lack of text
_SHELL_TEXT: Final = 200  # characters
_HEAD: Final = "base[href], meta[name=robots i], meta[name=corpuskit i], link[rel~=canonical i][href], link[rel~=alternate i][href]"
_FEEDS: Final = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"}
)
NOFOLLOW: Final = "nofollow"
_NOFOLLOW: Final = {NOFOLLOW, "none"}


class Link(NamedTuple):
    """One link.

    Attributes:
        url: canonical.
        anchor: the text of the link, cut at 200 characters.
        context: the text around it, cut at 300 characters.
        lang: the language that the page says its target has, as written there; empty where it says nothing.
    """

    url: str
    anchor: str
    context: str
    lang: str = ""


@dataclass(frozen=True, slots=True)
class PageLinks:
    """What a page says about where to go.

    Attributes:
        links: each URL once, the first mention with words counts; the page itself is left out. Those of ``a`` and
            ``area``, then rel=canonical and the page in other languages (rel=alternate with hreflang).
        refused: (text of the link, reason) of those that are no fetchable URL or marked nofollow.
        nofollow: the page asks that none of its links be followed; ``links`` is empty then.
        feeds: the feeds it names.
        needs_scripts: hardly any text, but scripts that may bring some.
    """

    links: tuple[Link, ...]
    refused: tuple[tuple[str, str], ...]
    nofollow: bool
    feeds: tuple[str, ...] = ()
    needs_scripts: bool = False


def find_links(content: bytes, url: str, *, charset: str | None = None, robots_header: str = "") -> PageLinks:
    """Return the links of an HTML page.

    Args:
        content: the page.
        url: its URL; ``<base href>`` comes before it.
        charset: of the page where it is known; needed for anchor texts only.
        robots_header: the X-Robots-Tag header; its rules count as those of ``<meta name=robots>``.
    """
    tree = _parse(content, charset)
    base, directives = url, _directives(robots_header)
    others: list[dict[str, str | None]] = []
    for node in tree.css(_HEAD):
        attributes = node.attributes
        if node.tag == "base":
            base = _resolved(attributes.get("href") or "", url)[0] or base
        elif node.tag == "link":
            others.append(attributes)
        else:
            directives |= _directives(attributes.get("content") or "")
    needs_scripts = len(content) < _MAX_SHELL and b"<script" in content and _is_empty(tree)
    if directives & _NOFOLLOW:
        return PageLinks((), (), True, (), needs_scripts)
    found, refused = _anchors(tree, url, base)
    feeds = _add_others(others, url, base, found)
    return PageLinks(tuple(found.values()), tuple(refused), False, feeds, needs_scripts)


def says_nofollow(robots_header: str) -> bool:
    """Return whether the X-Robots-Tag header asks that no link be followed.

    Args:
        robots_header: The value of the header.
    """
    return bool(_directives(robots_header) & _NOFOLLOW)


def page_language(content: bytes, charset: str | None = None, declared: str = "") -> str:
    """Return the language of an HTML page: that of its text, else as it or ``declared`` says; empty where nothing tells.

    Args:
        content: The page.
        charset: Its encoding, as declared.
        declared: Its language, as a server declared it.
    """
    from corpuskit.text import detect_language

    tree = _parse(content, charset)
    root = tree.root
    said = (root.attributes.get("lang") or root.attributes.get("xml:lang") or "") if root is not None else ""
    for node in tree.css("script, style, noscript"):
        node.decompose()
    text = " ".join((tree.body.text(separator=" ") if tree.body is not None else "").split())
    found = detect_language(text[:_MAX_TEXT], said or declared.partition(",")[0].strip() or None)
    return "" if found == "?" else found


def _directives(text: str) -> set[str]:
    return {part.strip().lower() for part in text.split(",")}


def _parse(content: bytes, charset: str | None) -> Any:
    from selectolax.lexbor import LexborHTMLParser

    if charset and charset.lower() not in {"utf-8", "utf8"}:
        try:
            return LexborHTMLParser(content.decode(charset, "replace"))
        except LookupError:
            pass
    return LexborHTMLParser(content)


def _anchors(tree: Any, url: str, base: str) -> tuple[dict[str, Link], list[tuple[str, str]]]:
    found: dict[str, Link] = {}
    refused: list[tuple[str, str]] = []
    contexts: dict[int, str] = {}  # a list of thousands of links in one element is read once
    for node in tree.css("a[href], area[href]")[:MAX_LINKS]:
        attributes = node.attributes
        href = attributes.get("href")
        if not href or href[0] == "#":
            continue
        if "rel" in attributes and "nofollow" in (attributes["rel"] or "").lower().split():
            refused.append((href[:200], NOFOLLOW))
            continue
        target, reason = _resolved(href.partition("#")[0], _base_for(href, base))
        if target is None:
            refused.append((href[:200], reason))
            continue
        if target == url:
            continue
        known = found.get(target)
        if known is None or not known.anchor:
            anchor = " ".join((node.text() or attributes.get("alt") or attributes.get("title") or "").split())
            context = ""
            if (parent := node.parent) is not None:
                key = parent.mem_id
                if (context := contexts.get(key)) is None:  # type: ignore[assignment]
                    context = " ".join(parent.text(separator=" ")[:1000].split())[:_MAX_CONTEXT]
                    contexts[key] = context
            found[target] = Link(target, anchor[:_MAX_ANCHOR], context, attributes.get("hreflang") or "")
    return found, refused


def _add_others(others: list[dict[str, str | None]], url: str, base: str, found: dict[str, Link]) -> tuple[str, ...]:
    """Adds rel=canonical and the page in other languages to the links; returns the feeds."""
    feeds: dict[str, None] = {}
    for attributes in others[:_MAX_OTHERS]:
        href = attributes.get("href") or ""
        kinds = (attributes.get("rel") or "").lower().split()
        target = _resolved(href.partition("#")[0], base)[0] if href else None
        if target is None or target == url:
            continue
        if "canonical" in kinds:
            found.setdefault(target, Link(target, "", ""))
        elif (attributes.get("type") or "").strip().lower() in _FEEDS:
            feeds[target] = None
        elif lang := (attributes.get("hreflang") or "").strip():
            found.setdefault(target, Link(target, "", "", lang if lang.lower() != "x-default" else ""))
    return tuple(feeds)


def _is_empty(tree: Any) -> bool:
    """So little text that a reader without scripts sees next to nothing."""
    body = tree.body
    if body is None:
        return True
    hidden = sum(len("".join(node.text().split())) for node in body.css("script, style, noscript"))
    return len("".join(body.text().split())) - hidden < _SHELL_TEXT


def _base_for(href: str, base: str) -> str:
    """As little of the base as the link depends on, so that pages that share a link share the work."""
    if href.startswith(("http://", "https://")):
        return ""
    if href[0] == "/":
        return base[: base.find("/", 8) + 1] or base
    if href[0] in "?\\" or href[0].isspace() or base.count("/") < 3:
        return base
    return base.partition("?")[0].rpartition("/")[0] + "/"


@lru_cache(maxsize=50_000)
def _resolved(href: str, base: str) -> tuple[str | None, str]:
    """The canonical URL, or None and why there is none."""
    try:
        return canonical_url(href, base or None), ""
    except RefusedError as error:
        return None, str(error)
