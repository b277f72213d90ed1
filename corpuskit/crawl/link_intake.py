"""Adds discovered links to the frontier, each with its priority or the reason of its refusal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from corpuskit.crawl.frontier import NewUrl, depth_refusal, url_id
from corpuskit.crawl.scope import Reason
from corpuskit.crawl.state import CrawlState
from corpuskit.sources.web import Link, PageLinks, host_of
from corpuskit.sources.web.links import NOFOLLOW
from corpuskit.store.catalog import clean

_MAX_REASON: Final = 60


class LinkIntake:
    """Adds links to the frontier of one crawl."""

    def __init__(self, state: CrawlState) -> None:
        self._state = state
        self._refusals: Counter[tuple[str, str]] = Counter()

    def add(
        self,
        links: Iterable[Link],
        *,
        depth: int,
        parent: str | None,
        parent_score: float | None = None,
        named_by: str = "",
        kind: str = "page",
    ) -> tuple[list[int], list[NewUrl]]:
        """Add links, and return the keys of all of them and the new URLs.

        Args:
            links: The links.
            depth: Number of links from a seed.
            parent: URL of the linking page, sitemap or feed.
            parent_score: Relevance of the linking page.
            named_by: URL of a sitemap or feed named by the user. Its URLs are seeds, which have no parent.
            kind: ``page``, ``seed`` or ``listing`` (a sitemap or feed).
        """
        state, frontier = self._state, self._state.frontier
        ids: list[int] = []
        unknown: dict[int, Link] = {}
        known = frontier.known
        for link in links:
            if (key := known.get(link.url)) is not None:
                ids.append(key)
            else:
                unknown[url_id(link.url)] = link
        if state.ranking.steers:  # ranked URLs count as queued, so URLs that are in the frontier must not be ranked
            for key in frontier.existing(list(unknown)):
                frontier.known[unknown.pop(key).url] = key
                ids.append(key)
        if not unknown:
            return ids, []
        ranked = state.rank(
            [
                {
                    "id": key, "url": link.url, "host": host_of(link.url), "depth": depth,
                    "kind": kind, "anchor": link.anchor,
                    "context": link.context, "parent": parent, "parent_score": parent_score,
                }
                for key, link in unknown.items()
            ]
        )  # fmt: skip
        score = parent_score if state.ranking.steers else None
        new = [
            NewUrl(
                link.url, depth, priority, parent, clean(link.anchor), clean(link.context), score,
                f"named by {named_by}; {why}" if named_by else why,
                self.refusal(link.url, depth, link.lang), kind=kind,
            )
            for link, (priority, why) in zip(unknown.values(), ranked, strict=True)
        ]  # fmt: skip
        frontier.add(new)
        state.ranking.discard(key for key, url in zip(unknown, new, strict=True) if url.refused)
        return [*ids, *unknown], new

    def refusal(self, url: str, depth: int, lang: str = "") -> Reason | None:
        """Return why a URL is not fetched in this crawl, or None."""
        return self._state.scope.refusal(url, lang, depth=depth) or depth_refusal(depth, self._state.options.max_depth)

    def count_refused_links(self, host: str, page: PageLinks) -> None:
        """Count, by reason, links that are not URLs to fetch; see :meth:`save_refusal_counts`."""
        if page.nofollow:
            self._refusals[host, "page says nofollow"] += 1
        for _, reason in page.refused:
            self._refusals[host, reason if reason == NOFOLLOW else clean(reason)[:_MAX_REASON]] += 1

    def save_refusal_counts(self) -> None:
        """Add the counts to the catalog."""
        if self._refusals:
            self._state.folder.catalog.connection.executemany(
                "INSERT INTO refusals VALUES (?, ?, ?) "
                "ON CONFLICT (host, reason) DO UPDATE SET links = links + excluded.links",
                [(host, reason, count) for (host, reason), count in self._refusals.items()],
            )
            self._refusals.clear()
