"""HTTP client with limits on time and size, TLS verification, and protection of private networks."""

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
MAX_BYTES: Final = 20_000_000  # decoded body
_CHUNK: Final = 1 << 16
CREDENTIALS: Final = frozenset({"authorization", "cookie", "proxy-authorization"})
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_ACCEPTED: Final = ("text/", "application/xhtml", "application/pdf", "application/xml", "application/rss", "application/atom",
                    "application/rdf", "application/json", "application/feed", "application/msword",
                    "application/vnd.openxmlformats", "application/vnd.ms-word", "application/gzip", "application/x-gzip",
                    "application/octet-stream")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """HTTP response.

    Attributes:
        uri: URL of the request.
        status: HTTP status.
        reason: Reason phrase.
        headers: Headers with names in lower case; repeated headers are joined by ``", "``.
        content: Decoded body, or empty for redirects.
        media_type: Media type detected from the content, else the declared one.
        charset: Charset declared in Content-Type.
        location: Canonical URL of the redirect target, or None without a redirect.
        fetched: Time at which the request was sent, UTC.
        response_ms: Time until the headers were received.
        download_ms: Time from the headers to the end of the body.
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
        """Last-Modified header as a date, UTC."""
        return parse_http_date(self.headers.get("last-modified"))

    @property
    def retry_after(self) -> float | None:
        """Retry-After header as seconds from now."""
        value = self.headers.get("retry-after", "").strip()
        if value.isdigit():
            return float(min(int(value), 86_400))
        date = parse_http_date(value)
        return max(0.0, (date - datetime.now(UTC)).total_seconds()) if date else None


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """Settings of a client.

    Attributes:
        contact: Contact data for webmasters; part of the User-Agent.
        proxy: URL of an HTTP proxy, which then also resolves host names.
        allow_private: Allow private and loopback addresses.
        allowed_hosts: ``host:port`` names with allowed private addresses.
        headers: Additional request headers; headers with credentials are sent to ``cookie_hosts`` only. Never logged.
        cookies: Cookies, sent to ``cookie_hosts`` only. Never logged.
        passwords: Host name → user and password for HTTP basic authentication. Never logged.
        cookie_hosts: Hosts that receive credentials and cookies.
        max_bytes: Maximum size of a decoded body.
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
    """Return the User-Agent: product token as matched by robots.txt, version and contact."""
    from corpuskit._version import __version__

    return f"corpuskit/{__version__}" + (f" (+{' '.join(contact.split())})" if contact.strip() else "")


class PrivateAddressError(RefusedError):
    """A private address that the options do not allow."""


class Client:
    """HTTP client for one event loop; use it as an asynchronous context manager.

    Args:
        options: Settings of the client.
    """

    def __init__(self, options: ClientOptions) -> None:
        self.options = options
        self.user_agent = user_agent(options.contact)
        self.has_asked_private = False
        """True after a request to an allowed private address."""
        self._private: dict[str, str] = {}  # host → reason of the refusal
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
        # At its end the loop waits for its threads; a pending DNS lookup would block it.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))

    def request_headers(self, url: str, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the headers of a request.

        Args:
            url: URL of the request.
            more: Additional headers of this request.
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
        if options.passwords and (known := options.passwords.get(_host_without_port(host))) is not None:
            headers["Authorization"] = "Basic " + base64.b64encode(":".join(known).encode()).decode()
        return headers

    async def get(self, url: str, headers: Mapping[str, str] | None = None, *, any_type: bool = False) -> Answer:
        """Send one GET request; redirects are not followed.

        Args:
            url: Canonical URL.
            headers: Additional request headers, for example of a conditional request.
            any_type: Accept any media type.

        Raises:
            RefusedError: The address is private, or the media type is not collected.
            ResourceLimitError: The body is too large.
            UnreachableError: The host cannot be connected to.
            FetchError: The response is missing or truncated.
        """
        import aiohttp

        assert self._session is not None
        self.check_address(url)
        sent, start = datetime.now(UTC), time.monotonic()
        try:
            async with self._session.get(
                # The server must receive the canonical form, so yarl must not requote it.
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
        """Raise for literal private addresses, and for hosts that resolved to one before.

        Other host names are checked when they are resolved. With a proxy, which resolves names itself, local names are refused.

        Args:
            url: URL of a planned request.

        Raises:
            PrivateAddressError: The address is private and not allowed.
        """
        host_port = host_of(url)
        host = _host_without_port(host_port)
        if self.options.allow_private or host_port in self.options.allowed_hosts:
            self.has_asked_private = self.has_asked_private or is_private_literal(host)
            return
        if is_private_literal(host):
            raise PrivateAddressError(f"private address {host}", url=url)
        if self.options.proxy and (host == "localhost" or host.endswith(".localhost") or "." not in host):
            raise PrivateAddressError(f"local name {host}", url=url)
        if host_port in self._private:
            raise PrivateAddressError(self._private[host_port], url=url)


def _host_without_port(host_port: str) -> str:
    """Return a host without port and brackets."""
    host = host_port.rpartition(":")[0] if not host_port.endswith("]") and ":" in host_port else host_port
    return host.strip("[]")


def read_netrc(file: str | bool) -> dict[str, tuple[str, str]]:
    """Return host → user and password of a netrc file, without its ``default`` entry; ``True`` reads ``~/.netrc``.

    Raises:
        ConfigurationError: The file cannot be read.
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
    """Return whether an address is public; IPv4 addresses embedded in IPv6 are checked as well."""
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
    """Factory of aiohttp sessions that connect to public addresses only, also after redirects.

    Args:
        named: Host that the user has passed explicitly; its addresses may be private.
    """

    named: str = ""

    async def __call__(self, **options: Any) -> aiohttp.ClientSession:
        """Return a session.

        Args:
            options: Arguments of :class:`aiohttp.ClientSession`.
        """
        import aiohttp

        if not self.named or not await self._is_private():
            options["connector"] = aiohttp.TCPConnector(socket_factory=_public_socket)
        return aiohttp.ClientSession(**options)

    async def _is_private(self) -> bool:
        try:
            addresses = await asyncio.get_running_loop().getaddrinfo(self.named, None)
        except OSError:
            return False
        return not all(is_public(str(address[0])) for *_, address in addresses)


def _public_socket(info: tuple[Any, Any, int, str, tuple[Any, ...]]) -> socket.socket:
    family, kind, protocol, _, address = info
    if not is_public(str(address[0])):
        raise RefusedError("the host has a private address")
    return socket.socket(family, kind, protocol)


def is_private_literal(host: str) -> bool:
    """Return whether a host is a literal address that is not public."""
    try:
        return not is_public(host)
    except ValueError:
        pass
    try:
        # The C library also accepts 127.1, 0x7f.1 and 2130706433 as addresses.
        return not is_public(socket.inet_ntoa(socket.inet_aton(host)))
    except (OSError, UnicodeEncodeError):
        return False


def _guarded_resolver(client: Client) -> Any:
    """Return a resolver that yields only public addresses, so that the checked address is also the connected one."""
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
            addresses = await self._resolver.resolve(host, port, family)
            names = {f"{host}:{port}", host}
            public = [address for address in addresses if is_public(address["host"])]
            if proxy_host in names:
                return addresses
            if options.allow_private or names & options.allowed_hosts:
                client.has_asked_private |= len(public) < len(addresses)
                return addresses
            if not public:
                raise PrivateAddressError(
                    f"{host} has the private address {addresses[0]['host'] if addresses else '?'}", url=host
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
    """Fetch one URL passed by the user and follow redirects; the host of the URL may be local.

    Args:
        url: The URL.
        proxy: URL of an HTTP proxy.
        contact: Contact data for webmasters, sent in the User-Agent.
        allow: Local hosts that redirects may lead to.

    Raises:
        FetchError: The response is missing, or its status is not a success.
    """
    import threading

    try:
        canonical_url(url)
    except RefusedError as error:
        raise RefusedError(f"{url[:200]}: {error}; {advice(error)}", url=url) from None
    result: list[Answer | BaseException] = []

    def work() -> None:
        # A separate thread with its own loop, because the loop of a notebook is already running.
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
