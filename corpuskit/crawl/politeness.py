"""When which host may be asked again, and what its robots.txt says."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Final

from corpuskit.errors import FetchError, RefusedError, ResourceLimitError
from corpuskit.sources.web import Client, Robots
from corpuskit.store.catalog import Catalog

_KEEP_ROBOTS: Final = 24 * 3600.0  # seconds; RFC 9309, 2.4: not longer than 24 hours
_CLOSED_FOR: Final = 600.0  # seconds a host without readable robots.txt is left alone before it is asked again
_MAX_ROBOTS_REDIRECTS: Final = 5  # RFC 9309, 2.3.1.2
_MARGIN: Final = 1.02  # our clock and the server's differ by the way between
_MAX_BACK_OFF: Final = 3600.0
_PER_HOST: Final = 4  # connections to a host that asks for no delay, when we are told to wait for none


@dataclass(slots=True)
class HostState:
    """What is known about a host in this crawl.

    Attributes:
        robots: by scheme; None: not read yet.
        delay: seconds from an answer to the next request.
        next_allowed: when the next request may start, seconds since the epoch.
        in_flight: requests under way.
        failures: answers in a row that said "busy" or did not come.
        is_listed: its sitemaps were read within the last day.
    """

    delay: float
    robots: dict[str, Robots] = field(default_factory=dict)
    next_allowed: float = 0.0
    in_flight: int = 0
    failures: int = 0
    is_listed: bool | None = None

    @property
    def most_in_flight(self) -> int:
        """How many requests it may have at the same time."""
        return _PER_HOST if self.robots and self.delay == 0 else 1


class Politeness:
    """The hosts of a crawl."""

    def __init__(self, catalog: Catalog, delay: float) -> None:
        self._catalog = catalog
        self._delay = delay
        self._hosts: dict[str, HostState] = {}

    def of(self, host: str) -> HostState:
        """The state of a host."""
        state = self._hosts.get(host)
        if state is None:
            state = HostState(self._delay)
            row = self._catalog.connection.execute("SELECT next_allowed FROM hosts WHERE host = ?", (host,)).fetchone()
            # What an earlier process promised is kept; a clock that went back must not stop the host for good.
            if row is not None and row["next_allowed"] < time.time() + _MAX_BACK_OFF:
                state.next_allowed = row["next_allowed"]
            self._hosts[host] = state
        return state

    async def wait_for_turn(self, host: str) -> None:
        """Waits until the host may be asked, after robots.txt and beside other visits, and notes that it is asked."""
        state = self.of(host)
        while (wait := state.next_allowed - time.time()) > 0:
            await asyncio.sleep(wait)
        self.start(host)

    def start(self, host: str) -> None:
        """Notes that a request starts now."""
        state = self.of(host)
        state.next_allowed = max(state.next_allowed, time.time() + state.delay * _MARGIN)
        if state.delay:
            self._save(host, state)

    def heard(self, host: str) -> None:
        """Notes that an answer came. A request may be sent long after it was started, when the loop is busy between; so
        the delay counts from the answer on."""
        state = self.of(host)
        if state.delay:
            state.next_allowed = max(state.next_allowed, time.time() + state.delay * _MARGIN)

    def back_off(self, host: str, seconds: float | None) -> float:
        """The host is busy: waits as it asks, else longer each time; gives until when."""
        state = self.of(host)
        state.failures += 1
        wait = seconds if seconds is not None else max(1.0, state.delay) * 2.0 ** min(state.failures, 10)
        state.next_allowed = max(state.next_allowed, time.time() + min(wait, _MAX_BACK_OFF))
        self._save(host, state)
        return state.next_allowed

    def answered(self, host: str) -> None:
        """The host is well."""
        self.of(host).failures = 0

    async def robots(self, client: Client, scheme: str, host: str) -> Robots:
        """The host's robots.txt, read when first needed and kept for a day."""
        state = self.of(host)
        if scheme not in state.robots:
            state.robots[scheme] = self._kept(scheme, host) or await self._fetch(client, scheme, host)
            delay = state.robots[scheme].crawl_delay
            state.delay = max(self._delay, delay or 0.0)
            # Reading robots.txt was a request too.
            state.next_allowed = max(state.next_allowed, time.time() + state.delay * _MARGIN)
        return state.robots[scheme]

    def forget_closed(self, host: str) -> None:
        """Reads robots.txt again next time, after a while."""
        state = self.of(host)
        state.robots = {scheme: robots for scheme, robots in state.robots.items() if not robots.closed}
        state.next_allowed = max(state.next_allowed, time.time() + _CLOSED_FOR)

    async def _fetch(self, client: Client, scheme: str, host: str) -> Robots:
        url = f"{scheme}://{host}/robots.txt"
        robots, status = Robots(closed=True), "unreachable"
        try:
            for _ in range(_MAX_ROBOTS_REDIRECTS + 1):
                answer = await client.get(url, any_type=True)
                status = str(answer.status)
                if answer.location is not None:
                    url = answer.location
                    continue
                if answer.status == 200:
                    robots = Robots.parse(answer.content)
                elif 400 <= answer.status < 500 and answer.status != 429:
                    robots = Robots()
                break
            else:
                robots = Robots()  # RFC 9309, 2.3.1.2: more redirects count as unavailable
        except ResourceLimitError:
            robots, status = Robots(closed=True), "too large"
        except RefusedError:
            raise  # the host itself must not be asked
        except FetchError as error:
            status = f"unreachable: {error}"
        self._catalog.connection.execute(
            "INSERT INTO hosts (host, robots, robots_status, robots_fetched, crawl_delay, sitemaps) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (host) DO UPDATE SET robots = excluded.robots, "
            "robots_status = excluded.robots_status, robots_fetched = excluded.robots_fetched, "
            "crawl_delay = excluded.crawl_delay, sitemaps = excluded.sitemaps",
            (
                host, f"{scheme}\n{robots.rules}", status, 0.0 if robots.closed else time.time(), robots.crawl_delay,
                "\n".join(robots.sitemaps),
            ),
        )  # fmt: skip
        return robots

    def _kept(self, scheme: str, host: str) -> Robots | None:
        row = self._catalog.connection.execute(
            "SELECT robots, robots_fetched, crawl_delay, sitemaps FROM hosts WHERE host = ?", (host,)
        ).fetchone()
        if row is None or row["robots"] is None or not 0 <= time.time() - row["robots_fetched"] < _KEEP_ROBOTS:
            return None
        kept_scheme, _, rules = row["robots"].partition("\n")
        sitemaps = tuple((row["sitemaps"] or "").split("\n")) if row["sitemaps"] else ()
        return Robots(rules, row["crawl_delay"], sitemaps) if kept_scheme == scheme else None

    def is_listed(self, host: str) -> bool:
        """The host's sitemaps were read within the last day."""
        state = self.of(host)
        if state.is_listed is None:
            read = self._catalog.value("SELECT sitemaps_fetched FROM hosts WHERE host = ?", (host,))
            state.is_listed = read is not None and 0 <= time.time() - read < _KEEP_ROBOTS
        return state.is_listed

    def listed(self, host: str) -> None:
        """The host's sitemaps have been read."""
        self.of(host).is_listed = True
        self._catalog.connection.execute("UPDATE hosts SET sitemaps_fetched = ? WHERE host = ?", (time.time(), host))

    def _save(self, host: str, state: HostState) -> None:
        self._catalog.connection.execute(
            "INSERT INTO hosts (host, next_allowed) VALUES (?, ?) "
            "ON CONFLICT (host) DO UPDATE SET next_allowed = excluded.next_allowed",
            (host, state.next_allowed),
        )
