"""One crawl: an event loop that chooses and visits, and a thread that has pages extracted and scored."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from typing import Any, Final

from corpuskit.crawl.extraction_stage import Finisher
from corpuskit.crawl.frontier import Frontier, Lease
from corpuskit.crawl.host_scheduler import Turns
from corpuskit.crawl.link_intake import Discovery
from corpuskit.crawl.options import CrawlOptions
from corpuskit.crawl.page_fetcher import Visitor
from corpuskit.crawl.page_writer import Keeper
from corpuskit.crawl.politeness import Politeness
from corpuskit.crawl.ranking import Ranking
from corpuskit.crawl.scope import Scope
from corpuskit.crawl.source_verdicts import Verdicts
from corpuskit.crawl.state import HARVEST, CrawlState, Progress, Stopping
from corpuskit.crawl.trap_detection import Yields
from corpuskit.ingest import pending
from corpuskit.sources.web import Client, host_of
from corpuskit.sources.web.client import ClientOptions, read_netrc, user_agent
from corpuskit.sources.web.render import Renderer
from corpuskit.store import CorpusFolder
from corpuskit.store.telling import clock, counted

_FLUSH_SECONDS: Final = 1.0
_IDLE_SECONDS: Final = 0.5
_MAX_WAIT: Final = 120.0  # seconds; a crawl that can do nothing for longer ends, and is resumed later
_BACKLOG: Final = 200  # pages fetched and not extracted, before fetching waits
_MAX_TOLD: Final = 3  # hosts that wait
_ENOUGH_PAGES: Final = 100  # before the share of new text is judged


class Crawler:
    """Runs one crawl to its end. The caller holds the crawl's lock."""

    def __init__(
        self,
        folder: CorpusFolder,
        options: CrawlOptions,
        ranking: Ranking,
        *,
        seeds: list[str],
        job: int,
        looks_again: bool = False,
    ) -> None:
        self.progress = Progress()
        self.stopping = Stopping()
        self.paused = threading.Event()
        self._folder = folder
        self._options = options
        self._ranking = ranking
        self._seeds = seeds
        self._looks_again = looks_again
        self._frontier = Frontier(folder.catalog, is_stopped=self.stopping.is_set)
        self._politeness = Politeness(folder.catalog, options.delay)
        self._verdicts = ranking.verdicts = Verdicts(folder.catalog)
        yields = Yields.of(folder.catalog) if options.traps and options.extract else Yields()
        scope = Scope(
            options.scope,
            [*seeds, *self._frontier.seeds()],
            options.exclude,
            include=options.include,
            languages=options.languages,
            verdicts=self._verdicts,
            yields=yields if options.traps else None,
        )
        self._turns = Turns(self._frontier, self._politeness, in_turns=ranking.in_turns, is_full=self._is_full)
        self._state = CrawlState(
            folder, options, ranking, self._frontier, self._politeness, self._turns, scope, yields, self._verdicts, job,
            self.progress,
        )  # fmt: skip
        self._finisher = Finisher(self._state, self.stopping)
        self._discovery = Discovery(self._state)
        self._keeper = Keeper(self._state, self._finisher, self._discovery, user_agent(options.contact))
        self._is_ranked = threading.Event()
        self._flushed = time.monotonic()

    def run(self) -> None:
        """Crawl until there is a reason to stop; then wait until what was fetched is extracted."""
        with self._finisher:
            self._prepare()
            if self._options.extract:
                for task in pending(self._folder):
                    if self.stopping.is_set():
                        break
                    self._finisher.hand_in(task)
            reason = asyncio.run(self._fetch_all())
            self.progress.doing = "crawl: extracting the last pages"
        self.progress.doing = "crawl: ranking the URLs that are left"
        # What this call may not ask waits for one that may.
        self.progress.private_queued = self._frontier.queue_private(everywhere=False)
        changes, _ = self._ranking.ranked_again(whole=True)
        self._state.set_priorities(changes)
        self._folder.catalog.flush()
        if self._finisher.error is not None:
            raise self._finisher.error
        self._state.note_waiting_seeds()
        self.progress.reason = reason

    def _prepare(self) -> None:
        """Queue, filter and rank what this crawl is to fetch."""
        options, frontier = self._options, self._frontier
        frontier.add_seeds(self._seeds)
        self._politeness.forgive(host_of(seed) for seed in self._seeds)
        if self._looks_again:
            frontier.queue_again()
        frontier.queue_private(everywhere=options.allow_private)
        if self._looks_again or options.retry_failed:
            frontier.queue_failed()
            self._politeness.forgive()
        else:
            frontier.queue_failed(time.time())
        frontier.apply_scope(self._state.scope, options.max_depth)
        self._ranking.begin(self._folder, frontier)
        frontier.rescore(self._state.rank)
        self._is_ranked.set()

    async def _fetch_all(self) -> str:
        self._finisher.loop = asyncio.get_running_loop()
        most = self._options.connections
        tasks: set[asyncio.Task[None]] = set()
        async with Client(client_options(self._options, self._seeds)) as client, contextlib.AsyncExitStack() as stack:
            keeper = self._keeper
            visitor = Visitor(self._state, client, keeper, self._discovery)
            if self._options.render:
                visitor.renderer = await stack.enter_async_context(Renderer(visitor.get_for_page))
            self._turns.update(dict(self._frontier.hosts()))
            while True:
                reason = self._stop_reason()
                while reason is None and (busy := len(tasks) + keeper.waiting) < most and (lease := self._next(busy)):
                    tasks.add(asyncio.create_task(visitor.visit(lease)))
                if keeper.waiting and (not tasks or keeper.seconds_left == 0):
                    keeper.flush()
                    continue
                if not tasks:
                    reason = reason or self._nothing_left()
                    if reason is not None:
                        self.progress.has_asked_private = client.has_asked_private
                        return reason
                    await self._news_of(tasks, self._idle_seconds())
                    continue
                timeout = keeper.seconds_left if keeper.waiting else self._idle_seconds()
                if self.stopping.is_over:
                    await _break_off(tasks)
                    tasks = set()
                    continue
                for task in await self._news_of(tasks, timeout):
                    tasks.remove(task)
                    task.result()
                self._flush_sometimes()

    async def _news_of(self, tasks: set[asyncio.Task[None]], seconds: float) -> set[asyncio.Task[Any]]:
        """Waits until a visit ends, a page is extracted, or so long; gives the visits that have ended."""
        has_news = self._finisher.has_news
        extracted: asyncio.Task[Any] = asyncio.create_task(has_news.wait())
        try:
            done, _ = await asyncio.wait({*tasks, extracted}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            extracted.cancel()
        has_news.clear()
        return done - {extracted}

    # -- what the analyst says while it runs ---------------------------------------------------------------------------

    def judge(self, host: str, verdict: str) -> int:
        """Follows a new verdict on a host; gives how many queued URLs it concerns. Any thread may call it."""
        self._verdicts.note(host, verdict)
        if not self._is_ranked.is_set():
            return 0  # the frontier is filtered and ranked when it begins
        state = self._state
        if verdict == "hold":
            return self._frontier.refuse(state.scope, host)
        count = self._frontier.restore(state.scope, host, self._options.max_depth)
        count += self._frontier.rescore(state.rank, host)
        heads = {name: head for name, head in self._frontier.hosts() if name == host}
        self._finisher.in_loop(lambda: self._turns.raise_heads(heads))
        return count

    # -- choosing --------------------------------------------------------------------------------------------------

    def _next(self, under_way: int) -> Lease | None:
        """Leases the best URL among the hosts that may be asked now."""
        if self.paused.is_set() or self._is_behind(under_way):
            return None
        most = self._options.pages
        if most is not None and self.progress.pages + under_way >= most:
            return None
        lease = self._turns.next(time.time())
        if lease is not None:
            self._ranking.took(lease.id, lease.host)
        return lease

    def _is_full(self, host: str) -> bool:
        """As many pages of a host as may be were fetched in this crawl, or are on their way."""
        most = self._options.host_pages
        if most is None:
            return False
        in_flight = self._politeness.of(host).in_flight
        return self.progress.hosts[host] + in_flight + self._keeper.waiting_of(host) >= most

    def _is_behind(self, under_way: int) -> bool:
        """Fetching waits for extraction: with steering soon, since the pages' scores decide what comes next."""
        waiting = self._finisher.waiting
        return waiting + under_way >= self._options.connections if self._ranking.steers else waiting >= _BACKLOG

    # -- stopping --------------------------------------------------------------------------------------------------

    def _stop_reason(self) -> str | None:
        options, progress = self._options, self.progress
        if self.stopping.is_set():
            return "stopped by the user"
        if self._finisher.error is not None:
            return "extraction broke down"
        if options.minutes is not None and time.monotonic() - progress.started > options.minutes * 60:
            return f"{options.minutes:g} {'minute' if options.minutes == 1 else 'minutes'} over"
        if options.pages is not None and progress.pages >= options.pages:
            return f"{counted(options.pages, 'page')} fetched"
        if options.max_errors is not None and progress.errors >= options.max_errors:
            return f"{counted(options.max_errors, 'page')} failed"
        if options.max_megabytes is not None and progress.bytes >= options.max_megabytes * 1e6:
            return f"{options.max_megabytes:g} MB collected"
        shares = list(progress.unique)
        if len(shares) >= _ENOUGH_PAGES and sum(shares) / len(shares) < options.min_unique:
            return f"of the last {len(shares):,} pages less than {options.min_unique:.0%} was new text"
        harvest = list(progress.harvest)
        if len(harvest) == HARVEST and sum(harvest) / HARVEST < options.min_harvest:
            return (
                f"of the last {HARVEST:,} pages the model calls {sum(harvest) / HARVEST:.1%} relevant, "
                f"less than min_harvest {options.min_harvest:.1%}"
            )
        return None

    def _nothing_left(self) -> str | None:
        """Why the crawl ends when nothing is under way; None while something may still come."""
        if self.paused.is_set() or self._is_behind(0) or (self._ranking.steers and self._finisher.waiting):
            return None
        first = self._turns.next_time
        if first is not None:
            return self._why_waiting() if first - time.time() > _MAX_WAIT else None
        heads = dict(self._frontier.hosts())
        if not heads:
            return "nothing left to fetch" + (" but private addresses" if self.progress.private else "")
        if self._turns.full >= heads.keys():
            return f"{counted(self._options.host_pages or 0, 'page')} of each host that is left"
        self._turns.update(heads)
        return None

    def _why_waiting(self) -> str:
        """Which hosts wait, why, and until when."""
        waiting = self._turns.waiting
        told = []
        for until, host in waiting[:_MAX_TOLD]:
            cause = self._politeness.of(host).trouble
            told.append(f"{host}{f' ({cause})' if cause else ''} waits until {clock(until)}")
        if len(waiting) > _MAX_TOLD:
            more = len(waiting) - _MAX_TOLD
            told.append(f"{counted(more, 'more host')} {'waits' if more == 1 else 'wait'} longer")
        return f"nothing else can be fetched now: {', '.join(told)}"

    def _idle_seconds(self) -> float:
        """How long to wait where nothing happens: until the next host may be asked, and not too long."""
        first = self._turns.next_time
        return _IDLE_SECONDS if first is None else min(max(first - time.time(), 0.005), _IDLE_SECONDS)

    def _flush_sometimes(self) -> None:
        """A page that was reported survives a power cut a second later."""
        if time.monotonic() - self._flushed > _FLUSH_SECONDS:
            self._folder.warc.flush()
            self._folder.catalog.flush()
            self._flushed = time.monotonic()


async def _break_off(tasks: set[asyncio.Task[None]]) -> None:
    """Ends visits that hang; their URLs are queued as before."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def client_options(options: CrawlOptions, seeds: list[str]) -> ClientOptions:
    """How a crawl asks; the hosts of the seeds that the user names now may be local ones, and get the user's cookies."""
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
