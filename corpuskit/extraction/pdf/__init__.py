"""PDF documents: pdfium reads the characters, the rest is layout in numpy."""

from __future__ import annotations

from corpuskit.document import NLPTextDocument
from corpuskit.extraction.options import ExtractOptions


def extract_pdf(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None = None
) -> NLPTextDocument:
    """A PDF as a document.

    Raises:
        EncryptedDocumentError: a password is needed.
        ExtractionError: no PDF, or a damaged one.
        MissingExtraError: pypdfium2 is not installed.
    """
    from corpuskit.extraction.pdf.extract import extract

    return extract(content, uri=uri, options=options)
