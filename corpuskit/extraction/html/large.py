"""Large pages, read without a tree: one of small elements takes 12 to 17 times as much memory as its page (2026-11-23).

The parser tells what it meets, and that is written down as the serialiser writes a tree; what the head is read from is
kept as a small tree of its own.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any, Final

from lxml import etree

from corpuskit.extraction.html.decode import HTML_OPTIONS, html_content
from corpuskit.extraction.html.metadata import XML_LANG

LARGE: Final = 5_000_000
"""Bytes; larger pages are read so."""

_HEAD: Final = frozenset(("script", "style", "meta", "link", "title", "base", "time"))
_COLLECTED: Final = frozenset(("script", "style", "title"))
PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
"""Names of elements and attributes that XML can say too."""
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_PIECES: Final = 1 << 14  # held before they are written
_IN_TEXT: Final = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord("\r"): "&#13;"}
_IN_VALUE: Final = _IN_TEXT | {ord('"'): "&quot;", ord("\n"): "&#10;", ord("\t"): "&#9;"}


def read_large(content: bytes, *, charset: str | None, uri: str | None) -> tuple[list[etree._Element], list[bytes]]:
    """The elements that a page's head is read from, below a copy of its root; and its markup without scripts and styles.

    Each in a list, from which it can be taken out and freed.

    Args:
        content: the page.
        charset: what the server said, if it said something.
        uri: for messages.

    Raises:
        ExtractionError: there is nothing in it.
    """
    content = html_content(content, charset=charset, uri=uri)
    writer = _Writer()
    etree.fromstring(content, etree.HTMLParser(target=writer, **HTML_OPTIONS))
    return [writer.head], [writer.markup()]


class _Writer:
    """What the parser calls. Names that hold ``<``, which HTML allows and XML cannot say, are replaced."""

    def __init__(self) -> None:
        self.head = etree.Element("html")
        self._out = BytesIO()
        self._pieces: list[str] = []
        self._is_open = False  # the last start tag may become an empty one
        self._depth = 0
        self._collected: list[str] | None = None  # the text of an element of the head
        self._is_shown = True

    def start(self, tag: Any, attrib: Any) -> None:
        """A start tag."""
        name, attributes = str(tag), attrib
        if "<" in name:
            name = "span"
        if self._is_open:
            self._pieces.append(">")
        if len(self._pieces) > _PIECES:
            self._write()
        piece = f"<{name}"
        if attributes:
            if any("<" in key for key in attributes):
                attributes = {key: value for key, value in attributes.items() if PLAIN_NAME.fullmatch(key)}
            piece += "".join([f' {key}="{value.translate(_IN_VALUE)}"' for key, value in attributes.items()])
        self._pieces.append(piece)
        self._is_open = True
        if not self._depth:
            _set(self.head, attributes)
        elif name in _HEAD:
            self._keep(name, attributes)
        self._depth += 1

    def _keep(self, name: str, attributes: dict[str, str]) -> None:
        if name == "time" and "datetime" not in attributes:
            return
        _set(etree.SubElement(self.head, name), attributes)
        if name in _COLLECTED:
            self._collected = []
            is_formula = name == "script" and attributes.get("type", "").lower().startswith("math/")
            self._is_shown = is_formula or name == "title"

    def end(self, tag: Any) -> None:
        """An end tag."""
        name = str(tag)
        if self._collected is not None and name in _COLLECTED:
            self.head[-1].text = _NOT_XML.sub("", "".join(self._collected))
            self._collected = None
            self._is_shown = True
        self._depth -= 1
        self._pieces.append("/>" if self._is_open else f"</{'span' if '<' in name else name}>")
        self._is_open = False

    def data(self, data: Any) -> None:
        """A text, or a part of it."""
        text = str(data)
        if self._collected is not None:
            self._collected.append(text)
        if self._is_shown:
            if self._is_open:
                self._pieces.append(">")
                self._is_open = False
            self._pieces.append(text.translate(_IN_TEXT))

    def comment(self, text: Any) -> None:
        """Nothing: comments are left out."""

    def close(self) -> None:
        """The end of the page."""
        self._write()

    def _write(self) -> None:
        self._out.write("".join(self._pieces).encode("utf-8", "replace"))
        self._pieces.clear()

    def markup(self) -> bytes:
        """What was written, which is here no longer: the parser keeps this object."""
        written, self._out = self._out.getvalue(), BytesIO()
        return written


def _set(element: etree._Element, attributes: dict[str, str]) -> None:
    """Sets the attributes that XML can say."""
    for name, value in attributes.items():
        if name == "xml:lang" or PLAIN_NAME.fullmatch(name):
            element.set(XML_LANG if name == "xml:lang" else name, _NOT_XML.sub("", value))
