"""Fetches URLs: with limits on time and size, TLS always verified, and no way into private networks."""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import socket
import time
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from corpuskit.dates import parse_http_date
from corpuskit.errors import ConfigurationError, FetchError, MissingExtraError, RefusedError, ResourceLimitError
from corpuskit.sources.media import UNKNOWN, detect_media_type
from corpuskit.sources.web.causes import explained
from corpuskit.sources.web.urls import advice, canonical_url, host_of

if TYPE_CHECKING:
    import aiohttp

MAX_REDIRECTS: Final = 7
MAX_BYTES: Final = 20_000_000  # decoded
_CHUNK: Final = 1 << 16
CREDENTIALS: Final = frozenset({"authorization", "cookie", "proxy-authorization"})
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_ACCEPTED: Final = ("text/", "application/xhtml", "application/pdf", "application/xml", "application/rss", "application/atom",
                    "application/rdf", "application/json", "application/feed", "application/msword",
                    "application/vnd.openxmlformats", "application/vnd.ms-word", "application/gzip", "application/x-gzip",
                    "application/octet-stream")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered.

    Args:
        reason: The reason phrase.

    Attributes:
        uri: the URL that was asked.
        status: the HTTP status.
        headers: as received, names in lower case, several of one name joined by ``", "``.
        content: the body, decoded; empty for redirects.
        media_type: from the content, else as declared.
        charset: as declared in Content-Type.
        location: where a redirect leads, canonical.
        fetched: when the request was sent, UTC.
        response_ms: until the headers were there.
        download_ms: from there to the end of the body.
    """

    uri: str
    status: int
    reason: str
    headers: dict[str, str]
    content: bytes
    media_type: str
    charset: str | None
    location: str | None
    fetched: datetime
    response_ms: int
    download_ms: int

    @property
    def modified(self) -> datetime | None:
        """Last-Modified, UTC."""
        return parse_http_date(self.headers.get("last-modified"))

    @property
    def retry_after(self) -> float | None:
        """Retry-After in seconds from now."""
        value = self.headers.get("retry-after", "").strip()
        if value.isdigit():
            return float(min(int(value), 86_400))
        date = parse_http_date(value)
        return max(0.0, (date - datetime.now(UTC)).total_seconds()) if date else None


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """How to fetch.

    Attributes:
        contact: where a webmaster can reach the user; part of the User-Agent.
        proxy: URL of an HTTP proxy; names are then resolved by it.
        allow_private: private and loopback addresses may be fetched.
        allowed_hosts: host:port names for which they may.
        headers: more request headers; those with credentials go to ``cookie_hosts`` only. Never logged.
        cookies: sent to the hosts of ``cookie_hosts`` only. Never logged.
        passwords: name of a host → user and password for it, in HTTP's basic form. Never logged.
    """

    contact: str = ""
    proxy: str | None = None
    allow_private: bool = False
    allowed_hosts: frozenset[str] = frozenset()
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    cookies: Mapping[str, str] = field(default_factory=dict, repr=False)
    passwords: Mapping[str, tuple[str, str]] = field(default_factory=dict, repr=False)
    cookie_hosts: frozenset[str] = frozenset()
    max_bytes: int = MAX_BYTES
    connect_seconds: float = 10.0
    read_seconds: float = 20.0
    total_seconds: float = 60.0
    connections: int = 32


def user_agent(contact: str = "") -> str:
    """What we call ourselves: the product token that robots.txt can name, the version, and whom to ask."""
    from corpuskit._version import __version__

    return f"corpuskit/{__version__}" + (f" (+{' '.join(contact.split())})" if contact.strip() else "")


class PrivateAddressError(RefusedError):
    """A private address, which nobody allowed in this call."""


class Client:
    """An HTTP client for one event loop; used as an asynchronous context manager.

    Args:
        options: How it asks.
    """

    def __init__(self, options: ClientOptions) -> None:
        self.options = options
        self.user_agent = user_agent(options.contact)
        self.has_asked_private = False
        """It was allowed a private address, and asked it."""
        self._private: dict[str, str] = {}  # host → why it is refused
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        try:
            import aiohttp
        except ImportError:
            raise MissingExtraError("aiohttp", "crawl") from None
        options = self.options
        connector = aiohttp.TCPConnector(limit=options.connections, resolver=_guarded_resolver(self), ttl_dns_cache=300)
        timeout = aiohttp.ClientTimeout(
            total=options.total_seconds, sock_connect=options.connect_seconds, sock_read=options.read_seconds
        )
        self._session = aiohttp.ClientSession(
            connector=connector, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar(), trust_env=False
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._session is not None
        await self._session.close()
        # The loop would wait for its threads, one of which may look up a name that no server answers for.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))

    def request_headers(self, url: str, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the headers of a request.

        Args:
            url: The URL.
            more: Headers of this request.
        """
        host, options = host_of(url), self.options
        is_trusted = host in options.cookie_hosts
        headers = {
            "User-Agent": self.user_agent,
            "Accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.5",
            **{k: v for k, v in options.headers.items() if is_trusted or k.lower() not in CREDENTIALS},
            **(more or {}),
        }
        if options.cookies and is_trusted:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in options.cookies.items())
        if options.passwords and (known := options.passwords.get(_name_of(host))) is not None:
            headers["Authorization"] = "Basic " + base64.b64encode(":".join(known).encode()).decode()
        return headers

    async def get(self, url: str, headers: Mapping[str, str] | None = None, *, any_type: bool = False) -> Answer:
        """Make one GET, without following redirects.

        Args:
            url: canonical.
            headers: more request headers, as for conditional requests.
            any_type: read a body of any media type.

        Raises:
            RefusedError: a private address, or a media type we do not collect.
            ResourceLimitError: the body is too large.
            UnreachableError: no connection to the host.
            FetchError: no answer, or a cut one.
        """
        import aiohttp

        assert self._session is not None
        self.check_address(url)
        sent, start = datetime.now(UTC), time.monotonic()
        try:
            async with self._session.get(
                # The canonical form is what the server is to get; yarl must not touch it.
                _encoded(url), headers=self.request_headers(url, headers), proxy=self.options.proxy,
                allow_redirects=False,
            ) as response:  # fmt: skip
                answered = time.monotonic()
                content = b"" if response.status in _REDIRECTS else await self._read(response, url, any_type=any_type)
                return _answer(url, response, content, sent, start, answered)
        except TimeoutError as error:
            raise explained(error, url) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if isinstance(error, (FetchError, ResourceLimitError)):
                raise
            cause = error.__cause__ or error.__context__
            if isinstance(cause, PrivateAddressError):
                self._private[host_of(url)] = str(cause)
            if isinstance(cause, RefusedError):
                raise cause from None
            raise explained(error, url) from error

    async def _read(self, response: aiohttp.ClientResponse, url: str, *, any_type: bool) -> bytes:
        declared = response.headers.get("Content-Type", "").strip().lower()
        if not any_type and declared and not declared.startswith(_ACCEPTED):
            response.close()
            raise RefusedError(f"media type {declared.partition(';')[0][:60]}", url=url, status=response.status)
        parts, size = [], 0
        async for chunk in response.content.iter_chunked(_CHUNK):
            size += len(chunk)
            if size > self.options.max_bytes:
                response.close()
                raise ResourceLimitError(f"more than {self.options.max_bytes:,} bytes")
            parts.append(chunk)
        return b"".join(parts)

    def check_address(self, url: str) -> None:
        """Refuse private addresses without a request: those written as such, and hosts whose names led to one.

        Other names are checked when they are resolved, or by the proxy's rule.

        Args:
            url: The URL that is to be asked for.

        Raises:
            PrivateAddressError: nobody allowed it in this call.
        """
        host_port = host_of(url)
        host = _name_of(host_port)
        if self.options.allow_private or host_port in self.options.allowed_hosts:
            self.has_asked_private = self.has_asked_private or is_private_literal(host)
            return
        if is_private_literal(host):
            raise PrivateAddressError(f"private address {host}", url=url)
        if self.options.proxy and (host == "localhost" or host.endswith(".localhost") or "." not in host):
            raise PrivateAddressError(f"local name {host}", url=url)
        if host_port in self._private:
            raise PrivateAddressError(self._private[host_port], url=url)


def _name_of(host_port: str) -> str:
    """A host without its port and brackets."""
    host = host_port.rpartition(":")[0] if not host_port.endswith("]") and ":" in host_port else host_port
    return host.strip("[]")


def read_netrc(file: str | bool) -> dict[str, tuple[str, str]]:
    """Host → user and password, of a netrc file; ``True`` is that of the user. Its ``default`` entry is left out.

    Raises:
        ConfigurationError: the file cannot be read.
    """
    import netrc

    if not file:
        return {}
    try:
        hosts = netrc.netrc(None if file is True else file).hosts
    except (OSError, netrc.NetrcParseError) as error:
        raise ConfigurationError(f"netrc: {error}") from error
    return {host.lower(): (user, word or "") for host, (user, _, word) in hosts.items() if host != "default"}


def is_public(address: str) -> bool:
    """The address is one of the public Internet, also as seen through IPv6 transition forms."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is None and ip in ipaddress.ip_network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return inner.is_global and not inner.is_multicast
    return ip.is_global and not ip.is_multicast


@dataclass(frozen=True)
class GuardedSession:
    """Makes sessions of aiohttp for other clients that, as a crawl, connect to public addresses, also where redirects lead.

    Args:
        named: a host that the user has named; where its addresses are private, they may be.
    """

    named: str = ""

    async def __call__(self, **options: Any) -> aiohttp.ClientSession:
        """Return a session.

        Args:
            options: of :class:`aiohttp.ClientSession`.
        """
        import aiohttp

        if not self.named or not await self._is_private():
            options["connector"] = aiohttp.TCPConnector(socket_factory=_public_socket)
        return aiohttp.ClientSession(**options)

    async def _is_private(self) -> bool:
        try:
            found = await asyncio.get_running_loop().getaddrinfo(self.named, None)
        except OSError:
            return False
        return not all(is_public(str(address[0])) for *_, address in found)


def _public_socket(info: tuple[Any, Any, int, str, tuple[Any, ...]]) -> socket.socket:
    family, kind, protocol, _, address = info
    if not is_public(str(address[0])):
        raise RefusedError("its host has a private address")
    return socket.socket(family, kind, protocol)


def is_private_literal(host: str) -> bool:
    """Whether a host is written as an address that is not public."""
    try:
        return not is_public(host)
    except ValueError:
        pass
    try:
        # 127.1, 0x7f.1 and 2130706433 are addresses too, for the C library.
        return not is_public(socket.inet_ntoa(socket.inet_aton(host)))
    except (OSError, UnicodeEncodeError):
        return False


def _guarded_resolver(client: Client) -> Any:
    """A resolver that gives public addresses only, so that the address checked is the address connected."""
    from aiohttp.abc import AbstractResolver, ResolveResult
    from aiohttp.resolver import ThreadedResolver

    options = client.options
    proxy_host = host_of(canonical_url(options.proxy)) if options.proxy else ""

    class Guarded(AbstractResolver):
        def __init__(self) -> None:
            self._resolver = ThreadedResolver()

        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
        ) -> list[ResolveResult]:
            found = await self._resolver.resolve(host, port, family)
            names = {f"{host}:{port}", host}
            public = [address for address in found if is_public(address["host"])]
            if proxy_host in names:
                return found
            if options.allow_private or names & options.allowed_hosts:
                client.has_asked_private |= len(public) < len(found)
                return found
            if not public:
                raise PrivateAddressError(
                    f"{host} has the private address {found[0]['host'] if found else '?'}", url=host
                )
            return public

        async def close(self) -> None:
            await self._resolver.close()

    return Guarded()


def _encoded(url: str) -> Any:
    from yarl import URL

    return URL(url, encoded=True)


def _answer(
    url: str, response: aiohttp.ClientResponse, content: bytes, sent: datetime, start: float, answered: float
) -> Answer:
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        key = name.lower()
        headers[key] = f"{headers[key]}, {value}" if key in headers else value
    declared = headers.get("content-type", "")
    location = None
    if response.status in _REDIRECTS and "location" in headers:
        try:
            location = canonical_url(headers["location"], url)
        except RefusedError as error:
            raise RefusedError(f"redirect to {error}", url=url, status=response.status) from None
    return Answer(
        uri=url,
        status=response.status,
        reason=response.reason or _phrase(response.status),
        headers=headers,
        content=content,
        media_type=detect_media_type(content, url.partition("?")[0], declared) if content else UNKNOWN,
        charset=response.charset,
        location=location,
        fetched=sent,
        response_ms=round((answered - start) * 1000),
        download_ms=round((time.monotonic() - answered) * 1000),
    )


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def fetch(url: str, *, proxy: str | None = None, contact: str = "", allow: Collection[str] = ()) -> Answer:
    """Fetch one URL that a person named, following redirects; its own host may be a local one.

    Args:
        url: The URL.
        proxy: An HTTP proxy.
        contact: Where a webmaster can reach you; it is sent.
        allow: Local hosts that a redirect may lead to.

    Raises:
        FetchError: no answer, or one that is no success.
    """
    import threading

    try:
        canonical_url(url)
    except RefusedError as error:
        raise RefusedError(f"{url[:200]}: {error}; {advice(error)}", url=url) from None
    result: list[Answer | BaseException] = []

    def work() -> None:
        # Own thread, own loop: a notebook's loop is running already.
        try:
            result.append(asyncio.run(_fetch(url, proxy, contact, frozenset(allow))))
        except BaseException as error:
            result.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join()
    if isinstance(result[0], BaseException):
        raise result[0]
    return result[0]


async def _fetch(url: str, proxy: str | None, contact: str, allow: frozenset[str]) -> Answer:
    target = canonical_url(url)
    allowed = allow | {host_of(target)}
    async with Client(ClientOptions(contact=contact, proxy=proxy, allowed_hosts=allowed)) as client:
        for _ in range(MAX_REDIRECTS + 1):
            answer = await client.get(target)
            if answer.location is None:
                break
            target = answer.location
        else:
            raise FetchError(f"more than {MAX_REDIRECTS} redirects", url=url)
    if not 200 <= answer.status < 300:
        raise FetchError(f"{url}: the server answered {answer.status} {answer.reason}", url=url, status=answer.status)
    return answer
