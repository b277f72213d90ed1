"""One crawl: an event loop that fetches, and a thread that has pages extracted and scored."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from corpuskit import engine
from corpuskit.crawl.frontier import Frontier, Lease, NewUrl, url_id
from corpuskit.crawl.options import CrawlOptions
from corpuskit.crawl.politeness import Politeness
from corpuskit.crawl.ranking import Ranking
from corpuskit.crawl.scope import Scope
from corpuskit.errors import CorpusKitError, FetchError, RefusedError, ResourceLimitError
from corpuskit.ingest import LIMITS, Extracted, Registered, Task, commit, extract, pending, register, task_of
from corpuskit.sources.resource import Resource
from corpuskit.sources.web import Answer, Client, PageLinks, find_links, host_of, url_key
from corpuskit.sources.web.client import MAX_REDIRECTS, ClientOptions
from corpuskit.store import CorpusFolder, Place
from corpuskit.store.catalog import clean, now

_TRIES: Final = 4
_FLUSH_SECONDS: Final = 1.0
_IDLE_SECONDS: Final = 0.5
_MAX_WAIT: Final = 120.0  # seconds; a crawl that can do nothing for longer ends, and is resumed later
_BACKLOG: Final = 200  # pages fetched and not extracted, before fetching waits
_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_RETRIED: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(slots=True)
class Progress:
    """Where a crawl stands.

    Attributes:
        pages: fetches that count: answered GETs but robots.txt, redirects, 304 and 429.
        stored: new or changed documents.
        extracted: documents extracted.
        failed: pages that failed for good.
        refused: URLs that robots.txt or their media type refused.
        bytes: of bodies, decoded.
        hosts: pages a host.
        reason: why it ended; None while it runs.
    """

    pages: int = 0
    stored: int = 0
    extracted: int = 0
    failed: int = 0
    refused: int = 0
    bytes: int = 0
    started: float = field(default_factory=time.monotonic)
    hosts: Counter[str] = field(default_factory=Counter)
    reason: str | None = None


class Crawler:
    """Runs one crawl to its end. The caller holds the crawl's lock."""

    def __init__(
        self, folder: CorpusFolder, options: CrawlOptions, ranking: Ranking, *, seeds: list[str], job: int
    ) -> None:
        self.progress = Progress()
        self.stopping = threading.Event()
        self.paused = threading.Event()
        self._folder = folder
        self._catalog = folder.catalog
        self._options = options
        self._ranking = ranking
        self._job = job
        self._seeds = seeds
        self._frontier = Frontier(folder.catalog)
        self._politeness = Politeness(folder.catalog, options.delay)
        self._pool: engine.Pool[Task, Extracted] | None = None
        self._under_extraction: dict[int, tuple[Lease | None, list[int]]] = {}
        self._extraction_error: BaseException | None = None
        self._budget_used = 0
        self._heads: dict[str, float] = {}
        self._flushed = time.monotonic()

    # -- the run ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Crawls until there is a reason to stop; then waits until what was fetched is extracted."""
        self._frontier.add(NewUrl(seed, 0, 1e9, why="seed") for seed in self._seeds)
        seeds = self._frontier.seeds()
        self._scope = Scope(self._options.scope, seeds, self._options.exclude)
        self._frontier.apply_scope(self._scope, self._options.max_depth)
        if self._ranking.steers:
            self._frontier.refresh_parent_scores()
        self._ranking.begin(self._catalog)
        self._frontier.rescore(self._ranking.rank)
        with engine.Pool(extract, limits=LIMITS) as self._pool:
            finisher = threading.Thread(target=self._finish_extractions, name="corpuskit-extraction", daemon=True)
            for task in pending(self._folder):
                self._extract(task, None, [])
            finisher.start()
            try:
                reason = asyncio.run(self._fetch_all(seeds))
            finally:
                self._no_more_pages = True
                finisher.join()
                self._catalog.flush()
        if self._extraction_error is not None:
            raise self._extraction_error
        self.progress.reason = reason

    async def _fetch_all(self, seeds: list[str]) -> str:
        options = self._options
        seed_hosts = frozenset(host_of(seed) for seed in seeds)
        client_options = ClientOptions(
            contact=options.contact,
            proxy=options.proxy,
            allow_private=options.allow_private,
            allowed_hosts=seed_hosts,
            headers=options.headers,
            cookies=options.cookies,
            cookie_hosts=seed_hosts,
            connections=options.connections,
        )
        self._loop = asyncio.get_running_loop()
        tasks: set[asyncio.Task[None]] = set()
        async with Client(client_options) as client:
            self._heads = dict(self._frontier.hosts())
            while True:
                reason = self._stop_reason()
                while reason is None and len(tasks) < options.connections and (lease := self._next(len(tasks))):
                    self._politeness.of(lease.host).in_flight += 1
                    tasks.add(asyncio.create_task(self._visit(client, lease)))
                if not tasks:
                    reason = reason or self._nothing_left()
                    if reason is not None:
                        return reason
                if not tasks:
                    await asyncio.sleep(self._pause())
                    continue
                done, tasks = await asyncio.wait(tasks, timeout=_IDLE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
                self._flush_sometimes()

    def _stop_reason(self) -> str | None:
        options, progress = self._options, self.progress
        if self.stopping.is_set():
            return "stopped by the user"
        if self._extraction_error is not None:
            return "extraction broke down"
        if options.pages is not None and progress.pages >= options.pages:
            return f"{options.pages:,} pages fetched"
        if options.minutes is not None and time.monotonic() - progress.started > options.minutes * 60:
            return f"{options.minutes:g} minutes over"
        if options.max_errors is not None and progress.failed >= options.max_errors:
            return f"{options.max_errors:,} pages failed"
        if options.max_megabytes is not None and progress.bytes >= options.max_megabytes * 1e6:
            return f"{options.max_megabytes:g} MB collected"
        return None

    def _nothing_left(self) -> str | None:
        """Why the crawl ends when nothing is under way; None while something may still come."""
        if self.paused.is_set() or self._is_behind(0):
            return None
        self._heads = dict(self._frontier.hosts())
        if not self._heads:
            return "nothing left to fetch"
        if (wait := self._seconds_to_next()) > _MAX_WAIT:
            return f"the hosts that are left ask for a pause, the first for {wait / 60:.0f} minutes: resume later"
        return None

    def _pause(self) -> float:
        """Seconds to sleep until something may be ready."""
        return min(max(self._seconds_to_next(), 0.005), _IDLE_SECONDS)

    def _seconds_to_next(self) -> float:
        """Seconds until the first host may be asked and the first URL may be tried again."""
        moment = time.time()
        times = [self._politeness.of(host).next_allowed for host in self._heads]
        waiting = self._frontier.next_time()
        return max(min(times, default=moment), waiting or 0.0) - moment

    # -- choosing --------------------------------------------------------------------------------------------------

    def _is_behind(self, under_way: int) -> bool:
        """Fetching waits for extraction: with steering soon, since the pages' scores decide what comes next."""
        limit = self._options.connections if self._ranking.steers else _BACKLOG
        waiting = len(self._under_extraction)
        return waiting + under_way >= limit if self._ranking.steers else waiting >= limit

    def _next(self, under_way: int) -> Lease | None:
        """Leases the best URL among the hosts that may be asked now."""
        options = self._options
        if self.paused.is_set() or self._is_behind(under_way):
            return None
        if options.pages is not None and self.progress.pages + under_way >= options.pages:
            return None
        moment = time.time()
        ready = {host: head for host, head in self._heads.items() if self._politeness.of(host).is_ready(moment)}
        if self._ranking.in_turns and ready:
            fewest = min(ready, key=lambda host: (self.progress.hosts[host], -ready[host], host))
            ready = {fewest: ready[fewest]}
        offered = set(ready)
        leases = self._frontier.take(ready, 1, now=moment)
        for host in offered:
            if host in ready:
                self._heads[host] = ready[host]
            else:
                self._heads.pop(host, None)
        return leases[0] if leases else None

    # -- one page --------------------------------------------------------------------------------------------------

    async def _visit(self, client: Client, lease: Lease) -> None:
        """Fetches one URL and notes what came of it."""
        state = self._politeness.of(lease.host)
        try:
            scheme = lease.url.partition("://")[0]
            robots = await self._politeness.robots(client, scheme, lease.host)
            if robots.closed:
                self._politeness.forget_closed(lease.host)
                if lease.tries + 1 >= _TRIES:
                    self._fail(lease, FetchError("robots.txt cannot be read", url=lease.url))
                else:
                    self._frontier.retry(lease, state.next_allowed)
                return
            if not robots.allows(lease.url):
                self.progress.refused += 1
                self._frontier.finish(lease, "refused", "robots.txt")
                return
            # After robots.txt, and among the few that a host without delay takes at once.
            while (wait := state.next_allowed - time.time()) > 0:
                await asyncio.sleep(wait)
            self._politeness.start(lease.host)
            await self._fetch(client, lease)
        except RefusedError as error:
            self.progress.refused += 1
            if error.status is not None:
                self.progress.pages += 1
            self._log(lease, None, error=str(error), status=error.status)
            self._frontier.finish(lease, "refused", str(error)[:200])
        except (FetchError, ResourceLimitError) as error:
            self._log(lease, None, error=str(error))
            if isinstance(error, FetchError) and lease.tries + 1 < _TRIES:
                self._frontier.retry(lease, time.time() + max(1.0, state.delay) * 2.0**lease.tries)
            else:
                self._fail(lease, error)
        finally:
            state.in_flight -= 1
            # What waits may be ready by now, whatever its place was.
            self._heads.setdefault(lease.host, 0.0)

    async def _fetch(self, client: Client, lease: Lease) -> None:
        url = lease.url
        for _ in range(MAX_REDIRECTS + 1):
            answer = await client.get(url)
            if answer.location is None or url_key(answer.location) != url_key(url) or answer.location == url:
                break
            # The same page by https, or with its index page's name: no other row of the frontier.
            self._log(lease, answer)
            url = answer.location
        if answer.location is not None:
            self._log(lease, answer)
            self._redirect(lease, answer)
        elif answer.status == 429 or (answer.status in _RETRIED and lease.tries + 1 < _TRIES):
            self._log(lease, answer)
            if answer.status != 429:
                self.progress.pages += 1
            until = self._politeness.back_off(lease.host, answer.retry_after)
            if lease.tries + 1 >= 2 * _TRIES:
                self._fail(lease, FetchError(f"the server answered {answer.status} again and again", url=url))
            else:
                self._frontier.retry(lease, until)
        elif 200 <= answer.status < 300:
            self.progress.pages += 1
            self._politeness.answered(lease.host)
            self._keep(client, lease, answer)
        else:
            self.progress.pages += 1
            self._politeness.answered(lease.host)
            self._log(lease, answer)
            self._fail(lease, FetchError(f"the server answered {answer.status} {answer.reason}", url=url))

    def _redirect(self, lease: Lease, answer: Answer) -> None:
        assert answer.location is not None
        if lease.redirects + 1 > MAX_REDIRECTS or url_key(answer.location) == url_key(lease.url):
            self._fail(lease, FetchError("redirects without end", url=lease.url))
            return
        refused = self._scope.refusal(answer.location)
        target = NewUrl(
            answer.location, lease.depth, lease.priority, lease.parent, lease.anchor, lease.context,
            lease.parent_score, f"redirect from {lease.url}"[:300], refused, lease.url, lease.redirects + 1,
        )  # fmt: skip
        with self._catalog.transaction():
            self._frontier.add([target])
            self._frontier.finish(lease, "fetched", f"redirect to {answer.location}"[:300])
        self._note_heads([target])

    def _keep(self, client: Client, lease: Lease, answer: Answer) -> None:
        """Keeps a page: its WARC record, then one transaction with row, links and state."""
        page = None
        if answer.media_type in _HTML:
            page = find_links(
                answer.content, answer.uri, charset=answer.charset, robots_header=answer.headers.get("x-robots-tag", "")
            )
        new = self._new_urls(lease, page) if page is not None else []
        place = self._write_warc(client, answer)
        self.progress.bytes += len(answer.content)
        self.progress.hosts[lease.host] += 1
        with self._catalog.transaction():
            registered: Registered | None = None
            if answer.content.strip():
                registered = register(self._folder, _resource(answer), place=place)
            self._log(lease, answer)
            self._frontier.add(new)
            if new:
                self._frontier.add_links(lease.id, (url_id(url.url) for url in new))
            self._frontier.finish(lease, "fetched", None if registered else "empty page")
            self._catalog.clear_failure(lease.url, ["fetch"])
            if registered is None:
                self._catalog.add_failure(lease.url, "fetch", FetchError("the page is empty", url=lease.url))
        self._note_heads(new)
        if registered is not None and registered.state in {"new", "changed"}:
            self.progress.stored += 1
            task = task_of(self._folder, registered.doc_id, registered.version)
            self._extract(task, lease, [url_id(url.url) for url in new if url.refused is None])

    def _write_warc(self, client: Client, answer: Answer) -> Place:
        path = answer.uri[answer.uri.index("/", 8) :]
        lines = [f"GET {path} HTTP/1.1", f"Host: {host_of(answer.uri)}"]
        # Headers and cookies of the user's own stay out of the archive.
        lines += [f"User-Agent: {client.user_agent}"]
        return self._folder.warc.write(
            answer.uri, answer.fetched, ("\r\n".join(lines) + "\r\n\r\n").encode(),
            f"HTTP/1.1 {answer.status} {answer.reason}", answer.headers.items(), answer.content,
        )  # fmt: skip

    def _new_urls(self, lease: Lease, page: PageLinks) -> list[NewUrl]:
        rows = []
        for link in page.links:
            depth = lease.depth + 1
            refused = self._scope.refusal(link.url)
            if refused is None and self._options.max_depth is not None and depth > self._options.max_depth:
                refused = f"depth over {self._options.max_depth}"
            rows.append((link, depth, refused))
        ranked = self._ranking.rank(
            [
                {
                    "url": link.url, "host": host_of(link.url), "depth": depth, "anchor": link.anchor,
                    "context": link.context, "parent": lease.url, "parent_score": lease.parent_score,
                }
                for link, depth, _ in rows
            ]
        )  # fmt: skip
        return [
            NewUrl(
                link.url, depth, priority, lease.url, clean(link.anchor), clean(link.context),
                lease.parent_score if self._ranking.steers else None, why, refused,
            )
            for (link, depth, refused), (priority, why) in zip(rows, ranked, strict=True)
        ]  # fmt: skip

    def _note_heads(self, new: list[NewUrl]) -> None:
        for url in new:
            if url.refused is None:
                host = host_of(url.url)
                self._heads[host] = max(self._heads.get(host, -1e18), url.priority)

    def _fail(self, lease: Lease, error: CorpusKitError) -> None:
        self.progress.failed += 1
        with self._catalog.transaction():
            self._frontier.finish(lease, "failed", str(error)[:200])
            self._catalog.add_failure(lease.url, "fetch", error, tries=lease.tries + 1)

    def _log(self, lease: Lease, answer: Answer | None, *, error: str | None = None, status: int | None = None) -> None:
        self._catalog.connection.execute(
            "INSERT INTO requests (job, clock, url, status_code, response_ms, download_ms, bytes, depth, parent, "
            "redirected_from, retries, retry_after_s, error) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._job, answer.fetched.isoformat() if answer else now(), answer.uri if answer else lease.url,
                answer.status if answer else status, answer.response_ms if answer else None,
                answer.download_ms if answer else None, len(answer.content) if answer else None, lease.depth,
                lease.parent, lease.redirected_from, lease.tries, answer.retry_after if answer else None,
                clean(error) if error else None,
            ),
        )  # fmt: skip

    def _flush_sometimes(self) -> None:
        """A page that was reported survives a power cut a second later."""
        if time.monotonic() - self._flushed > _FLUSH_SECONDS:
            self._folder.warc.flush()
            self._catalog.flush()
            self._flushed = time.monotonic()

    # -- extraction ------------------------------------------------------------------------------------------------

    _no_more_pages = False
    _loop: asyncio.AbstractEventLoop | None = None

    def _extract(self, task: Task, lease: Lease | None, targets: list[int]) -> None:
        assert self._pool is not None
        self._under_extraction[self._pool.submit(task)] = (lease, targets)

    def _finish_extractions(self) -> None:
        """Commits outcomes as they come and hands scores to the frontier. Runs in a thread of its own."""
        assert self._pool is not None
        try:
            while not (self._no_more_pages and not self._under_extraction):
                try:
                    outcome = self._pool.result(timeout=0.1)
                except queue.Empty:
                    continue
                commit(self._folder, outcome)
                self.progress.extracted += outcome.error is None
                lease, targets = self._under_extraction[outcome.index]
                if lease is not None and outcome.value is not None:
                    self._pass_on_score(outcome.item.doc_id, outcome.value, lease, targets)
                    if self._ranking.is_stale():
                        self._rank_again()
                del self._under_extraction[outcome.index]
        except BaseException as error:
            self._extraction_error = error
            self._under_extraction.clear()

    def _pass_on_score(self, doc_id: str, page: Extracted, lease: Lease, targets: list[int]) -> None:
        row = {
            "id": lease.id,
            "url": lease.url, "host": lease.host, "depth": lease.depth, "anchor": lease.anchor,
            "context": lease.context, "parent": lease.parent, "parent_score": lease.parent_score,
        }  # fmt: skip
        score = self._ranking.score_page(page.title, page.text, row)
        if score is None:
            return
        self._catalog.connection.execute(
            "INSERT OR REPLACE INTO scores (doc_id, model, relevance, decision) VALUES (?, ?, ?, ?)",
            (doc_id, score.model, score.relevance, score.decision),
        )
        if not targets:
            return
        rows = self._frontier.raise_parent_scores(targets, score.relevance)
        ranked = self._ranking.rank(rows)
        self._frontier.set_priorities(
            (priority, why, row["id"]) for row, (priority, why) in zip(rows, ranked, strict=True)
        )
        heads: dict[str, float] = {}
        for linked, (priority, _) in zip(rows, ranked, strict=True):
            heads[linked["host"]] = max(heads.get(linked["host"], -1e18), priority)
        self._in_loop(lambda: self._raise_heads(heads))

    def _rank_again(self) -> None:
        start = time.monotonic()
        self._frontier.rescore(self._ranking.rank)
        self._ranking.ranked_all(time.monotonic() - start)
        heads = dict(self._frontier.hosts())
        self._in_loop(lambda: self._heads.update(heads))

    def _in_loop(self, change: Callable[[], None]) -> None:
        """Heads are changed by the loop's thread only, since it goes through them."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended: nothing is fetched any more
                self._loop.call_soon_threadsafe(change)

    def _raise_heads(self, heads: dict[str, float]) -> None:
        for host, priority in heads.items():
            self._heads[host] = max(self._heads.get(host, -1e18), priority)


def _resource(answer: Answer) -> Resource:
    return Resource(
        uri=answer.uri,
        content=answer.content,
        media_type=answer.media_type,
        charset=answer.charset,
        fetched=answer.fetched,
        modified=answer.modified,
        etag=answer.headers.get("etag"),
        source="web",
    )
