"""One crawl: an event loop that schedules and fetches URLs, and a thread that extracts and scores the pages."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from typing import Any, Final

from corpuskit.crawl.extraction_stage import ExtractionStage
from corpuskit.crawl.frontier import Frontier, Lease
from corpuskit.crawl.host_scheduler import HostScheduler
from corpuskit.crawl.link_intake import LinkIntake
from corpuskit.crawl.options import CrawlOptions
from corpuskit.crawl.page_fetcher import PageFetcher
from corpuskit.crawl.page_writer import PageWriter
from corpuskit.crawl.politeness import Politeness
from corpuskit.crawl.ranking import Ranking
from corpuskit.crawl.scope import UrlScope
from corpuskit.crawl.source_verdicts import Verdicts
from corpuskit.crawl.state import HARVEST, CrawlState, Progress, StopSignal
from corpuskit.crawl.trap_detection import TrapDetector
from corpuskit.ingest import pending_tasks
from corpuskit.sources.web import Client, host_of
from corpuskit.sources.web.client import ClientOptions, read_netrc, user_agent
from corpuskit.sources.web.render import Renderer
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import format_time, pluralize

_FLUSH_SECONDS: Final = 1.0
_IDLE_SECONDS: Final = 0.5
_MAX_WAIT: Final = 120.0  # seconds; a crawl that must wait longer ends and can be resumed later
_MAX_BACKLOG: Final = 200  # pages waiting for extraction, before fetching pauses
_MAX_LISTED: Final = 3  # waiting hosts in the message
_MIN_SHARES: Final = 100  # pages, before the share of new text is compared with min_unique


class Crawler:
    """Runs one crawl until it ends. The caller holds the crawl lock."""

    def __init__(
        self,
        folder: CorpusFolder,
        options: CrawlOptions,
        ranking: Ranking,
        *,
        seeds: list[str],
        job: int,
        requeues_fetched: bool = False,
    ) -> None:
        self.progress = Progress()
        self.stopping = StopSignal()
        self.paused = threading.Event()
        self._folder = folder
        self._options = options
        self._ranking = ranking
        self._seeds = seeds
        self._looks_again = requeues_fetched
        self._frontier = Frontier(folder.catalog, is_stopped=self.stopping.is_set)
        self._politeness = Politeness(folder.catalog, options.delay)
        self._verdicts = ranking.verdicts = Verdicts(folder.catalog)
        trap_detector = (
            TrapDetector.from_catalog(folder.catalog) if options.traps and options.extract else TrapDetector()
        )
        scope = UrlScope(
            options.scope,
            [*seeds, *self._frontier.seeds()],
            options.exclude,
            include=options.include,
            languages=options.languages,
            verdicts=self._verdicts,
            trap_detector=trap_detector if options.traps else None,
        )
        self._scheduler = HostScheduler(
            self._frontier, self._politeness, round_robin=ranking.round_robin, is_full=self._has_reached_page_limit
        )
        self._state = CrawlState(
            folder, options, ranking, self._frontier, self._politeness, self._scheduler, scope, trap_detector, self._verdicts, job,
            self.progress,
        )  # fmt: skip
        self._extraction = ExtractionStage(self._state, self.stopping)
        self._link_intake = LinkIntake(self._state)
        self._page_writer = PageWriter(self._state, self._extraction, self._link_intake, user_agent(options.contact))
        self._is_ranked = threading.Event()
        self._flushed = time.monotonic()

    def run(self) -> None:
        """Crawl until there is a reason to stop. Then wait until the fetched pages are extracted."""
        with self._extraction:
            self._prepare()
            if self._options.extract:
                for task in pending_tasks(self._folder):
                    if self.stopping.is_set():
                        break
                    self._extraction.submit(task)
            reason = asyncio.run(self._fetch_all())
            self.progress.doing = "crawl: extracting the last pages"
        self.progress.doing = "crawl: ranking the remaining URLs"
        # URLs at private addresses stay queued for a call with allow_private.
        self.progress.private_queued = self._frontier.queue_private(everywhere=False)
        changes, _ = self._ranking.rerank(all_urls=True)
        self._state.set_priorities(changes)
        self._folder.catalog.flush()
        if self._extraction.error is not None:
            raise self._extraction.error
        self._state.note_waiting_seeds()
        self.progress.reason = reason

    def _prepare(self) -> None:
        """Queue, filter and rank the URLs of this crawl."""
        options, frontier = self._options, self._frontier
        frontier.add_seeds(self._seeds)
        self._politeness.clear_pauses(host_of(seed) for seed in self._seeds)
        if self._looks_again:
            frontier.requeue_fetched()
        frontier.queue_private(everywhere=options.allow_private)
        if self._looks_again or options.retry_failed:
            frontier.queue_failed()
            self._politeness.clear_pauses()
        else:
            frontier.queue_failed(time.time())
        frontier.apply_scope(self._state.scope, options.max_depth)
        self._ranking.begin(self._folder, frontier)
        frontier.rescore(self._state.rank)
        self._is_ranked.set()

    async def _fetch_all(self) -> str:
        self._extraction.loop = asyncio.get_running_loop()
        max_connections = self._options.connections
        tasks: set[asyncio.Task[None]] = set()
        async with Client(client_options(self._options, self._seeds)) as client, contextlib.AsyncExitStack() as stack:
            page_writer = self._page_writer
            page_fetcher = PageFetcher(self._state, client, page_writer, self._link_intake)
            if self._options.render:
                page_fetcher.renderer = await stack.enter_async_context(Renderer(page_fetcher.get_subresource))
            self._scheduler.set_priorities(dict(self._frontier.hosts()))
            while True:
                reason = self._stop_reason()
                while (
                    reason is None
                    and (busy := len(tasks) + page_writer.waiting) < max_connections
                    and (lease := self._lease_next(busy))
                ):
                    tasks.add(asyncio.create_task(page_fetcher.fetch(lease)))
                if page_writer.waiting and (not tasks or page_writer.seconds_until_flush == 0):
                    page_writer.flush()
                    continue
                if not tasks:
                    reason = reason or self._end_reason_when_idle()
                    if reason is not None:
                        self.progress.has_asked_private = client.has_asked_private
                        return reason
                    await self._wait_for_events(tasks, self._idle_seconds())
                    continue
                timeout = page_writer.seconds_until_flush if page_writer.waiting else self._idle_seconds()
                if self.stopping.is_over:
                    await _cancel(tasks)
                    tasks = set()
                    continue
                for task in await self._wait_for_events(tasks, timeout):
                    tasks.remove(task)
                    task.result()
                self._flush_periodically()

    async def _wait_for_events(self, tasks: set[asyncio.Task[None]], seconds: float) -> set[asyncio.Task[Any]]:
        """Wait until a visit ends, a page is extracted, or the time is over; return the finished visits."""
        has_results = self._extraction.has_results
        extracted: asyncio.Task[Any] = asyncio.create_task(has_results.wait())
        try:
            done, _ = await asyncio.wait({*tasks, extracted}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            extracted.cancel()
        has_results.clear()
        return done - {extracted}

    # -- verdicts of the analyst during the crawl ----------------------------------------------------------------------

    def judge(self, host: str, verdict: str) -> int:
        """Apply a new verdict on a host, and return the number of affected queued URLs. Thread-safe."""
        self._verdicts.update_host(host, verdict)
        if not self._is_ranked.is_set():
            return 0  # _prepare() filters and ranks the frontier with this verdict
        state = self._state
        if verdict == "hold":
            return self._frontier.refuse(state.scope, host)
        count = self._frontier.restore(state.scope, host, self._options.max_depth)
        count += self._frontier.rescore(state.rank, host)
        heads = {name: head for name, head in self._frontier.hosts() if name == host}
        self._extraction.call_in_loop(lambda: self._scheduler.raise_priorities(heads))
        return count

    # -- scheduling --------------------------------------------------------------------------------------------------

    def _lease_next(self, under_way: int) -> Lease | None:
        """Lease the best URL of the hosts that may be requested now."""
        if self.paused.is_set() or self._must_wait_for_extraction(under_way):
            return None
        max_pages = self._options.pages
        if max_pages is not None and self.progress.pages + under_way >= max_pages:
            return None
        lease = self._scheduler.lease_next(time.time())
        if lease is not None:
            self._ranking.on_leased(lease.id, lease.host)
        return lease

    def _has_reached_page_limit(self, host: str) -> bool:
        """Return whether the pages of a host fetched or in progress reach the limit of this crawl."""
        max_pages = self._options.host_pages
        if max_pages is None:
            return False
        in_flight = self._politeness.state(host).in_flight
        return self.progress.hosts[host] + in_flight + self._page_writer.waiting_pages_of(host) >= max_pages

    def _must_wait_for_extraction(self, under_way: int) -> bool:
        """Return whether fetching must wait for extraction.

        A ranking by page scores waits earlier, since the scores decide which URL is fetched next.
        """
        waiting = self._extraction.waiting
        return waiting + under_way >= self._options.connections if self._ranking.steers else waiting >= _MAX_BACKLOG

    # -- stopping --------------------------------------------------------------------------------------------------

    def _stop_reason(self) -> str | None:
        options, progress = self._options, self.progress
        if self.stopping.is_set():
            return "stopped by the user"
        if self._extraction.error is not None:
            return "extraction failed"
        if options.minutes is not None and time.monotonic() - progress.started > options.minutes * 60:
            return f"{options.minutes:g} {'minute' if options.minutes == 1 else 'minutes'} over"
        if options.pages is not None and progress.pages >= options.pages:
            return f"{pluralize(options.pages, 'page')} fetched"
        if options.max_errors is not None and progress.errors >= options.max_errors:
            return f"{pluralize(options.max_errors, 'page')} failed"
        if options.max_megabytes is not None and progress.bytes >= options.max_megabytes * 1e6:
            return f"{options.max_megabytes:g} MB fetched"
        shares = list(progress.unique)
        if len(shares) >= _MIN_SHARES and sum(shares) / len(shares) < options.min_unique:
            return f"less than {options.min_unique:.0%} new text in the last {len(shares):,} pages"
        harvest = list(progress.harvest)
        if len(harvest) == HARVEST and sum(harvest) / HARVEST < options.min_harvest:
            return (
                f"the model calls {sum(harvest) / HARVEST:.1%} of the last {HARVEST:,} pages relevant, "
                f"less than min_harvest {options.min_harvest:.1%}"
            )
        return None

    def _end_reason_when_idle(self) -> str | None:
        """Return why an idle crawl ends; None if a URL may still become available."""
        if (
            self.paused.is_set()
            or self._must_wait_for_extraction(0)
            or (self._ranking.steers and self._extraction.waiting)
        ):
            return None
        first = self._scheduler.next_time
        if first is not None:
            return self._why_waiting() if first - time.time() > _MAX_WAIT else None
        heads = dict(self._frontier.hosts())
        if not heads:
            return "nothing left to fetch" + (" except private addresses" if self.progress.private else "")
        if self._scheduler.full >= heads.keys():
            return f"{pluralize(self._options.host_pages or 0, 'page')} fetched from each remaining host"
        self._scheduler.set_priorities(heads)
        return None

    def _why_waiting(self) -> str:
        """Describe which hosts wait, the cause, and the end of their pauses."""
        waiting = self._scheduler.waiting
        descriptions = []
        for until, host in waiting[:_MAX_LISTED]:
            cause = self._politeness.state(host).last_error
            descriptions.append(f"{host}{f' ({cause})' if cause else ''} waits until {format_time(until)}")
        if len(waiting) > _MAX_LISTED:
            remaining = len(waiting) - _MAX_LISTED
            descriptions.append(f"{pluralize(remaining, 'more host')} {'waits' if remaining == 1 else 'wait'} longer")
        return f"nothing else can be fetched now: {', '.join(descriptions)}"

    def _idle_seconds(self) -> float:
        """Return the time to sleep while idle: until the next host may be requested, within limits."""
        first = self._scheduler.next_time
        return _IDLE_SECONDS if first is None else min(max(first - time.time(), 0.005), _IDLE_SECONDS)

    def _flush_periodically(self) -> None:
        """Flush files about once a second, so that a power cut loses at most one second of counted pages."""
        if time.monotonic() - self._flushed > _FLUSH_SECONDS:
            self._folder.warc.flush()
            self._folder.catalog.flush()
            self._flushed = time.monotonic()


async def _cancel(tasks: set[asyncio.Task[None]]) -> None:
    """Cancel visits that hang. Their URLs stay queued."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def client_options(options: CrawlOptions, seeds: list[str]) -> ClientOptions:
    """Return the options of the HTTP client.

    Hosts of seeds named in this call may have private addresses, and only they receive the user's cookies.
    """
    hosts = frozenset(host_of(seed) for seed in seeds)
    return ClientOptions(
        contact=options.contact,
        proxy=options.proxy,
        allow_private=options.allow_private,
        allowed_hosts=hosts,
        headers=options.headers,
        cookies=options.cookies,
        cookie_hosts=hosts,
        passwords=read_netrc(options.netrc),
        connections=options.connections,
    )
