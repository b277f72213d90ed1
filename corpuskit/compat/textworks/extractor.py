"""Extractor of PDF files that also writes the artifacts of TextWorks."""

from __future__ import annotations

from corpuskit.document import NLPTextDocument
from corpuskit.extraction.extractors import extracts
from corpuskit.extraction.options import ExtractOptions
from corpuskit.extraction.pdf import PDF_TYPE, has_artifacts
from corpuskit.safe_folder import Folder


@extracts(PDF_TYPE, with_folder=True)
def extract_pdf_with_artifacts(
    content: bytes, *, uri: str | None, options: ExtractOptions, folder: Folder, charset: str | None = None
) -> NLPTextDocument:
    """Extract a PDF, and write ``segmentation.json`` and ``textgrid.json`` into a directory unless they exist.

    The layout is analysed once. With ``options.structure=False`` there is none, and nothing is written.
    """
    from corpuskit.compat.textworks.artifacts import write_artifacts
    from corpuskit.extraction.pdf.extract import extract_with_analysis

    document, analysis, content = extract_with_analysis(content, uri=uri, options=options)
    if analysis is not None and not has_artifacts(folder):
        write_artifacts(content, folder, analysis=analysis, password=options.password)
    return document
