"""Fetched pages are kept in groups: their WARC records, then one transaction with their rows, links and states.

A page is counted when its transaction is over; until then it is in flight, and a crawl that is killed fetches it again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from corpuskit.crawl.extraction_stage import Finisher, Origin
from corpuskit.crawl.frontier import Lease, NewUrl
from corpuskit.crawl.link_intake import Discovery
from corpuskit.crawl.scope import EMPTY, Reason
from corpuskit.crawl.state import CrawlState
from corpuskit.errors import FetchError
from corpuskit.ingest import Registered, register, task_of
from corpuskit.sources.resource import Resource
from corpuskit.sources.web import Answer, PageLinks, host_of
from corpuskit.sources.web.archived import ARCHIVED
from corpuskit.store import Place
from corpuskit.store.catalog import clean, now

RENDERED: Final = "x-corpuskit-rendered"
"""A header of records whose body is what a browser made of the page."""
_MAX_AGE: Final = 0.2  # seconds a page waits for others


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was fetched.

    Attributes:
        robots: the rule of robots.txt that allowed it.
        refused: why it does not belong to the corpus; its links are followed all the same.
    """

    lease: Lease
    answer: Answer
    links: PageLinks
    robots: str
    refused: Reason | None = None


@dataclass(frozen=True, slots=True)
class _Kept:
    page: Page
    registered: Registered | None
    request: int
    targets: list[int]
    new: list[NewUrl]


class Keeper:
    """Collects pages and keeps them; used by the fetching loop only."""

    def __init__(self, state: CrawlState, finisher: Finisher, discovery: Discovery, user_agent: str) -> None:
        self._state = state
        self._finisher = finisher
        self._discovery = discovery
        self._user_agent = user_agent
        self._pages: list[Page] = []
        self._oldest = 0.0
        # What steers has to see each page's links at once.
        self._most = 1 if state.ranking.steers else max(1, state.options.connections // 2)

    @property
    def waiting(self) -> int:
        """Pages that are fetched and not kept yet."""
        return len(self._pages)

    def waiting_of(self, host: str) -> int:
        """Those of one host."""
        return sum(page.lease.host == host for page in self._pages)

    @property
    def seconds_left(self) -> float:
        """Until the pages that wait must be kept; 0: now."""
        if len(self._pages) >= self._most:
            return 0.0
        return max(0.0, self._oldest + _MAX_AGE - time.monotonic()) if self._pages else _MAX_AGE

    def take(self, page: Page) -> None:
        """A page to be kept."""
        if not self._pages:
            self._oldest = time.monotonic()
        self._pages.append(page)

    def flush(self) -> None:
        """Keeps the pages that wait."""
        if not self._pages:
            return
        pages, self._pages = self._pages, []
        folder = self._state.folder
        with folder.catalog.transaction():
            kept = [self._keep(page) for page in pages]
            self._discovery.write_counts()
            folder.warc.push()
        for item in kept:
            self._count(item)

    def _keep(self, page: Page) -> _Kept:
        state, lease, answer = self._state, page.lease, page.answer
        registered: Registered | None = None
        if page.refused is None and answer.content.strip():
            registered = register(state.folder, _resource(page), keep=lambda _: self._write_warc(answer))
        request = log_request(state, lease, answer, robots=page.robots, url=answer.headers.get(ARCHIVED, ""))
        targets, new = self._discovery.add(
            page.links.links, depth=lease.depth + 1, parent=lease.url, parent_score=lease.parent_score
        )
        self._discovery.count_refused(lease.host, page.links)
        state.frontier.add_links(lease.id, targets)
        if page.refused is not None:
            state.frontier.finish(lease, "refused", page.refused)
        else:
            state.frontier.finish(lease, "fetched", None if registered else Reason(EMPTY, "empty page"))
        if registered is None and page.refused is None:
            state.note_failure(lease, FetchError("the page is empty", url=lease.url), is_final=True)
        else:
            state.forget_failure(lease)
        return _Kept(page, registered, request, targets, new)

    def _count(self, item: _Kept) -> None:
        progress, lease = self._state.progress, item.page.lease
        progress.pages += 1
        progress.bytes += len(item.page.answer.content)
        progress.hosts[lease.host] += 1
        progress.scripted += item.page.links.needs_scripts
        self._state.note(item.new)
        registered = item.registered
        if registered is None:
            return
        if registered.state not in {"new", "changed"}:
            progress.unchanged += 1
            return
        progress.stored += 1
        if self._state.options.extract:
            task = task_of(self._state.folder, registered.doc_id, registered.version)
            targets = item.targets if self._state.ranking.steers else []
            self._finisher.hand_in(task, Origin(lease, item.request, targets))

    def _write_warc(self, answer: Answer) -> Place:
        path = answer.uri[answer.uri.index("/", 8) :]
        # Headers and cookies of the user's own stay out of the archive.
        request = f"GET {path} HTTP/1.1\r\nHost: {host_of(answer.uri)}\r\nUser-Agent: {self._user_agent}\r\n\r\n"
        return self._state.folder.warc.write(
            answer.uri,
            answer.fetched,
            request.encode(),
            f"HTTP/1.1 {answer.status} {answer.reason}",
            answer.headers.items(),
            answer.content,
        )


def log_request(
    state: CrawlState,
    lease: Lease,
    answer: Answer | None,
    *,
    robots: str | None = None,
    error: str | None = None,
    status: int | None = None,
    url: str = "",
) -> int:
    """Writes a row of the requests; gives its number.

    Args:
        url: what was asked for, where it was not the URL itself but its robots.txt, or an archive's copy.
    """
    received: Sequence[object] = (
        (now() if url else answer.fetched.isoformat(), url or answer.uri, answer.status, answer.response_ms, answer.download_ms,
         len(answer.content), answer.retry_after)
        if answer
        else (now(), url or lease.url, status, None, None, None, None)
    )  # fmt: skip
    cursor = state.folder.catalog.connection.execute(
        "INSERT INTO requests (clock, url, status_code, response_ms, download_ms, bytes, retry_after_s, job, depth, "
        "parent, redirected_from, retries, error, robots) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *received, state.job, lease.depth, lease.parent, lease.redirected_from, lease.tries,
            clean(error) if error else None, robots,
        ),
    )  # fmt: skip
    return int(cursor.lastrowid or 0)


def _resource(page: Page) -> Resource:
    answer = page.answer
    metadata = {"robots": page.robots}
    if ARCHIVED in answer.headers:
        metadata["archived"] = answer.headers[ARCHIVED]
    if RENDERED in answer.headers:
        metadata["rendered"] = answer.headers[RENDERED]
    if page.links.needs_scripts:
        metadata["needs_scripts"] = "hardly any text, which scripts may bring"
    return Resource(
        uri=answer.uri,
        content=answer.content,
        media_type=answer.media_type,
        charset=answer.charset,
        fetched=answer.fetched,
        modified=answer.modified,
        etag=answer.headers.get("etag"),
        source="web",
        metadata=metadata,
    )
