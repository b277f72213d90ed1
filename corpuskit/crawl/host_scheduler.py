"""Which host is asked next: a choice among thousands of hosts that costs the logarithm of their number.

A host with queued URLs is in one of four places: *ready* (a heap by rank), *waiting* until a time (a heap by time), *busy*
with as many requests as it may have at once, or *full* of what it may get in this call. What is not known of a host before
it is looked at, such as its pause, is found out when its turn comes, and it moves to where it belongs.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from corpuskit.crawl.frontier import Frontier, Lease
from corpuskit.crawl.politeness import Politeness

_SLACK: Final = 100  # outdated entries of a heap before it is made anew
_Entry = tuple[float, float, str]


class Turns:
    """The hosts of a crawl that have queued URLs; used by the fetching loop only.

    Args:
        in_turns: the host that has had the fewest turns is next, whatever came of them; else the one with the best URL.
        is_full: whether a host has got as many pages as it may in this call.
    """

    def __init__(
        self, frontier: Frontier, politeness: Politeness, *, in_turns: bool, is_full: Callable[[str], bool]
    ) -> None:
        self._frontier = frontier
        self._politeness = politeness
        self._in_turns = in_turns
        self._is_full = is_full
        self._heads: dict[str, float] = {}  # host → at least the best priority of its queue
        self._until: dict[str, float] = {}  # host → when the first of its URLs may be tried, where all must wait
        self._taken: Counter[str] = Counter()
        self._full: set[str] = set()
        self._ready: list[_Entry] = []
        self._waiting: list[_Entry] = []
        # The one entry of a host that counts; others in the heaps are outdated.
        self._is_ready: dict[str, _Entry] = {}
        self._is_waiting: dict[str, _Entry] = {}

    def update(self, heads: Mapping[str, float]) -> None:
        """Takes the best priority of each host's queue, as :meth:`Frontier.hosts` gives them."""
        for host, head in heads.items():
            is_new = host not in self._heads
            self._heads[host] = head
            if is_new or host in self._is_ready:
                self._make_ready(host)

    def raise_heads(self, heads: Mapping[str, float]) -> None:
        """Notes that hosts have URLs of such priorities that may be fetched now."""
        for host, head in heads.items():
            old = self._heads.get(host)
            if old is None or head > old:
                self._heads[host] = head
                if old is None or host in self._is_ready:
                    self._make_ready(host)
            if host in self._until:
                self._make_ready(host)

    def next(self, now: float) -> Lease | None:
        """Leases the URL to be fetched next; None: no host may be asked now.

        Args:
            now: seconds since the epoch.
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
            state = self._politeness.of(host)
            if state.in_flight >= state.most_in_flight:
                continue  # ended() brings it back
            if self._is_full(host):
                if not state.in_flight:
                    self._full.add(host)
                continue
            if state.next_allowed > now:
                self._make_wait(host, state.next_allowed)
                continue
            found = self._frontier.best(host, now)
            if found is None:
                self._look_for_waiting(host, now)
                continue
            lease, following = found
            best, self._heads[host] = self._heads[host], lease.priority
            if not self._in_turns and lease.priority < best and self._ready and -lease.priority > self._ready[0][0]:
                self._make_ready(host)  # it promised more than it has: another host is better
                continue
            self._frontier.lease(lease)
            self._taken[host] += 1
            state.in_flight += 1
            if following is not None:
                self._heads[host] = following
            if state.in_flight < state.most_in_flight:
                self._make_ready(host)
            return lease
        return None

    def ended(self, host: str) -> None:
        """Notes that a visit is over."""
        self._politeness.of(host).in_flight -= 1
        if host in self._heads and host not in self._is_waiting:
            self._make_ready(host)

    @property
    def next_time(self) -> float | None:
        """When the first of the waiting hosts may be asked, seconds since the epoch; None where none waits."""
        while self._waiting and self._is_waiting.get(self._waiting[0][2]) is not self._waiting[0]:
            heapq.heappop(self._waiting)
        return self._waiting[0][0] if self._waiting else None

    @property
    def waiting(self) -> list[tuple[float, str]]:
        """(seconds since the epoch, host) of the hosts that wait, the first one first."""
        return sorted((entry[0], host) for host, entry in self._is_waiting.items())

    @property
    def full(self) -> frozenset[str]:
        """Hosts that have queued URLs and get no more in this call."""
        return frozenset(self._full)

    def _make_ready(self, host: str) -> None:
        self._is_waiting.pop(host, None)
        self._until.pop(host, None)
        head = self._heads[host]
        entry = (float(self._taken[host]), -head, host) if self._in_turns else (-head, 0.0, host)
        self._is_ready[host] = entry
        _push(self._ready, entry, self._is_ready)

    def _make_wait(self, host: str, until: float) -> None:
        entry = (until, 0.0, host)
        self._is_waiting[host] = entry
        _push(self._waiting, entry, self._is_waiting)

    def _look_for_waiting(self, host: str, now: float) -> None:
        """A host without a URL for now waits for the first of those that must be tried later, or is forgotten."""
        later = self._frontier.waiting(host, now)
        if later is None:
            del self._heads[host]
            return
        self._until[host], self._heads[host] = later
        self._make_wait(host, later[0])


def _push(heap: list[_Entry], entry: _Entry, valid: Mapping[str, _Entry]) -> None:
    heapq.heappush(heap, entry)
    if len(heap) > 2 * len(valid) + _SLACK:
        heap[:] = valid.values()
        heapq.heapify(heap)
