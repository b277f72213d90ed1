"""What is told when a crawl has ended: what could not be fetched and why, what waits, and how to go on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from corpuskit.crawl.host_report import REFUSED
from corpuskit.crawl.option_resolution import ALLOW_PRIVATE
from corpuskit.crawl.options import resuming
from corpuskit.crawl.state import Progress
from corpuskit.store.catalog import Catalog
from corpuskit.store.telling import clock, counted

_MAX_TOLD: Final = 3  # of a kind


@dataclass(frozen=True, slots=True)
class Closing:
    """How a crawl ended.

    Attributes:
        seeds: (URL, cause) of seeds that could not be fetched, some of them; without those at private addresses.
        failed_seeds: how many seeds could not be fetched.
        causes: (cause, how many URLs), the most frequent first.
        queued: URLs that wait for a later crawl.
        private: those among them that this call was not allowed to ask, for their addresses are private.
        private_causes: which addresses, some of them.
        again: names of options that the next call must name again to fetch the rest.
        waiting: (host, cause, URLs, until when in seconds since the epoch) of the hosts in trouble that must not be asked now,
            most URLs first.
        refused: (reason, how many) of what is not fetched, the most frequent first; see :data:`corpuskit.crawl.host_report.REFUSED`.
        sitemaps: (URL, what is wrong) of sitemaps and feeds that could not be read, or not as a whole.
    """

    seeds: Sequence[tuple[str, str]] = ()
    failed_seeds: int = 0
    causes: Sequence[tuple[str, int]] = ()
    queued: int = 0
    private: int = 0
    private_causes: Sequence[str] = ()
    again: Sequence[str] = ()
    waiting: Sequence[tuple[str, str, int, float]] = ()
    refused: Sequence[tuple[str, int]] = ()
    sitemaps: Sequence[tuple[str, str]] = ()

    @classmethod
    def of(cls, catalog: Catalog, progress: Progress, since: str, again: Sequence[str] = ()) -> Closing:
        """What became of a crawl.

        Args:
            again: names of options that the next call must name again to fetch the rest.
            since: when it began, as the catalogue writes times.
        """
        causes = catalog.rows(
            "SELECT message, count(*) AS n FROM failures WHERE stage = 'fetch' AND \"when\" >= ? "
            "GROUP BY message ORDER BY n DESC, message",
            (since,),
        )
        queued = catalog.value("SELECT count(*) FROM frontier WHERE state = 'queued'")
        waiting = catalog.tuples(
            "SELECT h.host, h.trouble, count(*), h.next_allowed FROM hosts h JOIN frontier f ON f.host = h.host AND f.state = 'queued' "
            "WHERE h.trouble <> '' AND h.next_allowed > ? GROUP BY h.host ORDER BY 3 DESC, 1",
            (time.time(),),
        )
        failed = {url: cause for url, cause in progress.failed_seeds.items() if cause not in progress.private}
        return cls(
            tuple(failed.items())[:_MAX_TOLD],
            len(failed),
            tuple((row["message"], row["n"]) for row in causes),
            queued,
            progress.private_queued,
            sorted(progress.private),
            again,
            waiting,
            catalog.tuples(f"SELECT reason, sum(n) FROM {REFUSED} GROUP BY reason ORDER BY 2 DESC, 1"),
            catalog.tuples(
                "SELECT uri, message FROM failures WHERE stage = 'sitemap' AND \"when\" >= ? ORDER BY uri", (since,)
            ),
        )

    def lines(self) -> list[str]:
        """What to tell, line by line; none where all went well."""
        lines, failed = [], sum(count for _, count in self.causes)
        if self.failed_seeds:
            told = [f"{url} ({cause})" for url, cause in self.seeds]
            lines.append(
                f"{counted(self.failed_seeds, 'seed')} could not be fetched: {_list(told, self.failed_seeds, 'seed')}"
            )
        if failed > self.failed_seeds:
            told = [f"{cause} ({count:,})" for cause, count in self.causes[:_MAX_TOLD]]
            lines.append(f"{counted(failed, 'URL')} could not be fetched: {_list(told, len(self.causes), 'cause')}")
        if lines:
            lines.append(f"failures() (corpuskit failures) lists what failed, {resuming('retry_failed')} asks again")
        if self.waiting:
            told = [
                f"{host} with {counted(count, 'URL')} ({cause}), from {clock(until)} on"
                for host, cause, count, until in self.waiting[:_MAX_TOLD]
            ]
            lines.append(f"asked again after a pause: {_list(told, len(self.waiting), 'host')}")
        if self.sitemaps:
            told = [f"{url} ({cause})" for url, cause in self.sitemaps[:_MAX_TOLD]]
            lines.append(f"sitemaps and feeds with faults: {_list(told, len(self.sitemaps), 'sitemap')}")
        if self.refused:
            told = [f"{reason} ({count:,})" for reason, count in self.refused[:_MAX_TOLD]]
            number = sum(count for _, count in self.refused)
            lines.append(f"{number:,} refused: {_list(told, len(self.refused), 'reason')}")
        if self.private:
            which = _list(self.private_causes[:_MAX_TOLD], len(self.private_causes), "cause")
            count = counted(self.private, "URL")
            lines.append(f"{count} at private addresses not asked ({which}): {resuming(ALLOW_PRIVATE)} allows it")
        if self.queued > self.private:
            lines.append(f"{counted(self.queued - self.private, 'URL')} left to fetch: {resuming(*self.again)}")
        return lines


def _list(told: Sequence[str], count: int, what: str) -> str:
    """Some of so many things, and how many more there are."""
    rest = f" and {counted(count - len(told), f'more {what}')}" if count > len(told) else ""
    return ", ".join(told) + rest
