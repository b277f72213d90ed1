"""Stores fetched pages in groups: first their WARC records, then their rows, links and states in one transaction.

A page is counted after its transaction. If the crawl is killed before, the next crawl fetches the page again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from corpuskit.crawl.extraction_stage import ExtractionStage, PageOrigin
from corpuskit.crawl.frontier import Lease, NewUrl
from corpuskit.crawl.link_intake import LinkIntake
from corpuskit.crawl.scope import EMPTY, Reason
from corpuskit.crawl.state import CrawlState
from corpuskit.errors import FetchError
from corpuskit.ingest import RegisteredResource, load_task, register
from corpuskit.sources.resource import Resource
from corpuskit.sources.web import Answer, PageLinks, host_of
from corpuskit.sources.web.archived import ARCHIVED
from corpuskit.store import OriginalLocation
from corpuskit.store.catalog import clean, now

RENDERED: Final = "x-corpuskit-rendered"
"""Header of records with a body rendered by a browser."""
_MAX_AGE: Final = 0.2  # seconds that a page waits for others of its group


@dataclass(frozen=True, slots=True)
class Page:
    """A fetched page.

    Attributes:
        robots: The rule of robots.txt that allowed it.
        refused: Why it is not added to the corpus. Its links are followed in any case.
    """

    lease: Lease
    answer: Answer
    links: PageLinks
    robots: str
    refused: Reason | None = None


@dataclass(frozen=True, slots=True)
class _StoredPage:
    page: Page
    registered: RegisteredResource | None
    request: int
    targets: list[int]
    new: list[NewUrl]


class PageWriter:
    """Collects pages and stores them in groups. Only the fetching loop may use it."""

    def __init__(
        self, state: CrawlState, extraction: ExtractionStage, link_intake: LinkIntake, user_agent: str
    ) -> None:
        self._state = state
        self._extraction = extraction
        self._link_intake = link_intake
        self._user_agent = user_agent
        self._pages: list[Page] = []
        self._oldest = 0.0
        # A ranking by page scores needs the links of each page immediately.
        self._group_size = 1 if state.ranking.steers else max(1, state.options.connections // 2)

    @property
    def waiting(self) -> int:
        """Number of fetched pages that are not stored yet."""
        return len(self._pages)

    def waiting_pages_of(self, host: str) -> int:
        """Return the number of fetched pages of a host that are not stored yet."""
        return sum(page.lease.host == host for page in self._pages)

    @property
    def seconds_until_flush(self) -> float:
        """Seconds until the waiting pages must be stored; 0: now."""
        if len(self._pages) >= self._group_size:
            return 0.0
        return max(0.0, self._oldest + _MAX_AGE - time.monotonic()) if self._pages else _MAX_AGE

    def add(self, page: Page) -> None:
        """Add a page to the current group."""
        if not self._pages:
            self._oldest = time.monotonic()
        self._pages.append(page)

    def flush(self) -> None:
        """Store the waiting pages."""
        if not self._pages:
            return
        pages, self._pages = self._pages, []
        folder = self._state.folder
        with folder.catalog.transaction():
            stored = [self._store(page) for page in pages]
            self._link_intake.save_refusal_counts()
            folder.warc.push()
        for item in stored:
            self._update_progress(item)

    def _store(self, page: Page) -> _StoredPage:
        state, lease, answer = self._state, page.lease, page.answer
        registered: RegisteredResource | None = None
        if page.refused is None and answer.content.strip():
            registered = register(state.folder, _resource(page), store=lambda _: self._write_warc(answer))
        request = log_request(state, lease, answer, robots=page.robots, url=answer.headers.get(ARCHIVED, ""))
        targets, new = self._link_intake.add(
            page.links.links, depth=lease.depth + 1, parent=lease.url, parent_score=lease.parent_score
        )
        self._link_intake.count_refused_links(lease.host, page.links)
        state.frontier.add_links(lease.id, targets)
        if page.refused is not None:
            state.frontier.finish(lease, "refused", page.refused)
        else:
            state.frontier.finish(lease, "fetched", None if registered else Reason(EMPTY, "empty page"))
        if registered is None and page.refused is None:
            state.note_failure(lease, FetchError("the page is empty", url=lease.url), is_final=True)
        else:
            state.clear_failure(lease)
        return _StoredPage(page, registered, request, targets, new)

    def _update_progress(self, item: _StoredPage) -> None:
        progress, lease = self._state.progress, item.page.lease
        progress.pages += 1
        progress.bytes += len(item.page.answer.content)
        progress.hosts[lease.host] += 1
        progress.scripted += item.page.links.needs_scripts
        self._state.schedule(item.new)
        registered = item.registered
        if registered is None:
            return
        if registered.state not in {"new", "changed"}:
            progress.unchanged += 1
            return
        progress.stored += 1
        if self._state.options.extract:
            task = load_task(self._state.folder, registered.doc_id, registered.version)
            targets = item.targets if self._state.ranking.steers else []
            self._extraction.submit(task, PageOrigin(lease, item.request, targets))

    def _write_warc(self, answer: Answer) -> OriginalLocation:
        path = answer.uri[answer.uri.index("/", 8) :]
        # The user's headers and cookies are not written to the archive.
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
    """Insert a row into the table of requests and return its id.

    Args:
        state: The crawl.
        lease: The URL that was leased.
        answer: The response; None if there was none.
        robots: The rule of robots.txt that allowed the request.
        error: Error message.
        status: HTTP status of a request without a usable response.
        url: The requested URL, if it is not that of the lease: robots.txt or an archived copy.
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
        metadata["needs_scripts"] = "hardly any text, which scripts may add"
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
