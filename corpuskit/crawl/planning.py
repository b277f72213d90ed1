"""A dry run: what a crawl would fetch first, and what robots.txt says of it. No page is fetched."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final

from corpuskit.crawl.crawler import client_options
from corpuskit.crawl.frontier import Frontier, url_id
from corpuskit.crawl.model_ranking import ranking_of
from corpuskit.crawl.option_resolution import Choices
from corpuskit.crawl.options import CrawlOptions
from corpuskit.crawl.politeness import PausedError, PoliteClient, Politeness
from corpuskit.crawl.ranking import Ranking
from corpuskit.crawl.scope import Scope, registered_domain
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
_MOST: Final = 50  # sitemaps and feeds read for one seed


def plan_crawl(folder: CorpusFolder, seeds: list[str], choices: Choices, *, kind: bool | str = True) -> pd.DataFrame:
    """Return one row a URL that is known before a page is fetched: seeds, the queue, the sitemaps of the seeds.

    Asks for robots.txt and sitemaps, as politely as a crawl; the frontier stays as it is. Links and feeds stand on pages,
    so that they are not in a plan, unless ``kind`` is ``links``, which has the seeds themselves
    read, of which nothing is kept.

    Columns: url, host, found (seed, frontier, sitemap, sitemap or feed, link), verdict (fetch; later: behind the first ``pages``; known: fetched
    before; refused), why (str: the rule of robots.txt, the border of the crawl, or the ranking's reason) and crawl_delay
    (float64, seconds between requests to the host). ``attrs["resumed"]`` says what is kept of the crawl that is resumed,
    ``attrs["failed"]`` seed → why it could not be read.

    Args:
        folder: The corpus folder.
        seeds: Canonical URLs.
        choices: What was chosen for the crawl.
        kind: ``"links"`` reads the seeds themselves, for their links and feeds.

    Raises:
        ConfigurationError: there is no such kind.
        CorpusBusyError: a crawl runs on this corpus.
    """
    if kind not in {True, "links"}:
        raise ConfigurationError(f"crawl: plan={kind!r}: expected True, False or 'links'")
    ranking = ranking_of(choices.steer)
    with folder.crawl_lock():
        planner = _Planner(folder, seeds, choices.options)
        _run_in_thread(planner.ask(links=kind == "links"))
        ranking.begin(folder, Frontier(folder.catalog))
        frame = planner.frame(ranking)
    frame.attrs["failed"] = planner.failed
    frame.attrs["resumed"] = choices.resumed
    return frame


def _run_in_thread(work: object) -> None:
    """In a thread with a loop of its own: that of a notebook is running already."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(work)  # type: ignore[arg-type]
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
        self._scope = Scope(
            options.scope,
            self._all_seeds,
            options.exclude,
            include=options.include,
            languages=options.languages,
            verdicts=Verdicts(folder.catalog),
        )
        self._politeness = Politeness(folder.catalog, options.delay)
        self._robots: dict[str, Robots | str] = {}
        self._found: dict[str, str] = dict.fromkeys(seeds, "seed")
        self._depths: dict[str, int] = {}  # of the queue
        self.failed: dict[str, str] = {}

    async def ask(self, *, links: bool) -> None:
        """Reads robots.txt and the sitemaps of the seeds' hosts, one after the other, and the seeds where asked."""
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
            async for url, found in _links_of_seed(polite, self._options, seed):
                self._found.setdefault(url, found)
                if len(self._found) >= MAX_ROWS:
                    return
        except (FetchError, PausedError, ResourceLimitError) as error:
            self.failed[seed] = str(error)

    async def _read_sitemaps(self, polite: PoliteClient, scheme: str, host: str) -> None:
        async for _, listing in read_sitemaps(polite, self._options, (scheme, host)):
            for page in listing.pages:
                self._found.setdefault(page, "sitemap")
            if len(self._found) >= MAX_ROWS:
                return

    def frame(self, ranking: Ranking) -> pd.DataFrame:
        """The plan."""
        import pandas as pd

        queue = self._catalog.rows(
            "SELECT url, depth, kind, anchor, context, parent_score, host, id, parent FROM frontier WHERE state = 'queued' "
            "ORDER BY priority DESC, n LIMIT ?",
            (MAX_ROWS,),
        )
        self._depths = {row["url"]: int(row["depth"]) for row in queue}
        ranked = ranking.rank([dict(row) for row in queue])
        best = sorted(zip(queue, ranked, strict=True), key=lambda item: -item[1][0])
        why_of = {row["url"]: why for row, (_, why) in best}
        rows = dict.fromkeys(self._seeds, "seed")
        rows |= {url: "frontier" for url in why_of if url not in rows}
        rows |= {url: found for url, found in self._found.items() if url not in rows}
        table, left = [], self._options.pages
        for url, found in rows.items():
            verdict, why, delay = self._verdict(url, found)
            if verdict == "fetch":
                why = why_of.get(url, why)
                if left is not None:
                    left -= 1
                    verdict = "fetch" if left >= 0 else "later"
            table.append((url, host_of(url), found, verdict, why, delay))
        frame = pd.DataFrame(table, columns=["url", "host", "found", "verdict", "why", "crawl_delay"])
        for name in ("url", "host", "found", "verdict", "why"):
            frame[name] = frame[name].astype("str")
        return frame.astype({"crawl_delay": "float64"})

    def _verdict(self, url: str, found: str) -> tuple[str, str, float]:
        host = host_of(url)
        delay = self._politeness.of(host).delay
        reason = self._scope.refusal(url, depth=self._depths.get(url, found != "seed"))
        if reason is not None:
            return "refused", reason, delay
        robots = self._robots.get(host) or self._politeness.kept_robots(url.partition("://")[0], host)
        if isinstance(robots, str):
            return "refused", robots, delay
        rule = "robots.txt not asked yet"
        if robots is not None:
            allowed, rule = robots.verdict(url)
            if not allowed:
                return "refused", f"robots.txt: {rule}", delay
        state = self._catalog.value("SELECT state FROM frontier WHERE id = ?", (url_id(url),))
        comes_again = state == "failed" and (found == "seed" or self._options.retry_failed)
        if found != "frontier" and state in {"fetched", "failed"} and not (self._options.refresh or comes_again):
            return "known", state, delay
        return "fetch", rule, delay


async def _links_of_seed(polite: PoliteClient, options: CrawlOptions, seed: str) -> AsyncIterator[tuple[str, str]]:
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
            yield url, _LISTED
        todo = list(listing.sitemaps)
    elif answer.media_type.endswith("html") or "xhtml" in answer.media_type:
        page = find_links(answer.content, answer.uri, charset=answer.charset, robots_header=robots_header)
        for link in page.links:
            yield link.url, _LINKED
        todo = list(page.feeds) if options.feeds else []
    for url in [one for one in todo if registered_domain(host_of(one)) == registered_domain(host_of(seed))][:_MOST]:
        try:
            answer = await _get(polite, url)
        except FetchError:
            continue  # one feed of a page that is gone: the crawl will tell
        if is_listing(answer.content, answer.media_type) and not says_nofollow(answer.headers.get("x-robots-tag", "")):
            for found in parse_listing(answer.content, answer.uri).pages:
                yield found, _LISTED


async def _get(polite: PoliteClient, url: str) -> Answer:
    answer = await polite.get(url)
    if answer.status != 200:
        raise FetchError(f"the server answered {answer.status} {answer.reason}".rstrip(), url=answer.uri)
    return answer
