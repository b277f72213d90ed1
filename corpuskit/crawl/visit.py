"""One URL of a crawl: asked for as robots.txt allows, kept with its links, or noted as failed or refused."""

from __future__ import annotations

import asyncio
import hashlib
import time
from typing import Final

from corpuskit.crawl.finishing import Finisher
from corpuskit.crawl.frontier import Lease, NewUrl
from corpuskit.crawl.state import CrawlState
from corpuskit.errors import CorpusKitError, FetchError, RefusedError, ResourceLimitError
from corpuskit.ingest import Registered, document_id, register, task_of
from corpuskit.sources.resource import Resource
from corpuskit.sources.web import (
    Answer,
    Client,
    PageLinks,
    Robots,
    find_links,
    guessed_sitemaps,
    host_of,
    parse_listing,
    url_key,
)
from corpuskit.sources.web.client import MAX_REDIRECTS
from corpuskit.store import Place
from corpuskit.store.catalog import clean, now

_TRIES: Final = 4
_MAX_SITEMAPS: Final = 50  # of one host
_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_RETRIED: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class Visitor:
    """Visits URLs for one crawl, in its event loop."""

    def __init__(self, state: CrawlState, client: Client, finisher: Finisher) -> None:
        self._state = state
        self._client = client
        self._finisher = finisher
        self._folder = state.folder
        self._catalog = state.folder.catalog
        self._frontier = state.frontier
        self._politeness = state.politeness
        self._progress = state.progress

    async def visit(self, lease: Lease) -> None:
        """Fetches one URL and notes what came of it."""
        host = self._politeness.of(lease.host)
        try:
            scheme = lease.url.partition("://")[0]
            robots = await self._politeness.robots(self._client, scheme, lease.host)
            if robots.closed:
                self._politeness.forget_closed(lease.host)
                if lease.tries + 1 >= _TRIES:
                    self._fail(lease, FetchError("robots.txt cannot be read", url=lease.url))
                else:
                    self._frontier.retry(lease, host.next_allowed)
                return
            if not robots.allows(lease.url):
                self._progress.refused += 1
                self._frontier.finish(lease, "refused", "robots.txt")
                return
            await self._read_sitemaps(robots, scheme, lease.host)
            await self._wait_for_turn(lease.host)
            await self._fetch(lease)
        except RefusedError as error:
            self._progress.refused += 1
            if error.status is not None:
                self._progress.pages += 1
            self._log(lease, None, error=str(error), status=error.status)
            self._frontier.finish(lease, "refused", str(error)[:200])
        except (FetchError, ResourceLimitError) as error:
            self._log(lease, None, error=str(error))
            if isinstance(error, FetchError) and lease.tries + 1 < _TRIES:
                self._frontier.retry(lease, time.time() + max(1.0, host.delay) * 2.0**lease.tries)
            else:
                self._fail(lease, error)
        finally:
            host.in_flight -= 1
            # What waits may be ready by now, whatever its place was.
            self._state.heads.setdefault(lease.host, 0.0)

    async def _wait_for_turn(self, host: str) -> None:
        """Waits until the host may be asked, after robots.txt and beside other visits, and notes that it is asked."""
        state = self._politeness.of(host)
        while (wait := state.next_allowed - time.time()) > 0:
            await asyncio.sleep(wait)
        self._politeness.start(host)

    # -- fetching --------------------------------------------------------------------------------------------------

    async def _fetch(self, lease: Lease) -> None:
        url = lease.url
        for _ in range(MAX_REDIRECTS + 1):
            answer = await self._client.get(url, self._conditions(url))
            if answer.location is None or url_key(answer.location) != url_key(url) or answer.location == url:
                break
            # The same page by https, or with its index page's name: no other row of the frontier.
            self._log(lease, answer)
            url = answer.location
        if answer.location is not None:
            self._log(lease, answer)
            self._redirect(lease, answer)
        elif answer.status == 304:
            self._log(lease, answer)
            self._progress.unchanged += 1
            self._frontier.finish(lease, "fetched")
        elif answer.status == 429 or (answer.status in _RETRIED and lease.tries + 1 < _TRIES):
            self._log(lease, answer)
            self._progress.pages += answer.status != 429
            until = self._politeness.back_off(lease.host, answer.retry_after)
            if lease.tries + 1 >= 2 * _TRIES:
                self._fail(lease, FetchError(f"the server answered {answer.status} again and again", url=url))
            else:
                self._frontier.retry(lease, until)
        elif 200 <= answer.status < 300:
            self._progress.pages += 1
            self._politeness.answered(lease.host)
            self._keep(lease, answer)
        else:
            self._progress.pages += 1
            self._politeness.answered(lease.host)
            self._log(lease, answer)
            self._fail(lease, FetchError(f"the server answered {answer.status} {answer.reason}", url=url))

    def _conditions(self, url: str) -> dict[str, str]:
        """Headers that let a server answer "not modified" (RFC 9110, 13.1)."""
        if not self._state.options.refresh:
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

    def _redirect(self, lease: Lease, answer: Answer) -> None:
        assert answer.location is not None
        if lease.redirects + 1 > MAX_REDIRECTS or url_key(answer.location) == url_key(lease.url):
            self._fail(lease, FetchError("redirects without end", url=lease.url))
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
            self._state.scope.refusal(answer.location),
            lease.url,
            lease.redirects + 1,
        )
        with self._catalog.transaction():
            self._frontier.add([target])
            self._frontier.finish(lease, "fetched", f"redirect to {answer.location}"[:300])
        self._state.note([target])

    async def _read_sitemaps(self, robots: Robots, scheme: str, host: str) -> None:
        """Reads the host's sitemaps, once a day; the web at large is not listed, it is followed."""
        options = self._state.options
        if not options.sitemaps or options.scope == "web" or self._politeness.is_listed(host):
            return
        self._politeness.listed(host)
        todo = list(robots.sitemaps) or (guessed_sitemaps(f"{scheme}://{host}") if options.sitemaps == "guess" else [])
        done: set[str] = set()
        while todo and len(done) < _MAX_SITEMAPS:
            url = todo.pop(0)
            if url in done or host_of(url) != host:
                continue
            done.add(url)
            await self._wait_for_turn(host)
            try:
                answer = await self._client.get(url, any_type=True)
            except (FetchError, ResourceLimitError) as error:
                self._catalog.add_failure(url, "sitemap", error)
                continue
            if answer.status == 200:
                listing = parse_listing(answer.content, url)
                todo += listing.sitemaps
                self._add([(page, "", "", 1) for page in listing.pages], parent=url, parent_score=None)

    # -- keeping ---------------------------------------------------------------------------------------------------

    def _keep(self, lease: Lease, answer: Answer) -> None:
        """Keeps a page: its WARC record, then one transaction with row, links and state."""
        page = PageLinks((), (), False)
        if answer.media_type in _HTML:
            header = answer.headers.get("x-robots-tag", "")
            page = find_links(answer.content, answer.uri, charset=answer.charset, robots_header=header)
        links = [(link.url, link.anchor, link.context, lease.depth + 1) for link in page.links]
        place = self._write_warc(answer) if self._is_new(answer) else None
        self._progress.bytes += len(answer.content)
        self._progress.hosts[lease.host] += 1
        registered: Registered | None = None
        with self._catalog.transaction():
            if answer.content.strip():
                registered = register(self._folder, _resource(answer), place=place)
            self._log(lease, answer)
            new = self._add(links, parent=lease.url, parent_score=lease.parent_score)
            self._frontier.add_links(lease.id, (url.id for url in new))
            self._frontier.finish(lease, "fetched", None if registered else "empty page")
            self._catalog.clear_failure(lease.url, ["fetch"])
            if registered is None:
                self._catalog.add_failure(lease.url, "fetch", FetchError("the page is empty", url=lease.url))
        if registered is not None and registered.state in {"new", "changed"}:
            self._progress.stored += 1
            task = task_of(self._folder, registered.doc_id, registered.version)
            self._finisher.hand_in(task, lease, [url.id for url in new if url.refused is None])
        elif registered is not None:
            self._progress.unchanged += 1

    def _is_new(self, answer: Answer) -> bool:
        """Its content is not that of the document's last version."""
        last = self._catalog.value(
            "SELECT content_hash FROM documents WHERE doc_id = ? ORDER BY version DESC LIMIT 1",
            (document_id(answer.uri),),
        )
        return bool(last != hashlib.sha256(answer.content).hexdigest())

    def _write_warc(self, answer: Answer) -> Place:
        path = answer.uri[answer.uri.index("/", 8) :]
        # Headers and cookies of the user's own stay out of the archive.
        request = f"GET {path} HTTP/1.1\r\nHost: {host_of(answer.uri)}\r\nUser-Agent: {self._client.user_agent}\r\n\r\n"
        return self._folder.warc.write(
            answer.uri,
            answer.fetched,
            request.encode(),
            f"HTTP/1.1 {answer.status} {answer.reason}",
            answer.headers.items(),
            answer.content,
        )

    def _add(self, links: list[tuple[str, str, str, int]], *, parent: str, parent_score: float | None) -> list[NewUrl]:
        """Adds (url, anchor, context, depth) to the frontier, each with its priority or the reason of its refusal."""
        state = self._state
        ranked = state.ranking.rank(
            [
                {
                    "url": url,
                    "host": host_of(url),
                    "depth": depth,
                    "anchor": anchor,
                    "context": context,
                    "parent": parent,
                    "parent_score": parent_score,
                }
                for url, anchor, context, depth in links
            ]
        )
        new = [
            NewUrl(
                url,
                depth,
                priority,
                parent,
                clean(anchor),
                clean(context),
                parent_score if state.ranking.steers else None,
                why,
                self._refusal(url, depth),
            )
            for (url, anchor, context, depth), (priority, why) in zip(links, ranked, strict=True)
        ]
        self._frontier.add(new)
        state.note(new)
        return new

    def _refusal(self, url: str, depth: int) -> str | None:
        most = self._state.options.max_depth
        refused = self._state.scope.refusal(url)
        return f"depth over {most}" if refused is None and most is not None and depth > most else refused

    def _fail(self, lease: Lease, error: CorpusKitError) -> None:
        self._progress.failed += 1
        with self._catalog.transaction():
            self._frontier.finish(lease, "failed", str(error)[:200])
            self._catalog.add_failure(lease.url, "fetch", error, tries=lease.tries + 1)

    def _log(self, lease: Lease, answer: Answer | None, *, error: str | None = None, status: int | None = None) -> None:
        received = (
            (
                answer.fetched.isoformat(),
                answer.uri,
                answer.status,
                answer.response_ms,
                answer.download_ms,
                len(answer.content),
                answer.retry_after,
            )
            if answer
            else (now(), lease.url, status, None, None, None, None)
        )
        self._catalog.connection.execute(
            "INSERT INTO requests (clock, url, status_code, response_ms, download_ms, bytes, retry_after_s, job, depth, "
            "parent, redirected_from, retries, error) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *received,
                self._state.job,
                lease.depth,
                lease.parent,
                lease.redirected_from,
                lease.tries,
                clean(error) if error else None,
            ),
        )


def _resource(answer: Answer) -> Resource:
    return Resource(
        uri=answer.uri,
        content=answer.content,
        media_type=answer.media_type,
        charset=answer.charset,
        fetched=answer.fetched,
        modified=answer.modified,
        etag=answer.headers.get("etag"),
        source="web",
    )
