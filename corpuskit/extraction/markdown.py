"""Markdown: CommonMark with the tables of GitHub, through HTML."""

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
from corpuskit.extraction.raw_html import contained

_LONGEST: Final = 5_000_000  # characters; a book has one million
_DEEPEST: Final = 50  # a list takes two levels; each level costs time for each line in it


@extracts("text/markdown")
def extract_markdown(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None = None
) -> NLPTextDocument:
    """The document of a text in Markdown (CommonMark 0.31, GitHub's tables and strikethrough): all of it is main content.

    Headings open sections. Title, author, dates, language, description, keywords are those of the front matter; without
    one the first heading is the title too. HTML in it is read as that of a web page is. What is longer or nested deeper
    than a person writes is read as plain text, and a warning tells.
    """
    text = decode_text(content, charset).replace("\r\n", "\n").replace("\r", "\n")
    said, body = split_front_matter(text)
    rendered = _rendered(body)
    if rendered is None:
        document = extract_plain(content, uri=uri, options=options, charset=charset)
        document.warnings.append(f"longer than {_LONGEST:,} characters or nested too deeply: read as plain text")
        return document
    return _document(said, rendered, uri, options)


def _rendered(body: str) -> str | None:
    """The text as HTML; None where that would take too long or lose what is nested too deeply."""
    from markdown_it import MarkdownIt

    if len(body) > _LONGEST:
        return None
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    tokens = parser.parse(body)
    # What would stand deeper than the parser goes is not among its tokens.
    if max((token.level for token in tokens), default=0) >= _DEEPEST - 1:
        return None
    for token in tokens:
        written = (
            [token]
            if token.type == "html_block"
            else [one for one in token.children or () if one.type == "html_inline"]
        )
        for one, content in zip(written, contained([one.content for one in written]), strict=True):
            one.content = content
    return str(parser.renderer.render(tokens, parser.options, {}))


def _document(said: dict[str, str], rendered: str, uri: str | None, options: ExtractOptions) -> NLPTextDocument:
    from corpuskit.extraction.html import extract_html

    title = said.pop("title", "")
    head = f"<title>{escape(title)}</title>" if title else ""
    head += "".join(f'<meta name="{name}" content="{escape(value)}">' for name, value in said.items())
    page = f"<!DOCTYPE html><html><head>{head}</head><body>{rendered}</body></html>"
    whole = replace(options, main="all", trafilatura={})
    document = extract_html(page.encode("utf-8", "replace"), uri=uri, options=whole, charset="utf-8")
    table = document.table
    table.main[:] = [True] * len(table)
    for row, kind in enumerate(table.type):
        if kind == NAVIGATION_LIST:  # of links that the author wrote, not the menu of a site
            table.type[row] = LIST
            table.mark("role", row, "list")
    table.marks.pop("locator", None)  # into the HTML, which nobody has
    document.metadata.pop("needs_javascript", None)
    if not title:
        headings = (text for kind, text in zip(table.type, table.text, strict=True) if kind == SECTION and text)
        document.title = next(headings, "")
    return document
