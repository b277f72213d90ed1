"""Articles of a wiki by title, URL or category, as resources with rendered HTML."""

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
from corpuskit.sources.resource import Resource, SourceItem
from corpuskit.sources.wikipedia.client import WikiOptions, open_wiki

PARSOID_TYPE: Final = "text/x-mediawiki-html"
"""Media type of corpuskit for HTML rendered by Parsoid, which declares ``text/html`` with a profile."""

_BATCH: Final = 50  # titles per request, the limit of the API
_ARTICLE, _CATEGORY = 0, 14  # namespaces
_CC_BY_SA: Final = "https://creativecommons.org/licenses/by-sa/4.0/"
"""License of the texts of Wikipedia (Wikimedia Foundation, Terms of Use, section 7)."""
_URL: Final = re.compile(r"https?://", re.IGNORECASE)


def read_articles(
    titles_or_urls: Iterable[str],
    options: WikiOptions,
    *,
    depth: int = 0,
    pages: int | None = None,
    max_bytes: int = 100_000_000,
) -> Iterator[SourceItem]:
    """Yield distinct articles by title, URL or category.

    Redirects are followed. Missing pages, disambiguation pages and pages that cannot be fetched are yielded as
    (URI, error).

    Args:
        titles_or_urls: Titles, URLs of articles, or categories (``Category:Insurance``, in any language of the wiki).
        options: The wiki and the request settings; the host of a URL takes precedence.
        depth: Number of steps to follow: from an article to the pages it links to, from a category to its subcategories.
        pages: Maximum number of articles.
        max_bytes: Maximum size of a page.

    Raises:
        MissingExtraError: Wikipedia-API is not installed.
    """
    groups: dict[WikiOptions, list[str]] = {}
    for name in titles_or_urls:
        title, wiki_options = _title_and_wiki(name, options)
        groups.setdefault(wiki_options, []).append(title)
    left = pages
    for wiki_options, titles in groups.items():
        with closing(open_wiki(wiki_options)) as wiki:
            for item in _ArticleTraversal(wiki, wiki_options, max_bytes).read(titles, depth, left):
                if left is not None and isinstance(item, Resource):
                    left -= 1
                yield item


def _title_and_wiki(name: str, options: WikiOptions) -> tuple[str, WikiOptions]:
    """Return the title of an article, and the options for the wiki of its URL."""
    if not _URL.match(name):
        return name.replace("_", " ").strip(), options
    parts = urlsplit(name)
    path = unquote(parts.path)
    title = path.partition("/wiki/")[2] or path.rpartition("/")[2]
    same_site = f"{parts.scheme}://{parts.netloc}".lower() == options.site.lower()
    host = options.host if same_site else f"{parts.scheme}://{parts.netloc}".lower()
    lang = options.lang if same_site or not parts.netloc.endswith(".wikipedia.org") else parts.netloc.partition(".")[0]
    return title.replace("_", " ").strip(), replace(options, host=host, lang=lang)


class _ArticleTraversal:
    """Breadth-first traversal of links and subcategories, so that a page limit is spent on the closest pages."""

    def __init__(self, wiki: Any, options: WikiOptions, max_bytes: int) -> None:
        self._wiki, self._options, self._max_bytes = wiki, options, max_bytes
        self._seen: set[str] = set()
        self._requested: set[str] = set()

    def read(self, titles: list[str], depth: int, pages: int | None) -> Iterator[SourceItem]:
        level = titles
        count = 0
        for step in range(depth + 1):
            following: list[str] = []
            new_titles = [title for title in dict.fromkeys(level) if title not in self._requested]
            self._requested.update(new_titles)
            for start in range(0, len(new_titles), _BATCH):
                if pages is not None and count >= pages:
                    return
                for item, more in self._batch(new_titles[start : start + _BATCH], step, depth):
                    following += more
                    if item is None:
                        continue
                    if isinstance(item, dict):
                        if pages is not None and count >= pages:
                            return
                        page = self._page(item)
                        count += isinstance(page, Resource)
                        yield page
                    else:
                        yield item
            level = following

    def _batch(
        self, titles: list[str], step: int, depth: int
    ) -> Iterator[tuple[dict[str, Any] | tuple[str, Exception] | None, list[str]]]:
        """Yield the page data or error per title, each with the titles of the next level."""
        try:
            query = self._wiki.query(
                titles="|".join(titles), redirects=1, prop="info|pageprops", inprop="url", ppprop="disambiguation",
                meta="siteinfo", siprop="rightsinfo",
            )  # fmt: skip
        except FetchError as error:
            for title in titles:
                yield (self._url(title), error), []
            return
        license_url = _license(query.get("rightsinfo", {}), self._options.site)
        sources = {entry["to"]: entry["from"] for entry in query.get("redirects", [])}
        for page in query.get("pages", []):
            title = page.get("title", "")
            url = page.get("fullurl") or page.get("canonicalurl") or self._url(title)
            if page.get("missing") or page.get("invalid"):
                why = page.get("invalidreason") or "the page does not exist"
                yield (url, FetchError(f"{url}: {why}", url=url, status=404)), []
            elif page.get("ns") == _CATEGORY:
                yield from self._members(title, url, step, depth)
            elif "disambiguation" in page.get("pageprops", {}):
                yield (
                    (url, FetchError(f"{url}: disambiguation page; name one of the articles that it lists", url=url)),
                    [],
                )
            elif title not in self._seen:
                self._seen.add(title)
                more = self._links(title) if step < depth else []
                yield {**page, "url": url, "redirected_from": sources.get(title), "license": license_url}, more

    def _members(self, title: str, url: str, step: int, depth: int) -> Iterator[tuple[Any, list[str]]]:
        """Yield the articles of a category; its subcategories are titles of the next level."""
        try:
            members = self._wiki.members(self._wiki.page(title, ns=_CATEGORY)).values()
        except FetchError as error:
            yield (url, error), []
            return
        subcategories = [member.title for member in members if member.ns == _CATEGORY]
        yield None, subcategories if step < depth else []
        titles = [member.title for member in members if member.ns == _ARTICLE and member.title not in self._requested]
        self._requested.update(titles)
        for start in range(0, len(titles), _BATCH):
            for item, _ in self._batch(titles[start : start + _BATCH], depth, depth):
                yield item, []

    def _links(self, title: str) -> list[str]:
        try:
            return [page.title for page in self._wiki.linked(self._wiki.page(title)).values() if page.ns == _ARTICLE]
        except FetchError:
            return []  # the article is still added; an outage is reported by its own request

    def _page(self, page: dict[str, Any]) -> SourceItem:
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


def _license(rights: dict[str, Any], site: str) -> str | None:
    """Return the license of a wiki (API:Siteinfo); for Wikipedia, CC BY-SA if the API names none."""
    stated = rights.get("url") or rights.get("text")
    if isinstance(stated, str) and stated.strip():
        return f"https:{stated}" if stated.startswith("//") else stated.strip()
    return _CC_BY_SA if (urlsplit(site).hostname or "").endswith(".wikipedia.org") else None
