"""The frontier: every URL known to the corpus, with its state and priority, stored in the catalog.

States: queued → fetched | failed | refused. A URL that is being fetched is leased. Leases are kept in memory only. Since
one crawl runs at a time, the URLs that a killed crawl was fetching are still queued.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from corpuskit.crawl.scope import BORDERS, EMPTY, LISTING, PRIVATE, ROBOTS, SCOPE, Reason, UrlScope
from corpuskit.sources.web import host_of, url_key
from corpuskit.store.catalog import Catalog

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]

_BATCH: Final = 5000
_SEED_PRIORITY: Final = 1e9  # until the queue is ranked
_MAX_KNOWN: Final = 100_000  # URLs in memory, about 25 MB
# Leased URLs are queued too and come before the result, so only two columns are read per row.
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
_MIN_CHANGE: Final = 1e-3  # smaller changes of a priority are not stored


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
        """Whether the user named this URL, or a URL that redirects to it."""
        return self.kind == "seed"


@dataclass(frozen=True, slots=True)
class LinkStatistics:
    """Scores of the pages that link to queued URLs: one array element per URL, sorted by key.

    Attributes:
        ids: Keys of the queued URLs.
        count: Number of scored pages that link to each URL. If it is 0, ``minimum`` is 1 and ``maximum`` is 0.
        total: Sum of their scores.
        minimum, maximum: Smallest and largest of their scores.
    """

    ids: Ints
    count: Floats
    total: Floats
    minimum: Floats
    maximum: Floats


@lru_cache(maxsize=4096)  # the links of one page are looked up several times
def url_id(url: str) -> int:
    """Return the key of a URL in the frontier: 63 bits of the hash of its :func:`url_key`."""
    digest = hashlib.sha256(url_key(url).encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:8], "big") >> 1


class Frontier:
    """Frontier of one corpus. The caller holds the crawl lock.

    Args:
        is_stopped: Return whether the crawl is to stop. Passes over a long queue then end early, and the next crawl
            restarts them.
    """

    def __init__(self, catalog: Catalog, *, is_stopped: Callable[[], bool] = lambda: False) -> None:
        self._catalog = catalog
        self._is_stopped = is_stopped
        self._leased: dict[str, set[int]] = {}
        # Keys of recently added URLs: most links of a site lead to pages that were just added.
        self.known: dict[str, int] = {}

    def add(self, urls: Iterable[NewUrl]) -> int:
        """Add URLs and return the number of new ones. Known URLs are unchanged."""
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
        if len(self.known) > _MAX_KNOWN:
            self.known.clear()
        self.known.update((row[1], row[0]) for row in rows)
        return cursor.rowcount

    def add_seeds(self, urls: Sequence[str]) -> None:
        """Add URLs named by the user. A known link becomes a seed.

        Pages removed from the corpus are not queued again.
        """
        with self._catalog.transaction() as connection:
            self.add(NewUrl(url, 0, _SEED_PRIORITY, why="seed", kind="seed") for url in urls)
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
        """Return the URLs named by the user."""
        return [row["url"] for row in self._catalog.rows("SELECT url FROM frontier WHERE kind = 'seed'")]

    def is_listing_of_seeds(self, key: int) -> bool:
        """Return whether a URL is a sitemap or feed named by the user."""
        sql = "SELECT 1 FROM frontier WHERE id = ? AND kind = 'seed' AND reason_code = ?"
        return self._catalog.value(sql, (key, LISTING)) is not None

    def waiting_seeds(self, now: float) -> list[tuple[str, str]]:
        """Return (URL, error) of queued seeds that wait because their host could not be reached.

        Args:
            now: Seconds since the epoch.
        """
        return self._catalog.tuples(
            "SELECT f.url, h.trouble FROM frontier f JOIN hosts h ON h.host = f.host WHERE f.kind = 'seed' "
            "AND f.state = 'queued' AND h.trouble <> '' AND h.next_allowed > ? ORDER BY f.n",
            (now,),
        )

    def requeue_fetched(self) -> None:
        """Queue all fetched URLs again, to check them for changes."""
        self._catalog.connection.execute("UPDATE frontier SET state = 'queued', tries = 0 WHERE state = 'fetched'")

    def queue_private(self, *, everywhere: bool) -> int:
        """Queue URLs that were refused because of a private address, and return their number.

        Args:
            everywhere: Include hosts without a seed and without a fetched page, such as links of pages into a local
                network.
        """
        known = "SELECT host FROM frontier WHERE kind = 'seed' OR state = 'fetched'"
        return self._catalog.connection.execute(
            "UPDATE frontier SET state = 'queued', reason_refused = NULL, reason_code = '' "
            f"WHERE state = 'refused' AND reason_code = ? AND (? OR host IN ({known}))",
            (PRIVATE, everywhere),
        ).rowcount

    def queue_failed(self, now: float | None = None) -> None:
        """Queue failed URLs again, and those that robots.txt forbade.

        Args:
            now: Seconds since the epoch. Queue only temporary failures with an expired pause. None: queue all.
        """
        if now is None:
            # tries = 1 marks that a recorded failure must be removed after success.
            sql = f"UPDATE frontier SET state = 'queued', tries = 1, not_before = 0 WHERE {_WITHOUT_PAGE}"
            self._catalog.connection.execute(f"{sql} OR (state = 'refused' AND reason_code = '{ROBOTS}')")
        else:
            self._catalog.connection.execute(
                "UPDATE frontier SET state = 'queued' WHERE state = 'failed' AND not_before > 0 AND not_before <= ?",
                (now,),
            )

    def apply_scope(self, scope: UrlScope, max_depth: int | None) -> None:
        """Apply the scope of this crawl to the queue, and to URLs that earlier scopes refused."""
        self._filter(scope, max_depth, ("queued", "refused"), None)

    def restore(self, scope: UrlScope, host: str, max_depth: int | None) -> int:
        """Queue the URLs of a host that an earlier scope refused, and return the number of changes."""
        return self._filter(scope, max_depth, ("refused",), host)

    def _filter(self, scope: UrlScope, max_depth: int | None, states: Sequence[str], host: str | None) -> int:
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
                    verdict = scope.refusal(row["url"], depth=row["depth"]) or depth_refusal(row["depth"], max_depth)
                    if verdict is None and scope.still_applies(reason):
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
        """Return (host, best priority) of the hosts with queued URLs."""
        return [
            tuple(row)
            for row in self._catalog.rows(
                "SELECT host, max(priority) FROM frontier WHERE state = 'queued' GROUP BY host"
            )
        ]

    def best(self, host: str, now: float) -> tuple[Lease, float | None] | None:
        """Return the best URL of a host that may be fetched now, and the priority of the second best; None if there is
        no URL.

        Args:
            host: A host returned by :meth:`hosts`.
            now: Seconds since the epoch. URLs that must wait longer are ignored.
        """
        leased = self._leased.get(host, ())
        rows = self._catalog.tuples(_BEST, (host, now, 2 + len(leased)))
        free = [row for row in rows if row[0] not in leased] if leased else rows
        if not free:
            return None
        (row,) = self._catalog.tuples(_LEASE, (free[0][0],))
        return Lease(*row), free[1][1] if len(free) > 1 else None

    def lease(self, lease: Lease) -> None:
        """Mark a URL as being fetched."""
        self._leased.setdefault(lease.host, set()).add(lease.id)

    def waiting(self, host: str, now: float) -> tuple[float, float] | None:
        """Return the earliest retry time and the best priority of a host's URLs that must wait; None if no URL waits."""
        first, priority = self._catalog.connection.execute(
            "SELECT min(not_before), max(priority) FROM frontier WHERE host = ? AND state = 'queued' AND not_before > ?",
            (host, now),
        ).fetchone()
        return None if first is None else (first, priority)

    def refuse(self, scope: UrlScope, host: str) -> int:
        """Remove queued URLs of a host that the changed scope refuses, and return their number."""
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

    def finish(self, lease: Lease, state: str, reason: str | None = None, *, retry_at: float = 0.0) -> None:
        """End a lease.

        Args:
            lease: A lease returned by :meth:`best`.
            state: ``fetched``, ``failed`` or ``refused``.
            reason: Reason of a refusal or failure, with a code if later crawls search for it.
            retry_at: Time from which a later crawl retries the URL, in seconds since the epoch; 0: only on request.
        """
        self._leased[lease.host].discard(lease.id)
        self._catalog.connection.execute(
            "UPDATE frontier SET state = ?, reason_refused = ?, reason_code = ?, tries = tries + 1, not_before = ? "
            "WHERE id = ?",
            (state, reason, reason.code if isinstance(reason, Reason) else "", retry_at, lease.id),
        )

    def retry(self, lease: Lease, not_before: float, *, count: bool = True) -> None:
        """End a lease and queue its URL again."""
        self._leased[lease.host].discard(lease.id)
        self._catalog.connection.execute(
            "UPDATE frontier SET state = 'queued', not_before = ?, tries = tries + ? WHERE id = ?",
            (not_before, int(count), lease.id),
        )

    def add_links(self, source: int, targets: Sequence[int]) -> None:
        """Store the keys of the URLs that a page links to."""
        if targets:
            packed = struct.pack(f"<{len(targets)}q", *targets)
            self._catalog.connection.execute("INSERT OR REPLACE INTO outlinks VALUES (?, ?)", (source, packed))

    def existing(self, ids: Sequence[int]) -> set[int]:
        """Return the subset of keys that are in the frontier, in any state."""
        existing: set[int] = set()
        for start in range(0, len(ids), 500):
            part = ids[start : start + 500]
            marks = ", ".join("?" * len(part))
            existing.update(
                row[0] for row in self._catalog.tuples(f"SELECT id FROM frontier WHERE id IN ({marks})", part)
            )
        return existing

    def queued(self, host: str | None = None) -> Iterator[list[dict[str, Any]]]:
        """Yield the queued URLs of a host or of all hosts, in batches."""
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

    def link_statistics(self, score_of: Mapping[int, float]) -> LinkStatistics:
        """Return statistics of the pages that link to queued URLs.

        Args:
            score_of: Key of a page → its score. Pages without a score are ignored.
        """
        import numpy as np

        execute = self._catalog.connection.execute
        ids = np.sort(
            np.fromiter((row[0] for row in execute("SELECT id FROM frontier WHERE state = 'queued'")), np.int64)
        )
        count, total, minimum, maximum = (np.full(len(ids), start) for start in (0.0, 0.0, 1.0, 0.0))
        if len(ids):
            for source, targets in execute("SELECT source, targets FROM outlinks"):
                if (score := score_of.get(source)) is not None:
                    linked = np.frombuffer(targets, dtype="<i8")
                    positions = np.minimum(np.searchsorted(ids, linked), len(ids) - 1)
                    positions = positions[ids[positions] == linked]
                    count[positions] += 1.0
                    total[positions] += score
                    minimum[positions] = np.minimum(minimum[positions], score)
                    maximum[positions] = np.maximum(maximum[positions], score)
        return LinkStatistics(ids, count, total, minimum, maximum)

    def refresh_parent_scores(self) -> None:
        """Set the parent score of each queued URL to the best current score of the pages that link to it."""
        scored = self._catalog.rows("SELECT c.uri, s.relevance FROM current c JOIN scores s ON s.doc_id = c.doc_id")
        score_of = {url_id(row["uri"]): row["relevance"] for row in scored if "://" in row["uri"]}
        link_statistics = self.link_statistics(score_of)
        known = link_statistics.count > 0
        with self._catalog.transaction() as connection:
            connection.execute("UPDATE frontier SET parent_score = NULL WHERE state = 'queued'")
            connection.executemany(
                "UPDATE frontier SET parent_score = ? WHERE id = ?",
                zip(link_statistics.maximum[known].tolist(), link_statistics.ids[known].tolist(), strict=True),
            )

    def set_priorities(self, values: Iterable[tuple[float, str, int]]) -> None:
        """Store (priority, reason, key) of queued URLs."""
        with self._catalog.transaction() as connection:
            connection.executemany("UPDATE frontier SET priority = ?, why = ? WHERE id = ?", values)

    def rescore(self, rank: Callable[[list[dict[str, Any]]], list[tuple[float, str]]], host: str | None = None) -> int:
        """Rank the queued URLs of a host or of all hosts again, and return their number."""
        count = 0
        for rows in self.queued(host):
            self.set_priorities(
                (priority, why, row["id"])
                for row, (priority, why) in zip(rows, rank(rows), strict=True)
                if abs(priority - row["priority"]) > _MIN_CHANGE
            )
            count += len(rows)
        return count


def depth_refusal(depth: int, max_depth: int | None) -> Reason | None:
    """Return a refusal if a URL is too many links away from a seed, else None.

    Args:
        depth: Number of links from a seed.
        max_depth: Maximum number of links; None: unlimited.
    """
    return Reason("depth", f"depth over {max_depth}") if max_depth is not None and depth > max_depth else None
