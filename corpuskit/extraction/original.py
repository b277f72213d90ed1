"""An original, and the libraries that its users know to open it in."""

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
_LONGEST_WIKITEXT: Final = 5_000_000  # characters: as much as twice the longest article of Wikipedia
_SUFFIXES: Final = {
    "text/html": ".html", "application/pdf": ".pdf", "text/x-wiki": ".wiki", "text/plain": ".txt", "text/markdown": ".md",
}  # fmt: skip


class Original:
    """What a document was extracted from, as it was collected.

    Each of the methods opens it in a library anew; what they give belongs to the caller. They raise
    :class:`~corpuskit.errors.ExtractionError` where the original is of another kind or damaged, and
    :class:`~corpuskit.errors.ResourceLimitError` where it is larger than ``[extraction] max_bytes``, or unpacks to more.

    Attributes:
        bytes: its content.
        media_type: such as ``text/html``.
        uri: where it came from.
        charset: what the server or archive said of its encoding.
    """

    def __init__(
        self, content: bytes, media_type: str, uri: str, *, charset: str | None = None, path: Path | None = None,
        options: ExtractOptions | None = None,
    ) -> None:  # fmt: skip
        """``path`` is the file where there is one; records of web archives have none."""
        self.bytes = content
        self.media_type, self.uri, self.charset = media_type, uri, charset
        self._file = path
        self._options = options or ExtractOptions()

    @cached_property
    def path(self) -> Path:
        """A file with this content: the one in ``originals/``, else a copy that is there as long as this object."""
        if self._file is not None:
            return self._file
        folder = tempfile.TemporaryDirectory(prefix="corpuskit-")
        weakref.finalize(self, folder.cleanup)
        file = Path(folder.name) / f"original{_SUFFIXES.get(self.media_type, '')}"
        file.write_bytes(self.bytes)
        return file

    def lxml(self) -> Any:
        """Return the page's root element, as our own extraction parses it: without comments, in the right encoding."""
        from corpuskit.extraction.html.decode import parse

        return parse(self._checked("a web page", *_HTML), charset=self.charset, uri=self.uri)

    def trafilatura(self, **arguments: Any) -> Any:
        """Return Trafilatura's ``Document``, with ``text``, ``body`` and its metadata; None where it finds nothing.

        Args:
            arguments: those of ``trafilatura.bare_extraction``; they come before the options of the corpus.
        """
        from corpuskit.extraction.html.trafilatura import run

        content = self._checked("a web page", *_HTML)
        return run(content, self.uri, self._options, **{"with_metadata": True, **arguments})

    def pdfplumber(self, *, password: str | None = None) -> Any:
        """Return a ``pdfplumber.PDF``: ``.pages[0].to_image().debug_tablefinder()`` shows how lines and cells lie.

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
                raise EncryptedDocumentError(f"{self.uri}: encrypted; pass password=") from error
            raise ExtractionError(f"{self.uri}: pdfplumber cannot read it: {error}") from error

    def pypdfium2(self, *, password: str | None = None) -> Any:
        """Return a ``pypdfium2.PdfDocument``; a damaged one is mended first.

        Raises:
            EncryptedDocumentError: A password is needed, or it is wrong.
        """
        from corpuskit.extraction.pdf.opening import open_pdf

        content = self._checked("a PDF", *_PDF)
        return open_pdf(content, password=password or self._options.password, where=self.uri).pdf

    def docx(self) -> Any:
        """Return a ``docx.Document`` of python-docx: comments, styles, headers, footers.

        Its parts are looked at before: what only a bomb unpacks to is refused.
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
        if len(text) > _LONGEST_WIKITEXT:
            raise ResourceLimitError(f"{self.uri}: {len(text):,} characters, the limit is {_LONGEST_WIKITEXT:,}")
        return mwparserfromhell.parse(text)

    def _checked(self, expected: str, *media_types: str) -> bytes:
        """The content, where it is of the kind that is asked for and not too large."""
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
