"""Extraction of fetched pages in worker processes, and scores for rankings that follow a model."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Final

from corpuskit import engine
from corpuskit.crawl.frontier import Lease, NewUrl
from corpuskit.crawl.state import CrawlState, StopSignal
from corpuskit.ingest import LIMITS, ExtractionResult, ExtractionTask, commit, extract, extract_without_forms

_POLL_SECONDS: Final = 0.1
_MIN_RELEVANT: Final = 5  # relevant pages of a host, after which its home page is queued even if nothing links to it


@dataclass(frozen=True, slots=True)
class PageOrigin:
    """Source of a page: its lease, the id of its request, and the keys of the URLs it links to."""

    lease: Lease
    request: int
    targets: list[int]


class ExtractionStage:
    """Extracts pages in worker processes, commits the results and updates the priorities of linked URLs.

    Use it as a context manager. Its thread ends when all submitted pages are extracted, or soon after the crawl is
    stopped. The next crawl extracts the remaining pages.
    """

    def __init__(self, state: CrawlState, stopping: StopSignal) -> None:
        self.error: BaseException | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self.has_results = asyncio.Event()  # a page was extracted; set and cleared by the loop's thread
        self._state = state
        self._catalog = state.folder.catalog
        self._in_progress: dict[int, PageOrigin | None] = {}
        self._relevant: Counter[str] = Counter()
        self._stopping = stopping
        self._is_closing = threading.Event()
        self._is_leaving = threading.Event()
        self._pool: engine.Pool[ExtractionTask, ExtractionResult] = engine.Pool(
            extract, limits=LIMITS, last=extract_without_forms
        )
        self._thread = threading.Thread(target=self._run, name="corpuskit-extraction", daemon=True)

    def __enter__(self) -> ExtractionStage:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_closing.set()
        while self._thread.is_alive():
            self._thread.join(timeout=_POLL_SECONDS)
            if self._stopping.is_over:
                self._is_leaving.set()
        self._pool.close()

    @property
    def waiting(self) -> int:
        """Number of pages that are not extracted yet."""
        return len(self._in_progress)

    def submit(self, task: ExtractionTask, origin: PageOrigin | None = None) -> None:
        """Submit a page. ``origin`` is None for a page of an earlier crawl."""
        # Add the entry first: the outcome may arrive before this call returns.
        self._in_progress[self._pool.next_index] = origin
        self._pool.submit(task)

    def _run(self) -> None:
        try:
            while not (self._is_leaving.is_set() or (self._is_closing.is_set() and not self._in_progress)):
                try:
                    outcome = self._pool.result(timeout=_POLL_SECONDS)
                except queue.Empty:
                    continue
                share = commit(self._state.folder, outcome)
                self._state.progress.extracted += outcome.error is None
                origin = self._in_progress[outcome.index]
                if origin is not None and outcome.value is not None:
                    self._record_new_text(origin, share)
                    self._record_score(outcome.item.doc_id, outcome.value, origin.lease, origin.targets)
                    if self._state.ranking.is_stale():
                        self._rerank()
                del self._in_progress[outcome.index]
                self.call_in_loop(self.has_results.set)
        except BaseException as error:
            self.error = error
            self._in_progress.clear()
            self.call_in_loop(self.has_results.set)

    def _record_new_text(self, origin: PageOrigin, share: float | None) -> None:
        if share is None:
            return
        state = self._state
        state.progress.unique.append(share)
        self._catalog.connection.execute("UPDATE requests SET unique_share = ? WHERE id = ?", (share, origin.request))
        if state.trap_detector.record(origin.lease.url, share):
            state.frontier.refuse(state.scope, origin.lease.host)

    def _record_score(self, doc_id: str, page: ExtractionResult, lease: Lease, targets: list[int]) -> None:
        ranking = self._state.ranking
        score = ranking.score_page(page.title, page.text, asdict(lease))
        if score is None:
            return
        self._catalog.connection.execute(
            "INSERT OR REPLACE INTO scores (doc_id, model, relevance, decision) VALUES (?, ?, ?, ?)",
            (doc_id, score.model, score.relevance, score.decision),
        )
        self._state.progress.harvest.append(score.relevance >= 0.5)
        if score.relevance >= 0.5:
            self._record_relevant_page(lease, score.relevance)
        best_priorities = self._state.set_priorities(ranking.on_links_scored(targets, score.relevance))
        self.call_in_loop(lambda: self._state.scheduler.raise_priorities(best_priorities))

    def _record_relevant_page(self, lease: Lease, score: float) -> None:
        """Queue the home page of a relevant host: parts of a site may be linked from nowhere else."""
        self._relevant[lease.host] += 1
        if self._relevant[lease.host] != _MIN_RELEVANT:
            return
        state, depth = self._state, lease.depth + 1
        url = f"{lease.url.partition('://')[0]}://{lease.host}/"
        home = NewUrl(url, depth, 0.0, lease.url, parent_score=score)
        if state.scope.refusal(url) is not None or state.frontier.existing([home.id]):
            return
        [(priority, why)] = state.rank([{**asdict(home), "id": home.id, "host": lease.host}])
        home = replace(home, priority=priority, why=f"home page of a source; {why}")
        state.frontier.add([home])
        self.call_in_loop(lambda: state.schedule([home]))

    def _rerank(self) -> None:
        changes, best_priorities = self._state.ranking.rerank()
        self._state.set_priorities(changes)
        self.call_in_loop(lambda: self._state.scheduler.set_priorities(best_priorities))

    def call_in_loop(self, change: Callable[[], None]) -> None:
        """Run a function in the thread of the event loop, which is the only one that may change the scheduler."""
        if self.loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended, so priorities no longer matter
                self.loop.call_soon_threadsafe(change)
