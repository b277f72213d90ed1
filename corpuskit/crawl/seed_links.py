"""What seeds name: the URLs of a sitemap or feed, and the links and feeds of a page. Nothing is kept."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from corpuskit.crawl.options import CrawlOptions
from corpuskit.crawl.politeness import PoliteClient
from corpuskit.crawl.scope import registered_domain
from corpuskit.errors import FetchError
from corpuskit.sources.web import Answer, find_links, host_of, is_listing, parse_listing, says_nofollow

LISTED: Final = "sitemap or feed"
LINKED: Final = "link"
_MOST: Final = 50  # sitemaps and feeds read for one seed


async def links_of_seed(polite: PoliteClient, options: CrawlOptions, seed: str) -> AsyncIterator[tuple[str, str]]:
    """Reads a seed, and the sitemaps and feeds of its domain that it names.

    Yields:
        A URL that it leads to, and whether a sitemap or feed lists it or the page links to it.

    Raises:
        FetchError, RefusedError, ResourceLimitError: the seed cannot be had, or robots.txt forbids it.
    """
    answer = await _get(polite, seed)
    robots_header = answer.headers.get("x-robots-tag", "")
    todo: list[str] = []
    if is_listing(answer.content, answer.media_type):
        if says_nofollow(robots_header):
            return
        listing = parse_listing(answer.content, answer.uri)
        for url in listing.pages:
            yield url, LISTED
        todo = list(listing.sitemaps)
    elif answer.media_type.endswith("html") or "xhtml" in answer.media_type:
        page = find_links(answer.content, answer.uri, charset=answer.charset, robots_header=robots_header)
        for link in page.links:
            yield link.url, LINKED
        todo = list(page.feeds) if options.feeds else []
    for url in [one for one in todo if registered_domain(host_of(one)) == registered_domain(host_of(seed))][:_MOST]:
        try:
            answer = await _get(polite, url)
        except FetchError:
            continue  # one feed of a page that is gone: the crawl will tell
        if is_listing(answer.content, answer.media_type) and not says_nofollow(answer.headers.get("x-robots-tag", "")):
            for found in parse_listing(answer.content, answer.uri).pages:
                yield found, LISTED


async def _get(polite: PoliteClient, url: str) -> Answer:
    answer = await polite.get(url)
    if answer.status != 200:
        raise FetchError(f"the server answered {answer.status} {answer.reason}".rstrip(), url=answer.uri)
    return answer
