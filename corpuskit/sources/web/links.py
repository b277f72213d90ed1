"""Extraction of links from HTML pages, with anchor text and context."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from corpuskit.errors import RefusedError
from corpuskit.sources.web.urls import canonical_url

MAX_LINKS: Final = 5000
_MAX_ANCHOR: Final = 200
_MAX_CONTEXT: Final = 300
_MAX_HEAD_LINKS: Final = 500
_MAX_TEXT: Final = 5_000  # characters for language detection
_MAX_SHELL_BYTES: Final = 200_000  # bytes; larger pages are not checked for missing text
_MIN_TEXT_CHARACTERS: Final = 200  # characters
_HEAD: Final = "base[href], meta[name=robots i], meta[name=corpuskit i], link[rel~=canonical i][href], link[rel~=alternate i][href]"
_FEEDS: Final = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"}
)
NOFOLLOW: Final = "nofollow"
_NOFOLLOW_RULES: Final = {NOFOLLOW, "none"}


class Link(NamedTuple):
    """One link.

    Attributes:
        url: Canonical URL.
        anchor: Text of the link, truncated to 200 characters.
        context: Text of the parent element, truncated to 300 characters.
        lang: Language of the target as declared in ``hreflang``, or empty if not declared.
    """

    url: str
    anchor: str
    context: str
    lang: str = ""


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Links and feeds of a page.

    Attributes:
        links: Links to distinct URLs other than the page itself: first ``a`` and ``area`` elements, then rel=canonical and
            rel=alternate with hreflang. For repeated URLs the first link with an anchor text is used.
        refused: (href, reason) of links that cannot be fetched or are marked nofollow.
        nofollow: True if the page forbids following its links; ``links`` is then empty.
        feeds: URLs of feeds declared in the page.
        needs_scripts: True if the page has almost no text, but scripts that may add some.
    """

    links: tuple[Link, ...]
    refused: tuple[tuple[str, str], ...]
    nofollow: bool
    feeds: tuple[str, ...] = ()
    needs_scripts: bool = False


def find_links(content: bytes, url: str, *, charset: str | None = None, robots_header: str = "") -> PageLinks:
    """Return the links of an HTML page.

    Args:
        content: The page.
        url: URL of the page; ``<base href>`` takes precedence.
        charset: Encoding of the page if known; needed only for anchor texts.
        robots_header: X-Robots-Tag header, with the same rules as ``<meta name=robots>``.
    """
    tree = _parse(content, charset)
    base, directives = url, _directives(robots_header)
    head_links: list[dict[str, str | None]] = []
    for node in tree.css(_HEAD):
        attributes = node.attributes
        if node.tag == "base":
            base = _resolve(attributes.get("href") or "", url)[0] or base
        elif node.tag == "link":
            head_links.append(attributes)
        else:
            directives |= _directives(attributes.get("content") or "")
    needs_scripts = len(content) < _MAX_SHELL_BYTES and b"<script" in content and _has_no_text(tree)
    if directives & _NOFOLLOW_RULES:
        return PageLinks((), (), True, (), needs_scripts)
    links, refused = _anchors(tree, url, base)
    feeds = _add_head_links(head_links, url, base, links)
    return PageLinks(tuple(links.values()), tuple(refused), False, feeds, needs_scripts)


def says_nofollow(robots_header: str) -> bool:
    """Return whether the X-Robots-Tag header forbids following links.

    Args:
        robots_header: The value of the header.
    """
    return bool(_directives(robots_header) & _NOFOLLOW_RULES)


def page_language(content: bytes, charset: str | None = None, declared: str = "") -> str:
    """Return the language of an HTML page: detected from its text, else declared in the page or by ``declared``.

    Return an empty string if the language is unknown.

    Args:
        content: The page.
        charset: Declared encoding.
        declared: Language declared by the server.
    """
    from corpuskit.text import detect_language

    tree = _parse(content, charset)
    root = tree.root
    declared_in_page = (
        (root.attributes.get("lang") or root.attributes.get("xml:lang") or "") if root is not None else ""
    )
    for node in tree.css("script, style, noscript"):
        node.decompose()
    text = " ".join((tree.body.text(separator=" ") if tree.body is not None else "").split())
    detected = detect_language(text[:_MAX_TEXT], declared_in_page or declared.partition(",")[0].strip() or None)
    return "" if detected == "?" else detected


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
    links: dict[str, Link] = {}
    refused: list[tuple[str, str]] = []
    contexts: dict[int, str] = {}  # by parent element, since one element may contain thousands of links
    for node in tree.css("a[href], area[href]")[:MAX_LINKS]:
        attributes = node.attributes
        href = attributes.get("href")
        if not href or href[0] == "#":
            continue
        if "rel" in attributes and "nofollow" in (attributes["rel"] or "").lower().split():
            refused.append((href[:200], NOFOLLOW))
            continue
        target, reason = _resolve(href.partition("#")[0], _base_for(href, base))
        if target is None:
            refused.append((href[:200], reason))
            continue
        if target == url:
            continue
        earlier = links.get(target)
        if earlier is None or not earlier.anchor:
            anchor = " ".join((node.text() or attributes.get("alt") or attributes.get("title") or "").split())
            context = ""
            if (parent := node.parent) is not None:
                key = parent.mem_id
                if (context := contexts.get(key)) is None:  # type: ignore[assignment]
                    context = " ".join(parent.text(separator=" ")[:1000].split())[:_MAX_CONTEXT]
                    contexts[key] = context
            links[target] = Link(target, anchor[:_MAX_ANCHOR], context, attributes.get("hreflang") or "")
    return links, refused


def _add_head_links(
    head_links: list[dict[str, str | None]], url: str, base: str, links: dict[str, Link]
) -> tuple[str, ...]:
    """Add rel=canonical and rel=alternate targets to the links; return the feeds."""
    feeds: dict[str, None] = {}
    for attributes in head_links[:_MAX_HEAD_LINKS]:
        href = attributes.get("href") or ""
        kinds = (attributes.get("rel") or "").lower().split()
        target = _resolve(href.partition("#")[0], base)[0] if href else None
        if target is None or target == url:
            continue
        if "canonical" in kinds:
            links.setdefault(target, Link(target, "", ""))
        elif (attributes.get("type") or "").strip().lower() in _FEEDS:
            feeds[target] = None
        elif lang := (attributes.get("hreflang") or "").strip():
            links.setdefault(target, Link(target, "", "", lang if lang.lower() != "x-default" else ""))
    return tuple(feeds)


def _has_no_text(tree: Any) -> bool:
    """Return whether a page has almost no visible text without scripts."""
    body = tree.body
    if body is None:
        return True
    hidden = sum(len("".join(node.text().split())) for node in body.css("script, style, noscript"))
    return len("".join(body.text().split())) - hidden < _MIN_TEXT_CHARACTERS


def _base_for(href: str, base: str) -> str:
    """Return the part of the base that a link depends on; pages with the same link then share cached results."""
    if href.startswith(("http://", "https://")):
        return ""
    if href[0] == "/":
        return base[: base.find("/", 8) + 1] or base
    if href[0] in "?\\" or href[0].isspace() or base.count("/") < 3:
        return base
    return base.partition("?")[0].rpartition("/")[0] + "/"


@lru_cache(maxsize=50_000)
def _resolve(href: str, base: str) -> tuple[str | None, str]:
    """Return the canonical URL and an empty string, or None and the reason of the refusal."""
    try:
        return canonical_url(href, base or None), ""
    except RefusedError as error:
        return None, str(error)
