"""The focused crawl: frontier, politeness, ranking, the run."""

from typing import TYPE_CHECKING

from corpuskit.plugins import moved_names

if TYPE_CHECKING:
    from corpuskit.crawl.host_report import site_report
    from corpuskit.crawl.job import CrawlJob, first_urls, start_crawl
    from corpuskit.crawl.model_ranking import ranking_of
    from corpuskit.crawl.option_resolution import DOORS, ONE_CALL, SECRET, Choices, choose
    from corpuskit.crawl.options import CrawlOptions
    from corpuskit.crawl.planning import plan_crawl
    from corpuskit.crawl.ranking import BreadthFirst, Ranking
    from corpuskit.crawl.seeds import read_seeds, write_seeds
    from corpuskit.crawl.source_verdicts import set_verdict

__all__ = [
    "DOORS",
    "ONE_CALL",
    "SECRET",
    "BreadthFirst",
    "Choices",
    "CrawlJob",
    "CrawlOptions",
    "Ranking",
    "choose",
    "first_urls",
    "plan_crawl",
    "ranking_of",
    "read_seeds",
    "set_verdict",
    "site_report",
    "start_crawl",
    "write_seeds",
]

__getattr__ = moved_names(
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
