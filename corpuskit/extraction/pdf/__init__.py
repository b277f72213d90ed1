"""PDF documents: pdfium reads the characters, the rest is layout in numpy."""

from __future__ import annotations

from typing import Final

from corpuskit.document import NLPTextDocument
from corpuskit.extraction.extractors import extracts
from corpuskit.extraction.options import ExtractOptions
from corpuskit.safe_folder import Folder, as_safe_folder

PDF_TYPE: Final = "application/pdf"


def has_artifacts(folder: Folder) -> bool:
    """Whether TextWorks' artifacts of a PDF stand in its directory."""
    safe = as_safe_folder(folder)
    return safe.exists("segmentation.json") and safe.exists("textgrid.json")


@extracts(PDF_TYPE)
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
