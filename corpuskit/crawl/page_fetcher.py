"""Fetches one URL of a crawl: checks robots.txt, stores the page with its links, or records a failure or refusal."""

from __future__ import annotations

import dataclasses
import time
from typing import Final

from corpuskit.crawl.frontier import Lease, NewUrl
from corpuskit.crawl.link_intake import LinkIntake
from corpuskit.crawl.page_writer import RENDERED, Page, PageWriter, log_request
from corpuskit.crawl.politeness import PausedError, PoliteClient
from corpuskit.crawl.scope import PRIVATE, ROBOTS, Reason
from corpuskit.crawl.sitemaps import SitemapQueue, read_sitemaps
from corpuskit.crawl.state import CrawlState
from corpuskit.errors import CorpusKitError, FetchError, RefusedError, ResourceLimitError, UnreachableError
from corpuskit.ingest import document_id
from corpuskit.sources.web import (
    Answer,
    Client,
    PageLinks,
    canonical_url,
    find_links,
    host_of,
    page_language,
    url_key,
)
from corpuskit.sources.web.archived import archive_at, archived_copy
from corpuskit.sources.web.client import MAX_REDIRECTS, PrivateAddressError
from corpuskit.sources.web.render import Renderer

_MAX_TRIES: Final = 4
_RETRY_PAUSE: Final = 600.0  # seconds until a later crawl retries a failed URL; doubled after each failure
_MAX_RETRY_PAUSE: Final = 86_400.0
_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_COLLECTED: Final = ("text/html", "application/xhtml+xml", "text/plain", "application/pdf")
_RETRIED: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class PageFetcher:
    """Fetches URLs of one crawl, in its event loop."""

    def __init__(self, state: CrawlState, client: Client, page_writer: PageWriter, link_intake: LinkIntake) -> None:
        self._state = state
        self._polite = PoliteClient(client, state.politeness)
        self._page_writer = page_writer
        self.renderer: Renderer | None = None
        self._sitemaps = SitemapQueue(state, link_intake)
        self._catalog = state.folder.catalog
        self._frontier = state.frontier
        self._politeness = state.politeness
        self._progress = state.progress

    async def fetch(self, lease: Lease) -> None:
        """Fetch one URL and record the outcome."""
        try:
            self._polite.client.check_address(lease.url)  # refuse it before waiting for the host
            allowed, rule = (await self._polite.robots(lease.url)).verdict(lease.url)
            if not allowed:
                self._state.refuse(lease, Reason(ROBOTS, "robots.txt"))
                return
            if not self._politeness.has_read_sitemaps(lease.host):
                await self._read_sitemaps(lease.url.partition("://")[0], lease.host)
            await self._request_page(lease, rule)
        except PausedError:
            self._state.retry(lease, 0.0, count=False)
        except PrivateAddressError as error:
            self._progress.private.add(str(error)[:200])
            self._state.refuse(lease, Reason(PRIVATE, str(error)[:200]))
        except RefusedError as error:
            if error.status is not None:
                self._progress.pages += 1
            log_request(self._state, lease, None, error=str(error), status=error.status)
            self._state.refuse(lease, str(error)[:200])
        except UnreachableError as error:
            await self._wait_for_host(lease, error)
        except FetchError as error:
            log_request(self._state, lease, None, error=str(error))
            await self._retry_later(lease, error, self._politeness.back_off(lease.host, None))
        except ResourceLimitError as error:
            log_request(self._state, lease, None, error=str(error))
            await self._record_failure(lease, error)
        finally:
            self._state.scheduler.release(lease.host)

    # -- fetching --------------------------------------------------------------------------------------------------

    async def _request_page(self, lease: Lease, rule: str) -> None:
        url = lease.url
        for number in range(MAX_REDIRECTS + 1):
            headers = self._conditions(url, lease.kind)
            answer = await self._polite.request(url, headers, any_type=False, patient=number > 0)
            if answer.status != 429 and answer.status < 500:
                self._politeness.record_success(lease.host)
            if answer.location is None or url_key(answer.location) != url_key(url) or answer.location == url:
                break
            # The same page with https, or with the name of its index page: it has the same row in the frontier.
            log_request(self._state, lease, answer)
            url = answer.location
        if answer.location is not None:
            log_request(self._state, lease, answer)
            await self._redirect(lease, answer)
        elif answer.status == 304:
            log_request(self._state, lease, answer)
            self._progress.unchanged += 1
            self._frontier.finish(lease, "fetched")
            self._state.clear_failure(lease)
        elif 200 <= answer.status < 300:
            await self._process_page(lease, answer, rule)
        else:
            self._progress.pages += answer.status != 429
            log_request(self._state, lease, answer)
            cause = f"the server answered {answer.status} {answer.reason}".rstrip()
            error = FetchError(cause, url=url, status=answer.status)
            if answer.status in _RETRIED:
                await self._retry_later(lease, error, self._politeness.back_off(lease.host, answer.retry_after))
            else:
                await self._record_failure(lease, error, is_temporary=answer.status >= 500)

    def _conditions(self, url: str, kind: str) -> dict[str, str]:
        """Return headers for a conditional request, which a server may answer with 304 (RFC 9110, section 13.1)."""
        if not self._state.options.refresh or (kind != "page" and self._sitemaps.is_stored_listing(document_id(url))):
            return {}
        row = self._catalog.connection.execute(
            "SELECT etag, last_modified FROM current WHERE doc_id = ?", (document_id(url),)
        ).fetchone()
        headers = {}
        if row is not None and row["etag"]:
            headers["If-None-Match"] = row["etag"]
        elif row is not None and row["last_modified"]:
            from datetime import datetime
            from email.utils import format_datetime

            headers["If-Modified-Since"] = format_datetime(datetime.fromisoformat(row["last_modified"]), usegmt=True)
        return headers

    async def _redirect(self, lease: Lease, answer: Answer) -> None:
        assert answer.location is not None
        if lease.redirects + 1 > MAX_REDIRECTS or url_key(answer.location) == url_key(lease.url):
            await self._record_failure(lease, FetchError("redirect loop", url=lease.url))
            return
        target = NewUrl(
            answer.location,
            lease.depth,
            lease.priority,
            lease.parent,
            lease.anchor,
            lease.context,
            lease.parent_score,
            f"redirect from {lease.url}"[:300],
            self._state.scope.refusal(answer.location, depth=lease.depth),
            lease.url,
            lease.redirects + 1,
            lease.kind,
        )
        with self._catalog.transaction():
            self._frontier.add([target])
            self._frontier.finish(lease, "fetched", f"redirect to {answer.location}"[:300])
            self._state.clear_failure(lease)
        self._state.schedule([target])

    async def _read_sitemaps(self, scheme: str, host: str) -> None:
        """Read the sitemaps of the host, once per day."""
        self._politeness.state(
            host
        ).has_read_sitemaps = True  # set before the request, so that parallel visits do not read them again
        site, options = (scheme, host), self._state.options

        def failed(url: str, error: CorpusKitError) -> None:
            self._catalog.add_failure(url, "sitemap", error)

        async for url, listing in read_sitemaps(self._polite, options, site, failed=failed):
            self._sitemaps.queue(listing, url)
        self._politeness.record_sitemaps_read(host)

    # -- storing ---------------------------------------------------------------------------------------------------

    async def _process_page(self, lease: Lease, answer: Answer, rule: str) -> None:
        """Queue the URLs of a sitemap or feed, or pass a page and its links to the page writer."""
        if self._sitemaps.process(lease, answer, rule):
            return
        page, refused = PageLinks((), (), False), None
        if answer.media_type in _HTML:
            header = answer.headers.get("x-robots-tag", "")
            page = find_links(answer.content, answer.uri, charset=answer.charset, robots_header=header)
            if page.needs_scripts and self.renderer is not None:
                answer = await self._render(answer)
                page = find_links(answer.content, answer.uri, charset=answer.charset, robots_header=header)
            if self._state.options.languages:
                lang = page_language(answer.content, answer.charset, answer.headers.get("content-language", ""))
                refused = self._state.scope.language_refusal(answer.uri, lang) if lang else None
            self._sitemaps.queue_feeds(page.feeds, lease.url)
        self._page_writer.add(Page(lease, answer, page, rule, refused))

    async def _render(self, answer: Answer) -> Answer:
        """Return the page as rendered by a browser. If this fails, record the failure and return the page itself."""
        assert self.renderer is not None
        try:
            content = await self.renderer.render(answer)
        except FetchError as error:
            self._catalog.add_failure(answer.uri, "render", error)
            return answer
        headers = {**answer.headers, "content-type": "text/html; charset=utf-8", RENDERED: "by a browser"}
        return dataclasses.replace(answer, content=content, charset="utf-8", headers=headers)

    async def get_subresource(self, url: str) -> Answer | None:
        """Fetch a script or data file for the browser; None if it is refused or fails.

        The address checks, robots.txt and the delay of the host apply.
        """
        try:
            url = canonical_url(url)
            host = host_of(url)
            return await self._polite.get(url, follow=False)
        except UnreachableError as error:
            self._politeness.record_unreachable(host, str(error), error.retry_after)
        except (FetchError, ResourceLimitError):
            return None
        return None

    async def _store_archived_copy(self, lease: Lease) -> bool:
        """Store an archived copy of a failed page. Return False if copies are disabled or none exists."""
        archive = archive_at(self._state.options.archived)
        if not archive:
            return False
        host = host_of(archive)

        async def get(url: str) -> Answer:
            answer = await self._polite.request(canonical_url(url))
            if answer.status in _RETRIED:
                self._politeness.back_off(host, answer.retry_after)
            return answer

        try:
            answer = await archived_copy(get, lease.url, archive)
        except PausedError:
            return False
        except UnreachableError as error:
            self._politeness.record_unreachable(host, str(error), error.retry_after)
            self._catalog.add_failure(lease.url, "archive", error)
            return False
        except (FetchError, ResourceLimitError) as error:
            self._catalog.add_failure(lease.url, "archive", error)
            return False
        if answer is None or not answer.media_type.startswith(_COLLECTED):
            return False
        await self._process_page(lease, answer, "archived copy")
        return True

    # -- failures ----------------------------------------------------------------------------------------------------

    async def _wait_for_host(self, lease: Lease, error: UnreachableError) -> None:
        """Queue the URL until its host is requested again after a pause.

        The failure is the host's, so the URL keeps its priority and most of its tries.
        """
        log_request(self._state, lease, None, error=str(error), status=error.status, url=error.url)
        host = self._politeness.record_unreachable(lease.host, str(error), error.retry_after)
        if host.is_unavailable and await self._store_archived_copy(lease):
            return
        with self._catalog.transaction():
            self._state.retry(lease, 0.0, count=not lease.tries)
            self._state.note_failure(lease, error, is_final=host.is_unavailable)

    async def _retry_later(self, lease: Lease, error: FetchError, until: float) -> None:
        """Queue the URL for a later retry; record a failure after the maximum number of tries."""
        if lease.tries + 1 >= (2 * _MAX_TRIES if error.status == 429 else _MAX_TRIES):
            await self._record_failure(lease, error, is_temporary=True)
            return
        with self._catalog.transaction():
            self._state.retry(lease, until)
            self._state.note_failure(lease, error, is_final=False)

    async def _record_failure(self, lease: Lease, error: CorpusKitError, *, is_temporary: bool = False) -> None:
        """Record the failure of a URL, or store an archived copy instead.

        Args:
            lease: The URL.
            error: The cause.
            is_temporary: The failure may be temporary. Later crawls then retry the URL without being asked to.
        """
        if await self._store_archived_copy(lease):
            return
        earlier_failures = max(0, lease.tries + 1 - _MAX_TRIES)
        retry_at = time.time() + min(_RETRY_PAUSE * 2.0**earlier_failures, _MAX_RETRY_PAUSE) if is_temporary else 0.0
        with self._catalog.transaction():
            self._frontier.finish(lease, "failed", str(error)[:200], retry_at=retry_at)
            self._state.note_failure(lease, error, is_final=True)
