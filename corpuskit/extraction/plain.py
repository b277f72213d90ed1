"""Extractors of plain text and ``.nlp.txt``."""

from __future__ import annotations

import re
from typing import Final

from corpuskit.document import DocumentBuilder, NLPTextDocument, from_nlptext
from corpuskit.document.marks import MARKS, load_marks
from corpuskit.errors import DocumentFormatError, ExtractionError
from corpuskit.extraction.encoding import decode_text
from corpuskit.extraction.extractors import extracts
from corpuskit.extraction.options import ExtractOptions
from corpuskit.safe_folder import Folder, as_safe_folder

_PARAGRAPH_END: Final = re.compile(r"\n[^\S\n]*\n\s*")


@extracts("text/plain")
def extract_plain(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None = None
) -> NLPTextDocument:
    """Extract one TextBlock per paragraph, separated by blank lines; line breaks are preserved, and there is no title."""
    text = decode_text(content, charset).replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    builder = DocumentBuilder(uri=uri or "?")
    for paragraph in _PARAGRAPH_END.split(text):
        if paragraph.strip():
            builder.add_text_block(paragraph.strip("\n"))
    return builder.build()


@extracts("text/x-nlptext")
def extract_nlptext(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None = None
) -> NLPTextDocument:
    """Parse a stored document; the URI stored in it takes precedence."""
    try:
        document = from_nlptext(content, where=uri)
    except DocumentFormatError as error:
        raise ExtractionError(str(error)) from error
    if document.uri in {"", "?"} and uri:
        document.uri = uri
    return document


@extracts("text/x-nlptext", with_folder=True)
def extract_marked(
    content: bytes, *, uri: str | None, options: ExtractOptions, folder: Folder, charset: str | None = None
) -> NLPTextDocument:
    """Parse a stored document with its marks file; the marks of a different text are ignored, with a warning."""
    document = extract_nlptext(content, uri=uri, options=options, charset=charset)
    try:
        load_marks(as_safe_folder(folder).read(MARKS), document.table, where=f"{uri or 'input'}: {MARKS}")
    except FileNotFoundError:
        pass
    except DocumentFormatError as error:
        document.warnings.append(f"marks not used: {error}")
    return document
