"""One URL of a crawl: asked for as robots.txt allows, kept with its links, or noted as failed or refused."""

from __future__ import annotations

import dataclasses
import time
from typing import Final

from corpuskit.crawl.frontier import Lease, NewUrl
from corpuskit.crawl.link_intake import Discovery
from corpuskit.crawl.page_writer import RENDERED, Keeper, Page, log_request
from corpuskit.crawl.politeness import PausedError, PoliteClient
from corpuskit.crawl.scope import PRIVATE, ROBOTS, Reason
from corpuskit.crawl.sitemaps import Listings, read_sitemaps
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

_TRIES: Final = 4
_AGAIN_AFTER: Final = 600.0  # seconds until a later crawl tries it by itself; doubled each time
_AGAIN_AFTER_MOST: Final = 86_400.0
_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_COLLECTED: Final = ("text/html", "application/xhtml+xml", "text/plain", "application/pdf")
_RETRIED: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class Visitor:
    """Visits URLs for one crawl, in its event loop."""

    def __init__(self, state: CrawlState, client: Client, keeper: Keeper, discovery: Discovery) -> None:
        self._state = state
        self._polite = PoliteClient(client, state.politeness)
        self._keeper = keeper
        self.renderer: Renderer | None = None
        self._listings = Listings(state, discovery)
        self._catalog = state.folder.catalog
        self._frontier = state.frontier
        self._politeness = state.politeness
        self._progress = state.progress

    async def visit(self, lease: Lease) -> None:
        """Fetches one URL and notes what came of it."""
        try:
            self._polite.client.check_address(lease.url)  # no turn of the host is waited for to refuse it
            allowed, rule = (await self._polite.robots(lease.url)).verdict(lease.url)
            if not allowed:
                self._state.refuse(lease, Reason(ROBOTS, "robots.txt"))
                return
            if not self._politeness.is_listed(lease.host):
                await self._read_sitemaps(lease.url.partition("://")[0], lease.host)
            await self._fetch(lease, rule)
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
            await self._try_again(lease, error, self._politeness.back_off(lease.host, None))
        except ResourceLimitError as error:
            log_request(self._state, lease, None, error=str(error))
            await self._fail(lease, error)
        finally:
            self._state.turns.ended(lease.host)

    # -- fetching --------------------------------------------------------------------------------------------------

    async def _fetch(self, lease: Lease, rule: str) -> None:
        url = lease.url
        for number in range(MAX_REDIRECTS + 1):
            headers = self._conditions(url, lease.kind)
            answer = await self._polite.ask(url, headers, any_type=False, patient=number > 0)
            if answer.status != 429 and answer.status < 500:
                self._politeness.answered(lease.host)
            if answer.location is None or url_key(answer.location) != url_key(url) or answer.location == url:
                break
            # The same page by https, or with its index page's name: no other row of the frontier.
            log_request(self._state, lease, answer)
            url = answer.location
        if answer.location is not None:
            log_request(self._state, lease, answer)
            await self._redirect(lease, answer)
        elif answer.status == 304:
            log_request(self._state, lease, answer)
            self._progress.unchanged += 1
            self._frontier.finish(lease, "fetched")
            self._state.forget_failure(lease)
        elif 200 <= answer.status < 300:
            await self._keep(lease, answer, rule)
        else:
            self._progress.pages += answer.status != 429
            log_request(self._state, lease, answer)
            cause = f"the server answered {answer.status} {answer.reason}".rstrip()
            error = FetchError(cause, url=url, status=answer.status)
            if answer.status in _RETRIED:
                await self._try_again(lease, error, self._politeness.back_off(lease.host, answer.retry_after))
            else:
                await self._fail(lease, error, is_passing=answer.status >= 500)

    def _conditions(self, url: str, kind: str) -> dict[str, str]:
        """Headers that let a server answer "not modified" (RFC 9110, 13.1)."""
        if not self._state.options.refresh or (kind != "page" and self._listings.is_kept(document_id(url))):
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
            await self._fail(lease, FetchError("redirects without end", url=lease.url))
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
            self._state.forget_failure(lease)
        self._state.note([target])

    async def _read_sitemaps(self, scheme: str, host: str) -> None:
        """Reads the host's sitemaps, once a day."""
        self._politeness.of(host).is_listed = True  # by this visit, not by others that begin meanwhile
        site, options = (scheme, host), self._state.options

        def failed(url: str, error: CorpusKitError) -> None:
            self._catalog.add_failure(url, "sitemap", error)

        async for url, listing in read_sitemaps(self._polite, options, site, failed=failed):
            self._listings.queue(listing, url)
        self._politeness.listed(host)

    # -- keeping ---------------------------------------------------------------------------------------------------

    async def _keep(self, lease: Lease, answer: Answer, rule: str) -> None:
        """Hands a page over to be kept with its links; follows a sitemap or feed."""
        if self._listings.take(lease, answer, rule):
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
            self._listings.note_feeds(page.feeds, lease.url)
        self._keeper.take(Page(lease, answer, page, rule, refused))

    async def _render(self, answer: Answer) -> Answer:
        """What a browser makes of the page; the page itself where that fails, which is a failure row."""
        assert self.renderer is not None
        try:
            content = await self.renderer.render(answer)
        except FetchError as error:
            self._catalog.add_failure(answer.uri, "render", error)
            return answer
        headers = {**answer.headers, "content-type": "text/html; charset=utf-8", RENDERED: "by a browser"}
        return dataclasses.replace(answer, content=content, charset="utf-8", headers=headers)

    async def get_for_page(self, url: str) -> Answer | None:
        """A script or data that a page asks for in the browser, if the guards, robots.txt and the host's delay let it."""
        try:
            url = canonical_url(url)
            host = host_of(url)
            return await self._polite.get(url, follow=False)
        except UnreachableError as error:
            self._politeness.unreachable(host, str(error), error.retry_after)
        except (FetchError, ResourceLimitError):
            return None
        return None

    async def _keep_archived(self, lease: Lease) -> bool:
        """Keeps an archive's copy of a page that failed; False where none is wanted, or there is none."""
        archive = archive_at(self._state.options.archived)
        if not archive:
            return False
        host = host_of(archive)

        async def get(url: str) -> Answer:
            answer = await self._polite.ask(canonical_url(url))
            if answer.status in _RETRIED:
                self._politeness.back_off(host, answer.retry_after)
            return answer

        try:
            answer = await archived_copy(get, lease.url, archive)
        except PausedError:
            return False
        except UnreachableError as error:
            self._politeness.unreachable(host, str(error), error.retry_after)
            self._catalog.add_failure(lease.url, "archive", error)
            return False
        except (FetchError, ResourceLimitError) as error:
            self._catalog.add_failure(lease.url, "archive", error)
            return False
        if answer is None or not answer.media_type.startswith(_COLLECTED):
            return False
        await self._keep(lease, answer, "archived copy")
        return True

    # -- what did not work ---------------------------------------------------------------------------------------------

    async def _wait_for_host(self, lease: Lease, error: UnreachableError) -> None:
        """The host is asked again after a pause. The URL is not blamed: it keeps its place and most of its tries."""
        log_request(self._state, lease, None, error=str(error), status=error.status, url=error.url)
        host = self._politeness.unreachable(lease.host, str(error), error.retry_after)
        if host.is_given_up and await self._keep_archived(lease):
            return
        with self._catalog.transaction():
            self._state.retry(lease, 0.0, count=not lease.tries)
            self._state.note_failure(lease, error, is_final=host.is_given_up)

    async def _try_again(self, lease: Lease, error: FetchError, until: float) -> None:
        """The URL is tried again in a while, or has failed where it was tried often."""
        if lease.tries + 1 >= (2 * _TRIES if error.status == 429 else _TRIES):
            await self._fail(lease, error, is_passing=True)
            return
        with self._catalog.transaction():
            self._state.retry(lease, until)
            self._state.note_failure(lease, error, is_final=False)

    async def _fail(self, lease: Lease, error: CorpusKitError, *, is_passing: bool = False) -> None:
        """The URL has failed; where that may have been a moment's trouble, later crawls try it by themselves.

        Where archived copies are wanted, and there is one, that is kept instead.
        """
        if await self._keep_archived(lease):
            return
        rounds = max(0, lease.tries + 1 - _TRIES)
        again = time.time() + min(_AGAIN_AFTER * 2.0**rounds, _AGAIN_AFTER_MOST) if is_passing else 0.0
        with self._catalog.transaction():
            self._frontier.finish(lease, "failed", str(error)[:200], again=again)
            self._state.note_failure(lease, error, is_final=True)
