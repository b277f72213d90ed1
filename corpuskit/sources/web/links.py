"""The links of a page, with what is said about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from corpuskit.errors import RefusedError
from corpuskit.sources.web.urls import canonical_url

MAX_LINKS: Final = 5000
_MAX_ANCHOR: Final = 200
_MAX_CONTEXT: Final = 300


@dataclass(frozen=True, slots=True)
class Link:
    """One link.

    Attributes:
        url: canonical.
        anchor: the text of the link, cut at 200 characters.
        context: the text around it, cut at 300 characters.
    """

    url: str
    anchor: str
    context: str


@dataclass(frozen=True, slots=True)
class PageLinks:
    """What a page says about where to go.

    Attributes:
        links: each URL once, the first mention with words counts; the page itself is left out.
        refused: (text of the link, reason) of those that are no fetchable URL or marked nofollow.
        nofollow: the page asks that none of its links be followed; ``links`` is empty then.
    """

    links: tuple[Link, ...]
    refused: tuple[tuple[str, str], ...]
    nofollow: bool


def find_links(content: bytes, url: str, *, charset: str | None = None, robots_header: str = "") -> PageLinks:
    """The links of an HTML page.

    Args:
        content: the page.
        url: its URL; ``<base href>`` comes before it.
        charset: of the page where it is known; needed for anchor texts only.
        robots_header: the X-Robots-Tag header; its rules count as those of ``<meta name=robots>``.
    """
    from selectolax.lexbor import LexborHTMLParser

    text: bytes | str = content
    if charset and charset.lower() not in {"utf-8", "utf8"}:
        try:
            text = content.decode(charset, "replace")
        except LookupError:
            text = content
    tree = LexborHTMLParser(text)
    base, directives = url, {part.strip().lower() for part in robots_header.split(",")}
    for node in tree.css("base[href], meta[name=robots i], meta[name=corpuskit i]"):
        attributes = node.attributes
        if node.tag == "base":
            base = _join(attributes.get("href"), url) or base
        else:
            directives |= {part.strip().lower() for part in (attributes.get("content") or "").split(",")}
    nofollow = bool(directives & {"nofollow", "none"})
    found: dict[str, Link] = {}
    refused: list[tuple[str, str]] = []
    if not nofollow:
        for node in tree.css("a[href], area[href]")[:MAX_LINKS]:
            attributes = node.attributes
            href = attributes.get("href")
            if not href or href.startswith("#"):
                continue
            if "nofollow" in (attributes.get("rel") or "").lower().split():
                refused.append((href, "nofollow"))
                continue
            try:
                target = canonical_url(href, base)
            except RefusedError as error:
                refused.append((href[:200], str(error)))
                continue
            if target == url:
                continue
            known = found.get(target)
            if known is None or not known.anchor:
                anchor = " ".join((node.text() or attributes.get("alt") or attributes.get("title") or "").split())
                parent = node.parent
                context = " ".join(parent.text(separator=" ")[:1000].split()) if parent is not None else ""
                found[target] = Link(target, anchor[:_MAX_ANCHOR], context[:_MAX_CONTEXT])
    return PageLinks(tuple(found.values()), tuple(refused), nofollow)


def _join(href: str | None, base: str) -> str | None:
    if not href:
        return None
    try:
        return canonical_url(href, base)
    except RefusedError:
        return None
