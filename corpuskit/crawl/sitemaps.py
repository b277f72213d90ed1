"""Sitemaps and feeds in a crawl.

Those that robots.txt names are read when a host is first visited. Those that pages name, that an index names, or that are
seeds are URLs of the frontier like any other, so that a crawl that stops loses none; what comes back tells that they are
no pages. In the frontier such a URL has depth 0 and a parent, and comes before pages; what it names has depth 1. What a
sitemap names that is a seed itself is a seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

from corpuskit.crawl.frontier import Lease, url_id
from corpuskit.crawl.link_intake import Discovery
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
from corpuskit.store.telling import counted

_MAX_SITEMAPS: Final = 50  # of one host, that count as no page
_MAX_FEEDS: Final = 5  # of one host


async def read_sitemaps(
    polite: PoliteClient,
    options: CrawlOptions,
    site: tuple[str, str],
    *,
    failed: Callable[[str, CorpusKitError], None] = lambda url, error: None,
) -> AsyncIterator[tuple[str, Listing]]:
    """Reads the sitemaps that a host's robots.txt names, with those that they name, as politely as pages.

    A sitemap may stand on another host of the same registered domain (sitemaps.org, "Sitemaps & Cross Submits"). That
    robots.txt names it is leave to read it; what an index names is asked for as far as its own host's robots.txt allows.

    Args:
        polite: asks.
        options: whether sitemaps are read, and whether they are looked for where robots.txt names none.
        site: scheme and host.
        failed: is told what could not be had, and why.

    Yields:
        The URL of each sitemap, and what it names.
    """
    scheme, host = site
    if not options.sitemaps or options.scope == "web":
        return  # the web at large is not listed, it is followed
    front = f"{scheme}://{host}/"
    named = _canonical(await polite.robots(front), front)
    todo = [*named] or (guessed_sitemaps(f"{scheme}://{host}") if options.sitemaps == "guess" else [])
    done: set[str] = set()
    while todo and len(done) < _MAX_SITEMAPS:
        url = todo.pop(0)
        if url in done or registered_domain(host_of(url)) != registered_domain(host):
            continue
        done.add(url)
        try:
            answer = await polite.get(url, obey_robots=url not in named, same_domain=host)
        except ForbiddenError:
            continue
        except (FetchError, RefusedError, ResourceLimitError) as error:
            failed(url, error)
            continue
        if answer.status == 200:
            listing = parse_listing(answer.content, url)
            if listing.damage:
                failed(url, FetchError(f"not read whole: {listing.damage}", url=url))
            todo = [*todo, *listing.sitemaps]
            yield url, listing


def _canonical(robots: Robots, base: str) -> list[str]:
    found = []
    for url in robots.sitemaps:
        try:
            found.append(canonical_url(url, base))
        except RefusedError:
            continue
    return found


class Listings:
    """The sitemaps and feeds of one crawl that are URLs of its frontier."""

    def __init__(self, state: CrawlState, discovery: Discovery) -> None:
        self._state = state
        self._discovery = discovery
        self._feeds: dict[str, set[str]] = {}
        self._read: Counter[str] = Counter()

    def note_feeds(self, feeds: tuple[str, ...], parent: str) -> None:
        """Queues feeds that a page names, where feeds are wanted."""
        options = self._state.options
        if not options.feeds or options.scope == "web":
            return
        wanted = []
        for url in feeds:
            known = self._feeds.setdefault(host_of(url), set())
            if url not in known and len(known) < _MAX_FEEDS and self._discovery.refusal(url, 0) is None:
                known.add(url)
                wanted.append(url)
        self._queue(wanted, "listing", 0, parent)

    def take(self, lease: Lease, answer: Answer, robots: str) -> bool:
        """Queues what a sitemap or feed names; gives whether the answer is one.

        The first fifty of a host that a site or person named count as no page; the others do, and what is linked like a page
        and turns out to be one.
        """
        # A text that lists URLs may be somebody's document: it is a sitemap where a person says so.
        if not is_listing(answer.content, answer.media_type if lease.kind != "page" else ""):
            return False
        state, listing = self._state, Listing()
        if not says_nofollow(answer.headers.get("x-robots-tag", "")):
            listing = parse_listing(answer.content, answer.uri)
        # An index names no index (sitemaps.org, "Sitemap index files"): one that is named by another is followed no further.
        is_nested = lease.kind == "listing"
        with state.folder.catalog.transaction():
            log_request(state, lease, answer, robots=robots)
            if self._is_wanted(lease):
                self._queue_as_seeds(listing.pages, lease)
            else:
                self._queue(listing.pages, "page", lease.depth + 1, lease.url)
            self._queue(() if is_nested else listing.sitemaps, "listing", 0, lease.url)
            names = f"sitemap or feed, names {counted(len(listing.pages), 'page')}"
            state.frontier.finish(lease, "fetched", Reason(LISTING, names))
            state.forget_failure(lease)
            if listing.damage:
                error = FetchError(f"not read whole: {listing.damage}", url=lease.url)
                state.folder.catalog.add_failure(lease.url, "sitemap", error)
            else:
                state.folder.catalog.clear_failure(lease.url, ["sitemap"])
        self._read[lease.host] += lease.kind != "page"
        if lease.kind == "page" or self._read[lease.host] > _MAX_SITEMAPS:
            state.progress.pages += 1
            state.progress.hosts[lease.host] += 1
        return True

    def is_kept(self, doc_id: str) -> bool:
        """An earlier version took a sitemap or feed for a document: it is asked for as a whole, to be followed."""
        try:
            return is_listing(self._state.folder.original(doc_id))
        except CorpusError:
            return False

    def queue(self, listing: Listing, parent: str) -> None:
        """Queues the pages of a sitemap that was read."""
        self._queue(listing.pages, "page", 1, parent)

    def _is_wanted(self, lease: Lease) -> bool:
        """A person named it, or the index that names it."""
        if lease.kind != "listing" or lease.parent is None:
            return lease.is_seed
        return self._state.frontier.is_listing_of_seeds(url_id(lease.parent))

    def _queue_as_seeds(self, urls: Sequence[str], lease: Lease) -> None:
        """Queues what a sitemap names that a person named: as if the person had named it, on its host and in scope.

        The rest are links: a seed widens the scope and opens its host to the crawl's cookies and, where it is a local one, its
        address, which is for the person to say.
        """
        own: list[str] = []
        others: list[str] = []
        for url in urls:
            is_own = host_of(url) == lease.host and self._state.scope.refusal(url) is None
            (own if is_own else others).append(url)
        self._queue(own, "seed", 0, None, named_by=lease.url)
        self._queue(others, "page", 1, lease.url)

    def _queue(self, urls: Sequence[str], kind: str, depth: int, parent: str | None, *, named_by: str = "") -> None:
        if not urls:
            return
        with self._state.folder.catalog.transaction():
            _, new = self._discovery.add(
                (Link(url, "", "") for url in urls), depth=depth, parent=parent, named_by=named_by, kind=kind
            )
        self._state.note(new)
