"""When which host may be asked again, and what its robots.txt says."""

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
# Seconds a host that cannot be reached is left alone, longer each time; at first it may be a moment's trouble.
_PAUSES: Final = (2.0, 8.0, 600.0, 1200.0, 2400.0, 3600.0)
_GIVEN_UP: Final = 3  # times in a row that a host was not reached, before its pages count as failed
_MAX_ROBOTS_REDIRECTS: Final = 5  # RFC 9309, 2.3.1.2
_MARGIN: Final = 1.02  # our clock and the server's differ by the way between
_PATIENCE: Final = 5.0  # seconds a request that is due waits for a busy host, before another host has its place
_BACK_OFF: Final = 1.0  # seconds, doubled each time
_MAX_BACK_OFF: Final = 3600.0
_NO_RULES: Final = Robots()
_PER_HOST: Final = 4  # connections to a host that asks for no delay, when we are told to wait for none


class PausedError(FetchError):
    """A host has a pause; whoever meets this comes back later."""


class ForbiddenError(FetchError):
    """robots.txt, or the border of what is read, forbids a URL."""


@dataclass(slots=True)
class HostState:
    """What is known about a host in this crawl.

    Attributes:
        robots: by scheme; None: not read yet.
        delay: seconds from an answer to the next request.
        next_allowed: when the next request may start, seconds since the epoch.
        in_flight: requests under way.
        failures: answers in a row that said "busy" or did not come.
        trouble: why it cannot be reached; empty where it can.
        paused_until: the end of its present pause, seconds since the epoch.
        is_listed: its sitemaps were read within the last day.
    """

    delay: float
    robots: dict[str, Robots] = field(default_factory=dict)
    next_allowed: float = 0.0
    in_flight: int = 0
    failures: int = 0
    trouble: str = ""
    paused_until: float = 0.0
    is_listed: bool | None = None

    @property
    def most_in_flight(self) -> int:
        """How many requests it may have at the same time."""
        return _PER_HOST if self.robots and self.delay == 0 else 1

    @property
    def is_given_up(self) -> bool:
        """It was not reached again and again, and has a long pause now."""
        return bool(self.trouble) and self.failures >= _GIVEN_UP


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
            row = self._catalog.connection.execute(
                "SELECT next_allowed, failures, trouble FROM hosts WHERE host = ?", (host,)
            ).fetchone()
            if row is not None:
                state.failures, state.trouble = row["failures"], row["trouble"]
                # What an earlier process promised is kept; a clock that went back must not stop the host for good.
                if row["next_allowed"] <= time.time() + _MAX_BACK_OFF:
                    state.next_allowed = row["next_allowed"]
            self._hosts[host] = state
        return state

    async def wait_for_turn(self, host: str, *, patient: bool = True) -> None:
        """Waits until the host may be asked, after robots.txt and beside other visits, and notes that it is asked.

        Args:
            patient: waits for a long delay between two requests too, since what was begun would be lost.

        Raises:
            PausedError: the host wants to be left alone for longer; waiting here would keep others waiting.
        """
        state = self.of(host)
        while (wait := state.next_allowed - time.time()) > 0:
            if wait > max(_PATIENCE, 2 * state.delay if patient else 0.0):
                raise PausedError(state.trouble or "the server asks for a pause", url=host)
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
        wait = seconds if seconds is not None else max(_BACK_OFF, state.delay) * 2.0 ** min(state.failures, 10)
        state.next_allowed = max(state.next_allowed, time.time() + min(wait, _MAX_BACK_OFF))
        self._save(host, state)
        return state.next_allowed

    def answered(self, host: str) -> None:
        """The host is well."""
        state = self.of(host)
        if state.failures or state.trouble:
            state.failures, state.trouble = 0, ""
            self._save(host, state)

    def unreachable(self, host: str, cause: str, seconds: float | None = None) -> HostState:
        """The host cannot be reached: leaves it alone, longer each time.

        Args:
            cause: in plain words.
            seconds: how long it asks to be left alone.
        """
        state, moment = self.of(host), time.time()
        state.trouble = cause
        if moment < state.paused_until:
            return state  # another request of those that were under way when the pause began
        pause = max(_PAUSES[min(state.failures, len(_PAUSES) - 1)], min(seconds or 0.0, _MAX_BACK_OFF))
        state.failures += 1
        state.paused_until = moment + pause
        state.next_allowed = max(state.next_allowed, state.paused_until)
        self._save(host, state)
        return state

    def forgive(self, hosts: Iterable[str] | None = None) -> None:
        """Ends the pauses of hosts that could not be reached, of some or all; what a server asked for is kept."""
        forgive = "UPDATE hosts SET next_allowed = 0, failures = 0, trouble = '' WHERE trouble != ''"
        with self._catalog.transaction() as connection:
            if hosts is None:
                connection.execute(forgive)
            else:
                connection.executemany(f"{forgive} AND host = ?", [(host,) for host in hosts])

    async def robots(self, client: Client, scheme: str, host: str) -> Robots:
        """The host's robots.txt, read when first needed and kept for a day.

        Raises:
            UnreachableError: it cannot be had, so that nothing of the host may be fetched (RFC 9309, 2.3.1.4).
            RefusedError: the host itself must not be asked.
        """
        state = self.of(host)
        if scheme not in state.robots:
            if state.trouble and time.time() < state.next_allowed:
                raise UnreachableError(state.trouble, url=f"{scheme}://{host}/robots.txt")  # it has its pause
            state.robots[scheme] = self.kept_robots(scheme, host) or await self._fetch(client, scheme, host)
            delay = state.robots[scheme].crawl_delay
            state.delay = max(self._delay, delay or 0.0)
            # Reading robots.txt was a request too.
            state.next_allowed = max(state.next_allowed, time.time() + state.delay * _MARGIN)
        return state.robots[scheme]

    async def _fetch(self, client: Client, scheme: str, host: str) -> Robots:
        try:
            robots, status = await _ask_robots(client, f"{scheme}://{host}/robots.txt")
        except UnreachableError as error:
            self._note_robots(host, None, f"unreachable: {error}" if error.status is None else str(error.status), 0.0)
            raise
        self.answered(host)
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

    def kept_robots(self, scheme: str, host: str) -> Robots | None:
        """Return the host's robots.txt where it was read within the last day; None where it was not."""
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
            "INSERT INTO hosts (host, next_allowed, failures, trouble) VALUES (?, ?, ?, ?) ON CONFLICT (host) DO UPDATE "
            "SET next_allowed = excluded.next_allowed, failures = excluded.failures, trouble = excluded.trouble",
            (host, state.next_allowed, state.failures, clean(state.trouble)),
        )


class PoliteClient:
    """HTTP client that keeps the delays of hosts and follows their robots.txt.

    Attributes:
        client: The client without manners, for what needs none.
        politeness: The hosts of the crawl.
    """

    def __init__(self, client: Client, politeness: Politeness) -> None:
        self.client = client
        self.politeness = politeness

    async def robots(self, url: str) -> Robots:
        """Return the robots.txt of the host of a URL; see :meth:`Politeness.robots`."""
        return await self.politeness.robots(self.client, url.partition("://")[0], host_of(url))

    async def ask(
        self, url: str, headers: Mapping[str, str] | None = None, *, any_type: bool = True, patient: bool = True
    ) -> Answer:
        """Send one request when the host may be asked.

        Args:
            url: A URL that robots.txt allows.
            headers: More request headers.
            any_type: Answers of any media type are read.
            patient: Wait for a long delay too; see :meth:`Politeness.wait_for_turn`.

        Raises:
            PausedError: The host has a long pause.
            FetchError, RefusedError, ResourceLimitError: There is no answer that can be used.
        """
        host = host_of(url)
        await self.politeness.wait_for_turn(host, patient=patient)
        answer = await self.client.get(url, headers, any_type=any_type)
        self.politeness.heard(host)
        return answer

    async def get(
        self, url: str, *, follow: bool = True, obey_robots: bool = True, same_domain: str | None = None
    ) -> Answer:
        """Return the answer to a URL that robots.txt allows.

        Args:
            url: A canonical URL.
            follow: Follow redirects, as robots.txt allows.
            obey_robots: The rules of robots.txt count; its delay is kept in any case.
            same_domain: A host with the registered domain that redirects must not leave.

        Raises:
            ForbiddenError: robots.txt forbids the URL or a redirect, or it leads to another domain.
            FetchError, RefusedError, ResourceLimitError: There is no answer that can be used.
        """
        for _ in range(MAX_REDIRECTS + 1):
            if same_domain is not None and registered_domain(host_of(url)) != registered_domain(same_domain):
                raise ForbiddenError("another domain", url=url)
            allowed, rule = (await self.robots(url)).verdict(url)
            if obey_robots and not allowed:
                raise ForbiddenError(f"robots.txt: {rule}", url=url)
            answer = await self.ask(url)
            if answer.location is None or not follow:
                return answer
            url = answer.location
        raise FetchError(f"more than {MAX_REDIRECTS} redirects", url=url)


async def _ask_robots(client: Client, url: str) -> tuple[Robots, int]:
    """What robots.txt says, and the status of the answer; redirects are followed."""
    asked, status = url, 0
    for _ in range(_MAX_ROBOTS_REDIRECTS + 1):
        try:
            answer = await client.get(asked, any_type=True)
        except (RefusedError, UnreachableError):
            raise
        except (FetchError, ResourceLimitError) as error:
            raise UnreachableError(f"robots.txt cannot be read: {error}", url=url) from error
        status = answer.status
        if answer.location is not None:
            asked = answer.location
            continue
        if status == 200:
            return Robots.parse(answer.content), status
        if status == 429 or status >= 500:
            cause = f"robots.txt cannot be read: the server answered {status} {answer.reason}"
            raise UnreachableError(cause, url=url, status=status, retry_after=answer.retry_after)
        break
    return _NO_RULES, status  # RFC 9309, 2.3.1.2 and 2.3.1.3: not there, or redirects without end
