"""The frontier: every URL known to the corpus, its state and its priority, in the catalogue.

queued → fetched | failed | refused. A URL that is being fetched is leased, which is kept in memory only: since one crawl
runs at a time, what a killed one had in flight is simply still queued.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from corpuskit.crawl.scope import BORDERS, EMPTY, LISTING, PRIVATE, ROBOTS, SCOPE, Reason, Scope
from corpuskit.sources.web import host_of, url_key
from corpuskit.store.catalog import Catalog

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]

_BATCH: Final = 5000
_FIRST: Final = 1e9  # priority of a seed until the queue is ranked
_KNOWN: Final = 100_000  # URLs, about 25 MB
# The leased ones stand before the best one, so of each row as little is read as tells them.
_BEST: Final = (
    "SELECT id, priority FROM frontier WHERE host = ? AND state = 'queued' AND not_before <= ? "
    "ORDER BY priority DESC, n LIMIT ?"
)
_LEASE: Final = (
    "SELECT id, url, host, depth, parent, anchor, context, parent_score, tries, redirected_from, redirects, priority, kind "
    "FROM frontier WHERE id = ?"
)
_ROW: Final = "n, id, url, host, depth, kind, anchor, context, parent, parent_score, priority"
_WITHOUT_PAGE: Final = f"state = 'failed' OR (state = 'fetched' AND reason_code = '{EMPTY}')"
_SAME: Final = 1e-3  # a priority that moved by less is left as it is


@dataclass(frozen=True, slots=True)
class NewUrl:
    """A URL to be added to the frontier."""

    url: str
    depth: int
    priority: float
    parent: str | None = None
    anchor: str = ""
    context: str = ""
    parent_score: float | None = None
    why: str = ""
    refused: Reason | None = None
    redirected_from: str | None = None
    redirects: int = 0
    kind: str = "page"

    @property
    def id(self) -> int:
        """Its key in the frontier."""
        return url_id(self.url)


@dataclass(frozen=True, slots=True)
class Lease:
    """A URL that is being fetched."""

    id: int
    url: str
    host: str
    depth: int
    parent: str | None
    anchor: str
    context: str
    parent_score: float | None
    tries: int
    redirected_from: str | None
    redirects: int
    priority: float
    kind: str

    @property
    def is_seed(self) -> bool:
        """A person named it, or a redirect from what a person named led to it."""
        return self.kind == "seed"


@dataclass(frozen=True, slots=True)
class Linking:
    """The pages that link to queued URLs: an entry a URL, sorted by key.

    Attributes:
        ids: the keys of the queued URLs.
        count: how many scored pages link to each; without one, the least is 1 and the best 0.
        total: the sum of their scores.
        least, best: of their scores.
    """

    ids: Ints
    count: Floats
    total: Floats
    least: Floats
    best: Floats


@lru_cache(maxsize=4096)  # a page's links are asked for several times in a row
def url_id(url: str) -> int:
    """The frontier's key: 63 bits of the hash of what is equal for two URLs of one page."""
    digest = hashlib.sha256(url_key(url).encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:8], "big") >> 1


class Frontier:
    """The frontier of one corpus; the crawl's lock is held by the caller.

    Args:
        is_stopped: the crawl is to end, so that looking through a long queue is broken off; the next one begins it anew.
    """

    def __init__(self, catalog: Catalog, *, is_stopped: Callable[[], bool] = lambda: False) -> None:
        self._catalog = catalog
        self._is_stopped = is_stopped
        self._leased: dict[str, set[int]] = {}
        # Keys of URLs that were added lately: most links of a site lead to pages met a moment ago.
        self.known: dict[str, int] = {}

    def add(self, urls: Iterable[NewUrl]) -> int:
        """Adds URLs; known ones are left as they are. Gives how many were new."""
        rows = [
            (
                new.id, new.url, host_of(new.url), new.depth, new.parent, new.anchor, new.context,
                new.parent_score, new.priority, "refused" if new.refused else "queued", new.why, new.refused,
                new.refused.code if new.refused else "", new.redirected_from, new.redirects, new.kind,
            )
            for new in urls
        ]  # fmt: skip
        with self._catalog.transaction() as connection:
            cursor = connection.executemany(
                "INSERT OR IGNORE INTO frontier (id, url, host, depth, parent, anchor, context, parent_score, priority, "
                "state, why, reason_refused, reason_code, redirected_from, redirects, kind) "
                f"VALUES ({', '.join('?' * 16)})",
                rows,
            )
        if len(self.known) > _KNOWN:
            self.known.clear()
        self.known.update((row[1], row[0]) for row in rows)
        return cursor.rowcount

    def add_seeds(self, urls: Sequence[str]) -> None:
        """Adds URLs that a person named; one that was known as a link is a seed from now on.

        A page that was removed from the corpus does not come back.
        """
        with self._catalog.transaction() as connection:
            self.add(NewUrl(url, 0, _FIRST, why="seed", kind="seed") for url in urls)
            keys = [(url_id(url),) for url in urls]
            connection.executemany(
                "UPDATE frontier SET depth = 0, parent = NULL, kind = 'seed', why = 'seed' WHERE id = ? AND kind <> 'seed'",
                keys,
            )
            connection.executemany(
                f"UPDATE frontier SET state = 'queued', tries = 0, not_before = 0 WHERE id = ? AND ({_WITHOUT_PAGE} "
                "OR state IN ('queued', 'refused')) AND url NOT IN (SELECT uri FROM tombstones)",
                keys,
            )

    def seeds(self) -> list[str]:
        """The URLs that a person named."""
        return [row["url"] for row in self._catalog.rows("SELECT url FROM frontier WHERE kind = 'seed'")]

    def is_listing_of_seeds(self, key: int) -> bool:
        """Return whether a URL is a sitemap or feed that a person named."""
        sql = "SELECT 1 FROM frontier WHERE id = ? AND kind = 'seed' AND reason_code = ?"
        return self._catalog.value(sql, (key, LISTING)) is not None

    def waiting_seeds(self, now: float) -> list[tuple[str, str]]:
        """Return (URL, cause) of the seeds that are queued and wait until their host's trouble may be over.

        Args:
            now: Seconds since the epoch.
        """
        return self._catalog.tuples(
            "SELECT f.url, h.trouble FROM frontier f JOIN hosts h ON h.host = f.host WHERE f.kind = 'seed' "
            "AND f.state = 'queued' AND h.trouble <> '' AND h.next_allowed > ? ORDER BY f.n",
            (now,),
        )

    def queue_again(self) -> None:
        """Queues what was fetched, to see whether it has changed."""
        self._catalog.connection.execute("UPDATE frontier SET state = 'queued', tries = 0 WHERE state = 'fetched'")

    def queue_private(self, *, everywhere: bool) -> int:
        """Queues what crawls refused because its host has a private address; gives how many URLs.

        Args:
            everywhere: also on hosts that no seed names and no page was fetched of: links of pages into a network.
        """
        known = "SELECT host FROM frontier WHERE kind = 'seed' OR state = 'fetched'"
        return self._catalog.connection.execute(
            "UPDATE frontier SET state = 'queued', reason_refused = NULL, reason_code = '' "
            f"WHERE state = 'refused' AND reason_code = ? AND (? OR host IN ({known}))",
            (PRIVATE, everywhere),
        ).rowcount

    def queue_failed(self, now: float | None = None) -> None:
        """Queues what failed, and what robots.txt forbade, to see whether it can be had by now.

        Args:
            now: only what may have been a moment's trouble, where its pause is over; seconds since the epoch.
        """
        if now is None:
            # A try is left on the account: that there is a failure to be forgotten.
            sql = f"UPDATE frontier SET state = 'queued', tries = 1, not_before = 0 WHERE {_WITHOUT_PAGE}"
            self._catalog.connection.execute(f"{sql} OR (state = 'refused' AND reason_code = '{ROBOTS}')")
        else:
            self._catalog.connection.execute(
                "UPDATE frontier SET state = 'queued' WHERE state = 'failed' AND not_before > 0 AND not_before <= ?",
                (now,),
            )

    def apply_scope(self, scope: Scope, max_depth: int | None) -> None:
        """Filters the queue by the borders of this crawl, and takes back what earlier borders had refused."""
        self._filter(scope, max_depth, ("queued", "refused"), None)

    def restore(self, scope: Scope, host: str, max_depth: int | None) -> int:
        """Takes back what earlier borders had refused of a host; gives how many URLs."""
        return self._filter(scope, max_depth, ("refused",), host)

    def _filter(self, scope: Scope, max_depth: int | None, states: Sequence[str], host: str | None) -> int:
        count = 0
        for state in states:
            last = -1
            while not self._is_stopped() and (
                rows := self._catalog.rows(
                    "SELECT n, id, url, depth, kind, reason_refused, reason_code FROM frontier WHERE state = ? AND n > ? "
                    f"{'AND host = ?' if host else ''} ORDER BY n LIMIT ?",
                    (state, last, *([host] if host else []), _BATCH),
                )
            ):
                last = rows[-1]["n"]
                changes = []
                for row in rows:
                    if state == "refused" and row["reason_code"] not in BORDERS:
                        continue
                    reason = Reason(row["reason_code"], row["reason_refused"] or "")
                    verdict = scope.refusal(row["url"], depth=row["depth"]) or too_deep(row["depth"], max_depth)
                    if verdict is None and scope.remains(reason):
                        verdict = reason
                    if verdict is not None and verdict.code == SCOPE and row["kind"] == "seed":
                        verdict = None  # a seed is always in scope
                    if verdict != (reason if state == "refused" else None):
                        changes.append((verdict, verdict.code if verdict else "", row["id"]))
                with self._catalog.transaction() as connection:
                    connection.executemany(
                        "UPDATE frontier SET state = iif(?1 IS NULL, 'queued', 'refused'), reason_refused = ?1, "
                        "reason_code = ?2 WHERE id = ?3",
                        changes,
                    )
                count += len(changes)
        return count

    def hosts(self) -> list[tuple[str, float]]:
        """Hosts with queued URLs and their best priority."""
        return [
            tuple(row)
            for row in self._catalog.rows(
                "SELECT host, max(priority) FROM frontier WHERE state = 'queued' GROUP BY host"
            )
        ]

    def best(self, host: str, now: float) -> tuple[Lease, float | None] | None:
        """The best URL of a host that may be fetched now, and the priority of the one behind it.

        Args:
            host: as in :meth:`hosts`.
            now: URLs that must wait until later are left out, seconds since the epoch.
        """
        leased = self._leased.get(host, ())
        rows = self._catalog.tuples(_BEST, (host, now, 2 + len(leased)))
        free = [row for row in rows if row[0] not in leased] if leased else rows
        if not free:
            return None
        (row,) = self._catalog.tuples(_LEASE, (free[0][0],))
        return Lease(*row), free[1][1] if len(free) > 1 else None

    def lease(self, lease: Lease) -> None:
        """Notes that a URL is being fetched."""
        self._leased.setdefault(lease.host, set()).add(lease.id)

    def waiting(self, host: str, now: float) -> tuple[float, float] | None:
        """When the first of a host's URLs may be tried again, and the best priority of those that wait; None without."""
        first, priority = self._catalog.connection.execute(
            "SELECT min(not_before), max(priority) FROM frontier WHERE host = ? AND state = 'queued' AND not_before > ?",
            (host, now),
        ).fetchone()
        return None if first is None else (first, priority)

    def refuse(self, scope: Scope, host: str) -> int:
        """Takes what a changed border refuses out of the queue of a host; gives how many URLs."""
        rows = self._catalog.rows("SELECT id, url, depth FROM frontier WHERE host = ? AND state = 'queued'", (host,))
        changes = [
            (verdict, verdict.code, row["id"])
            for row in rows
            if (verdict := scope.refusal(row["url"], depth=row["depth"]))
        ]
        with self._catalog.transaction() as connection:
            connection.executemany(
                "UPDATE frontier SET state = 'refused', reason_refused = ?, reason_code = ? WHERE id = ?", changes
            )
        return len(changes)

    def finish(self, lease: Lease, state: str, reason: str | None = None, *, again: float = 0.0) -> None:
        """Ends a lease.

        Args:
            lease: that of :meth:`best`.
            state: ``fetched``, ``failed`` or ``refused``.
            reason: of a refusal or failure; with a code if later crawls look for it.
            again: from when on a later crawl tries it by itself, seconds since the epoch; 0: only when it is asked for.
        """
        self._leased[lease.host].discard(lease.id)
        self._catalog.connection.execute(
            "UPDATE frontier SET state = ?, reason_refused = ?, reason_code = ?, tries = tries + 1, not_before = ? "
            "WHERE id = ?",
            (state, reason, reason.code if isinstance(reason, Reason) else "", again, lease.id),
        )

    def retry(self, lease: Lease, not_before: float, *, count: bool = True) -> None:
        """Gives a lease back to be tried later."""
        self._leased[lease.host].discard(lease.id)
        self._catalog.connection.execute(
            "UPDATE frontier SET state = 'queued', not_before = ?, tries = tries + ? WHERE id = ?",
            (not_before, int(count), lease.id),
        )

    def add_links(self, source: int, targets: Sequence[int]) -> None:
        """Notes that a page links to these."""
        if targets:
            packed = struct.pack(f"<{len(targets)}q", *targets)
            self._catalog.connection.execute("INSERT OR REPLACE INTO outlinks VALUES (?, ?)", (source, packed))

    def existing(self, ids: Sequence[int]) -> set[int]:
        """Those of some keys that the frontier has, in whatever state."""
        found: set[int] = set()
        for start in range(0, len(ids), 500):
            part = ids[start : start + 500]
            marks = ", ".join("?" * len(part))
            found.update(row[0] for row in self._catalog.tuples(f"SELECT id FROM frontier WHERE id IN ({marks})", part))
        return found

    def queued(self, host: str | None = None) -> Iterator[list[dict[str, Any]]]:
        """The queued URLs, of a host or all, thousands at a time."""
        last, where = -1, "AND host = ?" if host else ""
        while not self._is_stopped() and (
            rows := [
                dict(row)
                for row in self._catalog.rows(
                    f"SELECT {_ROW} FROM frontier WHERE state = 'queued' AND n > ? {where} ORDER BY n LIMIT ?",
                    (last, *([host] if host else []), _BATCH),
                )
            ]
        ):
            last = rows[-1]["n"]
            yield rows

    def linking(self, score_of: Mapping[int, float]) -> Linking:
        """What the pages that link to queued URLs are like.

        Args:
            score_of: key of a page → its score; pages without one do not count.
        """
        import numpy as np

        execute = self._catalog.connection.execute
        ids = np.sort(
            np.fromiter((row[0] for row in execute("SELECT id FROM frontier WHERE state = 'queued'")), np.int64)
        )
        count, total, least, best = (np.full(len(ids), start) for start in (0.0, 0.0, 1.0, 0.0))
        if len(ids):
            for source, targets in execute("SELECT source, targets FROM outlinks"):
                if (score := score_of.get(source)) is not None:
                    linked = np.frombuffer(targets, dtype="<i8")
                    places = np.minimum(np.searchsorted(ids, linked), len(ids) - 1)
                    places = places[ids[places] == linked]
                    count[places] += 1.0
                    total[places] += score
                    least[places] = np.minimum(least[places], score)
                    best[places] = np.maximum(best[places], score)
        return Linking(ids, count, total, least, best)

    def refresh_parent_scores(self) -> None:
        """Gives every queued URL the best score of the pages that link to it, as the documents are scored now."""
        scored = self._catalog.rows("SELECT c.uri, s.relevance FROM current c JOIN scores s ON s.doc_id = c.doc_id")
        score_of = {url_id(row["uri"]): row["relevance"] for row in scored if "://" in row["uri"]}
        linking = self.linking(score_of)
        known = linking.count > 0
        with self._catalog.transaction() as connection:
            connection.execute("UPDATE frontier SET parent_score = NULL WHERE state = 'queued'")
            connection.executemany(
                "UPDATE frontier SET parent_score = ? WHERE id = ?",
                zip(linking.best[known].tolist(), linking.ids[known].tolist(), strict=True),
            )

    def set_priorities(self, values: Iterable[tuple[float, str, int]]) -> None:
        """Sets (priority, why, id)."""
        with self._catalog.transaction() as connection:
            connection.executemany("UPDATE frontier SET priority = ?, why = ? WHERE id = ?", values)

    def rescore(self, rank: Callable[[list[dict[str, Any]]], list[tuple[float, str]]], host: str | None = None) -> int:
        """Gives every queued URL, of a host or all, a new priority; gives how many."""
        count = 0
        for rows in self.queued(host):
            self.set_priorities(
                (priority, why, row["id"])
                for row, (priority, why) in zip(rows, rank(rows), strict=True)
                if abs(priority - row["priority"]) > _SAME
            )
            count += len(rows)
        return count


def too_deep(depth: int, max_depth: int | None) -> Reason | None:
    """Return why a URL is too many links away from a seed; None if it is not.

    Args:
        depth: Links from a seed.
        max_depth: The most that a crawl follows; None: any number.
    """
    return Reason("depth", f"depth over {max_depth}") if max_depth is not None and depth > max_depth else None
