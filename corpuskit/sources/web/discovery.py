"""Sitemaps and feeds: URLs that a site names by itself."""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from dataclasses import dataclass
from typing import Any, Final

from corpuskit.errors import RefusedError
from corpuskit.sources.web.urls import canonical_url

MAX_URLS: Final = 50_000  # of one file; sitemaps.org, "Sitemap index files"
_MAX_DECODED: Final = 52_428_800  # bytes; the same
_SURROGATES: Final = re.compile(
    rb"&#(?:[xX]0{0,9}[dD][89a-fA-F][0-9a-fA-F]{2}|0{0,9}(?:5529[6-9]|55[3-9]\d\d|56\d{3}|57[0-2]\d\d|573[0-3]\d|5734[0-3]));"
)
_GZIP: Final = b"\x1f\x8b"
_HEAD: Final = 4096  # bytes that tell what a file is
# Each part is taken once and for all: a stranger's prologue costs its length only.
_ROOT: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?(?>\s++|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*+(?:\[[^\]]*+\]\s*+)?>)*+"
    rb"<(?:[\w.-]++:)?(?:urlset|sitemapindex|rss|RDF|feed)[\s>]",
    re.DOTALL,
)
_JSON_FEED: Final = re.compile(rb'"[^"]{0,20}jsonfeed\.org\\?/version')
_GUESSES: Final = ("/sitemap.xml", "/sitemap_index.xml")


@dataclass(frozen=True, slots=True)
class Listing:
    """What a sitemap or feed names.

    Attributes:
        pages: canonical URLs, each once, in order.
        sitemaps: further sitemaps of an index.
    """

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()


def guessed_sitemaps(origin: str) -> list[str]:
    """Where sitemaps often stand, for a site whose robots.txt names none; ``origin`` as ``https://host``."""
    return [origin + path for path in _GUESSES]


def is_listing(content: bytes, media_type: str = "") -> bool:
    """The content is a sitemap or feed, by its first element; plain text is a sitemap where each line is a URL."""
    head = _head(content)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _JSON_FEED.search(head) is not None
    if _ROOT.match(head):
        return True
    if media_type != "text/plain" or not head.startswith((b"http://", b"https://", b"\xef\xbb\xbfhttp")):
        return False
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return all(line.startswith((b"http://", b"https://")) for line in map(bytes.strip, lines) if line)


def parse_listing(content: bytes, url: str) -> Listing:
    """The URLs in a sitemap (XML, index, plain text; gzip), RSS, RDF, Atom or JSON feed; an empty listing for others."""
    content = _unpacked(content)
    head = content[:1000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"{"):
        return Listing(_canonical(_json_links(content), url))
    if head.startswith(b"<"):
        return _parse_xml(content, url)
    lines = content[:_MAX_DECODED].decode("utf-8-sig", "replace").split("\n")
    return Listing(
        _canonical((line.strip() for line in lines if line.strip().startswith(("http://", "https://"))), url)
    )


def _head(content: bytes) -> bytes:
    if not content.startswith(_GZIP):
        return content[:_HEAD]
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            return file.read(_HEAD)
    except (OSError, EOFError, ValueError, zlib.error):
        return b""


def _unpacked(content: bytes) -> bytes:
    if not content.startswith(_GZIP):
        return content
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            return file.read(_MAX_DECODED)
    except (OSError, EOFError, ValueError, zlib.error):
        return b""


def _parse_xml(content: bytes, url: str) -> Listing:
    from lxml import etree

    # References to surrogates come out of a parser that mends as bytes that are no UTF-8, and so do such bytes.
    content = _SURROGATES.sub(b"&#xFFFD;", content)
    if b"encoding=" not in content[:200] and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        content = content.decode("utf-8", "replace").encode()
    # Entities are not expanded and nothing is fetched: the file is a stranger's.
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, recover=True, huge_tree=False, remove_comments=True
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        return Listing()
    if root is None:
        return Listing()
    kind = _name(root)
    if kind == "sitemapindex":
        return Listing(sitemaps=_canonical((_text(node) for node in root.iter() if _name(node) == "loc"), url))
    if kind == "urlset":
        found = []
        for node in root.iter():
            name = _name(node)
            if name == "loc" and _name(node.getparent()) == "url":
                found.append(_text(node))
            elif name == "link" and node.get("rel") == "alternate":  # another language of the same page
                found.append(node.get("href") or "")
        return Listing(_canonical(found, url))
    if kind in {"rss", "RDF"}:
        links = [_text(n) for n in root.iter() if _name(n) == "link" and _name(n.getparent()) == "item"]
        return Listing(_canonical(links, url))
    if kind == "feed":
        entries = (n for n in root.iter() if _name(n) == "link" and _name(n.getparent()) == "entry")
        return Listing(
            _canonical((n.get("href") or "" for n in entries if n.get("rel", "alternate") == "alternate"), url)
        )
    return Listing()


def _json_links(content: bytes) -> list[str]:
    """JSON Feed 1.1: ``items[].url``."""
    try:
        data: Any = json.loads(content[:_MAX_DECODED])
    except (ValueError, RecursionError):
        return []
    items = data.get("items") if isinstance(data, dict) else None
    urls = [item.get("url") for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    return [url for url in urls if isinstance(url, str)]


def _canonical(links: Any, base: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for link in links:
        if len(found) >= MAX_URLS:
            break
        try:
            found[canonical_url(link, base)] = None
        except RefusedError:
            continue
    return tuple(found)


def _name(node: Any) -> str:
    tag = node.tag if node is not None else ""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _text(node: Any) -> str:
    return (node.text or "").strip()
