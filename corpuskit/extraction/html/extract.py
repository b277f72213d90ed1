"""From the bytes of a page, or a parsed page, to its document.

A tree that was cleaned is serialised, and its markup read once more by the walk: lxml makes an object of each element that
is visited, and visiting all takes seven times as long as serialising them, which is a 25th of the walk (2026-11-23).
"""

from __future__ import annotations

import copy
import ctypes
import sys
from bisect import bisect
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from corpuskit.document import NLPTextDocument
from corpuskit.extraction.html.decode import parse, says_it_is_xml
from corpuskit.extraction.html.formatting import FormattingWalker
from corpuskit.extraction.html.formulas import settle
from corpuskit.extraction.html.large import LARGE, PLAIN_NAME, read_large
from corpuskit.extraction.html.menus import with_menus
from corpuskit.extraction.html.metadata import (
    Head,
    article_of,
    dates,
    kinds_of,
    metadata_of,
    read_head,
    squeeze,
)
from corpuskit.extraction.html.roles import locators, roles
from corpuskit.extraction.html.rows import Walked
from corpuskit.extraction.html.rules import main_by_rules
from corpuskit.extraction.html.selectors import drop
from corpuskit.extraction.html.shell import content_beside, fill, is_shell, is_shell_without_scripts
from corpuskit.extraction.html.shown_dates import shown_dates
from corpuskit.extraction.html.tags import block_selectors
from corpuskit.extraction.html.texts import Resolver
from corpuskit.extraction.html.units import with_units
from corpuskit.extraction.html.walk import MarkupError, Walker, WalkOptions
from corpuskit.extraction.options import ExtractOptions

if TYPE_CHECKING:
    from corpuskit.extraction.html.forest import Model

_WHOLE: Final = ("html", "body", "frameset")
_FIRST_IN_BODY: Final = "/html/body[1]/{}[1]"  # where an element stands that is no whole page
_SHELL: Final = 400  # characters; less hidden text is no page


def extract_page(
    content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None, model: Model | None
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
    if len(content) > LARGE and not options.drop and not says_it_is_xml(content):
        roots, written = read_large(content, charset=charset, uri=uri)
        return _extract(roots, content, uri, options, model, written)
    return _extract([parse(content, charset=charset, uri=uri)], content, uri, options, model, [])


def extract_parsed(root: etree._Element, *, uri: str | None, options: ExtractOptions) -> NLPTextDocument:
    """Return the document of a page that lxml has parsed; the tree is not changed."""
    ours = copy.deepcopy(root)
    etree.strip_tags(ours, etree.Comment, etree.PI, etree.Entity)
    ours.tail = None
    if str(ours.tag).rpartition("}")[2] in _WHOLE:
        return _extract([ours], _markup(ours, options), uri, options, None, [])
    page = etree.Element("html")
    etree.SubElement(page, "body").append(ours)
    document = _extract([page], _markup(page, options), uri, options, None, [])
    places = document.table.marks["locator"]
    name = etree.QName(ours).localname
    around = _FIRST_IN_BODY.format(name)
    for row, place in dict(places).items():
        # Inline content stands in the body.
        places[row] = f"/{name}" + (place.removeprefix(around) if place.startswith(around) else "")
    return document


def _markup(root: etree._Element, options: ExtractOptions) -> bytes:
    """A parsed page as bytes, for those who parse it again."""
    return bytes(etree.tostring(root, encoding="utf-8", method="html")) if options.main == "trafilatura" else b""


def _extract(
    roots: list[etree._Element],
    content: bytes,
    uri: str | None,
    options: ExtractOptions,
    model: Model | None,
    written: list[bytes],
) -> NLPTextDocument:
    """``roots`` holds one tree, which is taken out, so that it can be freed before the work ends; so is what was written of a
    page without one, of which ``roots`` has the head."""
    drop(roots[0], options.drop)
    head = read_head(roots[0])
    if written:
        roots.clear()
    walked, resolve = walk_page(roots, head, uri, options, written)
    if walked.has_formulas and roots and settle(roots[0]):
        walked, resolve = walk_page(roots, head, uri, options)
    needs_javascript = is_shell(walked.shown, head)
    if roots and (article_text := content_beside(head, walked)) and fill(roots[0], article_text):
        walked, resolve = walk_page(roots, head, uri, options)
    elif not needs_javascript:
        needs_javascript = is_shell_without_scripts(walked)
    roots.clear()
    article = article_of(head.data)
    document = NLPTextDocument(uri=uri or "?", table=walked.table)
    document.title = head.title or head.values.get("title", (0, ""))[1] or squeeze(str(article.get("headline") or ""))
    _fill_metadata(document, head, article, walked, resolve)
    found = dates(head, article, uri, earliest=options.earliest_date)
    if found == (None, None):
        found = shown_dates(walked, earliest=options.earliest_date)
    _fill_dates(document, *found, wants_first=options.date == "original")
    document.metadata = dict(sorted(document.metadata.items()))
    table = walked.table
    if needs_javascript:
        document.metadata["needs_javascript"] = "true"
    table.marks["locator"] = locators(walked)
    table.marks["role"] = roles(walked)
    by_default = not options.classify or options.main == "all"
    by_trafilatura = options.main == "trafilatura" and not by_default
    if by_default or by_trafilatura:
        table.main[:] = table.default_main()
    elif options.main == "rules":
        table.main[:] = main_by_rules(walked)
    else:
        # Only here: who wants the tree alone need not wait for numpy.
        from corpuskit.extraction.html.classify import Page, classify

        classify(walked, Page(document.title, _on_the_web(head, uri), kinds_of(head)), options, model)
    if options.image_addresses and options.main != "trafilatura":
        _show_images(walked)
    document.table = with_menus(document.table, walked)
    if by_default and document.table is not table:
        document.table.main[:] = document.table.default_main()
    document.table = with_units(document.table, walked)
    if by_trafilatura:
        from corpuskit.extraction.html.trafilatura import mark, render

        # Behind the menus and posts, which know the rows as they were walked: this divides rows.
        document.table = mark(document.table, content, uri, options)
        document.renderer = partial(render, content, uri, options)
    if walked.hidden:
        document.warnings.append(f"{walked.hidden} hidden parts left out")
    document.warnings.extend(f"{message} ({count} times)" for message, count in walked.repairs.items())
    return document


def walk_page(
    roots: list[etree._Element],
    head: Head,
    uri: str | None,
    options: ExtractOptions,
    written: list[bytes] | None = None,
) -> tuple[Walked, Resolver]:
    """The walked page, and what makes its URLs absolute. A large tree is taken out of its list and freed.

    Args:
        roots: the page's root, or nothing where it was written.
        head: what was read from it.
        uri: the page's address.
        options: see :class:`ExtractOptions`.
        written: the page as :func:`read_large` writes it, which is taken out too.
    """
    address = _on_the_web(head, uri) or uri
    resolve = Resolver(Resolver(address)(head.base) if head.base else address)
    selectors = frozenset[str]().union(*map(block_selectors, head.styles))
    chosen = WalkOptions(
        images=options.images,
        addresses=options.image_addresses,
        blocks=selectors,
        hidden=options.hidden,
        formatting=options.formatting,
    )
    return _walk(roots, resolve, chosen, written or []), resolve


def _show_images(walked: Walked) -> None:
    """Who asks for images wants those of the main content: an image between main blocks is main, and a ``figure``."""
    table = walked.table
    blocks = [row for row, text in enumerate(table.text) if text and row not in walked.alts]
    for row in walked.alts:
        table.mark("role", row, "figure")
        at = bisect(blocks, row)
        if 0 < at < len(blocks) and table.main[blocks[at - 1]] and table.main[blocks[at]]:
            group = row
            while group >= 0 and not table.main[group]:
                table.main[group] = True
                group = table.parent_id[group]


def _on_the_web(head: Head, uri: str | None) -> str | None:
    """The address of the page; of one that lies in a file the one that it names itself, if any."""
    return next((url for url in (uri, head.canonical) if url and url.startswith(("http://", "https://"))), None)


def _fill_metadata(
    document: NLPTextDocument, head: Head, article: dict[str, Any], walked: Walked, resolve: Resolver
) -> None:
    metadata = metadata_of(head, article)
    if head.canonical:
        metadata["canonical"] = resolve(head.canonical)
    license_url = head.license or (walked.licenses[0] if walked.licenses else "")
    if license_url:
        metadata["license"] = resolve(license_url)
    document.metadata.update(metadata)


def _fill_dates(
    document: NLPTextDocument, published: datetime | None, modified: datetime | None, *, wants_first: bool
) -> None:
    if published:
        document.metadata["published"] = published.isoformat()
    if modified:
        document.metadata["modified"] = modified.isoformat()
    is_first = published is not None and (wants_first or modified is None)
    document.timestamp = published if is_first else modified
    if document.timestamp:
        document.metadata["timestamp_source"] = "published" if is_first else "modified"


def _walk(roots: list[etree._Element], resolve: Resolver, options: WalkOptions, written: list[bytes]) -> Walked:
    """Walks over a tree; over one that shows next to nothing again, with what is in ``noscript`` or hidden.

    Forums serve their posts in ``noscript`` and build them anew by scripts; pages fade in by scripts.
    """
    markup = written.pop() if written else _serialised(roots[0])
    if roots and len(markup) > LARGE:
        markup = b""  # two copies of it would be the peak of memory
        _mend_names(roots[0])
        markup = _serialised(roots[0])
        roots.clear()
        _give_memory_back()
    try:
        walked = _walked(markup, resolve, options)
    except MarkupError:
        _mend_names(roots[0])
        markup = _serialised(roots[0])
        walked = _walked(markup, resolve, options)
    unseen = max(walked.noscript_chars, walked.hidden_chars)
    if unseen > _SHELL and unseen > 2 * walked.shown:
        noscript = walked.noscript_chars >= walked.hidden_chars
        walked = _walked(markup, resolve, replace(options, noscript=noscript, hidden=not noscript))
    return walked


def _walked(markup: bytes, resolve: Resolver, options: WalkOptions) -> Walked:
    """Walks over markup as an XML serialiser writes it in UTF-8, without comments and processing instructions.

    Raises:
        MarkupError: a name of a tag or attribute holds ``<``.
    """
    walker = FormattingWalker if options.formatting else Walker
    return walker(resolve, options).run(markup)


def _serialised(root: etree._Element) -> bytes:
    markup: bytes = etree.tostring(root, encoding="utf-8", with_tail=False)
    return markup


def _give_memory_back() -> None:
    """Hands the freed tree, twelve times as large as the page (2026-11-20), to the system; glibc would keep it."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def _mend_names(root: etree._Element) -> None:
    """Removes attributes and renames elements whose names hold ``<``, which HTML allows and XML cannot say."""
    for element in root.iter():
        if "<" in element.tag:
            element.tag = "span"
        if any("<" in name for name in element.attrib):
            # One by one they cannot be removed: lxml refuses to name them.
            named = [(str(name), str(value)) for name, value in element.attrib.items()]
            kept = {n: v for n, v in named if PLAIN_NAME.fullmatch(n) and v.isprintable()}
            element.attrib.clear()
            element.attrib.update(list(kept.items()))
