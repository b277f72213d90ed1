"""Extractor of EPUB 2 and 3: the pages of the spine in reading order, through the HTML extractor."""

from __future__ import annotations

import io
import posixpath
import zipfile
from typing import Final
from urllib.parse import unquote

from lxml import etree

from corpuskit.document import ElementTable, NLPTextDocument
from corpuskit.errors import EncryptedDocumentError, ExtractionError, ResourceLimitError
from corpuskit.extraction.docx.package import DAMAGED_ZIP
from corpuskit.extraction.docx.properties import parse_date
from corpuskit.extraction.encoding import sound_xml
from corpuskit.extraction.extractors import extracts
from corpuskit.extraction.options import ExtractOptions

_MAX_TOTAL_BYTES: Final = 256 * 1024**2  # bytes of all members together
_HTML_TYPES: Final = frozenset(("application/xhtml+xml", "text/html"))
_METADATA: Final = {"creator": "author", "language": "language", "publisher": "publisher", "identifier": "identifier",
                    "description": "description", "rights": "license"}  # fmt: skip


@extracts("application/epub+zip")
def extract_epub(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None = None
) -> NLPTextDocument:
    """Extract a book as one document; all of it is main content.

    Locators start with the name of the page file in the package.

    Raises:
        ExtractionError: The content is not an EPUB (OCF 3.3), or it is damaged.
        EncryptedDocumentError: The pages are encrypted.
    """
    from corpuskit.extraction.html import extract_tree

    where = uri or "input"
    book = _Book(content, where)
    document = NLPTextDocument(uri=uri or "?")
    book.read_metadata(document)
    for name in book.spine():
        page = book.read(name)
        if page is None:
            document.warnings.append(f"{name} is missing or damaged")
            continue
        root = etree.fromstring(page, etree.HTMLParser(encoding="utf-8", no_network=True)) if page.strip() else None
        if root is not None:
            _append(document.table, extract_tree(root, uri=uri, options=options).table, name)
    if not len(document.table):
        raise ExtractionError(f"{where}: the book has no text")
    return document


class _Book:
    def __init__(self, content: bytes, where: str) -> None:
        self._where, self._left = where, _MAX_TOTAL_BYTES
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except DAMAGED_ZIP as error:
            raise ExtractionError(f"{where}: not an EPUB, or truncated: {error}") from error
        if "META-INF/encryption.xml" in self._zip.NameToInfo and b"xmlenc#aes" in (
            self.read("META-INF/encryption.xml") or b""
        ):
            raise EncryptedDocumentError(f"{where}: the book is encrypted")
        container = self._xml("META-INF/container.xml")
        paths = [] if container is None else [e.get("full-path") for e in container.iter("{*}rootfile")]
        self._name = unquote(paths[0] or "") if paths else ""
        package = self._xml(self._name) if self._name else None
        if package is None:
            raise ExtractionError(f"{where}: not an EPUB: the package document is missing")
        self._package = package

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a member, or None if it is missing or damaged."""
        info = self._zip.NameToInfo.get(name)
        if info is None:
            return None
        self._left -= info.file_size
        if self._left < 0:
            raise ResourceLimitError(
                f"{self._where}: larger than the limit of {_MAX_TOTAL_BYTES:,} bytes when decompressed"
            )
        try:
            return self._zip.read(info)
        except DAMAGED_ZIP:
            return None

    def _xml(self, name: str) -> etree._Element | None:
        content = self.read(name)
        if not content:
            return None
        parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False)
        return etree.fromstring(sound_xml(content), parser)

    def spine(self) -> list[str]:
        """Return the names of the pages in reading order (EPUB 3.3, 5.7)."""
        folder = posixpath.dirname(self._name)
        parts = {
            item.get("id"): posixpath.normpath(posixpath.join(folder, unquote(item.get("href") or "")))
            for item in self._package.iter("{*}item")
            if item.get("media-type") in _HTML_TYPES and "nav" not in (item.get("properties") or "").split()
        }
        references = (reference.get("idref") for reference in self._package.iter("{*}itemref"))
        return [parts[idref] for idref in dict.fromkeys(references) if idref in parts]

    def read_metadata(self, document: NLPTextDocument) -> None:
        """Read title, authors, dates and other metadata (EPUB 3.3, 5.5)."""
        for element in self._package.iterfind("{*}metadata/*"):
            name = str(element.tag).rpartition("}")[2]
            text = " ".join((element.text or "").split())
            if not text:
                continue
            if name == "title":
                document.title = document.title or text
            elif name == "date" or element.get("property") == "dcterms:modified":
                if date := parse_date(text):
                    document.timestamp = date
                    document.metadata["timestamp_source"] = "published" if name == "date" else "modified"
            elif key := _METADATA.get(name):
                document.metadata[key] = f"{document.metadata[key]}; {text}" if key in document.metadata else text


def _append(table: ElementTable, more: ElementTable, name: str) -> None:
    """Append the elements of a page to the table."""
    first = len(table)
    table.type += more.type
    table.parent_id += [parent if parent < 0 else parent + first for parent in more.parent_id]
    table.subtree_end += [end + first for end in more.subtree_end]
    table.nesting_level += more.nesting_level
    table.text += more.text
    table.main += more.default_main()
    table.cells.update({i + first: cell for i, cell in more.cells.items()})
    for mark, column in more.marks.items():
        prefix = f"{name}#" if mark == "locator" else None
        for i, value in column.items():
            table.mark(mark, i + first, prefix + value if prefix else value)
