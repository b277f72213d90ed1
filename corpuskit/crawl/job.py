"""CrawlJob: a crawl that runs in the background."""

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
from corpuskit.crawl.option_resolution import ALLOW_PRIVATE, Choices
from corpuskit.crawl.options import CrawlOptions
from corpuskit.crawl.outcome import Closing
from corpuskit.crawl.seeds import read_seeds
from corpuskit.crawl.source_verdicts import set_verdict
from corpuskit.crawl.state import Progress
from corpuskit.errors import ConfigurationError, MissingExtraError
from corpuskit.hooks import hook
from corpuskit.sources.web.client import is_private_literal
from corpuskit.store import CorpusFolder
from corpuskit.store.catalog import now
from corpuskit.store.telling import counted

if TYPE_CHECKING:
    import pandas as pd

_UPDATE_SECONDS: Final = 0.3
_POLL_SECONDS: Final = 0.02
logger = logging.getLogger(__name__)


class CrawlJob:
    """A running or ended crawl. Made by ``Corpus.crawl``.

    Args:
        folder: The corpus folder.
        choices: What was chosen for the crawl.
        seeds: Canonical URLs to begin with.
    """

    def __init__(self, folder: CorpusFolder, choices: Choices, seeds: list[str]) -> None:
        ranking = ranking_of(choices.steer)
        self._folder = folder
        self._choices = choices
        self._seeds = seeds
        self._error: BaseException | None = None
        self._closing = Closing()
        # Taken here, so that a second crawl is refused in the caller's face.
        self._lock = folder.crawl_lock()
        self._lock.__enter__()
        self._started = now()
        self._job = _start_row(folder, choices)
        self._crawler = Crawler(
            folder, choices.options, ranking, seeds=seeds, job=self._job, looks_again=choices.looks_again
        )
        # A flag that is polled: Thread.join, interrupted by Ctrl-C, takes a running thread for an ended one (Python 3.11),
        # and an interrupted Event.wait may keep the lock that Event.set needs.
        self._has_ended = False
        self._thread = threading.Thread(target=self._run, name="corpuskit-crawl", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._crawler.run()
            self._closing = Closing.of(self._folder.catalog, self.progress, self._started, self._again())
        except BaseException as error:
            self._error = error
            self.progress.reason = f"{type(error).__name__}: {error}"
            logger.debug("the crawl broke down", exc_info=True)  # wait() raises it
        finally:
            self.progress.ended = time.monotonic()
            self._folder.catalog.connection.execute(
                "UPDATE jobs SET ended = ?, reason = ?, pages = ? WHERE id = ?",
                (now(), self.progress.reason, self.progress.pages, self._job),
            )
            self._lock.__exit__(None, None, None)
            self._has_ended = True

    def _again(self) -> list[str]:
        """Options that are never kept and that the rest of the queue needs; of seeds also where none was asked yet."""
        hosts = (urlsplit(seed).hostname or "" for seed in self._seeds)
        needed = self.progress.has_asked_private or any(map(is_private_literal, hosts))
        return [ALLOW_PRIVATE] if needed else []

    @property
    def progress(self) -> Progress:
        """Where it stands."""
        return self._crawler.progress

    @property
    def is_running(self) -> bool:
        """It has not ended."""
        return not self._has_ended

    @property
    def closing(self) -> Closing:
        """What could not be fetched and what is left, known when it has ended."""
        return self._closing

    @property
    def failed_seeds(self) -> dict[str, str]:
        """Seed → why it could not be fetched in this crawl."""
        return dict(self.progress.failed_seeds)

    def wait(self, *, progress: bool = True) -> CrawlJob:
        """Wait for the end; Ctrl-C stops the crawl cleanly, a second one at once, and leaves a state to continue from.

        Args:
            progress: Show a progress bar.

        Raises:
            KeyboardInterrupt: it was stopped by Ctrl-C; says how far it came and how to go on.
            Exception: what broke the crawl down.
        """
        try:
            if progress:
                self._show()
            self._wait()
        except KeyboardInterrupt:
            try:
                self.stop()
            except KeyboardInterrupt:
                self._crawler.stopping.ask(at_once=True)
                self._wait()
            raise KeyboardInterrupt(repr(self)) from None
        if self._error is not None:
            raise self._error
        return self

    def stop(self) -> None:
        """End it: what is under way has a few seconds, the rest stays in the frontier."""
        self._crawler.stopping.ask()
        self._wait()

    def _wait(self, seconds: float = math.inf) -> None:
        end = time.monotonic() + seconds
        while not self._has_ended and time.monotonic() < end:
            time.sleep(_POLL_SECONDS)

    def pause(self) -> None:
        """Fetch nothing new until :meth:`resume`."""
        self._crawler.paused.set()

    def resume(self) -> None:
        """Go on after :meth:`pause`."""
        self._crawler.paused.clear()

    @property
    def is_paused(self) -> bool:
        """It fetches nothing new until :meth:`resume`."""
        return self._crawler.paused.is_set()

    @property
    def id(self) -> int:
        """Its number in the catalogue."""
        return self._job

    @property
    def options(self) -> CrawlOptions:
        """What was chosen."""
        return self._choices.options

    @property
    def resumed(self) -> str:
        """What it keeps of the crawl that it resumes and what differs, in lines to be shown; empty for a new crawl."""
        return self._choices.resumed

    def skip(self, host: str) -> int:
        """Fetch nothing more of a host, now and in later crawls, and return the number of URLs that this leaves out.

        Args:
            host: The host.
        """
        return self.judge(host, "hold", "skipped during a crawl")

    def boost(self, host: str) -> int:
        """Fetch a host's URLs before all others, now and in later crawls, and return the number that wait.

        Args:
            host: The host.
        """
        return self.judge(host, "boost", "boosted during a crawl")

    def approve(self, host: str) -> int:
        """Take a host in, also one out of scope, now and in later crawls, and return the number of URLs that wait.

        Args:
            host: The host.
        """
        return self.judge(host, "approve", "approved during a crawl")

    def judge(self, host: str, verdict: str, why: str | None = None) -> int:
        """Keep a verdict on a source, follow it at once, and return the number of URLs it concerns.

        Args:
            host: The host.
            verdict: approve, hold, boost or none.
            why: A reason, for the table of sources.

        Raises:
            ConfigurationError: no such verdict: approve, hold, boost or none.
        """
        set_verdict(self._folder.catalog, host, verdict, why)
        return self._crawler.judge(host.strip().lower(), verdict)

    def report(self) -> pd.DataFrame:
        """Return one row a site, in the columns of :meth:`corpuskit.corpus.web.WebAccessor.crawl_report`."""
        from corpuskit.crawl.host_report import site_report

        return site_report(self._folder.catalog, job=self._job)

    def dashboard(self) -> object:
        """Return the crawl as a widget for notebooks."""
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
        """Where it stands, in a line."""
        state = self.progress
        how = "paused" if self.is_paused else "running"
        status = how if self.is_running else f"ended: {state.reason}"
        seconds = state.seconds
        unchanged = f", {state.unchanged:,} unchanged" if state.unchanged else ""
        speed = f", {state.pages / seconds:.1f} pages/s" if self.is_running and seconds > 1 else ""
        return (
            f"Crawl {status}; {counted(state.pages, 'page')} of {counted(len(state.hosts), 'host')}, "
            f"{counted(state.stored, 'new document')}{unchanged}, {state.failed:,} failed{_harvest(state)}{speed}"
        )

    def __repr__(self) -> str:
        return "\n".join([self.summary, *self._closing.lines(), self.resumed]).rstrip()


def _harvest(state: Progress) -> str:
    """What the model calls relevant of the last pages; nothing without a model."""
    pages = list(state.harvest)
    return f", {sum(pages) / len(pages):.0%} of the last {len(pages):,} relevant by the model" if pages else ""


def start_crawl(
    folder: CorpusFolder,
    seeds: Iterable[str | os.PathLike[str]],
    choices: Choices,
    *,
    resume: bool,
) -> CrawlJob:
    """Start a crawl in the background.

    Args:
        folder: of the corpus.
        seeds: URLs, or text files with one a line; they are added to the frontier.
        choices: what it goes by, see :func:`corpuskit.crawl.choose`.
        resume: without seeds, what is known of earlier crawls is gone on with.

    Raises:
        ConfigurationError: neither seeds nor a crawl to resume.
        RefusedError: a seed is no URL that can be fetched.
        CorpusBusyError: another crawl runs on this corpus.
        MissingExtraError: ``render`` without Playwright.
    """
    if choices.options.render and importlib.util.find_spec("playwright") is None:
        raise MissingExtraError("playwright", "render")
    return CrawlJob(folder, choices, first_urls(folder, seeds, resume=resume))


def first_urls(folder: CorpusFolder, seeds: Iterable[str | os.PathLike[str]], *, resume: bool) -> list[str]:
    """Return the canonical URLs of the seeds.

    Args:
        folder: The corpus folder.
        seeds: URLs, and files with one URL a line.
        resume: Whether a crawl is resumed, which needs no seeds.

    Raises:
        ConfigurationError: Neither seeds nor a crawl to resume.
        RefusedError: A seed is no URL that can be fetched.
    """
    urls = read_seeds(seeds)
    if not urls:
        waiting = folder.catalog.value("SELECT count(*) FROM frontier WHERE state = 'queued'")
        if not resume:
            hint = f", or resume: {counted(waiting, 'URL')} left" if waiting else ""
            raise ConfigurationError(f"nothing to crawl: name seeds, such as https://...{hint}")
        if not folder.catalog.value("SELECT 1 FROM frontier LIMIT 1"):
            raise ConfigurationError("there is no crawl to resume: name seeds, such as https://...")
    return urls


def _start_row(folder: CorpusFolder, choices: Choices) -> int:
    cursor = folder.catalog.connection.execute(
        "INSERT INTO jobs (kind, started, options) VALUES ('crawl', ?, ?)", (now(), choices.record())
    )
    return int(cursor.lastrowid or 0)
