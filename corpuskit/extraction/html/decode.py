"""Bytes become a parsed page."""

from __future__ import annotations

import re
from typing import Any, Final

from lxml import etree

from corpuskit.errors import ExtractionError

_META_CHARSET: Final = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]+)""", re.IGNORECASE)
_XML_ENCODING: Final = re.compile(rb"""^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w:.-]+)""")
_END_OF_PAGE: Final = re.compile(rb"</(?:body|html)\s*>", re.IGNORECASE)
_META_WITHIN: Final = 4096
_SAMPLE: Final = 64 * 1024
_MOST_WRONG: Final = 0.01
_TWICE: Final = re.compile(rb"\xc3(?:\x83\xc2|\xa2\xe2\x82\xac|\x90\xc2)")  # é, ’ and ж, encoded twice
HTML_OPTIONS: Final[dict[str, Any]] = {
    "encoding": "utf-8", "remove_comments": True, "remove_pis": True, "huge_tree": True, "collect_ids": False,
    "no_network": True,
}  # fmt: skip
"""Of the parser of HTML."""
_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


def to_utf8(content: bytes, charset: str | None) -> tuple[bytes, str]:
    """The content in UTF-8 without null characters, and the encoding it had.

    Order as in the HTML standard, "determining the character encoding": a byte order mark, what the server said, what
    the page says, else a detector. Beyond the standard, non-ASCII content that is valid UTF-8 is taken as such, for
    a chance match is next to impossible and wrong declarations are common.
    """
    content, encoding = _decode(content, charset)
    if b"\0" in content:
        content = content.replace(b"\0", b"")
    if b"\xc3" in content and _TWICE.search(content):
        content = _decoded_once_more(content)
    return content, encoding


def _decoded_once_more(content: bytes) -> bytes:
    """A page whose text was UTF-8, was read as Windows-1252 and written as UTF-8 again; others as they are.

    Only where all of it is so: a page that shows such text beside good text, as one about encodings does, is right.
    """
    import ftfy.bad_codecs  # noqa: F401  (registers Windows-1252 with the five bytes that it leaves out)

    try:
        once = content.decode().encode("sloppy-windows-1252")
        once.decode()
    except UnicodeError:
        return content
    return once


def _decode(content: bytes, charset: str | None) -> tuple[bytes, str]:
    for bom, encoding in _BOMS:
        if content.startswith(bom):
            return _recode(content[len(bom) :], encoding), encoding
    wide = _wide(content)
    if wide:
        return _recode(content, wide), wide
    # Without escape characters ISO 2022 is ASCII.
    declared = _known(charset) or _declared(content) if b"\x1b" in content else None
    if declared is None or not declared.startswith("iso2022"):
        try:
            content.decode("utf-8")
        except UnicodeDecodeError:
            declared = _known(charset) or _declared(content)
        else:
            return content, "utf-8"
    if declared and declared != "utf-8":
        text = content.decode(declared, "replace")
        if text.count("\ufffd") <= _MOST_WRONG * len(text):
            return text.encode("utf-8", "replace"), declared
    elif declared and _wrong_share(content) <= _MOST_WRONG:
        return content.decode("utf-8", "replace").encode(), "utf-8"
    detected = _detected(content)
    return _recode(content, detected), detected


def _recode(content: bytes, encoding: str) -> bytes:
    if encoding == "utf-8":
        return content
    return content.decode(encoding, "replace").encode("utf-8", "replace")


def _wide(content: bytes) -> str | None:
    """UTF-16 without a byte order mark: every other byte of the markup is null."""
    start = content[:64]
    if len(start) >= 8 and start[1::2].count(0) > len(start) // 3 and start[0::2].count(0) == 0:
        return "utf-16-le"
    if len(start) >= 8 and start[0::2].count(0) > len(start) // 3 and start[1::2].count(0) == 0:
        return "utf-16-be"
    return None


def _declared(content: bytes) -> str | None:
    start = content[:_META_WITHIN]
    for pattern in (_XML_ENCODING, _META_CHARSET):
        if match := pattern.search(start):
            encoding = _known(match.group(1).decode("ascii", "replace"))
            # The standard: a page that could say so in ASCII is not UTF-16.
            if encoding:
                return "utf-8" if encoding.startswith("utf-16") else encoding
    return None


def _known(charset: str | None) -> str | None:
    """The codec of a name, by the aliases of the web (ISO-8859-1 is Windows-1252)."""
    if not charset:
        return None
    from w3lib.encoding import resolve_encoding

    return resolve_encoding(charset.strip("\"' "))


def _wrong_share(content: bytes) -> float:
    text = content.decode("utf-8", "replace")
    return text.count("\ufffd") / max(len(text), 1)


def _detected(content: bytes) -> str:
    """What a detector makes of the first part; Windows-1252 where it finds nothing."""
    from charset_normalizer import from_bytes

    best = from_bytes(content[:_SAMPLE]).best()
    return best.encoding if best is not None else "cp1252"


def parse(content: bytes, *, charset: str | None, uri: str | None) -> etree._Element:
    """The page's root element, without comments and processing instructions.

    XHTML that says so is read as XML first; where it is not well-formed, as HTML.

    Raises:
        ExtractionError: there is nothing in it.
    """
    content = html_content(content, charset=charset, uri=uri)
    root = _parse_xml(content) if says_it_is_xml(content) else None
    if root is None:
        try:
            root = etree.fromstring(content, etree.HTMLParser(**HTML_OPTIONS))
        except (etree.XMLSyntaxError, ValueError) as error:
            raise ExtractionError(f"{uri or 'page'}: found no markup that can be read as HTML: {error}") from error
    if root is None:
        raise ExtractionError(f"{uri or 'page'}: found no elements, expected HTML")
    return root


def html_content(content: bytes, *, charset: str | None, uri: str | None) -> bytes:
    """The content in UTF-8, as the parser takes it.

    Raises:
        ExtractionError: there is nothing in it.
    """
    content, _ = to_utf8(content, charset)
    if not content or content.isspace():
        raise ExtractionError(f"{uri or 'page'}: found an empty page, expected HTML")
    return _without_early_end(content)


def says_it_is_xml(content: bytes) -> bool:
    """Whether a page says that it is XHTML written as XML."""
    start = content[:600].lstrip()
    return start.startswith(b"<?xml") and b"http://www.w3.org/1999/xhtml" in start


def _without_early_end(content: bytes) -> bytes:
    """The page without the end of ``body`` and ``html`` where more follows, which libxml2 would drop.

    HTML standard, "after body" and "after after body": what follows is content of the body.
    """
    first = _END_OF_PAGE.search(content)
    if first is None:
        return content
    rest = _END_OF_PAGE.sub(b"", content[first.end() :])
    return content[: first.start()] + rest if rest and not rest.isspace() else content


def _parse_xml(content: bytes) -> etree._Element | None:
    # The declaration may name the encoding it had before; it is UTF-8 now.
    parser = etree.XMLParser(
        encoding="utf-8",
        remove_comments=True,
        remove_pis=True,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        collect_ids=False,
    )
    try:
        return etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
