"""State of a crawl for the dashboard, read incrementally from its progress and the catalog."""

from __future__ import annotations

import time
from collections import Counter, deque
from typing import TYPE_CHECKING, Any, Final

from corpuskit.crawl.host_report import REFUSED
from corpuskit.ingest import document_id
from corpuskit.widgets.crawl_reasons import in_words

if TYPE_CHECKING:
    from corpuskit.crawl import CrawlJob

_WINDOW: Final = 50  # scored pages of the harvest rate's window
_CURVE: Final = 40  # points
_NEXT: Final = 5
_TEXT: Final = 70  # characters
_WHY: Final = 200  # of a reason as the frontier keeps it
_LOOK_UPS: Final = 300  # pages per query of scores
_SHARE: Final = 0.05  # of the time is spent on queries over the whole frontier


class CrawlState:
    """Reads the state of a crawl; one thread at a time.

    Args:
        job: running or ended.
    """

    def __init__(self, job: CrawlJob) -> None:
        self.job = job
        self._folder = job._folder
        self._last_request = 0
        self._errors: Counter[str] = Counter()
        self._unscored: deque[tuple[str, int]] = deque()
        self._scored: deque[bool] = deque(maxlen=_WINDOW)
        self._relevant = 0
        self._judged = 0
        self._curve: list[float] = []
        self._slow: dict[str, Any] = {"refused": 0, "queued": 0, "next": [], "waiting": []}
        self._slow_again = 0.0
        self._speed: deque[tuple[float, int]] = deque(maxlen=20)

    def read(self) -> dict[str, Any]:
        """Counts, rates, errors by cause, waiting hosts and the next sources; plain data for JSON."""
        progress = self.job.progress
        running = self.job.is_running
        self._read_requests()
        self._read_scores()
        if time.monotonic() >= self._slow_again or not running:
            self._read_frontier()
        self._speed.append((time.monotonic(), progress.pages))
        (then, before), (at, pages) = self._speed[0], self._speed[-1]
        paused = self.job.is_paused
        return {
            "status": "ended" if not running else "paused" if paused else "running",
            "reason": (progress.reason or "")[:200],
            "pages": progress.pages,
            "budget": self.job.options.pages,
            "stored": progress.stored,
            "failed": progress.failed,
            "hosts": len(progress.hosts),
            "elapsed": int(progress.seconds),
            "bytes": progress.bytes,
            "unique": None if progress.new_text is None else round(progress.new_text, 4),
            "speed": round((pages - before) / (at - then), 1) if at > then and running else None,
            "relevant": self._relevant if self._judged else None,
            "harvest": round(self._relevant / self._judged, 4) if self._judged else None,
            "window": round(sum(self._scored) / len(self._scored), 4) if self._scored else None,
            "curve": self._curve[-_CURVE:],
            "errors": [[cause[:_TEXT], count] for cause, count in self._errors.most_common(5)],
            **self._slow,
        }

    def skip(self, host: str) -> int:
        """Exclude the queued URLs of a host and return their number."""
        self._slow_again = 0.0
        return self.job.skip(host)

    def boost(self, host: str) -> int:
        """Fetch the URLs of a host first and return their number."""
        self._slow_again = 0.0
        return self.job.boost(host)

    def _read_requests(self) -> None:
        rows = self._folder.catalog.rows(
            "SELECT id, url, status_code, error FROM requests WHERE job = ? AND id > ? ORDER BY id LIMIT 5000",
            (self.job.id, self._last_request),
        )
        for row in rows:
            self._last_request = row["id"]
            status = row["status_code"]
            if row["error"]:
                self._errors[_cause(row["error"])] += 1
            elif status is not None and status >= 400:
                self._errors[f"HTTP {status}"] += 1
            elif status is not None and 200 <= status < 300:
                self._unscored.append((document_id(row["url"]), 0))

    def _read_scores(self) -> None:
        """Read new scores. A page is looked up until it is extracted."""
        for _ in range(min(_LOOK_UPS, len(self._unscored))):
            doc_id, tries = self._unscored.popleft()
            relevance = self._folder.catalog.value("SELECT relevance FROM scores WHERE doc_id = ?", (doc_id,))
            if relevance is None:
                if tries < 20:
                    self._unscored.append((doc_id, tries + 1))
                continue
            self._judged += 1
            self._relevant += relevance >= 0.5
            self._scored.append(relevance >= 0.5)
            interval = max(1, self._judged // _CURVE)
            if self._judged % interval == 0:
                self._curve.append(round(sum(self._scored) / len(self._scored), 3))

    def _read_frontier(self) -> None:
        start = time.monotonic()
        catalog = self._folder.catalog
        rows = catalog.rows(
            "SELECT host, count(*) AS urls, max(priority) AS best, why FROM frontier WHERE state = 'queued' "
            "GROUP BY host ORDER BY best DESC, urls DESC, host"
        )
        waiting = catalog.rows(
            "SELECT host, next_allowed FROM hosts WHERE next_allowed > ? ORDER BY next_allowed DESC LIMIT 4",
            (time.time() + 2.0,),
        )
        self._slow = {
            "refused": catalog.value(f"SELECT coalesce(sum(n), 0) FROM {REFUSED}"),
            "queued": sum(row["urls"] for row in rows),
            "next": [[row["host"][:_TEXT], row["urls"], *in_words((row["why"] or "")[:_WHY])] for row in rows[:_NEXT]],
            "waiting": [[row["host"][:_TEXT], round(row["next_allowed"] - time.time())] for row in waiting],
        }
        took = time.monotonic() - start
        self._slow_again = time.monotonic() + max(1.0, took / _SHARE)


def _cause(error: str) -> str:
    """Return the message without addresses, which differ per page."""
    return " ".join(word for word in error.split() if "://" not in word).rstrip(": ")
