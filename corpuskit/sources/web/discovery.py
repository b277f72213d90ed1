"""Parsing of sitemaps and feeds into the URLs of their pages."""

from __future__ import annotations

import dataclasses
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from corpuskit.errors import RefusedError
from corpuskit.sources.web.urls import canonical_url

MAX_URLS: Final = 50_000  # per file; sitemaps.org, "Sitemap index files"
_MAX_DECODED: Final = 52_428_800  # bytes; sitemaps.org as well
_SURROGATES: Final = re.compile(
    rb"&#(?:[xX]0{0,9}[dD][89a-fA-F][0-9a-fA-F]{2}|0{0,9}(?:5529[6-9]|55[3-9]\d\d|56\d{3}|57[0-2]\d\d|573[0-3]\d|5734[0-3]));"
)
_CHUNK_BYTES: Final = 1 << 16
_GZIP: Final = b"\x1f\x8b"
_HEAD: Final = 4096  # bytes examined to detect the format
# Possessive and atomic groups keep matching linear on untrusted prologues.
_ROOT: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?(?>\s++|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*+(?:\[[^\]]*+\]\s*+)?>)*+"
    rb"<(?:[\w.-]++:)?(?:urlset|sitemapindex|rss|RDF|feed)[\s>]",
    re.DOTALL,
)
_JSON_FEED: Final = re.compile(rb'"[^"]{0,20}jsonfeed\.org\\?/version')
_USUAL_PATHS: Final = ("/sitemap.xml", "/sitemap_index.xml")


@dataclass(frozen=True, slots=True)
class Listing:
    """URLs of a sitemap or feed.

    Attributes:
        pages: Distinct canonical URLs, in order.
        sitemaps: URLs of further sitemaps, for a sitemap index.
        damage: Reason why URLs may be missing, or empty if the file was read completely.
    """

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    damage: str = ""


def guessed_sitemaps(origin: str) -> list[str]:
    """Return the usual URLs of sitemaps, for a site without sitemaps in robots.txt.

    Args:
        origin: The site, such as ``https://host``.
    """
    return [origin + path for path in _USUAL_PATHS]


def is_listing(content: bytes, media_type: str = "") -> bool:
    """Return whether content is a sitemap or feed, by its first element; plain text is a sitemap if each line is a URL.

    Args:
        content: The bytes.
        media_type: Declared media type.
    """
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
    """Return the URLs in a sitemap (XML, index or plain text; gzip) or feed (RSS, RDF, Atom, JSON).

    Other content results in an empty listing. For damaged files, ``damage`` has the reason and the readable URLs are returned.

    Args:
        content: The bytes.
        url: URL of the file; relative links are resolved against it.
    """
    plain, damage = _decompressed(content)
    head = plain[:1000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"{"):
        listing = _parse_json(plain, url)
    elif head.startswith(b"<"):
        listing = _parse_xml(plain, url)
    else:
        lines = plain[:_MAX_DECODED].decode("utf-8-sig", "replace").split("\n")
        listing = _listing((line.strip() for line in lines if line.strip().startswith(("http://", "https://"))), url)
    return dataclasses.replace(listing, damage=damage) if damage else listing


def _head(content: bytes) -> bytes:
    if not content.startswith(_GZIP):
        return content[:_HEAD]
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            return file.read(_HEAD)
    except (OSError, EOFError, ValueError, zlib.error):
        return b""


def _decompressed(content: bytes) -> tuple[bytes, str]:
    """Return the decompressed content, and a description of the damage."""
    if not content.startswith(_GZIP):
        return content, f"more than {_MAX_DECODED:,} bytes" if len(content) > _MAX_DECODED else ""
    packed, parts, size = io.BytesIO(content), [], 0
    try:
        with gzip.GzipFile(fileobj=packed) as file:
            while size < _MAX_DECODED and (part := file.read1(min(_CHUNK_BYTES, _MAX_DECODED - size))):
                parts.append(part)
                size += len(part)
            damage = f"more than {_MAX_DECODED:,} bytes" if size == _MAX_DECODED and file.read(1) else ""
    except (OSError, EOFError, ValueError, zlib.error) as error:
        damage = f"gzip data truncated or damaged: {error}"
    return b"".join(parts), damage


def _parse_xml(content: bytes, url: str) -> Listing:
    from lxml import etree

    # In recover mode libxml2 keeps surrogate references and invalid UTF-8; lxml then fails when the text is read.
    content = _SURROGATES.sub(b"&#xFFFD;", content)
    if b"encoding=" not in content[:200] and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        content = content.decode("utf-8", "replace").encode()
    if not content.rstrip().endswith(b">"):
        content = content[: content.rfind(b">") + 1]  # truncated, possibly inside a URL
    # The file is untrusted: entities are not expanded and nothing is fetched.
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, recover=True, huge_tree=False, remove_comments=True
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        return Listing(damage=f"not XML: {error}")
    if root is None:
        return Listing(damage="not XML")
    damage = _damage(parser)
    kind = _name(root)
    if kind == "sitemapindex":
        named = _listing((_text(node) for node in root.iter() if _name(node) == "loc"), url, damage)
        return dataclasses.replace(named, pages=(), sitemaps=named.pages)
    if kind == "urlset":
        urls = []
        for node in root.iter():
            name = _name(node)
            if name == "loc" and _name(node.getparent()) == "url":
                urls.append(_text(node))
            elif name == "link" and node.get("rel") == "alternate":  # the page in another language
                urls.append(node.get("href") or "")
        return _listing(urls, url, damage)
    if kind in {"rss", "RDF"}:
        links = [_text(n) for n in root.iter() if _name(n) == "link" and _name(n.getparent()) == "item"]
        return _listing(links, url, damage)
    if kind == "feed":
        entries = (n for n in root.iter() if _name(n) == "link" and _name(n.getparent()) == "entry")
        return _listing((n.get("href") or "" for n in entries if n.get("rel", "alternate") == "alternate"), url, damage)
    return Listing()


def _damage(parser: Any) -> str:
    """Return a description if the parser recovered from truncation, so that URLs may be missing."""
    from lxml import etree

    broken = (
        etree.ErrorTypes.ERR_TAG_NOT_FINISHED,
        etree.ErrorTypes.ERR_DOCUMENT_END,
        etree.ErrorTypes.ERR_GT_REQUIRED,
    )
    return next(
        (f"truncated in line {entry.line}" for entry in parser.error_log if entry.type in broken),
        "",
    )


def _parse_json(content: bytes, url: str) -> Listing:
    """Parse JSON Feed 1.1: ``items[].url``."""
    try:
        data: Any = json.loads(content[:_MAX_DECODED])
    except (ValueError, RecursionError) as error:
        return Listing(damage=f"not JSON: {error}")
    items = data.get("items") if isinstance(data, dict) else None
    urls = [item.get("url") for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    return _listing((link for link in urls if isinstance(link, str)), url)


def _listing(links: Iterable[str], base: str, damage: str = "") -> Listing:
    """Return the distinct canonical URLs of links, up to the limit per file."""
    urls: dict[str, None] = {}
    for link in filter(None, links):
        if len(urls) >= MAX_URLS:
            return Listing(tuple(urls), damage=damage or f"more than {MAX_URLS:,} URLs")
        try:
            urls[canonical_url(link, base)] = None
        except RefusedError:
            continue
    return Listing(tuple(urls), damage=damage)


def _name(node: Any) -> str:
    tag = node.tag if node is not None else ""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _text(node: Any) -> str:
    return (node.text or "").strip()
