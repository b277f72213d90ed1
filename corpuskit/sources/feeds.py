"""Reader of feed files: items of RSS (0.9x, 1.0, 2.0) and Atom (RFC 4287) with the text in the feed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from html import escape
from typing import Final
from urllib.parse import urlsplit

from lxml import etree

from corpuskit.dates import as_utc, parse_loose_date
from corpuskit.errors import SourceError
from corpuskit.sources.resource import Resource

_HEAD: Final = 4096
_ROOT_TAGS: Final = (b"<rss", b"<feed", b"<rdf:RDF")
_MAX_ITEMS: Final = 100_000
_ITEM_TAGS: Final = frozenset(("item", "entry"))
_ITEM_START: Final = re.compile(rb"<(?:item|entry)[\s>]")
_TEXT_TAGS: Final = ("encoded", "content", "description", "summary")  # in order of preference: full text before summary
_DATE_TAGS: Final = ("updated", "pubDate", "published", "date", "modified")
_AUTHOR_TAGS: Final = ("creator", "author")


def is_feed(resource: Resource) -> bool:
    """Return whether a resource is a feed, judged by its first element."""
    head = resource.content[:_HEAD]
    if not any(mark in head for mark in _ROOT_TAGS):
        return False
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"<?xml", b"<!--", *_ROOT_TAGS))


def read_feed(resource: Resource) -> Iterator[Resource | tuple[str, Exception]]:
    """Yield the items of a feed that have a text, each as a separate HTML page with its link as URI.

    An item without a link gets the URI of the feed with ``#`` and its number. If a damaged feed has more items than can be
    read, one (URI, error) reports it. A resource that is not a feed yields nothing.
    """
    # The file is untrusted: entities are not expanded and nothing is fetched.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, remove_comments=True)
    try:
        root = etree.fromstring(resource.content, parser)
    except (etree.XMLSyntaxError, ValueError):
        return
    if root is None or not isinstance(root.tag, str):
        return
    feed = next((_text(e) for e in root.iter("{*}title", "title") if _name(e.getparent()) not in _ITEM_TAGS), "")
    items = [element for element in root.iter(etree.Element) if _name(element) in _ITEM_TAGS]
    if items and len(items) < (declared := len(_ITEM_START.findall(resource.content))):
        reason = f"{resource.uri}: damaged feed: only {len(items):,} of {declared:,} items can be read"
        yield resource.uri, SourceError(reason)
    for number, item in zip(range(1, _MAX_ITEMS + 1), items, strict=False):
        parts: dict[str, etree._Element] = {}
        for element in item:
            parts.setdefault(_name(element), element)
        body = next((text for name in _TEXT_TAGS if name in parts and (text := _markup(parts[name])).strip()), "")
        if not body:
            continue
        title = _text(parts.get("title"))
        link = _link(item)
        metadata = {"feed": feed, "feed_uri": resource.uri}
        author = next((_text(parts[name]) for name in _AUTHOR_TAGS if name in parts), "")
        if author:
            metadata["author"] = author
        page = f"<html><head><title>{escape(title)}</title></head><body><article>{body}</article></body></html>"
        yield replace(
            resource,
            uri=link or f"{resource.uri}#{number}",
            content=page.encode("utf-8", "replace"),
            media_type="text/html",
            charset="utf-8",
            modified=next((date for name in _DATE_TAGS if name in parts and (date := _date(_text(parts[name])))), None),
            name=f"{number}.html",
            origin=None if link else resource.origin,
            source="feed",
            metadata={key: value for key, value in metadata.items() if value},
        )


def _name(element: etree._Element | None) -> str:
    tag = element.tag if element is not None else ""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _text(element: etree._Element | None) -> str:
    return "" if element is None else " ".join("".join(map(str, element.itertext())).split())


def _markup(element: etree._Element) -> str:
    """Return the HTML in an element, stored as escaped text, as CDATA, or as child elements (Atom's ``type="xhtml"``)."""
    if len(element):
        inner = "".join(etree.tostring(child, encoding="unicode", method="html") for child in element)
        return escape(element.text or "") + inner
    text = element.text or ""
    return f"<p>{escape(text)}</p>" if element.get("type") == "text" else text


def _link(item: etree._Element) -> str:
    for element in item:
        if _name(element) == "link" and element.get("rel", "alternate") == "alternate":
            link = (element.get("href") or element.text or "").strip()
            if link.lower().startswith(("http://", "https://")) and _is_url(link):
                return link
    return ""


def _is_url(link: str) -> bool:
    try:
        return bool(urlsplit(link).hostname)
    except ValueError:
        return False


def _date(text: str) -> datetime | None:
    date = parse_loose_date(text)
    try:
        return None if date is None else as_utc(date)
    except OverflowError:
        return None
