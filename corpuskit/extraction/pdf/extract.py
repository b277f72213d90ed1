"""One PDF as a document: with structure, or its text only."""

from __future__ import annotations

import re
from typing import Any, Final

from corpuskit.document import DocumentBuilder, NLPTextDocument
from corpuskit.errors import ExtractionError
from corpuskit.extraction.options import ExtractOptions
from corpuskit.extraction.pdf.analysis import Analysis, PageInfo, analyse
from corpuskit.extraction.pdf.build import build_document
from corpuskit.extraction.pdf.characters import MAX_CHARACTERS
from corpuskit.extraction.pdf.metadata import information, page_flags, page_warnings, title_of
from corpuskit.extraction.pdf.ocr import with_text_layer
from corpuskit.extraction.pdf.opening import Opened, open_pdf

_CONTROL: Final = re.compile(r"[\x00\x03-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_LINE_END_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])[\x02\xad]\n?(?=[^\W\d_])")


def extract(content: bytes, *, uri: str | None, options: ExtractOptions) -> NLPTextDocument:
    """A PDF as a document, with structure or as text only."""
    return extract_with_analysis(content, uri=uri, options=options)[0]


def extract_with_analysis(
    content: bytes, *, uri: str | None, options: ExtractOptions
) -> tuple[NLPTextDocument, Analysis | None, bytes]:
    """A PDF as a document, the analysis it was made of (None where only text was asked for), and the PDF that was read.

    That PDF is another than the one given where OCR put text on its pages.
    """
    document, analysis = _extract(content, uri=uri, options=options)
    if not options.ocr or "pages_without_text" not in document.metadata:
        return document, analysis, content
    layered = with_text_layer(content, language=options.ocr_language, where=uri or "input")
    document, analysis = _extract(layered, uri=uri, options=options)
    document.metadata["ocr"] = "ocrmypdf"
    return document, analysis, layered


def _extract(content: bytes, *, uri: str | None, options: ExtractOptions) -> tuple[NLPTextDocument, Analysis | None]:
    with open_pdf(content, password=options.password, where=uri or "input") as opened:
        metadata, date, title = information(opened, content)
        analysis = None
        if options.structure:
            analysis = analyse(opened.pdf, forms=options.forms)
            document = build_document(analysis, uri=uri, title=title_of(title, analysis))
            pages = analysis.pages
        else:
            document, pages = _text_only(opened, uri, title)
    if pages and all(page.error for page in pages):
        raise ExtractionError(f"{uri or 'input'}: no page can be read; the first: {pages[0].error}")
    document.timestamp = date
    document.metadata.update(metadata)
    document.metadata.update(page_flags(pages))
    document.warnings += page_warnings(pages)
    return document, analysis


def _text_only(opened: Opened, uri: str | None, title: str) -> tuple[NLPTextDocument, list[PageInfo]]:
    """One TextBlock a page, in the order of the file, words parted at line ends put together."""
    builder = DocumentBuilder(title, uri or "?")
    pages = []
    for number in range(len(opened.pdf)):
        info = PageInfo()
        pages.append(info)
        try:
            text = _page_text(opened.pdf, number, info)
        except Exception as error:  # one error class for all kinds of damage
            info.error = str(error) or type(error).__name__
            continue
        if text.strip():
            builder.mark("page", builder.add_text_block(text), number + 1)
    return builder.build(), pages


def _page_text(pdf: Any, number: int, info: PageInfo) -> str:
    page = pdf[number]
    try:
        text_page = page.get_textpage()
        try:
            info.characters = text_page.count_chars()
            if info.characters > MAX_CHARACTERS:
                raise ExtractionError(f"{info.characters:,} characters on one page, the limit is {MAX_CHARACTERS:,}")
            text: str = text_page.get_text_range() if info.characters > 0 else ""
        finally:
            text_page.close()
    finally:
        page.close()
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", _LINE_END_HYPHEN.sub("", text)).strip("\n")
