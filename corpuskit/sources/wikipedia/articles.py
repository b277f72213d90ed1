"""Which articles are wanted, and their rendered pages as resources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

from corpuskit.dates import parse_http_date
from corpuskit.errors import FetchError, ResourceLimitError
from corpuskit.sources.resource import Resource
from corpuskit.sources.wikipedia.client import WikiOptions, open_wiki

Found = Resource | tuple[str, Exception]
PARSOID_TYPE: Final = "text/x-mediawiki-html"
"""Our own name for pages as Parsoid renders them; they say so in ``Content-Type`` with a profile."""

_BATCH: Final = 50  # titles in one request, the API's limit
_ARTICLE, _CATEGORY = 0, 14  # namespaces
_CC_BY_SA: Final = "https://creativecommons.org/licenses/by-sa/4.0/"
"""Of the texts of Wikipedia (Wikimedia Foundation, Terms of Use, section 7)."""
_URL: Final = re.compile(r"https?://", re.IGNORECASE)


def read_articles(
    wanted: Iterable[str],
    options: WikiOptions,
    *,
    depth: int = 0,
    pages: int | None = None,
    max_bytes: int = 100_000_000,
) -> Iterator[Found]:
    """Yield articles by title, by URL, or by category, one at a time, none twice.

    Redirects are followed. A page that is missing or only leads to others (a disambiguation) is given as
    (URI, error), and so is one that cannot be fetched.

    Args:
        wanted: titles, URLs of articles, or categories (``Category:Insurance``, in any language of the wiki).
        options: which wiki, and how to ask it; the host of a URL comes before.
        depth: how many steps further: for an article the pages that it links to, for a category its sub-categories.
        pages: at most so many articles.
        max_bytes: larger pages are refused.

    Raises:
        MissingExtraError: Wikipedia-API is not installed.
    """
    groups: dict[WikiOptions, list[str]] = {}
    for name in wanted:
        title, wiki_options = _title_of(name, options)
        groups.setdefault(wiki_options, []).append(title)
    left = pages
    for wiki_options, titles in groups.items():
        with closing(open_wiki(wiki_options)) as wiki:
            for found in _Walk(wiki, wiki_options, max_bytes).read(titles, depth, left):
                if left is not None and isinstance(found, Resource):
                    left -= 1
                yield found


def _title_of(name: str, options: WikiOptions) -> tuple[str, WikiOptions]:
    """The title in a URL, and the wiki of its host."""
    if not _URL.match(name):
        return name.replace("_", " ").strip(), options
    parts = urlsplit(name)
    path = unquote(parts.path)
    title = path.partition("/wiki/")[2] or path.rpartition("/")[2]
    same_site = f"{parts.scheme}://{parts.netloc}".lower() == options.site.lower()
    host = options.host if same_site else f"{parts.scheme}://{parts.netloc}".lower()
    lang = options.lang if same_site or not parts.netloc.endswith(".wikipedia.org") else parts.netloc.partition(".")[0]
    return title.replace("_", " ").strip(), replace(options, host=host, lang=lang)


class _Walk:
    """Breadth first from what is wanted, so that what is nearest comes before a limit of pages is reached."""

    def __init__(self, wiki: Any, options: WikiOptions, max_bytes: int) -> None:
        self._wiki, self._options, self._max_bytes = wiki, options, max_bytes
        self._seen: set[str] = set()
        self._asked: set[str] = set()

    def read(self, titles: list[str], depth: int, pages: int | None) -> Iterator[Found]:
        level = titles
        given = 0
        for step in range(depth + 1):
            following: list[str] = []
            fresh = [title for title in dict.fromkeys(level) if title not in self._asked]
            self._asked.update(fresh)
            for start in range(0, len(fresh), _BATCH):
                if pages is not None and given >= pages:
                    return
                for found, more in self._batch(fresh[start : start + _BATCH], step, depth):
                    following += more
                    if found is None:
                        continue
                    if isinstance(found, dict):
                        if pages is not None and given >= pages:
                            return
                        page = self._page(found)
                        given += isinstance(page, Resource)
                        yield page
                    else:
                        yield found
            level = following

    def _batch(
        self, titles: list[str], step: int, depth: int
    ) -> Iterator[tuple[dict[str, Any] | tuple[str, Exception] | None, list[str]]]:
        """What the API says about some titles, with the titles that they lead to."""
        try:
            query = self._wiki.query(
                titles="|".join(titles), redirects=1, prop="info|pageprops", inprop="url", ppprop="disambiguation",
                meta="siteinfo", siprop="rightsinfo",
            )  # fmt: skip
        except FetchError as error:
            for title in titles:
                yield (self._url(title), error), []
            return
        licence = _licence(query.get("rightsinfo", {}), self._options.site)
        sources = {entry["to"]: entry["from"] for entry in query.get("redirects", [])}
        for page in query.get("pages", []):
            title = page.get("title", "")
            url = page.get("fullurl") or page.get("canonicalurl") or self._url(title)
            if page.get("missing") or page.get("invalid"):
                why = page.get("invalidreason") or "there is no such page"
                yield (url, FetchError(f"{url}: {why}", url=url, status=404)), []
            elif page.get("ns") == _CATEGORY:
                yield from self._members(title, url, step, depth)
            elif "disambiguation" in page.get("pageprops", {}):
                yield (url, FetchError(f"{url}: a disambiguation, it only leads to other pages", url=url)), []
            elif title not in self._seen:
                self._seen.add(title)
                more = self._links(title) if step < depth else []
                yield {**page, "url": url, "redirected_from": sources.get(title), "license": licence}, more

    def _members(self, title: str, url: str, step: int, depth: int) -> Iterator[tuple[Any, list[str]]]:
        """The articles of a category now; its sub-categories lead further."""
        try:
            members = self._wiki.members(self._wiki.page(title, ns=_CATEGORY)).values()
        except FetchError as error:
            yield (url, error), []
            return
        below = [member.title for member in members if member.ns == _CATEGORY]
        yield None, below if step < depth else []
        titles = [member.title for member in members if member.ns == _ARTICLE and member.title not in self._asked]
        self._asked.update(titles)
        for start in range(0, len(titles), _BATCH):
            for found, _ in self._batch(titles[start : start + _BATCH], depth, depth):
                yield found, []

    def _links(self, title: str) -> list[str]:
        try:
            return [page.title for page in self._wiki.linked(self._wiki.page(title)).values() if page.ns == _ARTICLE]
        except FetchError:
            return []  # the article itself counts more than what it leads to; its own request tells of the fault

    def _page(self, page: dict[str, Any]) -> Found:
        url, title = page["url"], page["title"]
        try:
            answer = self._wiki.rendered(title)
        except FetchError as error:
            return url, error
        content = answer.content
        if len(content) > self._max_bytes:
            return url, ResourceLimitError(f"{url}: {len(content):,} bytes, the limit is {self._max_bytes:,}")
        metadata = {"title": title, "page_id": str(page.get("pageid", "")), "revision": str(page.get("lastrevid", ""))}
        metadata |= {name: page[name] for name in ("redirected_from", "license") if page.get(name)}
        return Resource(
            uri=url,
            content=content,
            media_type=PARSOID_TYPE,
            charset="utf-8",
            fetched=datetime.now(UTC),
            modified=parse_http_date(answer.headers.get("Last-Modified")),
            name=title.replace("/", "_") + ".html",
            etag=answer.headers.get("ETag"),
            source="wikipedia",
            metadata=metadata,
            headers=tuple(answer.headers.items()),
        )

    def _url(self, title: str) -> str:
        return f"{self._options.site}/wiki/{quote(title.replace(' ', '_'), safe=':/()')}"


def _licence(rights: dict[str, Any], site: str) -> str | None:
    """The licence that a wiki says its pages have (API:Siteinfo); where it says none, that of Wikipedia."""
    said = rights.get("url") or rights.get("text")
    if isinstance(said, str) and said.strip():
        return f"https:{said}" if said.startswith("//") else said.strip()
    return _CC_BY_SA if (urlsplit(site).hostname or "").endswith(".wikipedia.org") else None
