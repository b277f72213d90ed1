"""PDF documents."""

from __future__ import annotations

from corpuskit.document import DocumentBuilder, NLPTextDocument
from corpuskit.errors import EncryptedDocumentError, ExtractionError, MissingExtraError
from corpuskit.extraction.options import ExtractOptions


def extract_pdf(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None = None
) -> NLPTextDocument:
    """The text of each page, one TextBlock a page.

    Raises:
        EncryptedDocumentError: a password is needed.
        ExtractionError: no PDF, or a damaged one.
    """
    try:
        import pypdfium2
    except ImportError:
        raise MissingExtraError("pypdfium2", "pdf") from None
    try:
        pdf = pypdfium2.PdfDocument(content, password=options.password)
    except pypdfium2.PdfiumError as error:
        kind = EncryptedDocumentError if "password" in str(error).lower() else ExtractionError
        raise kind(f"{uri or 'input'}: {error}") from error
    builder = DocumentBuilder(pdf.get_metadata_value("Title") or "", uri or "?")
    builder.add_metadata("pages", str(len(pdf)))
    for number in range(len(pdf)):
        text = pdf[number].get_textpage().get_text_bounded()
        if text.strip():
            builder.mark("page", builder.add_text_block(text), number + 1)
    pdf.close()
    return builder.build()
