"""Plain text and ``.nlp.txt``."""

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
    """One TextBlock a paragraph; blank lines part them, line ends inside are kept. The text has no title."""
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
    """The document as it was written; its own URI counts."""
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
    """As :func:`extract_nlptext`, with the marks that stand in a folder; those of another text are not used."""
    document = extract_nlptext(content, uri=uri, options=options, charset=charset)
    try:
        load_marks(as_safe_folder(folder).read(MARKS), document.table, where=f"{uri or 'input'}: {MARKS}")
    except FileNotFoundError:
        pass
    except DocumentFormatError as error:
        document.warnings.append(f"marks not used: {error}")
    return document
