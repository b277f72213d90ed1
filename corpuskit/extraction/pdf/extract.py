"""One PDF as a document: with structure, or its text only."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

from corpuskit.document import DocumentBuilder, NLPTextDocument
from corpuskit.errors import ConfigurationError, ExtractionError
from corpuskit.extraction.options import ExtractOptions
from corpuskit.extraction.pdf.analysis import Analysis, PageInfo, analyse
from corpuskit.extraction.pdf.build import build_document
from corpuskit.extraction.pdf.characters import MAX_CHARACTERS
from corpuskit.extraction.pdf.metadata import information, page_flags, page_warnings, title_of
from corpuskit.extraction.pdf.opening import Opened, open_pdf

_CONTROL: Final = re.compile(r"[\x00\x03-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_LINE_END_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])[\x02\xad]\n?(?=[^\W\d_])")
_OCR_PROGRAM: Final = "ocrmypdf"
_OCR_SECONDS: Final = 100  # a worker process is ended after 120; more scans than that takes are for ocrmypdf beforehand
_OCR_ENCRYPTED: Final = 8  # exit codes of OCRmyPDF: docs/advanced.rst, "Return code policy"


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


def with_text_layer(content: bytes, *, language: str, where: str, seconds: float = _OCR_SECONDS) -> bytes:
    """The PDF with a text layer on pages that have none; the other pages stay as they are.

    Args:
        content: the PDF.
        language: what Tesseract calls it, such as ``eng`` or ``deu+fra``.
        where: what it is called in errors.
        seconds: it is ended after so long.

    Raises:
        ConfigurationError: OCRmyPDF is not installed.
        ExtractionError: it fails or takes too long.
    """
    program = shutil.which(_OCR_PROGRAM)
    if program is None:
        raise ConfigurationError(
            f"{where}: ocr=True needs OCRmyPDF, which is not installed; install it (apt-get install ocrmypdf, "
            "brew install ocrmypdf), or extract without ocr"
        )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source, target = Path(folder) / "source.pdf", Path(folder) / "target.pdf"
        source.write_bytes(content)
        command = [
            program, "--skip-text", "--output-type", "pdf", "--quiet", "--jobs", "1", "-l", language,
            str(source), str(target),
        ]  # fmt: skip
        try:
            done = subprocess.run(
                command, capture_output=True, timeout=seconds, check=False, stdin=subprocess.DEVNULL, cwd=folder
            )
        except subprocess.TimeoutExpired as error:
            raise ExtractionError(f"{where}: OCRmyPDF took more than {seconds:g} s") from error
        if done.returncode or not target.exists():
            said = done.stderr.decode("utf-8", "replace").strip()[-300:]
            reason = "it is encrypted" if done.returncode == _OCR_ENCRYPTED else said or f"exit code {done.returncode}"
            raise ExtractionError(f"{where}: OCRmyPDF failed: {reason}")
        return target.read_bytes()


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
