"""The main content as Trafilatura chooses it, marked on our tree."""

from __future__ import annotations

import copy
from typing import Any, Final

from lxml import etree

from corpuskit.document.elements import ElementTable
from corpuskit.errors import ConfigurationError
from corpuskit.extraction.html.chosen_text import COMMENT, MAIN, Choice, clean_texts, normal
from corpuskit.extraction.html.selectors import is_xpath
from corpuskit.extraction.options import ExtractOptions

_INLINE: Final = ("ref", "hi", "del", "graphic")
_SEGMENTS: Final = 4096  # Trafilatura's own default
_SETS: Final = ("author_blacklist", "url_blacklist")  # of Trafilatura's arguments
_NOT_OURS: Final = ("filecontent", "url", "options", "config", "as_dict")


def arguments(options: ExtractOptions) -> dict[str, Any]:
    """The arguments of ``trafilatura.extract`` for our options; those given as ``options.trafilatura`` come last."""
    found: dict[str, Any] = {"include_comments": options.comments, "include_tables": options.tables}
    if options.favor:
        found[f"favor_{options.favor}"] = True
    ours = {
        "include_links": options.links, "include_images": options.image_addresses, "include_formatting": options.formatting, "deduplicate": options.deduplicate and _fresh_cache(),
        "target_language": options.target_language, "only_with_metadata": options.only_with_metadata,
        "author_blacklist": set(options.refused_authors), "url_blacklist": set(options.refused_urls),
        "prune_xpath": [path for path in options.drop if is_xpath(path)],
    }  # fmt: skip
    found |= {name: value for name, value in ours.items() if value}
    if options.date != "updated" or options.earliest_date:
        found["date_extraction_params"] = {"original_date": options.date == "original", "extensive_search": True}
        if options.earliest_date:
            found["date_extraction_params"]["min_date"] = options.earliest_date
    given = dict(options.trafilatura)
    if wrong := [name for name in given if name in _NOT_OURS]:
        raise ConfigurationError(f"trafilatura = {{{wrong[0]}: ...}}: that is given by the extraction itself")
    found |= {name: set(value) if name in _SETS else value for name, value in given.items()}
    return found


def _fresh_cache() -> Any:
    """A memory of segments for one page: the same page gives the same text, whatever was read before."""
    from trafilatura.deduplication import LRUCache

    return LRUCache(maxsize=_SEGMENTS)


def run(content: bytes | str, uri: str | None, options: ExtractOptions, **more: Any) -> Any:
    """Return Trafilatura's ``Document`` of a page, or None where it finds nothing or what was asked for is not met.

    Args:
        content: the page.
        uri: its address.
        options: see :func:`arguments`.
        more: further arguments of ``trafilatura.bare_extraction``.

    Raises:
        ConfigurationError: an argument that Trafilatura does not have.
    """
    import trafilatura

    given = {**arguments(options), **more}
    for name in ("output_format", "record_id", "tei_validation", "settingsfile"):
        value = given.pop(name, None)
        if name == "settingsfile" and value:
            from trafilatura.settings import use_config

            given["config"] = use_config(value)
    try:
        return trafilatura.bare_extraction(content, url=uri, **given)
    except TypeError as error:
        if "unexpected keyword" not in str(error):
            raise
        raise ConfigurationError(f"trafilatura: {error}") from error


def render(
    content: bytes, uri: str | None, options: ExtractOptions, format: str | None = None, metadata: bool | None = None
) -> str:
    """Return what ``trafilatura.extract`` gives for our options; empty where that is None.

    Args:
        content: the page.
        uri: its address.
        options: see :func:`arguments`.
        format: ``output_format``; default: that of ``options.trafilatura``, else txt.
        metadata: ``with_metadata``; default: that of ``options.trafilatura``, else none.
    """
    import trafilatura

    given = arguments(options)
    if format is not None:
        given["output_format"] = format
    if metadata is not None:
        given["with_metadata"] = metadata
    return trafilatura.extract(content, url=uri, **given) or ""


def mark(table: ElementTable, content: bytes, uri: str | None, options: ExtractOptions) -> ElementTable:
    """Return the table with what Trafilatura chooses as main; readers' comments have the role ``comment``.

    A TextBlock of which it takes a part becomes several, and text that only Trafilatura sees, such as that of
    ``noscript``, becomes a TextBlock behind what it gives before. Texts are in Unicode NFC without soft hyphens, as it
    gives them.
    """
    document = run(content, uri, options)
    parts = [] if document is None else [(document.body, MAIN), (document.commentsbody, COMMENT)]
    clean_texts(table)
    chosen = Choice(table)
    texts = [(plain(body), kind) for body, kind in parts if body is not None]
    chosen.take([(text, kind) for text, kind in texts if text])
    return chosen.table()


def plain(body: etree._Element) -> str:
    """The text of a body of Trafilatura's without marks of formatting and links."""
    from trafilatura.xml import xmltotxt

    ours = copy.deepcopy(body)
    etree.strip_tags(ours, *_INLINE)
    return normal(str(xmltotxt(ours, include_formatting=False) or ""))
