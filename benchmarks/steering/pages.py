"""HTML pages of the packages: read, parsed, and rewritten to link only to what is served."""

import gzip
import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import lxml.html

MAX_BYTES = 400_000  # what follows in a longer page is cut off
NO_LINKS = ("#", "javascript:", "mailto:")
CHARSET = re.compile(rb'charset=["\']?([\w-]+)')
LINK_TAG = re.compile(rb"<(?:a|area|link|frame|iframe)\s[^>]*>", re.IGNORECASE | re.DOTALL)
LINK_VALUE = re.compile(
    rb"""((?:\s|["'])(?:href|src)\s*=\s*)(?:(["'])(.*?)\2|([^\s>"']+))""", re.IGNORECASE | re.DOTALL
)


class Parsed(NamedTuple):
    """What the web is woven from: title, text, and the links as they stand in the page."""

    title: str
    text: str
    hrefs: list[str]


def read(file: Path) -> bytes:
    data = file.read_bytes()
    return (gzip.decompress(data) if file.suffix == ".gz" else data)[:MAX_BYTES]


def charset_of(raw: bytes) -> str:
    found = CHARSET.search(raw[:2048])
    return found.group(1).decode() if found else "utf-8"


def parse(raw: bytes) -> Parsed | None:
    """Return title, text and links of a page; None if lxml refuses it, and then it is not part of the web."""
    try:
        document = lxml.html.document_fromstring(raw, parser=lxml.html.HTMLParser(encoding=charset_of(raw)))
    except (ValueError, LookupError, lxml.etree.LxmlError):
        return None
    hrefs = [href for anchor in document.iter("a") if (href := anchor.get("href")) and not href.startswith(NO_LINKS)]
    hrefs += [src for tag in ("frame", "iframe") for frame in document.iter(tag) if (src := frame.get("src"))]
    for meta in document.xpath(".//meta[@http-equiv]"):
        content = meta.get("content") or ""
        if "url=" in content.lower():
            hrefs.append(content[content.lower().index("url=") + 4 :])
    title = (document.findtext(".//title") or "").strip()
    for element in document.xpath(".//script|.//style"):
        if element.getparent() is not None:
            element.drop_tree()
    body = document.find("body")
    text = " ".join(" ".join((document if body is None else body).itertext()).split())
    return Parsed(title, text, hrefs)


def rewrite(raw: bytes, target: Callable[[str], str | None]) -> bytes:
    """Return the page with its links cut to the web.

    Args:
        raw: the page.
        target: gives for a link "" if it stays as it is, None if it has no target, or the URL it leads to.
    """
    charset = charset_of(raw)

    def value(found: re.Match[bytes]) -> bytes:
        before, quote, quoted, bare = found.groups()
        href = html.unescape((bare if quoted is None else quoted).decode(charset, "replace")).strip()
        if not href or href.startswith((*NO_LINKS, "data:")):
            return found.group(0)
        url = target(href)
        if url is None:
            return before + b'"#"'
        return (
            before + b'"' + html.escape(url).encode() + b'"'
            if url
            else before + (quote or b"") + (quoted or bare) + (quote or b"")
        )

    return LINK_TAG.sub(lambda tag: LINK_VALUE.sub(value, tag.group(0)), raw)
