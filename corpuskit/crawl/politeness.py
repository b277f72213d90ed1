"""Politeness: request delays and pauses of hosts, and their robots.txt files."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from corpuskit.crawl.scope import registered_domain
from corpuskit.errors import FetchError, RefusedError, ResourceLimitError, UnreachableError
from corpuskit.sources.web import Answer, Client, Robots, host_of
from corpuskit.sources.web.client import MAX_REDIRECTS
from corpuskit.store.catalog import Catalog, clean

_KEEP_ROBOTS: Final = 24 * 3600.0  # seconds; RFC 9309, 2.4: not longer than 24 hours
# Seconds until an unreachable host is requested again, longer after each failure. The first failures may be temporary.
_PAUSES: Final = (2.0, 8.0, 600.0, 1200.0, 2400.0, 3600.0)
_MAX_FAILURES: Final = 3  # consecutive failures of a host, after which its pages count as failed
_MAX_ROBOTS_REDIRECTS: Final = 5  # RFC 9309, 2.3.1.2
_MARGIN: Final = 1.02  # factor for the variation of network latency
_PATIENCE: Final = 5.0  # seconds that a scheduled request waits for its host, before another host is selected
_BACK_OFF: Final = 1.0  # seconds, doubled each time
_MAX_BACK_OFF: Final = 3600.0
_NO_RULES: Final = Robots()
_PER_HOST: Final = 4  # connections to a host without Crawl-delay, if the option delay is 0


class PausedError(FetchError):
    """The host is paused; the request must be repeated later."""


class ForbiddenError(FetchError):
    """robots.txt or the domain limit of a request forbids a URL."""


@dataclass(slots=True)
class HostState:
    """State of a host in this crawl.

    Attributes:
        robots: robots.txt by scheme; a missing scheme has not been requested yet.
        delay: Seconds between a response and the next request.
        next_allowed: Earliest time of the next request, in seconds since the epoch.
        in_flight: Number of requests in progress.
        failures: Number of consecutive failed or rejected requests.
        last_error: Why the host cannot be reached; empty if it can.
        paused_until: End of the current pause, in seconds since the epoch.
        has_read_sitemaps: Whether its sitemaps were read within the last day; None: not known yet.
    """

    delay: float
    robots: dict[str, Robots] = field(default_factory=dict)
    next_allowed: float = 0.0
    in_flight: int = 0
    failures: int = 0
    last_error: str = ""
    paused_until: float = 0.0
    has_read_sitemaps: bool | None = None

    @property
    def max_in_flight(self) -> int:
        """Maximum number of parallel requests."""
        return _PER_HOST if self.robots and self.delay == 0 else 1

    @property
    def is_unavailable(self) -> bool:
        """Whether the host was repeatedly unreachable and now has a long pause."""
        return bool(self.last_error) and self.failures >= _MAX_FAILURES


class Politeness:
    """Request delays, pauses and robots.txt of the hosts of a crawl, stored in the catalog."""

    def __init__(self, catalog: Catalog, delay: float) -> None:
        self._catalog = catalog
        self._delay = delay
        self._hosts: dict[str, HostState] = {}

    def state(self, host: str) -> HostState:
        """Return the state of a host."""
        state = self._hosts.get(host)
        if state is None:
            state = HostState(self._delay)
            row = self._catalog.connection.execute(
                "SELECT next_allowed, failures, trouble FROM hosts WHERE host = ?", (host,)
            ).fetchone()
            if row is not None:
                state.failures, state.last_error = row["failures"], row["trouble"]
                # Pauses of earlier processes hold. A clock that was set back must not block the host permanently.
                if row["next_allowed"] <= time.time() + _MAX_BACK_OFF:
                    state.next_allowed = row["next_allowed"]
            self._hosts[host] = state
        return state

    async def wait_for_turn(self, host: str, *, patient: bool = True) -> None:
        """Wait until the host may be requested, and record the start of a request.

        Args:
            host: The host.
            patient: Also wait for a long delay between two requests, for a request that continues an earlier one.

        Raises:
            PausedError: The host has a longer pause. Waiting here would block a connection.
        """
        state = self.state(host)
        while (wait := state.next_allowed - time.time()) > 0:
            if wait > max(_PATIENCE, 2 * state.delay if patient else 0.0):
                raise PausedError(state.last_error or "the server requested a pause", url=host)
            await asyncio.sleep(wait)
        self.record_request(host)

    def record_request(self, host: str) -> None:
        """Record that a request starts now."""
        state = self.state(host)
        state.next_allowed = max(state.next_allowed, time.time() + state.delay * _MARGIN)
        if state.delay:
            self._save(host, state)

    def record_response(self, host: str) -> None:
        """Record a response.

        The delay counts from the response on, since a busy event loop may send a request long after its recorded
        start.
        """
        state = self.state(host)
        if state.delay:
            state.next_allowed = max(state.next_allowed, time.time() + state.delay * _MARGIN)

    def back_off(self, host: str, seconds: float | None) -> float:
        """Pause a busy host and return the end of the pause, in seconds since the epoch.

        Args:
            host: The host.
            seconds: Pause requested by the server; None: an exponentially growing pause.
        """
        state = self.state(host)
        state.failures += 1
        wait = seconds if seconds is not None else max(_BACK_OFF, state.delay) * 2.0 ** min(state.failures, 10)
        state.next_allowed = max(state.next_allowed, time.time() + min(wait, _MAX_BACK_OFF))
        self._save(host, state)
        return state.next_allowed

    def record_success(self, host: str) -> None:
        """Record a successful request: reset failures and the last error."""
        state = self.state(host)
        if state.failures or state.last_error:
            state.failures, state.last_error = 0, ""
            self._save(host, state)

    def record_unreachable(self, host: str, cause: str, seconds: float | None = None) -> HostState:
        """Pause a host that cannot be reached, longer after each failure, and return its state.

        Args:
            host: The host.
            cause: Error message.
            seconds: Pause requested by the server.
        """
        state, now = self.state(host), time.time()
        state.last_error = cause
        if now < state.paused_until:
            return state  # this request started before the pause
        pause = max(_PAUSES[min(state.failures, len(_PAUSES) - 1)], min(seconds or 0.0, _MAX_BACK_OFF))
        state.failures += 1
        state.paused_until = now + pause
        state.next_allowed = max(state.next_allowed, state.paused_until)
        self._save(host, state)
        return state

    def clear_pauses(self, hosts: Iterable[str] | None = None) -> None:
        """End the pauses of unreachable hosts, of some or all. Pauses requested by servers stay."""
        update = "UPDATE hosts SET next_allowed = 0, failures = 0, trouble = '' WHERE trouble != ''"
        with self._catalog.transaction() as connection:
            if hosts is None:
                connection.execute(update)
            else:
                connection.executemany(f"{update} AND host = ?", [(host,) for host in hosts])

    async def robots(self, client: Client, scheme: str, host: str) -> Robots:
        """Return the robots.txt of a host. It is requested on first use and cached for a day.

        Raises:
            UnreachableError: It cannot be read, so nothing of the host may be fetched (RFC 9309, section 2.3.1.4).
            RefusedError: The host must not be requested.
        """
        state = self.state(host)
        if scheme not in state.robots:
            if state.last_error and time.time() < state.next_allowed:
                raise UnreachableError(state.last_error, url=f"{scheme}://{host}/robots.txt")  # the pause has not ended
            state.robots[scheme] = self.cached_robots(scheme, host) or await self._fetch(client, scheme, host)
            delay = state.robots[scheme].crawl_delay
            state.delay = max(self._delay, delay or 0.0)
            # The request for robots.txt counts too.
            state.next_allowed = max(state.next_allowed, time.time() + state.delay * _MARGIN)
        return state.robots[scheme]

    async def _fetch(self, client: Client, scheme: str, host: str) -> Robots:
        try:
            robots, status = await _request_robots(client, f"{scheme}://{host}/robots.txt")
        except UnreachableError as error:
            self._note_robots(host, None, f"unreachable: {error}" if error.status is None else str(error.status), 0.0)
            raise
        self.record_success(host)
        self._note_robots(host, f"{scheme}\n{robots.rules}", str(status), time.time(), robots)
        return robots

    def _note_robots(
        self, host: str, text: str | None, status: str, fetched: float, robots: Robots = _NO_RULES
    ) -> None:
        self._catalog.connection.execute(
            "INSERT INTO hosts (host, robots, robots_status, robots_fetched, crawl_delay, sitemaps) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (host) DO UPDATE SET robots = excluded.robots, "
            "robots_status = excluded.robots_status, robots_fetched = excluded.robots_fetched, "
            "crawl_delay = excluded.crawl_delay, sitemaps = excluded.sitemaps",
            (host, text, status, fetched, robots.crawl_delay, "\n".join(robots.sitemaps)),
        )

    def cached_robots(self, scheme: str, host: str) -> Robots | None:
        """Return the cached robots.txt of a host; None if it was not read within the last day."""
        row = self._catalog.connection.execute(
            "SELECT robots, robots_fetched, crawl_delay, sitemaps FROM hosts WHERE host = ?", (host,)
        ).fetchone()
        if row is None or row["robots"] is None or not 0 <= time.time() - row["robots_fetched"] < _KEEP_ROBOTS:
            return None
        cached_scheme, _, rules = row["robots"].partition("\n")
        sitemaps = tuple((row["sitemaps"] or "").split("\n")) if row["sitemaps"] else ()
        return Robots(rules, row["crawl_delay"], sitemaps) if cached_scheme == scheme else None

    def has_read_sitemaps(self, host: str) -> bool:
        """Return whether the sitemaps of a host were read within the last day."""
        state = self.state(host)
        if state.has_read_sitemaps is None:
            read = self._catalog.value("SELECT sitemaps_fetched FROM hosts WHERE host = ?", (host,))
            state.has_read_sitemaps = read is not None and 0 <= time.time() - read < _KEEP_ROBOTS
        return state.has_read_sitemaps

    def record_sitemaps_read(self, host: str) -> None:
        """Record that the sitemaps of a host have been read."""
        self.state(host).has_read_sitemaps = True
        self._catalog.connection.execute("UPDATE hosts SET sitemaps_fetched = ? WHERE host = ?", (time.time(), host))

    def _save(self, host: str, state: HostState) -> None:
        self._catalog.connection.execute(
            "INSERT INTO hosts (host, next_allowed, failures, trouble) VALUES (?, ?, ?, ?) ON CONFLICT (host) DO UPDATE "
            "SET next_allowed = excluded.next_allowed, failures = excluded.failures, trouble = excluded.trouble",
            (host, state.next_allowed, state.failures, clean(state.last_error)),
        )


class PoliteClient:
    """HTTP client that obeys the delays and the robots.txt of hosts.

    Attributes:
        client: The underlying client.
        politeness: State of the hosts.
    """

    def __init__(self, client: Client, politeness: Politeness) -> None:
        self.client = client
        self.politeness = politeness

    async def robots(self, url: str) -> Robots:
        """Return the robots.txt of the host of a URL; see :meth:`Politeness.robots`."""
        return await self.politeness.robots(self.client, url.partition("://")[0], host_of(url))

    async def request(
        self, url: str, headers: Mapping[str, str] | None = None, *, any_type: bool = True, patient: bool = True
    ) -> Answer:
        """Send one request as soon as the host may be requested.

        Args:
            url: A URL that robots.txt allows.
            headers: Additional request headers.
            any_type: Read responses of any media type.
            patient: See :meth:`Politeness.wait_for_turn`.

        Raises:
            PausedError: The host has a long pause.
            FetchError, RefusedError, ResourceLimitError: The server does not send a usable response.
        """
        host = host_of(url)
        await self.politeness.wait_for_turn(host, patient=patient)
        answer = await self.client.get(url, headers, any_type=any_type)
        self.politeness.record_response(host)
        return answer

    async def get(
        self, url: str, *, follow: bool = True, obey_robots: bool = True, same_domain: str | None = None
    ) -> Answer:
        """Return the response to a URL, if robots.txt allows it.

        Args:
            url: A canonical URL.
            follow: Follow redirects that robots.txt allows.
            obey_robots: Apply the rules of robots.txt. Its delay applies in any case.
            same_domain: A host. Redirects must stay in its registered domain.

        Raises:
            ForbiddenError: robots.txt forbids the URL or a redirect, or it leads to another domain.
            FetchError, RefusedError, ResourceLimitError: The server does not send a usable response.
        """
        for _ in range(MAX_REDIRECTS + 1):
            if same_domain is not None and registered_domain(host_of(url)) != registered_domain(same_domain):
                raise ForbiddenError("another domain", url=url)
            allowed, rule = (await self.robots(url)).verdict(url)
            if obey_robots and not allowed:
                raise ForbiddenError(f"robots.txt: {rule}", url=url)
            answer = await self.request(url)
            if answer.location is None or not follow:
                return answer
            url = answer.location
        raise FetchError(f"more than {MAX_REDIRECTS} redirects", url=url)


async def _request_robots(client: Client, url: str) -> tuple[Robots, int]:
    """Fetch robots.txt, following redirects, and return its rules and the HTTP status."""
    next_url, status = url, 0
    for _ in range(_MAX_ROBOTS_REDIRECTS + 1):
        try:
            answer = await client.get(next_url, any_type=True)
        except (RefusedError, UnreachableError):
            raise
        except (FetchError, ResourceLimitError) as error:
            raise UnreachableError(f"robots.txt cannot be read: {error}", url=url) from error
        status = answer.status
        if answer.location is not None:
            next_url = answer.location
            continue
        if status == 200:
            return Robots.parse(answer.content), status
        if status == 429 or status >= 500:
            cause = f"robots.txt cannot be read: the server answered {status} {answer.reason}"
            raise UnreachableError(cause, url=url, status=status, retry_after=answer.retry_after)
        break
    return _NO_RULES, status  # RFC 9309, 2.3.1.2 and 2.3.1.3: no robots.txt, or too many redirects
