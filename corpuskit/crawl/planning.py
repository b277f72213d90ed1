"""Dry run of a crawl: the URLs that it would fetch first, and the verdict of robots.txt on each. No page is fetched."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final

from corpuskit.crawl.crawler import client_options
from corpuskit.crawl.frontier import Frontier, url_id
from corpuskit.crawl.model_ranking import ranking_of
from corpuskit.crawl.option_resolution import ResolvedOptions
from corpuskit.crawl.options import CrawlOptions
from corpuskit.crawl.politeness import PausedError, PoliteClient, Politeness
from corpuskit.crawl.ranking import Ranking
from corpuskit.crawl.scope import UrlScope, registered_domain
from corpuskit.crawl.sitemaps import read_sitemaps
from corpuskit.crawl.source_verdicts import Verdicts
from corpuskit.errors import ConfigurationError, FetchError, RefusedError, ResourceLimitError, UnreachableError
from corpuskit.sources.web import (
    Answer,
    Client,
    Robots,
    find_links,
    host_of,
    is_listing,
    parse_listing,
    says_nofollow,
)
from corpuskit.store import CorpusFolder

if TYPE_CHECKING:
    import pandas as pd

MAX_ROWS: Final = 100_000
_LISTED: Final = "sitemap or feed"
_LINKED: Final = "link"
_MAX_LISTINGS: Final = 50  # sitemaps and feeds read per seed


def plan_crawl(
    folder: CorpusFolder, seeds: list[str], choices: ResolvedOptions, *, kind: bool | str = True
) -> pd.DataFrame:
    """Return one row per URL that is known before the first page is fetched: seeds, queued URLs, and the sitemaps of
    the seeds.

    It requests robots.txt and sitemaps with the same delays as a crawl, and does not change the frontier. With
    ``kind="links"`` it also reads the seeds, for their links and feeds, without storing them.

    Columns: url, host, found (seed, frontier, sitemap, sitemap or feed, link), verdict (fetch; later: after the first
    ``pages``; known: fetched before; refused), why (str: the rule of robots.txt, the reason of the refusal, or the
    ranking's reason) and crawl_delay (float64, seconds between requests to the host). ``attrs["resumed"]`` describes
    the options inherited from the resumed crawl. ``attrs["failed"]`` maps seeds that could not be read to errors.

    Args:
        folder: The corpus folder.
        seeds: Canonical URLs.
        choices: The resolved options.
        kind: True, or ``"links"`` to read the seeds.

    Raises:
        ConfigurationError: ``kind`` has another value.
        CorpusBusyError: A crawl is running on this corpus.
    """
    if kind not in {True, "links"}:
        raise ConfigurationError(f"crawl: plan={kind!r}: expected True, False or 'links'")
    ranking = ranking_of(choices.steer)
    with folder.crawl_lock():
        planner = _Planner(folder, seeds, choices.options)
        _run_in_thread(planner.collect(links=kind == "links"))
        ranking.begin(folder, Frontier(folder.catalog))
        frame = planner.frame(ranking)
    frame.attrs["failed"] = planner.failed
    frame.attrs["resumed"] = choices.resumed
    return frame


def _run_in_thread(coroutine: object) -> None:
    """Run a coroutine in a thread with its own event loop, since that of a notebook is already running."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(coroutine)  # type: ignore[arg-type]
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="corpuskit-plan", daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


class _Planner:
    def __init__(self, folder: CorpusFolder, seeds: list[str], options: CrawlOptions) -> None:
        self._catalog = folder.catalog
        self._options = options
        self._seeds = seeds
        self._all_seeds = [*seeds, *Frontier(folder.catalog).seeds()]
        self._scope = UrlScope(
            options.scope,
            self._all_seeds,
            options.exclude,
            include=options.include,
            languages=options.languages,
            verdicts=Verdicts(folder.catalog),
        )
        self._politeness = Politeness(folder.catalog, options.delay)
        self._robots: dict[str, Robots | str] = {}
        self._sources: dict[str, str] = dict.fromkeys(seeds, "seed")
        self._depths: dict[str, int] = {}  # URL → depth, for URLs in the queue
        self.failed: dict[str, str] = {}

    async def collect(self, *, links: bool) -> None:
        """Read robots.txt and the sitemaps of each seed's host, and the seeds if ``links`` is set."""
        async with Client(client_options(self._options, self._seeds)) as client:
            polite = PoliteClient(client, self._politeness)
            for seed in self._seeds:
                if links:
                    await self._read_seed(polite, seed)
                scheme, host = seed.partition("://")[0], host_of(seed)
                if host in self._robots:
                    continue
                try:
                    await self._politeness.wait_for_turn(host)
                    self._robots[host] = await polite.robots(seed)
                except (RefusedError, UnreachableError, PausedError) as error:
                    self._robots[host] = str(error)
                    continue
                await self._read_sitemaps(polite, scheme, host)

    async def _read_seed(self, polite: PoliteClient, seed: str) -> None:
        try:
            async for url, source in _links_of_seed(polite, self._options, seed):
                self._sources.setdefault(url, source)
                if len(self._sources) >= MAX_ROWS:
                    return
        except (FetchError, PausedError, ResourceLimitError) as error:
            self.failed[seed] = str(error)

    async def _read_sitemaps(self, polite: PoliteClient, scheme: str, host: str) -> None:
        async for _, listing in read_sitemaps(polite, self._options, (scheme, host)):
            for page in listing.pages:
                self._sources.setdefault(page, "sitemap")
            if len(self._sources) >= MAX_ROWS:
                return

    def frame(self, ranking: Ranking) -> pd.DataFrame:
        """Return the plan."""
        import pandas as pd

        queue = self._catalog.rows(
            "SELECT url, depth, kind, anchor, context, parent_score, host, id, parent FROM frontier WHERE state = 'queued' "
            "ORDER BY priority DESC, n LIMIT ?",
            (MAX_ROWS,),
        )
        self._depths = {row["url"]: int(row["depth"]) for row in queue}
        ranked = ranking.rank([dict(row) for row in queue])
        ordered = sorted(zip(queue, ranked, strict=True), key=lambda item: -item[1][0])
        why_of = {row["url"]: why for row, (_, why) in ordered}
        rows = dict.fromkeys(self._seeds, "seed")
        rows |= {url: "frontier" for url in why_of if url not in rows}
        rows |= {url: source for url, source in self._sources.items() if url not in rows}
        table, remaining = [], self._options.pages
        for url, source in rows.items():
            verdict, why, delay = self._verdict(url, source)
            if verdict == "fetch":
                why = why_of.get(url, why)
                if remaining is not None:
                    remaining -= 1
                    verdict = "fetch" if remaining >= 0 else "later"
            table.append((url, host_of(url), source, verdict, why, delay))
        frame = pd.DataFrame(table, columns=["url", "host", "found", "verdict", "why", "crawl_delay"])
        for name in ("url", "host", "found", "verdict", "why"):
            frame[name] = frame[name].astype("str")
        return frame.astype({"crawl_delay": "float64"})

    def _verdict(self, url: str, source: str) -> tuple[str, str, float]:
        host = host_of(url)
        delay = self._politeness.state(host).delay
        reason = self._scope.refusal(url, depth=self._depths.get(url, source != "seed"))
        if reason is not None:
            return "refused", reason, delay
        robots = self._robots.get(host) or self._politeness.cached_robots(url.partition("://")[0], host)
        if isinstance(robots, str):
            return "refused", robots, delay
        rule = "robots.txt not read yet"
        if robots is not None:
            allowed, rule = robots.verdict(url)
            if not allowed:
                return "refused", f"robots.txt: {rule}", delay
        state = self._catalog.value("SELECT state FROM frontier WHERE id = ?", (url_id(url),))
        is_retried = state == "failed" and (source == "seed" or self._options.retry_failed)
        if source != "frontier" and state in {"fetched", "failed"} and not (self._options.refresh or is_retried):
            return "known", state, delay
        return "fetch", rule, delay


async def _links_of_seed(polite: PoliteClient, options: CrawlOptions, seed: str) -> AsyncIterator[tuple[str, str]]:
    """Read a seed, and the sitemaps and feeds of its domain that it links to.

    Yields:
        A URL, and whether it comes from a sitemap or feed or from a link of the page.

    Raises:
        FetchError, RefusedError, ResourceLimitError: The seed cannot be fetched, or robots.txt forbids it.
    """
    answer = await _get(polite, seed)
    robots_header = answer.headers.get("x-robots-tag", "")
    listings: list[str] = []
    if is_listing(answer.content, answer.media_type):
        if says_nofollow(robots_header):
            return
        listing = parse_listing(answer.content, answer.uri)
        for url in listing.pages:
            yield url, _LISTED
        listings = list(listing.sitemaps)
    elif answer.media_type.endswith("html") or "xhtml" in answer.media_type:
        page = find_links(answer.content, answer.uri, charset=answer.charset, robots_header=robots_header)
        for link in page.links:
            yield link.url, _LINKED
        listings = list(page.feeds) if options.feeds else []
    for url in [
        listing_url
        for listing_url in listings
        if registered_domain(host_of(listing_url)) == registered_domain(host_of(seed))
    ][:_MAX_LISTINGS]:
        try:
            answer = await _get(polite, url)
        except FetchError:
            continue  # the crawl will report a missing feed
        if is_listing(answer.content, answer.media_type) and not says_nofollow(answer.headers.get("x-robots-tag", "")):
            for listed_url in parse_listing(answer.content, answer.uri).pages:
                yield listed_url, _LISTED


async def _get(polite: PoliteClient, url: str) -> Answer:
    answer = await polite.get(url)
    if answer.status != 200:
        raise FetchError(f"the server answered {answer.status} {answer.reason}".rstrip(), url=answer.uri)
    return answer
