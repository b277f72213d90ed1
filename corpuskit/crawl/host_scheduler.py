"""Host scheduler: selects the next host to fetch from, in O(log n) per request.

A host with queued URLs is in one of four states: *ready* (a heap ordered by priority), *waiting* until a time (a heap
ordered by time), *busy* with the maximum number of parallel requests, or *full* (the page limit of this call is
reached). Properties such as the end of a pause are checked only when a host is popped. The host then moves to its new
state.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from corpuskit.crawl.frontier import Frontier, Lease
from corpuskit.crawl.politeness import Politeness

_MAX_STALE: Final = 100  # outdated entries of a heap before it is rebuilt
_Entry = tuple[float, float, str]


class HostScheduler:
    """Hosts of a crawl that have queued URLs. Only the fetching loop may use it.

    Args:
        round_robin: Select the host with the fewest requests so far; else the host with the best URL.
        is_full: Return whether a host has reached its page limit of this call.
    """

    def __init__(
        self, frontier: Frontier, politeness: Politeness, *, round_robin: bool, is_full: Callable[[str], bool]
    ) -> None:
        self._frontier = frontier
        self._politeness = politeness
        self._round_robin = round_robin
        self._is_full = is_full
        self._priorities: dict[str, float] = {}  # host → upper bound of the priorities of its queue
        self._retry_times: dict[str, float] = {}  # host → earliest retry time, if all its URLs must wait
        self._request_counts: Counter[str] = Counter()
        self._full: set[str] = set()
        self._ready: list[_Entry] = []
        self._waiting: list[_Entry] = []
        # The current entry of each host. Other entries of the host in the heaps are outdated.
        self._is_ready: dict[str, _Entry] = {}
        self._is_waiting: dict[str, _Entry] = {}

    def set_priorities(self, priorities: Mapping[str, float]) -> None:
        """Set the best priority of each host's queue, as returned by :meth:`Frontier.hosts`."""
        for host, priority in priorities.items():
            is_new = host not in self._priorities
            self._priorities[host] = priority
            if is_new or host in self._is_ready:
                self._make_ready(host)

    def raise_priorities(self, priorities: Mapping[str, float]) -> None:
        """Raise the priorities of hosts that have new URLs, which may be fetched now."""
        for host, priority in priorities.items():
            old = self._priorities.get(host)
            if old is None or priority > old:
                self._priorities[host] = priority
                if old is None or host in self._is_ready:
                    self._make_ready(host)
            if host in self._retry_times:
                self._make_ready(host)

    def lease_next(self, now: float) -> Lease | None:
        """Lease and return the URL to fetch next; None if no host may be requested now.

        Args:
            now: Seconds since the epoch.
        """
        while self._waiting and self._waiting[0][0] <= now:
            entry = heapq.heappop(self._waiting)
            if self._is_waiting.get(entry[2]) is entry:
                self._make_ready(entry[2])
        while self._ready:
            entry = heapq.heappop(self._ready)
            host = entry[2]
            if self._is_ready.get(host) is not entry:
                continue
            del self._is_ready[host]
            state = self._politeness.state(host)
            if state.in_flight >= state.max_in_flight:
                continue  # release() makes it ready again
            if self._is_full(host):
                if not state.in_flight:
                    self._full.add(host)
                continue
            if state.next_allowed > now:
                self._make_wait(host, state.next_allowed)
                continue
            candidate = self._frontier.best(host, now)
            if candidate is None:
                self._wait_for_retry(host, now)
                continue
            lease, following = candidate
            expected, self._priorities[host] = self._priorities[host], lease.priority
            if (
                not self._round_robin
                and lease.priority < expected
                and self._ready
                and -lease.priority > self._ready[0][0]
            ):
                self._make_ready(host)  # its upper bound was too high: another host has a better URL
                continue
            self._frontier.lease(lease)
            self._request_counts[host] += 1
            state.in_flight += 1
            if following is not None:
                self._priorities[host] = following
            if state.in_flight < state.max_in_flight:
                self._make_ready(host)
            return lease
        return None

    def release(self, host: str) -> None:
        """Release a host after a request."""
        self._politeness.state(host).in_flight -= 1
        if host in self._priorities and host not in self._is_waiting:
            self._make_ready(host)

    @property
    def next_time(self) -> float | None:
        """Time when the first waiting host may be requested, in seconds since the epoch; None if no host waits."""
        while self._waiting and self._is_waiting.get(self._waiting[0][2]) is not self._waiting[0]:
            heapq.heappop(self._waiting)
        return self._waiting[0][0] if self._waiting else None

    @property
    def waiting(self) -> list[tuple[float, str]]:
        """(seconds since the epoch, host) of the waiting hosts, the earliest first."""
        return sorted((entry[0], host) for host, entry in self._is_waiting.items())

    @property
    def full(self) -> frozenset[str]:
        """Hosts with queued URLs that have reached their page limit of this call."""
        return frozenset(self._full)

    def _make_ready(self, host: str) -> None:
        self._is_waiting.pop(host, None)
        self._retry_times.pop(host, None)
        priority = self._priorities[host]
        entry = (float(self._request_counts[host]), -priority, host) if self._round_robin else (-priority, 0.0, host)
        self._is_ready[host] = entry
        _push(self._ready, entry, self._is_ready)

    def _make_wait(self, host: str, until: float) -> None:
        entry = (until, 0.0, host)
        self._is_waiting[host] = entry
        _push(self._waiting, entry, self._is_waiting)

    def _wait_for_retry(self, host: str, now: float) -> None:
        """Let a host wait for its first URL that must be retried later; remove it if no URL is queued."""
        retry = self._frontier.waiting(host, now)
        if retry is None:
            del self._priorities[host]
            return
        self._retry_times[host], self._priorities[host] = retry
        self._make_wait(host, retry[0])


def _push(heap: list[_Entry], entry: _Entry, valid: Mapping[str, _Entry]) -> None:
    heapq.heappush(heap, entry)
    if len(heap) > 2 * len(valid) + _MAX_STALE:
        heap[:] = valid.values()
        heapq.heapify(heap)
