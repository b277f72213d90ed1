"""Access to file stores through fsspec (local files, web servers, object storage), with retries."""

from __future__ import annotations

import contextlib
import errno
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, Self, TypeVar
from urllib.parse import urlsplit

from corpuskit.errors import MissingExtraError, RefusedError, SourceError
from corpuskit.sources.web.client import GuardedSession

PROTOCOLS: Final = (
    "abfs", "abfss", "az", "file", "gcs", "gs", "hdfs", "http", "https", "local", "oss", "s3", "s3a", "webhdfs",
)  # fmt: skip
"""Allowed protocols. Other fsspec protocols can chain stores, read arbitrary locations or run code."""
_UNTRUSTED_PROTOCOLS: Final = tuple(name for name in PROTOCOLS if name not in {"file", "hdfs", "local", "webhdfs"})
"""Protocols allowed in URLs from untrusted lists: neither local files nor servers in the local network."""
TRIES: Final = 6  # attempts per call if the store is busy
BUSY: Final = frozenset({408, 429, 500, 502, 503, 504})
"""HTTP statuses after which a request may succeed later."""
PASSING: Final = frozenset({
    errno.EBUSY, errno.ETIMEDOUT, errno.ECONNRESET, errno.ECONNREFUSED, errno.ECONNABORTED, errno.EPIPE, errno.EIO,
    getattr(errno, "EREMOTEIO", errno.EIO), errno.EAGAIN, errno.EHOSTUNREACH, errno.ENETUNREACH,
})  # fmt: skip
"""Operating system errors after which a request may succeed later."""
_LOG = logging.getLogger(__name__)
_Value = TypeVar("_Value")
_ANONYMOUS: Final[dict[str, dict[str, Any]]] = {
    "s3": {"anon": True},
    "s3a": {"anon": True},
    "gs": {"token": "anon"},
    "gcs": {"token": "anon"},
}


def open_store(url: str, *, listed: bool = False, anonymous: bool = False) -> tuple[Any, str]:
    """Return the fsspec file system of a path or URL, and the path in it.

    Args:
        url: A path, or a URL with one of :data:`PROTOCOLS`.
        listed: The URL comes from a list or table, which may be untrusted: local files and private addresses are refused.
            For HTTP URLs that the user passes, private addresses are allowed only on the host of the URL itself.
        anonymous: Read a public bucket without the credentials of the environment.

    Raises:
        MissingExtraError: fsspec is not installed.
        SourceError: The protocol is not allowed, or the package for the store is not installed.
    """
    protocol, mark, _ = url.partition("://")
    allowed = _UNTRUSTED_PROTOCOLS if listed else PROTOCOLS
    if "::" in url or url.lower().startswith("data:") or (mark and protocol.lower() not in allowed):
        raise SourceError(f"{url[:200]}: expected a path, or a URL of one of these stores: {', '.join(allowed)}")
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise MissingExtraError("fsspec", "dask") from None
    options: dict[str, Any] = {}
    if anonymous and protocol.lower() in _ANONYMOUS:
        options |= _ANONYMOUS[protocol.lower()]
    if protocol.lower() in {"http", "https"}:
        options["get_client"] = GuardedSession("" if listed else urlsplit(url).hostname or "")
    try:
        fs, path = url_to_fs(url, **options)
    except (ImportError, ValueError) as error:
        raise SourceError(f"{url}: {error}") from error
    return fs, path


@contextlib.contextmanager
def private_address_errors(location: str) -> Iterator[None]:
    """Convert errors about private addresses into SourceError with advice; other OSErrors propagate, as they may be temporary."""
    try:
        yield
    except ValueError as error:
        raise SourceError(f"{location[:200]}: {error}") from error
    except OSError as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, RefusedError):
            cause = cause.__cause__ or cause.__context__
        if cause is None:
            raise
        raise SourceError(
            f"{location[:200]}: {cause}; lists and tables may not name private addresses: pass the server as base= and use paths relative to it"
        ) from error


def is_local(fs: Any) -> bool:
    """Return whether the file system is that of the local machine."""
    return "file" in ((fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol)


def retry_busy(call: Callable[[], _Value]) -> _Value:
    """Return the result of a call, retrying with exponential backoff while the store is busy.

    Raises:
        OSError: The store is still busy after the last attempt. Other exceptions of the call propagate.
    """
    wait = 1.0
    for _ in range(TRIES - 1):
        try:
            return call()
        except Exception as error:
            if not _is_busy(error):
                raise
            _LOG.info("Store is busy, retrying: %s", error)
        time.sleep(wait)
        wait *= 2
    try:
        return call()
    except Exception as error:
        if not _is_busy(error) or isinstance(error, OSError):
            raise
        raise OSError(errno.EBUSY, f"{error}; gave up after {TRIES} attempts") from error


def _is_busy(error: Exception) -> bool:
    if isinstance(error, (FileNotFoundError, PermissionError, SourceError)):
        return False
    if getattr(error, "status", None) in BUSY or isinstance(error, (TimeoutError, ConnectionError)):
        return True
    if type(error).__name__ in {"ClientPayloadError", "ServerDisconnectedError"}:  # aiohttp: truncated response
        return True
    return isinstance(error, OSError) and error.errno in PASSING


class RetryingFile:
    """Read-only file of a store that retries failed reads.

    Args:
        opened: File opened for reading by fsspec.
    """

    closed = False

    def __init__(self, opened: Any) -> None:
        self._opened = opened

    def read(self, size: int = -1) -> bytes:
        """Read bytes, as ``io.RawIOBase.read`` does."""
        return self._retry(lambda: bytes(self._opened.read(size)))

    def readline(self, size: int = -1) -> bytes:
        """Read a line, as ``io.IOBase.readline`` does."""
        return self._retry(lambda: bytes(self._opened.readline(size)))

    def _retry(self, call: Callable[[], bytes]) -> bytes:
        start = self._opened.tell()

        def read() -> bytes:
            if self._opened.tell() != start:
                self._opened.seek(start)
            return call()

        return retry_busy(read)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Set the position, as ``io.IOBase.seek`` does."""
        return int(self._opened.seek(offset, whence))

    def tell(self) -> int:
        """Return the position."""
        return int(self._opened.tell())

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def writable(self) -> bool:
        """Return False."""
        return False

    def close(self) -> None:
        """Close the file."""
        self.closed = True
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_retrying(fs: Any, path: str) -> RetryingFile:
    """Open a file of a store for reading, with retries."""
    return RetryingFile(retry_busy(lambda: fs.open(path, "rb")))
