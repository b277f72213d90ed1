"""Word documents: WordprocessingML packages of ECMA-376 (ISO/IEC 29500), transitional and strict."""

from corpuskit.document import NLPTextDocument
from corpuskit.extraction.extractors import extracts
from corpuskit.extraction.options import ExtractOptions

__all__ = ["extract_docx"]

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_WITH_MACROS = ("application/vnd.ms-word.document.macroenabled.12", "application/vnd.ms-word.template.macroenabled.12")


@extracts(f"{_WORD}document", f"{_WORD}template", *_WITH_MACROS)
def extract_docx(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None = None
) -> NLPTextDocument:
    """Return a Word document with its headings as sections, its lists, tables, notes, comments and running heads.

    Running heads and foots come first and last, footnotes and endnotes after the body in the order in which they are
    referred to, comments behind them; running heads, comments and texts of pictures and diagrams are not ``main``.

    Raises:
        EncryptedDocumentError: the package is encrypted.
        ExtractionError: no Word document, or a damaged one.
        ResourceLimitError: a part is too large.
    """
    from corpuskit.extraction.docx.extract import extract_package
    from corpuskit.extraction.docx.package import Package

    document = extract_package(Package(content, uri or "input"), options)
    document.uri = uri or "?"
    return document
