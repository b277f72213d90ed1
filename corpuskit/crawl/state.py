"""What the parts of one crawl share."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from corpuskit.crawl.frontier import Frontier, Lease, NewUrl
from corpuskit.crawl.host_scheduler import Turns
from corpuskit.crawl.options import CrawlOptions
from corpuskit.crawl.politeness import Politeness
from corpuskit.crawl.ranking import BOOST, Change, Ranking, Row, lift
from corpuskit.crawl.scope import Scope
from corpuskit.crawl.source_verdicts import BOOSTED, Verdicts
from corpuskit.crawl.trap_detection import Yields
from corpuskit.errors import CorpusKitError
from corpuskit.sources.web import host_of
from corpuskit.store import CorpusFolder

_RING: Final = 1000  # pages whose share of new text counts for min_unique
_MISSING: Final = frozenset((404, 410))
HARVEST: Final = 200  # pages whose relevance counts for min_harvest

_GRACE: Final = 5.0  # seconds for what is in progress when a crawl is stopped


class Stopping:
    """Set by any thread; what is in progress then has a few seconds to finish.

    Without a lock: Ctrl-C may interrupt the main thread at any point of :meth:`ask`, also while it holds the lock of a
    :class:`threading.Event`, and a second call would then wait for ever.
    """

    def __init__(self) -> None:
        self._deadline: float | None = None

    def ask(self, *, at_once: bool = False) -> None:
        """Ask the crawl to stop; ``at_once``: what is in progress is cancelled."""
        if at_once:
            self._deadline = 0.0
        elif self._deadline is None:
            self._deadline = time.monotonic() + _GRACE

    def is_set(self) -> bool:
        """Whether the crawl is to stop."""
        return self._deadline is not None

    @property
    def is_over(self) -> bool:
        """Whether the crawl is to stop and the time of what was in progress is over."""
        return self._deadline is not None and time.monotonic() >= self._deadline


@dataclass(slots=True)
class Progress:
    """Where a crawl stands.

    Attributes:
        pages: fetches that count: answered GETs but robots.txt, sitemaps and feeds that sites name, redirects, 304 and 429.
        stored: new or changed documents.
        unchanged: pages that were as before.
        extracted: documents extracted.
        failing: keys of the pages that could not be fetched, and whether that is all for this crawl; those that a retry
            gets are taken off.
        private: why private addresses were refused that this call does not allow: each address once.
        private_queued: URLs that wait for a call that allows them.
        has_asked_private: private addresses that this call allows were asked.
        failed_seeds: seed → why it could not be fetched, at its end with those that only wait for a host in trouble.
        bytes: of bodies, decoded.
        scripted: pages with hardly any text, which scripts may bring.
        hosts: pages a host.
        unique: share of new text of the last 1,000 pages.
        harvest: whether the model called each of the last 200 pages relevant; empty without a model.
        started, ended: of the clock ``time.monotonic``; ``ended`` is None while it runs.
        reason: why it ended; None while it runs.
        doing: what it does now, in some words; behind its last page it still extracts, and ranks what a later crawl takes.
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
    unique: deque[float] = field(default_factory=lambda: deque(maxlen=_RING))
    harvest: deque[bool] = field(default_factory=lambda: deque(maxlen=HARVEST))
    failing: dict[int, bool] = field(default_factory=dict)
    failed_seeds: dict[str, str] = field(default_factory=dict)
    private: set[str] = field(default_factory=set)
    private_queued: int = 0
    has_asked_private: bool = False
    reason: str | None = None

    @property
    def seconds(self) -> float:
        """How long it has run, or ran."""
        return (time.monotonic() if self.ended is None else self.ended) - self.started

    @property
    def new_text(self) -> float | None:
        """Share of new text of the last 1,000 pages, 0 to 1; None before the first is extracted."""
        shares = list(self.unique)
        return sum(shares) / len(shares) if shares else None

    @property
    def failed(self) -> int:
        """Pages that could not be fetched so far, those among them that are tried again."""
        return len(self.failing)

    @property
    def errors(self) -> int:
        """Pages that could not be fetched, are not tried again in this crawl, and count for ``max_errors``."""
        return sum(self.failing.values())


@dataclass(slots=True)
class CrawlState:
    """One crawl.

    Attributes:
        turns: the hosts that have queued URLs; changed by the fetching loop's thread only.
        job: its number in the catalogue.
    """

    folder: CorpusFolder
    options: CrawlOptions
    ranking: Ranking
    frontier: Frontier
    politeness: Politeness
    turns: Turns
    scope: Scope
    yields: Yields
    verdicts: Verdicts
    job: int
    progress: Progress

    def rank(self, rows: Sequence[Row]) -> list[tuple[float, str]]:
        """(priority, why) of each row: the ranking's, above it sitemaps and feeds, then what the analyst wants first."""
        boosted = self.verdicts.boosted
        ranked = []
        for row, (priority, why) in zip(rows, self.ranking.rank(rows), strict=True):
            lifted, reason = lift(row)
            if row["host"] in boosted:
                lifted, reason = lifted + BOOST, f"{BOOSTED}{reason}"
            ranked.append((priority + lifted, f"{reason}{why}"))
        return ranked

    def note(self, new: list[NewUrl]) -> None:
        """Note the hosts of new URLs."""
        for url in new:
            if url.refused is None:
                self.turns.raise_heads({host_of(url.url): url.priority})

    def set_priorities(self, changes: Iterable[Change]) -> dict[str, float]:
        """Store new priorities of queued URLs, and return the best one per host, for the scheduler of the fetching loop.

        Args:
            changes: The new priorities.
        """
        heads: dict[str, float] = {}
        for change in (changes := list(changes)):
            heads[change.host] = max(heads.get(change.host, change.priority), change.priority)
        self.frontier.set_priorities((change.priority, change.why, change.id) for change in changes)
        return heads

    def retry(self, lease: Lease, not_before: float, *, count: bool = True) -> None:
        """Queue a leased URL again.

        Args:
            lease: The URL.
            not_before: When it may be tried, in seconds since the epoch.
            count: The try counts.
        """
        self.frontier.retry(lease, not_before, count=count)
        self.turns.raise_heads({lease.host: lease.priority})

    def refuse(self, lease: Lease, reason: str) -> None:
        """Store that a URL must not be fetched."""
        with self.folder.catalog.transaction():
            self.frontier.finish(lease, "refused", reason)
            self.forget_failure(lease)
        if lease.is_seed:
            self.progress.failed_seeds[lease.url] = reason

    def note_failure(self, lease: Lease, error: CorpusKitError, *, is_final: bool) -> None:
        """Store at once that a URL could not be fetched; ``is_final``: it is not tried again in this crawl."""
        self.folder.catalog.add_failure(lease.url, "fetch", error)
        is_missing = getattr(error, "status", None) in _MISSING and not self.options.missing_counts
        self.progress.failing[lease.id] = is_final and not is_missing
        if lease.is_seed:
            self.progress.failed_seeds[lease.url] = str(error)

    def note_waiting_seeds(self) -> None:
        """Count seeds that still wait for a host in trouble as failed."""
        for url, cause in self.frontier.waiting_seeds(time.time()):
            self.progress.failed_seeds.setdefault(url, cause)

    def forget_failure(self, lease: Lease) -> None:
        """Remove the failures of a URL that could be fetched."""
        if lease.tries or lease.is_seed or self.options.refresh:
            self.folder.catalog.clear_failure(lease.url, ["fetch"])
            self.progress.failing.pop(lease.id, None)
            self.progress.failed_seeds.pop(lease.url, None)
