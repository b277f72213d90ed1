"""One PDF as a document."""

from __future__ import annotations

from corpuskit.document import DocumentBuilder, NLPTextDocument
from corpuskit.extraction.options import ExtractOptions
from corpuskit.extraction.pdf.analysis import analyse
from corpuskit.extraction.pdf.build import build_document
from corpuskit.extraction.pdf.opening import Opened, open_pdf


def extract(content: bytes, *, uri: str | None, options: ExtractOptions) -> NLPTextDocument:
    """A PDF as a document, with structure or as text only."""
    with open_pdf(content, password=options.password, where=uri or "input") as opened:
        if not options.structure:
            return _text_only(opened, uri)
        return build_document(analyse(opened.pdf), uri=uri)


def _text_only(opened: Opened, uri: str | None) -> NLPTextDocument:
    builder = DocumentBuilder("", uri or "?")
    for number in range(len(opened.pdf)):
        page = opened.pdf[number]
        text_page = page.get_textpage()
        text = text_page.get_text_range().replace("\r\n", "\n").replace("\x02", "-")
        text_page.close()
        page.close()
        if text.strip():
            builder.mark("page", builder.add_text_block(text), number + 1)
    return builder.build()
