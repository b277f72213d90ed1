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
        """Adds files, folders and patterns of files; what is known and unchanged is left as it is.

        Archives (ZIP, tar, WARC, WACZ), mailboxes, feeds, ZIM files and dumps of wikis are opened: what they hold is
        added. A ``.nlp.txt`` keeps its own URI, date and metadata, and its marks. Of a folder of the Language Resource
        Extractor the log is taken as :meth:`requests`; a PDF of TextWorks keeps its artifacts.

        A failure is a row of :meth:`failures`; adding again tries it again.

        Args:
            paths: files, folders, patterns with ``*``, and lists of these.
            progress: shows a bar.
            textworks: writes TextWorks' ``segmentation.json`` and ``textgrid.json`` beside each PDF, also one that is
                known; that takes about six times as long. Default: ``[pdf] textworks`` of corpus.toml, false.

        Raises:
            SourceError: a path does not exist, or a pattern matches nothing.
        """
        max_bytes = self._folder.settings.extraction.max_bytes
        found = list(find_files(paths))
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
        """Adds articles of Wikipedia, or of another wiki of MediaWiki.

        Missing pages and disambiguations are rows of :meth:`failures`; redirects are followed.

        Args:
            articles: titles, URLs, or categories as ``Category:Insurance``.
            lang: language of the Wikipedia.
            depth: steps further: pages that an article links to, sub-categories of a category.
            pages: at most so many articles; None for all.
            host: another wiki, such as ``www.wiki.example``.
            progress: shows a bar.

        Raises:
            MissingExtraError: the extra ``wikipedia`` is not installed.
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
        """Starts a crawl in the background and returns at once.

        Args:
            seeds: URLs to begin with; a path is a text file with one a line. With ``resume`` they are added.
            pages: at most so many more fetches.
            scope: ``domain``, ``host``, ``path`` or ``web``: how far from the seeds; default from corpus.toml.
            resume: goes on with the frontier of earlier crawls, and with what was named for the last one: its options but
                ``pages``, ``minutes``, ``retry_failed``, secrets (``headers``, ``cookies``, ``netrc``, ``proxy``) and what opens
                doors here (``allow_private``, ``render``), and the newest model where one steered. What this call names comes first; None takes an option back.
                ``CrawlJob.resumed`` tells all that.
            steer: a model or a function that says what to fetch first; the whole frontier is scored by it.
            proxy: URL of an HTTP proxy.
            delay: seconds between two requests to one host; default from corpus.toml. A Crawl-delay is always kept.
            allow_private: hosts with private addresses may be fetched; those of ``seeds`` may without it.
            plan: fetches no page; gives what would be fetched, see :func:`corpuskit.crawl.planning.plan_crawl`. ``"links"``
                reads the seeds, and gives also what they link to; nothing is kept.
            restart: as ``resume``, and all that was fetched or failed is asked for again; what did not change stays as it is,
                and nothing that was collected is removed.
            more: ``preset="nlptextdoc"``, exclude, include, languages, retry_failed, connections, max_depth, host_pages, minutes, max_errors, max_megabytes,
                contact, headers, cookies, netrc, render, extract and others; see :class:`corpuskit.crawl.CrawlOptions`.

        Raises:
            ConfigurationError: a wrong option, or nothing to crawl.
            CorpusBusyError: another crawl runs on this corpus.
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
        """One row a site: what its requests came to; see :func:`corpuskit.crawl.report.site_report`."""
        from corpuskit.crawl import site_report

        return in_types(site_report(self._folder.catalog), arrow)

    def compare(self, *crawls: CrawlJob | int) -> CrawlComparison:
        """Crawls side by side: harvest rate before and after; ``.table``, ``.pages``, ``.chart()``.

        Args:
            crawls: crawl jobs or their numbers; none for all.

        Raises:
            ConfigurationError: a crawl left no page in this corpus.
        """
        from corpuskit.views.comparison import compare_crawls

        return compare_crawls(self._folder, *crawls)

    def set_source(self, host: str, verdict: str, *, why: str | None = None) -> None:
        """Says what you think of a source; crawls follow it, a running one by ``CrawlJob.judge``.

        Args:
            host: as in :meth:`sources`, with its port if it has one.
            verdict: ``approve``: fetched, also out of scope, and never held back by a model; ``boost``: before all others;
                ``hold``: not fetched; ``none``: no verdict.
            why: kept with it.

        Raises:
            ConfigurationError: no such verdict.
        """
        from corpuskit.crawl import set_verdict

        set_verdict(self._folder.catalog, host, verdict, why)

    def sources(self, *, candidates: bool = False, arrow: bool = False) -> pd.DataFrame:
        """One row a host; see :func:`corpuskit.views.frames.sources`."""
        from corpuskit.views import frames

        return in_types(frames.sources(self._folder, candidates=candidates), arrow)

    def frontier(self, *states: str, arrow: bool = False) -> pd.DataFrame:
        """One row a known URL; see :func:`corpuskit.views.frames.frontier`."""
        from corpuskit.views import frames

        return in_types(frames.frontier(self._folder, states), arrow)

    def requests(self, *, arrow: bool = False) -> pd.DataFrame:
        """One row a request of the crawls; see :func:`corpuskit.views.frames.requests`."""
        from corpuskit.views import frames

        return in_types(frames.requests(self._folder), arrow)

    def failures(self, *, arrow: bool = False) -> pd.DataFrame:
        """One row a failure; see :func:`corpuskit.views.frames.failures`."""
        from corpuskit.views import frames

        return in_types(frames.failures(self._folder), arrow)

    def extract_pending(self) -> int:
        """Extracts what a killed process had fetched and not extracted; gives how many documents."""
        return extract_pending(self._folder)

    def export_seeds(self, path: str | os.PathLike[str]) -> int:
        """Writes seeds and approved sources, one URL a line, for another crawl; gives how many."""
        from corpuskit.crawl import write_seeds

        return write_seeds(self._folder.catalog, Path(path))

    def write_seeds(self, path: str | os.PathLike[str]) -> int:
        """Writes the queued URLs for StormCrawler or Nutch; see :func:`corpuskit.store.seed_list.write_seeds`."""
        from corpuskit.store.seed_list import write_seeds

        return write_seeds(self._folder, Path(path))

    def export_requests(self, path: str | os.PathLike[str]) -> int:
        """Writes ``requests.log.csv`` with the columns of the Language Resource Extractor; gives how many rows."""
        from corpuskit.crawl import write_requests

        return write_requests(self._folder.catalog, Path(path))

    def merge(self, shards: str | os.PathLike[str], *, progress: bool = True) -> MergeReport:
        """Takes in what :func:`corpuskit.shards.extract_shards` has made; see :func:`corpuskit.shards.merge`.

        Raises:
            SourceError: there are no outputs of shards.
            CorpusBusyError: another process packs or merges.
        """
        from corpuskit.shards import merge

        return merge(self._folder, os.fspath(shards), progress=progress)
