"""Shared state of one crawl: stop signal, progress, and the objects that its parts share."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from corpuskit.crawl.frontier import Frontier, Lease, NewUrl
from corpuskit.crawl.host_scheduler import HostScheduler
from corpuskit.crawl.options import CrawlOptions
from corpuskit.crawl.politeness import Politeness
from corpuskit.crawl.ranking import BOOST, Change, QueueRow, Ranking, priority_boost
from corpuskit.crawl.scope import UrlScope
from corpuskit.crawl.source_verdicts import BOOSTED, Verdicts
from corpuskit.crawl.trap_detection import TrapDetector
from corpuskit.errors import CorpusKitError
from corpuskit.sources.web import host_of
from corpuskit.store import CorpusFolder

_MAX_UNIQUE_SHARES: Final = 1000  # the last pages, compared with min_unique
_MISSING: Final = frozenset((404, 410))
HARVEST: Final = 200  # the last pages, compared with min_harvest

_GRACE_SECONDS: Final = 5.0  # for requests in progress when a crawl is stopped


class StopSignal:
    """Request to stop a crawl, set by any thread. Requests in progress then have a few seconds to finish.

    It has no lock. Ctrl-C may interrupt the main thread anywhere in :meth:`request`, also while it holds the lock of a
    :class:`threading.Event`. A second call would then wait forever.
    """

    def __init__(self) -> None:
        self._deadline: float | None = None

    def request(self, *, immediately: bool = False) -> None:
        """Request the crawl to stop.

        Args:
            immediately: Cancel requests in progress.
        """
        if immediately:
            self._deadline = 0.0
        elif self._deadline is None:
            self._deadline = time.monotonic() + _GRACE_SECONDS

    def is_set(self) -> bool:
        """Return whether a stop was requested."""
        return self._deadline is not None

    @property
    def is_over(self) -> bool:
        """Whether a stop was requested and the grace period is over."""
        return self._deadline is not None and time.monotonic() >= self._deadline


@dataclass(slots=True)
class Progress:
    """Progress of a crawl.

    Attributes:
        pages: Number of fetches that count as pages. Requests for robots.txt, sitemaps and feeds named by sites,
            redirects, and answers with status 304 or 429 do not count.
        stored: Number of new or changed documents.
        unchanged: Number of pages that have not changed since the last fetch.
        extracted: Number of documents extracted.
        failing: Frontier key of each page that could not be fetched → whether the failure is final for this crawl. A
            page that a retry fetches is removed.
        private: Error messages of refused private addresses, one per address.
        private_queued: Number of queued URLs that wait for a call with ``allow_private``.
        has_asked_private: Whether private addresses that this call allows were requested.
        failed_seeds: Seed → error message. At the end of the crawl, seeds that wait for an unreachable host are
            included.
        bytes: Size of all bodies, decoded.
        scripted: Number of pages with hardly any text, which scripts may add.
        hosts: Number of pages per host.
        unique: Share of new text of each of the last 1,000 pages.
        harvest: Whether the model called each of the last 200 pages relevant. It is empty without a model.
        started, ended: Times of ``time.monotonic``; ``ended`` is None while the crawl runs.
        reason: Why the crawl ended; None while it runs.
        doing: Short description of the current step. After the last page the crawl still extracts pages and ranks the
            queue.
    """

    pages: int = 0
    doing: str = "crawl"
    stored: int = 0
    unchanged: int = 0
    extracted: int = 0
    bytes: int = 0
    scripted: int = 0
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    hosts: Counter[str] = field(default_factory=Counter)
    unique: deque[float] = field(default_factory=lambda: deque(maxlen=_MAX_UNIQUE_SHARES))
    harvest: deque[bool] = field(default_factory=lambda: deque(maxlen=HARVEST))
    failing: dict[int, bool] = field(default_factory=dict)
    failed_seeds: dict[str, str] = field(default_factory=dict)
    private: set[str] = field(default_factory=set)
    private_queued: int = 0
    has_asked_private: bool = False
    reason: str | None = None

    @property
    def seconds(self) -> float:
        """Duration of the crawl so far, in seconds."""
        return (time.monotonic() if self.ended is None else self.ended) - self.started

    @property
    def new_text(self) -> float | None:
        """Mean share of new text of the last 1,000 pages, 0 to 1; None before the first page is extracted."""
        shares = list(self.unique)
        return sum(shares) / len(shares) if shares else None

    @property
    def failed(self) -> int:
        """Number of pages that could not be fetched so far, including those that will be retried."""
        return len(self.failing)

    @property
    def errors(self) -> int:
        """Number of final failures in this crawl that count for ``max_errors``."""
        return sum(self.failing.values())


@dataclass(slots=True)
class CrawlState:
    """Objects that the parts of one crawl share.

    Attributes:
        scheduler: Scheduler of the hosts with queued URLs. Only the thread of the fetching loop may change it.
        job: Id of the crawl in the catalog.
    """

    folder: CorpusFolder
    options: CrawlOptions
    ranking: Ranking
    frontier: Frontier
    politeness: Politeness
    scheduler: HostScheduler
    scope: UrlScope
    trap_detector: TrapDetector
    verdicts: Verdicts
    job: int
    progress: Progress

    def rank(self, rows: Sequence[QueueRow]) -> list[tuple[float, str]]:
        """Return (priority, reason) of each row.

        The priority is that of the ranking. Sitemaps and feeds come before pages, and boosted hosts before all others.
        """
        boosted = self.verdicts.boosted
        ranked = []
        for row, (priority, why) in zip(rows, self.ranking.rank(rows), strict=True):
            boost, reason = priority_boost(row)
            if row["host"] in boosted:
                boost, reason = boost + BOOST, f"{BOOSTED}{reason}"
            ranked.append((priority + boost, f"{reason}{why}"))
        return ranked

    def schedule(self, new: list[NewUrl]) -> None:
        """Add the hosts of new URLs to the scheduler."""
        for url in new:
            if url.refused is None:
                self.scheduler.raise_priorities({host_of(url.url): url.priority})

    def set_priorities(self, changes: Iterable[Change]) -> dict[str, float]:
        """Store new priorities of queued URLs, and return host → its best new priority.

        Args:
            changes: The new priorities.
        """
        best_priorities: dict[str, float] = {}
        for change in (changes := list(changes)):
            best_priorities[change.host] = max(best_priorities.get(change.host, change.priority), change.priority)
        self.frontier.set_priorities((change.priority, change.why, change.id) for change in changes)
        return best_priorities

    def retry(self, lease: Lease, not_before: float, *, count: bool = True) -> None:
        """Queue a leased URL again.

        Args:
            lease: The URL.
            not_before: Earliest time of the next attempt, in seconds since the epoch.
            count: Count this attempt.
        """
        self.frontier.retry(lease, not_before, count=count)
        self.scheduler.raise_priorities({lease.host: lease.priority})

    def refuse(self, lease: Lease, reason: str) -> None:
        """Store that a URL must not be fetched."""
        with self.folder.catalog.transaction():
            self.frontier.finish(lease, "refused", reason)
            self.clear_failure(lease)
        if lease.is_seed:
            self.progress.failed_seeds[lease.url] = reason

    def note_failure(self, lease: Lease, error: CorpusKitError, *, is_final: bool) -> None:
        """Store a failed fetch immediately.

        Args:
            lease: The URL.
            error: The cause.
            is_final: The URL is not retried in this crawl.
        """
        self.folder.catalog.add_failure(lease.url, "fetch", error)
        is_missing = getattr(error, "status", None) in _MISSING and not self.options.missing_counts
        self.progress.failing[lease.id] = is_final and not is_missing
        if lease.is_seed:
            self.progress.failed_seeds[lease.url] = str(error)

    def note_waiting_seeds(self) -> None:
        """Count seeds that wait for an unreachable host as failed."""
        for url, cause in self.frontier.waiting_seeds(time.time()):
            self.progress.failed_seeds.setdefault(url, cause)

    def clear_failure(self, lease: Lease) -> None:
        """Remove the recorded failures of a URL that was fetched."""
        if lease.tries or lease.is_seed or self.options.refresh:
            self.folder.catalog.clear_failure(lease.url, ["fetch"])
            self.progress.failing.pop(lease.id, None)
            self.progress.failed_seeds.pop(lease.url, None)
