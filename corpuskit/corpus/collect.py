"""Sources of documents: files, wikis, crawls and shards, and the requests of crawls."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, overload

from corpuskit.corpus.base import OpenCorpus
from corpuskit.document.dataframes import convert_dtypes
from corpuskit.errors import SourceError
from corpuskit.hooks import hooks
from corpuskit.ingest import IngestReport, find_payload, ingest
from corpuskit.sources.archives import read_file
from corpuskit.sources.files import find_files
from corpuskit.sources.resource import Resource
from corpuskit.store.formatting import pluralize

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.crawl import CrawlJob


Seeds: TypeAlias = Iterable[str | os.PathLike[str]] | str | os.PathLike[str] | None
"""URLs, or text files with one a line."""


class _NotNamed:
    """Stands for an argument that was not given, where None says something."""

    def __repr__(self) -> str:
        return "<not named>"


NOT_NAMED: Final[Any] = _NotNamed()


class CorpusCollect(OpenCorpus):
    """Sources of documents: files, wikis, crawls and shards, and the requests of crawls."""

    def add(
        self,
        *paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        progress: bool = True,
        textworks: bool | None = None,
    ) -> IngestReport:
        """Add files, folders and file patterns. Known files that have not changed are not extracted again.

        Archives (ZIP, tar, WARC, WACZ), mailboxes, feeds, ZIM files and dumps of wikis are opened, and their contents are added.
        A ``.nlp.txt`` file keeps its own URI, date, metadata and marks. The
        log of a folder written by the Language Resource Extractor becomes rows of ``corpus.web.requests()``; a PDF of TextWorks keeps its artifacts.

        A file that fails is a row of :meth:`failures`; add it again to retry. Corpus folders among the files, including this
        one, are skipped, and the report lists them.

        Args:
            paths: Files, folders, patterns with ``*``, and lists of these.
            progress: Show a progress bar.
            textworks: Write TextWorks' ``segmentation.json`` and ``textgrid.json`` next to each PDF, including known ones. This takes
                about six times as long. None: ``[pdf] textworks`` of corpus.toml, by default false.

        Returns:
            The number of new, updated, unchanged and failed documents; its repr is one line.

        Raises:
            SourceError: A path does not exist, is inside a corpus folder, or a pattern matches no files.

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
        files = list(find_files(paths, into=self._folder.path, left_out=corpora))
        logs = {
            file: log
            for log in hooks("request log")
            for file in files
            if not file.leads_out and log.is_request_log(file.path)
        }

        def known(digest: str) -> tuple[bytes, str, str | None] | None:
            return find_payload(self._folder, digest)

        def resources() -> Iterator[Resource | tuple[str, Exception]]:
            for file in files:
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
        for file, log in logs.items():
            unread: list[str] = []
            report.counts["requests"] += self._folder.catalog.add_requests(log.read_request_log(file.path, unread))
            if unread:
                message = f"{file.uri}: {pluralize(len(unread), 'line')} without a clock or an address, the first: {unread[0]}"
                self._folder.catalog.add_failure(file.uri, "read", SourceError(message))
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
        resources = read_articles(articles, options, depth=depth, pages=pages, max_bytes=max_bytes)
        return ingest(self._folder, resources, progress=progress)

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

        The crawl obeys robots.txt, requests one page per host at a time with ``delay`` seconds between requests, and can be stopped and resumed
        at any time. ``wait()`` blocks until it ends, with a progress bar; ``dashboard()`` is the widget.

        Args:
            seeds: URLs to begin with: web pages, feeds or sitemaps. A path is a text file with one URL per line. With ``resume`` they
                are added to the queue.
            pages: Maximum number of pages to fetch in this call; unchanged pages (HTTP 304) do not
                count. None: no limit.
            scope: How far to go from the seeds: ``domain``, ``host``, ``path`` or ``web`` (any host). Default: corpus.toml.
            resume: Continue with the queue of earlier crawls and the options of the last one, except ``pages``,
                ``minutes``, ``retry_failed``, secrets (``headers``, ``cookies``, ``netrc``, ``proxy``) and options that grant access to this
                machine (``allow_private``, ``render``). The newest model steers again if a model steered. An option of this
                call takes precedence; None resets it. ``CrawlJob.resumed`` lists the reused options.
            steer: A model of :meth:`train`, or a function of URLs, that decides what is fetched first.
            proxy: URL of an HTTP proxy.
            delay: Seconds between two requests to one host. Default: corpus.toml. A Crawl-delay of robots.txt is always kept.
            allow_private: Also fetch from hosts with private addresses. Hosts of ``seeds`` do not need permission.
            plan: Fetch no page, and return the URLs that would be fetched. ``"links"`` also reads the seeds and lists their links.
            restart: As ``resume``, and request everything that was fetched or failed again. No collected page is removed.
            more: Options of :class:`corpuskit.crawl.CrawlOptions`: ``preset="nlptextdoc"``, ``exclude``, ``include``,
                ``languages``, ``max_depth``, ``host_pages``, ``minutes``, ``min_harvest``, ``retry_failed``, ``connections``,
                ``max_errors``, ``max_megabytes``, ``contact``, ``headers``, ``cookies``, ``netrc``, ``render``, ``extract`` ...

        Returns:
            A :class:`corpuskit.crawl.CrawlJob`. With ``plan``, a DataFrame with one row per URL that is known before a page is fetched, and the
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
        from corpuskit.crawl import first_urls, plan_crawl, resolve_options, start_crawl

        if restart:
            resume, more = True, {"refresh": True, "retry_failed": True, **more}
        options = {"scope": scope, "steer": steer, "proxy": proxy, "delay": delay, "allow_private": allow_private}
        named = {name: value for name, value in options.items() if value is not NOT_NAMED}
        urls = [seeds] if isinstance(seeds, (str, os.PathLike)) else list(seeds or [])
        choices = resolve_options(self._folder, {"pages": pages, **named, **more}, resume=resume, has_seeds=bool(urls))
        if hasattr(choices.steer, "document"):
            from corpuskit.relevance.corpus_training import score_documents

            score_documents(self._folder, choices.steer)
        if plan:
            return plan_crawl(self._folder, first_urls(self._folder, urls, resume=resume), choices, kind=plan)
        return start_crawl(self._folder, urls, choices, resume=resume)

    def failures(self, *, arrow: bool = False) -> pd.DataFrame:
        """Return one row per resource and stage that failed and was not retried successfully.

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

        return convert_dtypes(frames.failures(self._folder), arrow)
