"""The focused crawl: frontier, politeness, ranking, the run."""

from corpuskit.crawl.job import CrawlJob, start_crawl
from corpuskit.crawl.options import CrawlOptions
from corpuskit.crawl.ranking import BreadthFirst, Ranking, ranking_of

__all__ = ["BreadthFirst", "CrawlJob", "CrawlOptions", "Ranking", "ranking_of", "start_crawl"]
