"""Stored originals, and access to them with common libraries."""

from __future__ import annotations

import io
import tempfile
import weakref
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from corpuskit.errors import EncryptedDocumentError, ExtractionError, MissingExtraError, ResourceLimitError
from corpuskit.extraction.options import ExtractOptions

_HTML: Final = ("text/html", "application/xhtml+xml", "text/x-mediawiki-html")
_PDF: Final = ("application/pdf",)
_WIKI: Final = ("text/x-wiki",)
_WORD: Final = "wordprocessingml"
_MAX_WIKITEXT_CHARACTERS: Final = 5_000_000  # characters; twice the length of the longest Wikipedia article
_SUFFIXES: Final = {
    "text/html": ".html", "application/pdf": ".pdf", "text/x-wiki": ".wiki", "text/plain": ".txt", "text/markdown": ".md",
}  # fmt: skip


class Original:
    """The original of a document, as it was collected.

    Each call of a method opens the original again and returns a new object. The methods raise
    :class:`~corpuskit.errors.ExtractionError` if the original is damaged or of another type, and
    :class:`~corpuskit.errors.ResourceLimitError` if it is larger than ``[extraction] max_bytes``, also when decompressed.

    Attributes:
        bytes: The content.
        media_type: Media type, such as ``text/html``.
        uri: URI of the original.
        charset: Encoding declared by the server or archive.
    """

    def __init__(
        self, content: bytes, media_type: str, uri: str, *, charset: str | None = None, path: Path | None = None,
        options: ExtractOptions | None = None,
    ) -> None:  # fmt: skip
        """Initialize; ``path`` is None for records of web archives, which are not separate files."""
        self.bytes = content
        self.media_type, self.uri, self.charset = media_type, uri, charset
        self._file = path
        self._options = options or ExtractOptions()

    @cached_property
    def path(self) -> Path:
        """Path of the file in ``originals/``, or of a temporary copy that is deleted with this object."""
        if self._file is not None:
            return self._file
        folder = tempfile.TemporaryDirectory(prefix="corpuskit-")
        weakref.finalize(self, folder.cleanup)
        file = Path(folder.name) / f"original{_SUFFIXES.get(self.media_type, '')}"
        file.write_bytes(self.bytes)
        return file

    def lxml(self) -> Any:
        """Return the root element of the page as parsed by the extraction: decoded correctly and without comments."""
        from corpuskit.extraction.html.decode import parse

        return parse(self._checked("a web page", *_HTML), charset=self.charset, uri=self.uri)

    def trafilatura(self, **arguments: Any) -> Any:
        """Return a ``Document`` of Trafilatura with ``text``, ``body`` and metadata, or None if it finds no content.

        Args:
            arguments: Arguments of ``trafilatura.bare_extraction``; they override the options of the corpus.
        """
        from corpuskit.extraction.html.trafilatura import run

        content = self._checked("a web page", *_HTML)
        return run(content, self.uri, self._options, **{"with_metadata": True, **arguments})

    def pdfplumber(self, *, password: str | None = None) -> Any:
        """Return a ``pdfplumber.PDF``; ``.pages[0].to_image().debug_tablefinder()`` draws lines and cells.

        Raises:
            EncryptedDocumentError: A password is needed, or it is wrong.
        """
        content = self._checked("a PDF", *_PDF)
        try:
            import pdfplumber
            from pdfminer.pdfdocument import PDFPasswordIncorrect
            from pdfplumber.utils.exceptions import PdfminerException
        except ImportError:
            raise MissingExtraError("pdfplumber", "pdf") from None
        try:
            return pdfplumber.open(io.BytesIO(content), password=password or self._options.password)
        except (PdfminerException, PDFPasswordIncorrect) as error:
            if isinstance(error, PDFPasswordIncorrect) or any(isinstance(a, PDFPasswordIncorrect) for a in error.args):
                raise EncryptedDocumentError(f"{self.uri}: encrypted: pass the correct password=") from error
            raise ExtractionError(f"{self.uri}: pdfplumber cannot read it: {error}") from error

    def pypdfium2(self, *, password: str | None = None) -> Any:
        """Return a ``pypdfium2.PdfDocument``; a damaged file is repaired first.

        Raises:
            EncryptedDocumentError: A password is needed, or it is wrong.
        """
        from corpuskit.extraction.pdf.opening import open_pdf

        content = self._checked("a PDF", *_PDF)
        return open_pdf(content, password=password or self._options.password, where=self.uri).pdf

    def docx(self) -> Any:
        """Return a ``docx.Document`` of python-docx: comments, styles, headers, footers.

        The size of all parts is checked first, to refuse zip bombs.
        """
        from corpuskit.extraction.docx.package import Package

        content = self._checked("a Word document")
        package = Package(content, self.uri)
        for name in package.names():
            package.read(name)
        try:
            import docx
        except ImportError:
            raise MissingExtraError("python-docx", "docx") from None
        try:
            return docx.Document(io.BytesIO(content))
        except (KeyError, ValueError, AttributeError, OSError) as error:
            raise ExtractionError(f"{self.uri}: python-docx cannot read it: {error}") from error

    def wikitext(self) -> Any:
        """Return the ``Wikicode`` of mwparserfromhell: templates, links, sections."""
        content = self._checked("wikitext", *_WIKI)
        try:
            import mwparserfromhell
        except ImportError:
            raise MissingExtraError("mwparserfromhell", "wikipedia") from None
        text = content.decode(self.charset or "utf-8", "replace")
        if len(text) > _MAX_WIKITEXT_CHARACTERS:
            raise ResourceLimitError(f"{self.uri}: {len(text):,} characters, the limit is {_MAX_WIKITEXT_CHARACTERS:,}")
        return mwparserfromhell.parse(text)

    def _checked(self, expected: str, *media_types: str) -> bytes:
        """Return the content after checks of its media type and size."""
        is_kind = (
            self.media_type in media_types
            if media_types
            else _WORD in self.media_type or "ms-word.doc" in self.media_type
        )
        if not is_kind:
            raise ExtractionError(f"{self.uri}: found {self.media_type}, expected {expected}")
        if len(self.bytes) > self._options.max_bytes:
            limit = self._options.max_bytes
            raise ResourceLimitError(f"{self.uri}: {len(self.bytes):,} bytes, the limit is {limit:,}")
        return self.bytes

    def __repr__(self) -> str:
        return f"<Original of {self.uri}: {self.media_type}, {len(self.bytes):,} bytes>"
