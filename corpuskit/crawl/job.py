"""CrawlJob: a crawl that runs in a background thread."""

from __future__ import annotations

import importlib.util
import logging
import math
import os
import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from corpuskit.crawl.crawler import Crawler
from corpuskit.crawl.model_ranking import ranking_of
from corpuskit.crawl.option_resolution import ALLOW_PRIVATE, ResolvedOptions
from corpuskit.crawl.options import CrawlOptions
from corpuskit.crawl.outcome import CrawlOutcome
from corpuskit.crawl.seeds import read_seeds
from corpuskit.crawl.source_verdicts import set_verdict
from corpuskit.crawl.state import Progress
from corpuskit.errors import ConfigurationError, MissingExtraError
from corpuskit.hooks import hook
from corpuskit.sources.web.client import is_private_literal
from corpuskit.store import CorpusFolder
from corpuskit.store.catalog import now
from corpuskit.store.formatting import pluralize

if TYPE_CHECKING:
    import pandas as pd

_UPDATE_SECONDS: Final = 0.3
_POLL_SECONDS: Final = 0.02
logger = logging.getLogger(__name__)


class CrawlJob:
    """Running or finished crawl, returned by ``Corpus.crawl``.

    Args:
        folder: The corpus folder.
        choices: The resolved options of the crawl.
        seeds: Canonical URLs of the seeds.
    """

    def __init__(self, folder: CorpusFolder, choices: ResolvedOptions, seeds: list[str]) -> None:
        ranking = ranking_of(choices.steer)
        self._folder = folder
        self._choices = choices
        self._seeds = seeds
        self._error: BaseException | None = None
        self._outcome = CrawlOutcome()
        # Lock in the caller's thread, so that a second crawl fails immediately with an exception.
        self._lock = folder.crawl_lock()
        self._lock.__enter__()
        self._started = now()
        self._job = _start_row(folder, choices)
        self._crawler = Crawler(
            folder, choices.options, ranking, seeds=seeds, job=self._job, requeues_fetched=choices.requeues_fetched
        )
        # A polled flag, since Thread.join interrupted by Ctrl-C treats a running thread as ended (Python 3.11),
        # and an interrupted Event.wait may hold the lock that Event.set needs.
        self._has_ended = False
        self._thread = threading.Thread(target=self._run, name="corpuskit-crawl", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._crawler.run()
            self._outcome = CrawlOutcome.from_catalog(
                self._folder.catalog, self.progress, self._started, self._options_to_repeat()
            )
        except BaseException as error:
            self._error = error
            self.progress.reason = f"{type(error).__name__}: {error}"
            logger.debug("crawl failed", exc_info=True)  # wait() raises the error
        finally:
            self.progress.ended = time.monotonic()
            self._folder.catalog.connection.execute(
                "UPDATE jobs SET ended = ?, reason = ?, pages = ? WHERE id = ?",
                (now(), self.progress.reason, self.progress.pages, self._job),
            )
            self._lock.__exit__(None, None, None)
            self._has_ended = True

    def _options_to_repeat(self) -> list[str]:
        """Return options that are never stored and that a later crawl needs to fetch the rest of the queue."""
        hosts = (urlsplit(seed).hostname or "" for seed in self._seeds)
        needs_permission = self.progress.has_asked_private or any(map(is_private_literal, hosts))
        return [ALLOW_PRIVATE] if needs_permission else []

    @property
    def progress(self) -> Progress:
        """Progress of the crawl, updated while it runs."""
        return self._crawler.progress

    @property
    def is_running(self) -> bool:
        """Whether the crawl is still running."""
        return not self._has_ended

    @property
    def outcome(self) -> CrawlOutcome:
        """Failures and remaining URLs, available after the crawl has ended."""
        return self._outcome

    @property
    def closing(self) -> CrawlOutcome:
        """Earlier name of :attr:`outcome`."""
        return self._outcome

    @property
    def failed_seeds(self) -> dict[str, str]:
        """Seed → error message, for seeds that could not be fetched in this crawl."""
        return dict(self.progress.failed_seeds)

    def wait(self, *, progress: bool = True) -> CrawlJob:
        """Wait until the crawl has ended.

        Ctrl-C stops the crawl after the requests in progress; a second Ctrl-C stops it immediately. It can be resumed
        in both cases.

        Args:
            progress: Show a progress bar.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed. The message contains the summary and how to resume.
            Exception: The error that ended the crawl.
        """
        try:
            if progress:
                self._show()
            self._wait()
        except KeyboardInterrupt:
            try:
                self.stop()
            except KeyboardInterrupt:
                self._crawler.stopping.request(immediately=True)
                self._wait()
            raise KeyboardInterrupt(repr(self)) from None
        if self._error is not None:
            raise self._error
        return self

    def stop(self) -> None:
        """Stop the crawl. Requests in progress get a few seconds; all other URLs stay in the frontier."""
        self._crawler.stopping.request()
        self._wait()

    def _wait(self, seconds: float = math.inf) -> None:
        end = time.monotonic() + seconds
        while not self._has_ended and time.monotonic() < end:
            time.sleep(_POLL_SECONDS)

    def pause(self) -> None:
        """Start no more requests until :meth:`resume` is called."""
        self._crawler.paused.set()

    def resume(self) -> None:
        """Continue after :meth:`pause`."""
        self._crawler.paused.clear()

    @property
    def is_paused(self) -> bool:
        """Whether the crawl is paused; see :meth:`pause`."""
        return self._crawler.paused.is_set()

    @property
    def id(self) -> int:
        """Id of the crawl in the catalog."""
        return self._job

    @property
    def options(self) -> CrawlOptions:
        """Options of the crawl."""
        return self._choices.options

    @property
    def resumed(self) -> str:
        """Options taken from the resumed crawl and differences to it, as text lines. It is empty for a new crawl."""
        return self._choices.resumed

    def skip(self, host: str) -> int:
        """Exclude a host from this and later crawls, and return the number of queued URLs that are removed.

        Args:
            host: The host.
        """
        return self.judge(host, "hold", "skipped during a crawl")

    def boost(self, host: str) -> int:
        """Fetch the URLs of a host before all others, in this and later crawls, and return the number of its queued
        URLs.

        Args:
            host: The host.
        """
        return self.judge(host, "boost", "boosted during a crawl")

    def approve(self, host: str) -> int:
        """Include a host in this and later crawls, even if it is out of scope, and return the number of its queued
        URLs.

        Args:
            host: The host.
        """
        return self.judge(host, "approve", "approved during a crawl")

    def judge(self, host: str, verdict: str, why: str | None = None) -> int:
        """Store a verdict on a host, apply it immediately, and return the number of affected URLs.

        Args:
            host: The host.
            verdict: approve, hold, boost or none.
            why: A reason, shown in the table of sources.

        Raises:
            ConfigurationError: ``verdict`` is not one of these values.
        """
        set_verdict(self._folder.catalog, host, verdict, why)
        return self._crawler.judge(host.strip().lower(), verdict)

    def report(self) -> pd.DataFrame:
        """Return one row per host, with the columns of :meth:`corpuskit.corpus.web.WebAccessor.crawl_report`."""
        from corpuskit.crawl.host_report import site_report

        return site_report(self._folder.catalog, job=self._job)

    def dashboard(self) -> object:
        """Return a notebook widget that shows the crawl."""
        widget: object = hook("CrawlJob.dashboard")(self)
        return widget

    def _show(self) -> None:
        from tqdm.auto import tqdm

        with tqdm(total=self.options.pages, desc="crawl", unit="page", mininterval=_UPDATE_SECONDS) as bar:
            has_ended = False
            while not has_ended:
                self._wait(_UPDATE_SECONDS)
                has_ended = self._has_ended
                state = self.progress
                bar.n = state.pages
                bar.set_description_str(state.doing, refresh=False)
                bar.set_postfix(stored=state.stored, failed=state.failed, hosts=len(state.hosts), refresh=False)
                bar.refresh()

    @property
    def summary(self) -> str:
        """Status and progress, in one line."""
        state = self.progress
        state_name = "paused" if self.is_paused else "running"
        status = state_name if self.is_running else f"ended: {state.reason}"
        seconds = state.seconds
        unchanged = f", {state.unchanged:,} unchanged" if state.unchanged else ""
        speed = f", {state.pages / seconds:.1f} pages/s" if self.is_running and seconds > 1 else ""
        return (
            f"Crawl {status}; {pluralize(state.pages, 'page')} of {pluralize(len(state.hosts), 'host')}, "
            f"{pluralize(state.stored, 'new document')}{unchanged}, {state.failed:,} failed{_harvest(state)}{speed}"
        )

    def __repr__(self) -> str:
        return "\n".join([self.summary, *self._outcome.lines(), self.resumed]).rstrip()


def _harvest(state: Progress) -> str:
    """Return the share of recent pages that the model calls relevant. The result is empty without a model."""
    pages = list(state.harvest)
    return f", {sum(pages) / len(pages):.0%} of the last {len(pages):,} relevant by the model" if pages else ""


def start_crawl(
    folder: CorpusFolder,
    seeds: Iterable[str | os.PathLike[str]],
    choices: ResolvedOptions,
    *,
    resume: bool,
) -> CrawlJob:
    """Start a crawl in the background.

    Args:
        folder: The corpus folder.
        seeds: URLs, and paths of text files with one URL per line. They are added to the frontier.
        choices: The options, as returned by :func:`corpuskit.crawl.resolve_options`.
        resume: Allow an empty ``seeds`` and continue with the queue of earlier crawls.

    Raises:
        ConfigurationError: There are neither seeds nor a crawl to resume.
        RefusedError: A seed is not a URL that can be fetched.
        CorpusBusyError: Another crawl is running on this corpus.
        MissingExtraError: ``render`` is set and Playwright is not installed.
    """
    if choices.options.render and importlib.util.find_spec("playwright") is None:
        raise MissingExtraError("playwright", "render")
    return CrawlJob(folder, choices, first_urls(folder, seeds, resume=resume))


def first_urls(folder: CorpusFolder, seeds: Iterable[str | os.PathLike[str]], *, resume: bool) -> list[str]:
    """Return the canonical URLs of the seeds.

    Args:
        folder: The corpus folder.
        seeds: URLs, and paths of text files with one URL per line.
        resume: Allow an empty ``seeds``, if there is a crawl to resume.

    Raises:
        ConfigurationError: There are neither seeds nor a crawl to resume.
        RefusedError: A seed is not a URL that can be fetched.
    """
    urls = read_seeds(seeds)
    if not urls:
        waiting = folder.catalog.value("SELECT count(*) FROM frontier WHERE state = 'queued'")
        if not resume:
            hint = f", or pass resume=True (--resume): {pluralize(waiting, 'URL')} left" if waiting else ""
            raise ConfigurationError(f"nothing to crawl: pass seeds, such as https://...{hint}")
        if not folder.catalog.value("SELECT 1 FROM frontier LIMIT 1"):
            raise ConfigurationError("no earlier crawl to resume: pass seeds, such as https://...")
    return urls


def _start_row(folder: CorpusFolder, choices: ResolvedOptions) -> int:
    cursor = folder.catalog.connection.execute(
        "INSERT INTO jobs (kind, started, options) VALUES ('crawl', ?, ?)", (now(), choices.record())
    )
    return int(cursor.lastrowid or 0)
