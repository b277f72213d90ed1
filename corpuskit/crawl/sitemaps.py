"""Sitemaps and feeds ("listings") in a crawl.

The sitemaps in robots.txt are read before the first page of a host. Other listings are URLs of the frontier: those
linked by pages, those in a sitemap index, and seeds that turn out to be one. So a stopped crawl does not lose them. In
the frontier a listing has depth 0 and a parent, and comes before pages. Its URLs have depth 1. The URLs in a listing
that is a seed become seeds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

from corpuskit.crawl.frontier import Lease, url_id
from corpuskit.crawl.link_intake import LinkIntake
from corpuskit.crawl.options import CrawlOptions
from corpuskit.crawl.page_writer import log_request
from corpuskit.crawl.politeness import ForbiddenError, PoliteClient
from corpuskit.crawl.scope import LISTING, Reason, registered_domain
from corpuskit.crawl.state import CrawlState
from corpuskit.errors import CorpusError, CorpusKitError, FetchError, RefusedError, ResourceLimitError
from corpuskit.sources.web import (
    Answer,
    Link,
    Listing,
    Robots,
    canonical_url,
    guessed_sitemaps,
    host_of,
    is_listing,
    parse_listing,
    says_nofollow,
)
from corpuskit.store.formatting import pluralize

_MAX_SITEMAPS: Final = 50  # per host, that do not count as pages
_MAX_FEEDS: Final = 5  # per host


async def read_sitemaps(
    polite: PoliteClient,
    options: CrawlOptions,
    site: tuple[str, str],
    *,
    failed: Callable[[str, CorpusKitError], None] = lambda url, error: None,
) -> AsyncIterator[tuple[str, Listing]]:
    """Read the sitemaps in the robots.txt of a host, and the sitemaps they contain. The same delays apply as for
    pages.

    A sitemap may be on another host of the same registered domain (sitemaps.org, "Sitemaps & Cross Submits"). A sitemap
    in robots.txt may be read in any case. One in a sitemap index is read if the robots.txt of its host allows it.

    Args:
        polite: The HTTP client.
        options: Options of the crawl: whether sitemaps are read, and whether usual locations are tried if
            robots.txt has none.
        site: Scheme and host.
        failed: Called with the URL and error of each sitemap that cannot be read.

    Yields:
        The URL of each sitemap, and its content.
    """
    scheme, host = site
    if not options.sitemaps or options.scope == "web":
        return  # a crawl without borders follows links only
    base_url = f"{scheme}://{host}/"
    in_robots = _canonical(await polite.robots(base_url), base_url)
    pending = [*in_robots] or (guessed_sitemaps(f"{scheme}://{host}") if options.sitemaps == "guess" else [])
    seen: set[str] = set()
    while pending and len(seen) < _MAX_SITEMAPS:
        url = pending.pop(0)
        if url in seen or registered_domain(host_of(url)) != registered_domain(host):
            continue
        seen.add(url)
        try:
            answer = await polite.get(url, obey_robots=url not in in_robots, same_domain=host)
        except ForbiddenError:
            continue
        except (FetchError, RefusedError, ResourceLimitError) as error:
            failed(url, error)
            continue
        if answer.status == 200:
            listing = parse_listing(answer.content, url)
            if listing.damage:
                failed(url, FetchError(f"only partly read: {listing.damage}", url=url))
            pending = [*pending, *listing.sitemaps]
            yield url, listing


def _canonical(robots: Robots, base: str) -> list[str]:
    urls = []
    for url in robots.sitemaps:
        try:
            urls.append(canonical_url(url, base))
        except RefusedError:
            continue
    return urls


class SitemapQueue:
    """Adds the URLs in sitemaps and feeds to the frontier of one crawl."""

    def __init__(self, state: CrawlState, link_intake: LinkIntake) -> None:
        self._state = state
        self._link_intake = link_intake
        self._feeds: dict[str, set[str]] = {}
        self._read_counts: Counter[str] = Counter()

    def queue_feeds(self, feeds: tuple[str, ...], parent: str) -> None:
        """Queue the feeds linked by a page, if feeds are enabled."""
        options = self._state.options
        if not options.feeds or options.scope == "web":
            return
        new_feeds = []
        for url in feeds:
            known = self._feeds.setdefault(host_of(url), set())
            if url not in known and len(known) < _MAX_FEEDS and self._link_intake.refusal(url, 0) is None:
                known.add(url)
                new_feeds.append(url)
        self._queue(new_feeds, "listing", 0, parent)

    def process(self, lease: Lease, answer: Answer, robots: str) -> bool:
        """Queue the URLs of a response that is a sitemap or feed. Return False for any other response.

        The first fifty listings per host do not count as pages, if a site or the user named them as such. All others
        count, including a linked page that turns out to be a listing.
        """
        # A text file with URLs may be a document. It is a sitemap only if the user or a site names it as one.
        if not is_listing(answer.content, answer.media_type if lease.kind != "page" else ""):
            return False
        state, listing = self._state, Listing()
        if not says_nofollow(answer.headers.get("x-robots-tag", "")):
            listing = parse_listing(answer.content, answer.uri)
        # A sitemap index must not contain another index (sitemaps.org, "Sitemap index files"), so a nested one is not followed.
        is_nested = lease.kind == "listing"
        with state.folder.catalog.transaction():
            log_request(state, lease, answer, robots=robots)
            if self._is_named_by_user(lease):
                self._queue_as_seeds(listing.pages, lease)
            else:
                self._queue(listing.pages, "page", lease.depth + 1, lease.url)
            self._queue(() if is_nested else listing.sitemaps, "listing", 0, lease.url)
            names = f"sitemap or feed with {pluralize(len(listing.pages), 'page')}"
            state.frontier.finish(lease, "fetched", Reason(LISTING, names))
            state.clear_failure(lease)
            if listing.damage:
                error = FetchError(f"only partly read: {listing.damage}", url=lease.url)
                state.folder.catalog.add_failure(lease.url, "sitemap", error)
            else:
                state.folder.catalog.clear_failure(lease.url, ["sitemap"])
        self._read_counts[lease.host] += lease.kind != "page"
        if lease.kind == "page" or self._read_counts[lease.host] > _MAX_SITEMAPS:
            state.progress.pages += 1
            state.progress.hosts[lease.host] += 1
        return True

    def is_stored_listing(self, doc_id: str) -> bool:
        """Return whether a stored document is a sitemap or feed.

        An earlier version stored listings as documents. They are requested without conditions, so that their URLs
        are read.
        """
        try:
            return is_listing(self._state.folder.original(doc_id))
        except CorpusError:
            return False

    def queue(self, listing: Listing, parent: str) -> None:
        """Queue the pages in a sitemap."""
        self._queue(listing.pages, "page", 1, parent)

    def _is_named_by_user(self, lease: Lease) -> bool:
        """Return whether the user named this listing, or the sitemap index that contains it."""
        if lease.kind != "listing" or lease.parent is None:
            return lease.is_seed
        return self._state.frontier.is_listing_of_seeds(url_id(lease.parent))

    def _queue_as_seeds(self, urls: Sequence[str], lease: Lease) -> None:
        """Queue the URLs of a listing named by the user as seeds, if they are on its host and in scope.

        The rest are links. A seed widens the scope, its host receives the cookies, and it may have a private address.
        Only the user may grant this.
        """
        seeds: list[str] = []
        links: list[str] = []
        for url in urls:
            is_allowed = host_of(url) == lease.host and self._state.scope.refusal(url) is None
            (seeds if is_allowed else links).append(url)
        self._queue(seeds, "seed", 0, None, named_by=lease.url)
        self._queue(links, "page", 1, lease.url)

    def _queue(self, urls: Sequence[str], kind: str, depth: int, parent: str | None, *, named_by: str = "") -> None:
        if not urls:
            return
        with self._state.folder.catalog.transaction():
            _, new = self._link_intake.add(
                (Link(url, "", "") for url in urls), depth=depth, parent=parent, named_by=named_by, kind=kind
            )
        self._state.schedule(new)
