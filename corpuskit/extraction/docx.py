"""Word documents."""

from __future__ import annotations

import io

from corpuskit.document import DocumentBuilder, NLPTextDocument
from corpuskit.errors import ExtractionError
from corpuskit.extraction.options import ExtractOptions


def extract_docx(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None = None
) -> NLPTextDocument:
    """The paragraphs of a Word document, one TextBlock each.

    Raises:
        ExtractionError: no Word document, or a damaged one.
    """
    import docx

    try:
        package = docx.Document(io.BytesIO(content))
        properties = package.core_properties
        texts = [paragraph.text for paragraph in package.paragraphs]
    except Exception as error:  # python-docx lets many kinds of lxml, zip and key errors through
        raise ExtractionError(f"{uri or 'input'}: no readable Word document: {error}") from error
    builder = DocumentBuilder(properties.title or "", uri or "?", properties.modified)
    for text in texts:
        if text.strip():
            builder.add_text_block(text)
    return builder.build()
