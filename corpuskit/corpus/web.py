"""The accessor ``corpus.web``: hosts, requests and the queue of the crawls of a corpus."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from corpuskit.corpus.accessor import CorpusAccessor
from corpuskit.document.dataframes import convert_dtypes
from corpuskit.validation import check_output_file

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.crawl import CrawlJob
    from corpuskit.views.comparison import CrawlComparison


class WebAccessor(CorpusAccessor, attribute="web"):
    """Hosts, requests and the queue of the crawls of a corpus."""

    def sources(self, *, candidates: bool = False, arrow: bool = False) -> pd.DataFrame:
        """Return one row per host, most pages first. Documents from files are one row with the host "".

        Args:
            candidates: Add hosts without pages that documents link to, most linking pages first; ``why`` has
                the number and mean relevance of these pages.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns host, verdict (approve, hold, boost or none), why (str); pages, relevant (labelled relevant, or scored at
            least 0.5 by the last model; missing if no page has a label or a score), labels (Int64); harvest (float64,
            relevant / pages).

        Example:
            >>> corpus.web.sources()[["host", "pages", "relevant"]].head(3)
                                      host  pages  relevant
            0  riverside-insurance.example     15        13
            1     assurance-du-lac.example     13        12
            2  householders-advice.example      9         8
        """
        from corpuskit.views import frames

        return convert_dtypes(frames.sources(self._folder, candidates=candidates), arrow)

    def set_source(self, host: str, verdict: str, *, why: str | None = None) -> None:
        """Set your verdict on a source. Later crawls follow it; ``CrawlJob.judge`` tells a running one.

        Args:
            host: Host as in :meth:`sources`, with its port if it has one.
            verdict: ``approve``: fetch it, also out of scope, and never let a model hold it back. ``boost``: fetch it before all
                others. ``hold``: fetch nothing more. ``none``: no verdict.
            why: Reason to keep with the verdict.

        Raises:
            ConfigurationError: There is no such verdict, or no such host: the corpus has not met it, and it has no dot as those that
                a later crawl may meet. The message names the nearest.

        Example:
            >>> corpus.web.set_source("cooking-blog.example", "hold", why="recipes")
            >>> sources = corpus.web.sources().set_index("host")
            >>> sources.loc["cooking-blog.example", ["verdict", "why"]].tolist()
            ['hold', 'recipes']
        """
        from corpuskit.crawl import set_verdict

        set_verdict(self._folder.catalog, host, verdict, why)

    def frontier(self, *states: str, arrow: bool = False) -> pd.DataFrame:
        """Return one row a URL that crawls know, the queued ones first, by falling priority.

        Args:
            states: Only URLs in these states: ``queued``, ``fetched``, ``failed``, ``refused``. None given: all.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns url, host, parent (the page it was found on), anchor (text of the link), state, why (the reason for its
            priority), reason_refused (str); depth (Int64, links from a seed); priority (float64); next_allowed (datetime64, UTC).

        Raises:
            ConfigurationError: A state that there is not.

        Example:
            >>> len(corpus.web.frontier("queued"))
            31
        """
        from corpuskit.views import frames

        return convert_dtypes(frames.frontier(self._folder, states), arrow)

    def requests(self, *, arrow: bool = False) -> pd.DataFrame:
        """Return one row per request of the crawls, in order.

        Args:
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns clock (datetime64, UTC, when it was sent), url, parent, redirected_from, error (str), status_code, response_ms
            (until the first byte), download_ms, bytes, depth, retries (Int64), unique_share (float64, share of the text's
            characters that was new), retry_after_s (float64, seconds).

        Example:
            >>> int((corpus.web.requests()["status_code"] == 200).sum())
            65
        """
        from corpuskit.views import frames

        return convert_dtypes(frames.requests(self._folder), arrow)

    def crawl_report(self, *, arrow: bool = False) -> pd.DataFrame:
        """Return one row per host with the outcomes of its requests, most requests first.

        Args:
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns host (str); requests, ok (2xx), no_content (204), moved (301, 308), redirect (302, 303, 307), not_modified (304),
            bad_request (400), forbidden (401, 403), not_found (404, 410), busy (429, 503), server_error (other 5xx), no_answer
            (timeouts, broken connections, and requests refused before an answer), bytes (Int64); response_ms (float64, mean);
            new_text (float64, mean share of characters that were new); queued (Int64, queued URLs), refused (Int64, URLs that will
            not be fetched), refused_why (str, the three most frequent reasons); crawl_delay (float64, seconds, of robots.txt); robots
            (str, the outcome of the request for robots.txt).

        Example:
            >>> corpus.web.crawl_report()[["host", "requests", "ok"]].head(2)
                                      host  requests  ok
            0  riverside-insurance.example        15  15
            1     assurance-du-lac.example        13  13
        """
        from corpuskit.crawl import site_report

        return convert_dtypes(site_report(self._folder.catalog), arrow)

    def compare(self, *crawls: CrawlJob | int) -> CrawlComparison:
        """Compare crawls by their share of relevant pages over time.

        Args:
            crawls: Crawl jobs or their numbers. Default: all crawls of this corpus.

        Returns:
            A :class:`corpuskit.views.comparison.CrawlComparison`: ``.table`` has one row per crawl, ``.pages`` one row per page, and
            ``.chart()`` draws both.

        Raises:
            ConfigurationError: A crawl has no pages in this corpus.

        Example:
            >>> corpus.web.compare().table[["crawl", "pages"]]
               crawl  pages
            0      1     40
            1      2     25
        """
        from corpuskit.views.comparison import compare_crawls

        return compare_crawls(self._folder, *crawls)

    def export_seeds(self, path: str | os.PathLike[str]) -> int:
        """Write the seeds and the approved sources, one URL a line, for another crawl.

        Args:
            path: File to write; an existing one is replaced.

        Returns:
            The number of URLs written.

        Raises:
            SourceError: The path is a folder.

        Example:
            >>> corpus.web.export_seeds("seeds.txt")
            3
        """
        from corpuskit.crawl import write_seeds

        return write_seeds(self._folder.catalog, check_output_file(path))

    def export_queue(self, path: str | os.PathLike[str]) -> int:
        """Write the queued URLs, the best first, for StormCrawler or Nutch.

        Each line holds a URL and ``key=value`` pairs (``depth``, ``priority``) after tabs: the format of StormCrawler's
        ``FileSpout`` and of Nutch's injector.

        Args:
            path: File to write; an existing one is replaced.

        Returns:
            The number of URLs written.

        Raises:
            SourceError: The path is a folder.

        Example:
            >>> corpus.web.export_queue("queue.txt")
            31
        """
        from corpuskit.store.queue_file import write_queue

        return write_queue(self._folder, check_output_file(path))
