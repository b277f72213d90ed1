"""HTML becomes a document: the whole page as a tree, its main content marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpuskit.extraction.extractors import extracts

if TYPE_CHECKING:
    from lxml import etree

    from corpuskit.document import NLPTextDocument
    from corpuskit.extraction.html.forest import Model
    from corpuskit.extraction.options import ExtractOptions

__all__ = ["extract_html", "extract_tree"]


@extracts("text/html", "application/xhtml+xml")
def extract_html(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None, model: Model | None = None
) -> NLPTextDocument:
    """Return the document of an HTML page.

    Args:
        content: the page as it was fetched.
        uri: its address, for relative links.
        options: see :class:`ExtractOptions`.
        charset: what the server said, if it said something.
        model: decides about main content; the shipped one by default.

    Raises:
        ExtractionError: the page is empty.
    """
    from corpuskit.extraction.html.extract import extract_page

    return extract_page(content, uri=uri, options=options, charset=charset, model=model)


def extract_tree(root: etree._Element, *, uri: str | None, options: ExtractOptions) -> NLPTextDocument:
    """Return the document of a page that lxml has parsed; the tree is not changed."""
    from corpuskit.extraction.html.extract import extract_parsed

    return extract_parsed(root, uri=uri, options=options)
