"""PDF documents: pdfium reads the characters, the rest is layout in numpy."""

from __future__ import annotations

from typing import Final

from corpuskit.document import NLPTextDocument
from corpuskit.extraction.extractors import extracts
from corpuskit.extraction.options import ExtractOptions
from corpuskit.safe_folder import Folder, as_safe

PDF_TYPE: Final = "application/pdf"


def has_artifacts(folder: Folder) -> bool:
    """Whether TextWorks' artifacts of a PDF stand in its directory."""
    safe = as_safe(folder)
    return safe.has("segmentation.json") and safe.has("textgrid.json")


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


@extracts(PDF_TYPE, with_folder=True)
def extract_pdf_with_artifacts(
    content: bytes, *, uri: str | None, options: ExtractOptions, folder: Folder, charset: str | None = None
) -> NLPTextDocument:
    """As :func:`extract_pdf`; also writes ``segmentation.json`` and ``textgrid.json`` into a folder.

    The layout is analysed once; artifacts that stand there already stay as they are. With ``options.structure=False`` there is none, and nothing is written.
    """
    from corpuskit.extraction.pdf.extract import extract_with_analysis
    from corpuskit.extraction.pdf.textworks import write_artifacts

    document, analysis, content = extract_with_analysis(content, uri=uri, options=options)
    if analysis is not None and not has_artifacts(folder):
        write_artifacts(content, folder, analysis=analysis, password=options.password)
    return document
