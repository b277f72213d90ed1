"""Extractor of Markdown (CommonMark with GitHub tables), converted to HTML."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Final

from corpuskit.document import NLPTextDocument
from corpuskit.document.elements import LIST, NAVIGATION_LIST, SECTION
from corpuskit.extraction.encoding import decode_text
from corpuskit.extraction.extractors import extracts
from corpuskit.extraction.front_matter import split_front_matter
from corpuskit.extraction.options import ExtractOptions
from corpuskit.extraction.plain import extract_plain
from corpuskit.extraction.raw_html import escape_unclosed

_MAX_CHARACTERS: Final = 5_000_000  # characters; a typical book has one million
_MAX_NESTING: Final = 50  # levels; a list takes two, and the time per line grows with each level


@extracts("text/markdown")
def extract_markdown(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None = None
) -> NLPTextDocument:
    """Extract Markdown (CommonMark 0.31 with GitHub's tables and strikethrough); all of it is main content.

    Headings open sections. Title, author, dates, language, description and keywords come from the front matter. Without a
    title there, the first heading is the title. Embedded HTML is extracted like that of web pages. Text that is too long or
    nested too deeply is extracted as plain text, with a warning.
    """
    text = decode_text(content, charset).replace("\r\n", "\n").replace("\r", "\n")
    metadata, body = split_front_matter(text)
    rendered = _render_html(body)
    if rendered is None:
        document = extract_plain(content, uri=uri, options=options, charset=charset)
        document.warnings.append(f"longer than {_MAX_CHARACTERS:,} characters or nested too deeply: read as plain text")
        return document
    return _document(metadata, rendered, uri, options)


def _render_html(body: str) -> str | None:
    """Return the text as HTML, or None if it is too long or nested too deeply."""
    from markdown_it import MarkdownIt

    if len(body) > _MAX_CHARACTERS:
        return None
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable(["table", "strikethrough"])
    tokens = parser.parse(body)
    # The parser drops tokens below the maximum nesting.
    if max((token.level for token in tokens), default=0) >= _MAX_NESTING - 1:
        return None
    for token in tokens:
        html_tokens = (
            [token]
            if token.type == "html_block"
            else [token_with_html for token_with_html in token.children or () if token_with_html.type == "html_inline"]
        )
        for token_with_html, content in zip(
            html_tokens, escape_unclosed([token_with_html.content for token_with_html in html_tokens]), strict=True
        ):
            token_with_html.content = content
    return str(parser.renderer.render(tokens, parser.options, {}))


def _document(metadata: dict[str, str], rendered: str, uri: str | None, options: ExtractOptions) -> NLPTextDocument:
    from corpuskit.extraction.html import extract_html

    title = metadata.pop("title", "")
    head = f"<title>{escape(title)}</title>" if title else ""
    head += "".join(f'<meta name="{name}" content="{escape(value)}">' for name, value in metadata.items())
    page = f"<!DOCTYPE html><html><head>{head}</head><body>{rendered}</body></html>"
    html_options = replace(options, main="all", trafilatura={})
    document = extract_html(page.encode("utf-8", "replace"), uri=uri, options=html_options, charset="utf-8")
    table = document.table
    table.main[:] = [True] * len(table)
    for row, kind in enumerate(table.type):
        if kind == NAVIGATION_LIST:  # in Markdown a list of links is content, not a site menu
            table.type[row] = LIST
            table.mark("role", row, "list")
    table.marks.pop("locator", None)  # locators refer to the generated HTML, which is not stored
    document.metadata.pop("needs_javascript", None)
    if not title:
        headings = (text for kind, text in zip(table.type, table.text, strict=True) if kind == SECTION and text)
        document.title = next(headings, "")
    return document
