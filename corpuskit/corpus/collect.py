"""Where documents come from: files, wikis, crawls, shards, and what became of each request."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, overload

from corpuskit.corpus.base import OpenCorpus
from corpuskit.document.frames import in_types
from corpuskit.errors import SourceError
from corpuskit.ingest import IngestReport, extract_pending, ingest, known_payload
from corpuskit.sources.archives import read_file
from corpuskit.sources.files import find_files
from corpuskit.sources.request_log import is_request_log, read_request_log
from corpuskit.sources.resource import Resource
from corpuskit.store.request_rows import add_requests
from corpuskit.store.telling import counted

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.crawl import CrawlJob
    from corpuskit.shards import MergeReport
    from corpuskit.views.comparison import CrawlComparison


Seeds: TypeAlias = Iterable[str | os.PathLike[str]] | str | os.PathLike[str] | None
"""URLs, or text files with one a line."""


class _NotNamed:
    """Stands for an argument that was not given, where None says something."""

    def __repr__(self) -> str:
        return "<not named>"


NOT_NAMED: Final[Any] = _NotNamed()


class CorpusCollect(OpenCorpus):
    """Where documents come from: files, wikis, crawls, shards, and what became of each request."""

    def add(
        self,
        *paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        progress: bool = True,
        textworks: bool | None = None,
    ) -> IngestReport:
        """Add files, folders and patterns of files. What is known and unchanged stays as it is.

        Archives (ZIP, tar, WARC, WACZ), mailboxes, feeds, ZIM files and dumps of wikis are opened, and what they hold is added.
        A ``.nlp.txt`` file keeps its own URI, date, metadata and marks. Of a folder written by the Language Resource Extractor the
        log becomes rows of :meth:`requests`; a PDF of TextWorks keeps its artifacts.

        A file that fails is a row of :meth:`failures`; adding it again tries it again. The folder of a corpus is no folder of files:
        one that lies among the files, this one too, is left out, and the report says so.

        Args:
            paths: Files, folders, patterns with ``*``, and lists of these.
            progress: Show a progress bar.
            textworks: Write TextWorks' ``segmentation.json`` and ``textgrid.json`` beside each PDF, known ones included. This takes
                about six times as long. None: ``[pdf] textworks`` of corpus.toml, which is false unless you change it.

        Returns:
            The number of new, updated, unchanged and failed documents; its repr is one line.

        Raises:
            SourceError: A path does not exist, is or lies in the folder of this corpus, or is that of another one; or a pattern
                matches nothing.

        Example:
            >>> from pathlib import Path
            >>> _ = Path("terms.html").write_text("<h1>Terms</h1><p>The excess is 250 francs.</p>")
            >>> corpus.add("terms.html", progress=False)
            1 new
            >>> corpus.add("terms.html", progress=False)
            1 unchanged
        """
        max_bytes = self._folder.settings.extraction.max_bytes
        corpora: set[Path] = set()
        found = list(find_files(paths, into=self._folder.path, left_out=corpora))
        logs = [file for file in found if not file.leads_out and is_request_log(file.path)]

        def known(digest: str) -> tuple[bytes, str, str | None] | None:
            return known_payload(self._folder, digest)

        def resources() -> Iterator[Resource | tuple[str, Exception]]:
            for file in found:
                if file in logs:
                    continue
                is_empty = True
                try:
                    for item in read_file(file, max_bytes=max_bytes, known=known):
                        is_empty = False
                        yield item
                except Exception as error:  # whatever a damaged file does to a reader, the others are read
                    is_empty = False
                    yield file.uri, error
                if is_empty:
                    yield file.uri, SourceError(f"{file.uri}: nothing in it that has a text")

        report = ingest(self._folder, resources(), progress=progress, textworks=textworks)
        report.left_out = tuple(sorted(map(str, corpora)))
        for log in logs:
            unread: list[str] = []
            report.counts["requests"] += add_requests(self._folder.catalog, read_request_log(log.path, unread))
            if unread:
                told = (
                    f"{log.uri}: {counted(len(unread), 'line')} without a clock or an address, the first: {unread[0]}"
                )
                self._folder.catalog.add_failure(log.uri, "read", SourceError(told))
                report.counts["failed"] += 1
        return report

    def add_wikipedia(
        self,
        *articles: str,
        lang: str = "en",
        depth: int = 0,
        pages: int | None = 200,
        host: str | None = None,
        progress: bool = True,
    ) -> IngestReport:
        """Add articles of Wikipedia, or of another wiki that runs MediaWiki.

        Redirects are followed. Missing pages and disambiguation pages are rows of :meth:`failures`.

        Args:
            articles: Titles, URLs, or categories such as ``Category:Insurance``.
            lang: Language edition of Wikipedia, an ISO 639-1 code.
            depth: Number of steps to follow: pages an article links to, sub-categories of a category.
            pages: Maximum number of articles. None: no limit.
            host: Another wiki, such as ``www.wiki.example``.
            progress: Show a progress bar.

        Returns:
            The number of new, updated, unchanged and failed documents, as :meth:`add` returns them.

        Raises:
            MissingExtraError: The extra ``wikipedia`` is not installed.

        Example:
            >>> corpus.add_wikipedia("Category:Home insurance", depth=1, pages=50)   # doctest: +SKIP
            50 new
        """
        from corpuskit.sources.web.client import user_agent
        from corpuskit.sources.wikipedia import WikiOptions, read_articles

        options = WikiOptions(lang=lang, host=host, user_agent=user_agent(self._folder.settings.crawl.contact))
        max_bytes = self._folder.settings.extraction.max_bytes
        found = read_articles(articles, options, depth=depth, pages=pages, max_bytes=max_bytes)
        return ingest(self._folder, found, progress=progress)

    @overload
    def crawl(self, seeds: Seeds = None, *, plan: Literal[True, "links"], **more: Any) -> pd.DataFrame: ...

    @overload
    def crawl(self, seeds: Seeds = None, *, plan: Literal[False] = False, **more: Any) -> CrawlJob: ...

    def crawl(  # noqa: PLR0913 - the public signature
        self,
        seeds: Seeds = None,
        *,
        pages: int | None = None,
        scope: str | None = NOT_NAMED,
        resume: bool = False,
        steer: Any = NOT_NAMED,
        proxy: str | None = NOT_NAMED,
        delay: float | None = NOT_NAMED,
        allow_private: bool | None = NOT_NAMED,
        plan: bool | str = False,
        restart: bool = False,
        **more: Any,
    ) -> CrawlJob | pd.DataFrame:
        """Start a crawl in the background and return at once.

        The crawl obeys robots.txt, asks one host at a time with ``delay`` seconds between requests, and can be stopped and resumed
        at any point. ``wait()`` blocks until it ends, with a progress bar; ``dashboard()`` is the widget.

        Args:
            seeds: URLs to begin with: web pages, feeds or sitemaps. A path is a text file with one URL a line. With ``resume`` they
                are added to the queue.
            pages: Maximum number of pages to fetch in this call; those whose server answers that they have not changed do
                not count. None: no limit.
            scope: How far to go from the seeds: ``domain``, ``host``, ``path`` or ``web`` (any host). Default: corpus.toml.
            resume: Go on with the queue of earlier crawls, and with the options named for the last one, except ``pages``,
                ``minutes``, ``retry_failed``, secrets (``headers``, ``cookies``, ``netrc``, ``proxy``) and what opens doors on this
                machine (``allow_private``, ``render``). The newest model steers again where one steered. An option named in this
                call takes precedence; None takes an option back. ``CrawlJob.resumed`` tells what was kept.
            steer: A model of :meth:`train`, or a function of URLs, that decides what is fetched first.
            proxy: URL of an HTTP proxy.
            delay: Seconds between two requests to one host. Default: corpus.toml. A Crawl-delay of robots.txt is always kept.
            allow_private: Fetch from hosts with private addresses too. Hosts of ``seeds`` need no permission.
            plan: Fetch no page, and return what would be fetched. ``"links"`` reads the seeds as well and lists their links.
            restart: As ``resume``, and ask again for everything that was fetched or failed. Nothing that was collected is removed.
            more: Options of :class:`corpuskit.crawl.CrawlOptions`: ``preset="nlptextdoc"``, ``exclude``, ``include``,
                ``languages``, ``max_depth``, ``host_pages``, ``minutes``, ``min_harvest``, ``retry_failed``, ``connections``,
                ``max_errors``, ``max_megabytes``, ``contact``, ``headers``, ``cookies``, ``netrc``, ``render``, ``extract`` ...

        Returns:
            A :class:`corpuskit.crawl.CrawlJob`. With ``plan``, a DataFrame with one row a URL known before a page is fetched and the
            columns url, host, found (seed, frontier, sitemap, feed or link), verdict (fetch, later, known or refused), why (str)
            and crawl_delay (float64, seconds).

        Raises:
            ConfigurationError: An option is wrong, or there is nothing to crawl.
            CorpusBusyError: Another crawl runs on this corpus.
            MissingExtraError: ``render=True`` and the extra ``render`` is not installed.

        Example:
            >>> job = corpus.crawl("http://cooking-blog.example/", scope="host", pages=3).wait(progress=False)
            >>> job.progress.pages
            3
            >>> plan = corpus.crawl(resume=True, plan=True)
            >>> len(plan) > 10, plan["verdict"].iloc[0]
            (True, 'fetch')
        """
        from corpuskit.crawl import choose, first_urls, plan_crawl, start_crawl

        if restart:
            resume, more = True, {"refresh": True, "retry_failed": True, **more}
        perhaps = {"scope": scope, "steer": steer, "proxy": proxy, "delay": delay, "allow_private": allow_private}
        named = {name: value for name, value in perhaps.items() if value is not NOT_NAMED}
        urls = [seeds] if isinstance(seeds, (str, os.PathLike)) else list(seeds or [])
        choices = choose(self._folder, {"pages": pages, **named, **more}, resume=resume, has_seeds=bool(urls))
        if hasattr(choices.steer, "document"):
            from corpuskit.relevance.learning import score_documents

            score_documents(self._folder, choices.steer)
        if plan:
            return plan_crawl(self._folder, first_urls(self._folder, urls, resume=resume), choices, kind=plan)
        return start_crawl(self._folder, urls, choices, resume=resume)

    def crawl_report(self, *, arrow: bool = False) -> pd.DataFrame:
        """Return one row a host: what its requests came to, the host with the most requests first.

        Args:
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns host (str); requests, ok (2xx), no_content (204), moved (301, 308), redirect (302, 303, 307), not_modified (304),
            bad_request (400), forbidden (401, 403), not_found (404, 410), busy (429, 503), server_error (other 5xx), no_answer
            (timeouts, broken connections, and what was refused before an answer), bytes (Int64); response_ms (float64, mean);
            new_text (float64, mean share of characters that were new); queued (Int64, URLs that wait), refused (Int64, URLs that are
            not fetched), refused_why (str, the three most frequent reasons); crawl_delay (float64, seconds, of robots.txt); robots
            (str, what asking for robots.txt came to).

        Example:
            >>> corpus.crawl_report()[["host", "requests", "ok"]].head(2)
                                      host  requests  ok
            0  riverside-insurance.example        15  15
            1     assurance-du-lac.example        13  13
        """
        from corpuskit.crawl import site_report

        return in_types(site_report(self._folder.catalog), arrow)

    def compare(self, *crawls: CrawlJob | int) -> CrawlComparison:
        """Compare crawls: the share of relevant pages and how it develops, crawl by crawl.

        Args:
            crawls: Crawl jobs or their numbers. None given: all crawls of this corpus.

        Returns:
            A :class:`corpuskit.views.comparison.CrawlComparison`: ``.table`` has one row a crawl, ``.pages`` one row a page, and
            ``.chart()`` draws both.

        Raises:
            ConfigurationError: A crawl left no page in this corpus.

        Example:
            >>> corpus.compare().table[["crawl", "pages"]]
               crawl  pages
            0      1     40
            1      2     25
        """
        from corpuskit.views.comparison import compare_crawls

        return compare_crawls(self._folder, *crawls)

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
            >>> corpus.set_source("cooking-blog.example", "hold", why="recipes")
            >>> sources = corpus.sources().set_index("host")
            >>> sources.loc["cooking-blog.example", ["verdict", "why"]].tolist()
            ['hold', 'recipes']
        """
        from corpuskit.crawl import set_verdict

        set_verdict(self._folder.catalog, host, verdict, why)

    def sources(self, *, candidates: bool = False, arrow: bool = False) -> pd.DataFrame:
        """Return one row a host, the host with the most pages first; documents that came as files are one row, with host "".

        Args:
            candidates: Add hosts without a page that documents link to. Those the most pages link to come first, and ``why`` tells
                how many and how relevant these pages are on average.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns host, verdict (approve, hold, boost or none), why (str); pages, relevant (labelled relevant, or else scored at
            least 0.5 by the last model; missing where no page has a label or a score), labels (Int64); harvest (float64,
            relevant / pages).

        Example:
            >>> corpus.sources()[["host", "pages", "relevant"]].head(3)
                                      host  pages  relevant
            0  riverside-insurance.example     15        13
            1     assurance-du-lac.example     13        12
            2  householders-advice.example      9         8
        """
        from corpuskit.views import frames

        return in_types(frames.sources(self._folder, candidates=candidates), arrow)

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
            >>> len(corpus.frontier("queued"))
            31
        """
        from corpuskit.views import frames

        return in_types(frames.frontier(self._folder, states), arrow)

    def requests(self, *, arrow: bool = False) -> pd.DataFrame:
        """Return one row a request of the crawls, in order.

        Args:
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns clock (datetime64, UTC, when it was sent), url, parent, redirected_from, error (str), status_code, response_ms
            (until the first byte), download_ms, bytes, depth, retries (Int64), unique_share (float64, share of the text's
            characters that was new), retry_after_s (float64, seconds).

        Example:
            >>> int((corpus.requests()["status_code"] == 200).sum())
            65
        """
        from corpuskit.views import frames

        return in_types(frames.requests(self._folder), arrow)

    def failures(self, *, arrow: bool = False) -> pd.DataFrame:
        """Return one row a resource and stage that failed and has not succeeded since.

        Args:
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns uri, stage, error (class of the error), message (str); when (datetime64, UTC); tries (Int64). The stage is
            read, keep, fetch, sitemap, render, archive, extract, labels, annotate, export, ``preprocess NAME`` of a step, or
            ``machine:NAME`` of an annotator.

        Example:
            >>> from pathlib import Path
            >>> _ = Path("broken.pdf").write_bytes(b"%PDF-1.7")
            >>> corpus.add("broken.pdf", progress=False)
            1 failed; see corpus.failures()
            >>> corpus.failures()["stage"].tolist()
            ['extract']
        """
        from corpuskit.views import frames

        return in_types(frames.failures(self._folder), arrow)

    def extract_pending(self) -> int:
        """Extract what was fetched before a process was killed and is not extracted yet.

        :meth:`crawl` does so by itself when it begins.

        Returns:
            The number of documents extracted.

        Example:
            >>> corpus.extract_pending()
            0
        """
        return extract_pending(self._folder)

    def merge(self, shards: str | os.PathLike[str], *, progress: bool = True) -> MergeReport:
        """Merge shards that :func:`corpuskit.shards.extract_shards` has written. Those merged before are passed over.

        Documents arrive packed. Their originals stay where they are. Of two contents of one page the second is a new version. A
        process that dies goes on where it stopped.

        Args:
            shards: Folder of the shards, or its address on a store of objects.
            progress: Show a progress bar.

        Returns:
            The number of new, updated, unchanged and failed documents.

        Raises:
            SourceError: There are no outputs of shards.
            CorpusBusyError: Another process packs or merges.

        Example:
            >>> corpus.merge("shards")                              # doctest: +SKIP
            12,408 new
        """
        from corpuskit.shards import merge

        return merge(self._folder, os.fspath(shards), progress=progress)
