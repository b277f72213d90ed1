"""Focused crawler: frontier, politeness, rankings, background jobs."""

from typing import TYPE_CHECKING, Any

from corpuskit.plugins import moved_names

if TYPE_CHECKING:
    from corpuskit.crawl.host_report import site_report
    from corpuskit.crawl.job import CrawlJob, first_urls, start_crawl
    from corpuskit.crawl.model_ranking import ranking_of
    from corpuskit.crawl.option_resolution import (
        PER_CALL_OPTIONS,
        PERMISSION_OPTIONS,
        SECRET_OPTIONS,
        ResolvedOptions,
        resolve_options,
    )
    from corpuskit.crawl.options import CrawlOptions
    from corpuskit.crawl.planning import plan_crawl
    from corpuskit.crawl.ranking import BreadthFirst, Ranking
    from corpuskit.crawl.seeds import read_seeds, write_seeds
    from corpuskit.crawl.source_verdicts import set_verdict

__all__ = [
    "PERMISSION_OPTIONS",
    "PER_CALL_OPTIONS",
    "SECRET_OPTIONS",
    "BreadthFirst",
    "CrawlJob",
    "CrawlOptions",
    "Ranking",
    "ResolvedOptions",
    "first_urls",
    "plan_crawl",
    "ranking_of",
    "read_seeds",
    "resolve_options",
    "set_verdict",
    "site_report",
    "start_crawl",
    "write_seeds",
]

_EARLIER_NAMES = {
    "Choices": "ResolvedOptions",
    "DOORS": "PERMISSION_OPTIONS",
    "ONE_CALL": "PER_CALL_OPTIONS",
    "SECRET": "SECRET_OPTIONS",
    "choose": "resolve_options",
}
_find = moved_names(
    __name__,
    "options",
    "option_resolution",
    "seeds",
    "ranking",
    "host_report",
    "source_verdicts",
    "model_ranking",
    "planning",
    "job",
)


def __getattr__(name: str) -> Any:
    return _find(_EARLIER_NAMES.get(name, name))
