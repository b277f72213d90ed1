"""Outcome of a crawl: failures, refusals, waiting hosts, remaining URLs, and how to continue."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from corpuskit.crawl.host_report import REFUSED
from corpuskit.crawl.option_resolution import ALLOW_PRIVATE
from corpuskit.crawl.options import resume_commands
from corpuskit.crawl.state import Progress
from corpuskit.store.catalog import Catalog
from corpuskit.store.formatting import format_time, pluralize

_MAX_EXAMPLES: Final = 3  # per line


@dataclass(frozen=True, slots=True)
class CrawlOutcome:
    """Outcome of a crawl.

    Attributes:
        seeds: (URL, error) of the first seeds that could not be fetched, without seeds at private addresses.
        failed_seeds: Number of seeds that could not be fetched.
        causes: (error, number of URLs), the most frequent first.
        queued: Number of URLs left for a later crawl.
        private: Number of queued URLs at private addresses, which this crawl was not allowed to request.
        private_causes: Error messages of refused private addresses.
        options_to_repeat: Names of options that the next call must repeat to fetch the rest.
        waiting: (host, error, number of URLs, end of the pause in seconds since the epoch) of unreachable hosts,
            most URLs first.
        refused: (reason, count), the most frequent first; see :data:`corpuskit.crawl.host_report.REFUSED`.
        sitemaps: (URL, error) of sitemaps and feeds that could not be read completely.
    """

    seeds: Sequence[tuple[str, str]] = ()
    failed_seeds: int = 0
    causes: Sequence[tuple[str, int]] = ()
    queued: int = 0
    private: int = 0
    private_causes: Sequence[str] = ()
    options_to_repeat: Sequence[str] = ()
    waiting: Sequence[tuple[str, str, int, float]] = ()
    refused: Sequence[tuple[str, int]] = ()
    sitemaps: Sequence[tuple[str, str]] = ()

    @classmethod
    def from_catalog(
        cls, catalog: Catalog, progress: Progress, since: str, options_to_repeat: Sequence[str] = ()
    ) -> CrawlOutcome:
        """Return the outcome of a crawl.

        Args:
            catalog: The catalog of the corpus.
            progress: Progress of the crawl.
            since: Start of the crawl, in the time format of the catalog.
            options_to_repeat: Names of options that the next call must repeat to fetch the rest.
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
            tuple(failed.items())[:_MAX_EXAMPLES],
            len(failed),
            tuple((row["message"], row["n"]) for row in causes),
            queued,
            progress.private_queued,
            sorted(progress.private),
            options_to_repeat,
            waiting,
            catalog.tuples(f"SELECT reason, sum(n) FROM {REFUSED} GROUP BY reason ORDER BY 2 DESC, 1"),
            catalog.tuples(
                "SELECT uri, message FROM failures WHERE stage = 'sitemap' AND \"when\" >= ? ORDER BY uri", (since,)
            ),
        )

    def lines(self) -> list[str]:
        """Return a description of the outcome, line by line; empty if nothing failed or remains."""
        lines, failed = [], sum(count for _, count in self.causes)
        if self.failed_seeds:
            examples = [f"{url} ({cause})" for url, cause in self.seeds]
            lines.append(
                f"{pluralize(self.failed_seeds, 'seed')} could not be fetched: {_list(examples, self.failed_seeds, 'seed')}"
            )
        if failed > self.failed_seeds:
            examples = [f"{cause} ({count:,})" for cause, count in self.causes[:_MAX_EXAMPLES]]
            lines.append(
                f"{pluralize(failed, 'URL')} could not be fetched: {_list(examples, len(self.causes), 'cause')}"
            )
        if lines:
            lines.append(
                f"failures() (corpuskit failures) lists the failures, {resume_commands('retry_failed')} retries them"
            )
        if self.waiting:
            examples = [
                f"{host} with {pluralize(count, 'URL')} ({cause}), until {format_time(until)}"
                for host, cause, count, until in self.waiting[:_MAX_EXAMPLES]
            ]
            lines.append(f"paused hosts: {_list(examples, len(self.waiting), 'host')}")
        if self.sitemaps:
            examples = [f"{url} ({cause})" for url, cause in self.sitemaps[:_MAX_EXAMPLES]]
            lines.append(f"sitemaps and feeds with errors: {_list(examples, len(self.sitemaps), 'sitemap')}")
        if self.refused:
            examples = [f"{reason} ({count:,})" for reason, count in self.refused[:_MAX_EXAMPLES]]
            number = sum(count for _, count in self.refused)
            lines.append(f"{number:,} refused: {_list(examples, len(self.refused), 'reason')}")
        if self.private:
            which = _list(self.private_causes[:_MAX_EXAMPLES], len(self.private_causes), "cause")
            count = pluralize(self.private, "URL")
            lines.append(
                f"{count} at private addresses not requested ({which}): {resume_commands(ALLOW_PRIVATE)} allows it"
            )
        if self.queued > self.private:
            lines.append(
                f"{pluralize(self.queued - self.private, 'URL')} left to fetch: {resume_commands(*self.options_to_repeat)}"
            )
        return lines


def _list(examples: Sequence[str], count: int, noun: str) -> str:
    """Join examples, and add the number of further items."""
    remainder = f" and {pluralize(count - len(examples), f'more {noun}')}" if count > len(examples) else ""
    return ", ".join(examples) + remainder
