"""Conversion of aiohttp and operating system errors into FetchError with a readable reason."""

from __future__ import annotations

import socket
from typing import Final

from corpuskit.errors import FetchError, UnreachableError

_NO_SUCH_HOST: Final = frozenset(
    getattr(socket, name) for name in ("EAI_NONAME", "EAI_NODATA") if hasattr(socket, name)
)


def explained(error: BaseException, url: str) -> FetchError:
    """Return a FetchError for an error of aiohttp or the operating system.

    It is an :class:`UnreachableError` if no connection was established: then all URLs of the host fail. Other errors may
    concern only one page.
    """
    import aiohttp

    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return UnreachableError("no connection in time", url=url)
    if isinstance(error, TimeoutError):
        return FetchError("no answer in time", url=url)
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return UnreachableError(f"the proxy answered {error.status} {error.message}".strip(), url=url)
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return UnreachableError(f"the proxy cannot be reached: {_system_reason(error.os_error)}", url=url)
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return UnreachableError(f"TLS: {_first_line(error.certificate_error)}", url=url)
    if isinstance(error, aiohttp.ClientConnectorSSLError):
        return UnreachableError(f"TLS: {_first_line(error.os_error)}", url=url)
    if isinstance(error, aiohttp.ClientConnectorError):
        return UnreachableError(_system_reason(error.os_error), url=url)
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return FetchError("the server closed the connection without an answer", url=url)
    if isinstance(error, aiohttp.ClientPayloadError):
        return FetchError("the answer was cut off", url=url)
    if isinstance(error, ConnectionResetError):
        return FetchError("the server broke the connection off", url=url)
    return FetchError(f"{type(error).__name__}: {error}", url=url)


def _system_reason(error: OSError) -> str:
    if isinstance(error, socket.gaierror):
        if error.errno in _NO_SUCH_HOST:
            return "no such host"
        return f"the host's name cannot be looked up: {error.strerror}"
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    return _first_line(error.strerror or error)


def _first_line(text: object) -> str:
    return (str(text).strip().splitlines() or [type(text).__name__])[0]
