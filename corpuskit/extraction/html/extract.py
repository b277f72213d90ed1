"""From the bytes of a page, or a parsed page, to its document."""

from __future__ import annotations

import copy
from typing import Any

from lxml import etree

from corpuskit.document import NLPTextDocument
from corpuskit.extraction.html.decode import parse
from corpuskit.extraction.html.metadata import Head, article_of, dates, metadata_of, read_head, squeeze
from corpuskit.extraction.html.roles import locators, roles
from corpuskit.extraction.html.rules import main_by_rules
from corpuskit.extraction.html.tags import block_selectors
from corpuskit.extraction.html.texts import Resolver
from corpuskit.extraction.html.walk import MarkupError, Walked, walk
from corpuskit.extraction.options import ExtractOptions


def extract_html(content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None) -> NLPTextDocument:
    """The document of an HTML page.

    Args:
        content: the page as it was fetched.
        uri: its address, for relative links.
        options: see :class:`ExtractOptions`.
        charset: what the server said, if it said something.

    Raises:
        ExtractionError: the page is empty.
    """
    return _extract(parse(content, charset=charset, uri=uri), uri, options)


def extract_tree(root: etree._Element, *, uri: str | None, options: ExtractOptions) -> NLPTextDocument:
    """The document of a page that lxml has parsed; the tree is not changed."""
    ours = copy.deepcopy(root)
    etree.strip_tags(ours, etree.Comment, etree.PI, etree.Entity)
    ours.tail = None
    return _extract(ours, uri, options)


def _extract(root: etree._Element, uri: str | None, options: ExtractOptions) -> NLPTextDocument:
    head = read_head(root)
    resolve = Resolver(Resolver(uri)(head.base) if head.base else uri)
    selectors = frozenset[str]().union(*map(block_selectors, head.styles))
    walked = _walk(root, resolve, options, selectors)
    article = article_of(head.data)
    document = NLPTextDocument(uri=uri or "?", table=walked.table)
    document.title = head.title or head.values.get("title", (0, ""))[1] or squeeze(str(article.get("headline") or ""))
    _fill_metadata(document, head, article, walked, resolve)
    table = walked.table
    table.main[:] = main_by_rules(walked) if options.classify else table.default_main()
    table.marks["locator"] = locators(walked)
    table.marks["role"] = roles(walked)
    if walked.hidden:
        document.warnings.append(f"{walked.hidden} hidden parts left out")
    document.warnings.extend(f"{message} ({count} times)" for message, count in walked.repairs.items())
    return document


def _fill_metadata(
    document: NLPTextDocument, head: Head, article: dict[str, Any], walked: Walked, resolve: Resolver
) -> None:
    metadata = metadata_of(head, article)
    if head.canonical:
        metadata["canonical"] = resolve(head.canonical)
    license_url = head.license or (walked.licenses[0] if walked.licenses else "")
    if license_url:
        metadata["license"] = resolve(license_url)
    published, modified = dates(head, article, document.uri)
    if published:
        metadata["published"] = published.isoformat()
    if modified:
        metadata["modified"] = modified.isoformat()
    document.timestamp = modified or published
    if document.timestamp:
        metadata["timestamp_source"] = "modified" if modified else "published"
    document.metadata.update(sorted(metadata.items()))


def _walk(root: etree._Element, resolve: Resolver, options: ExtractOptions, selectors: frozenset[str]) -> Walked:
    for _ in range(2):
        markup: str = etree.tostring(root, encoding="unicode", with_tail=False)
        try:
            return walk(markup, resolve, images=options.images, block_selectors=selectors)
        except MarkupError:
            _mend_names(root)
    return walk(markup, resolve, images=options.images, block_selectors=selectors)


def _mend_names(root: etree._Element) -> None:
    """Removes attributes and renames elements whose names hold ``<``, which HTML allows and XML cannot say."""
    for element in root.iter():
        if "<" in element.tag:
            element.tag = "span"
        for name in [name for name in element.attrib if "<" in name]:
            del element.attrib[name]
