"""Stores of files that fsspec opens: this machine, web servers, buckets of objects."""

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
"""Stores that are opened. Others of fsspec read what they are told to from anywhere, chain stores or run code."""
_OF_STRANGERS: Final = tuple(name for name in PROTOCOLS if name not in {"file", "hdfs", "local", "webhdfs"})
"""Those that a list may name: not on this machine, nor in its network."""
TRIES: Final = 6  # of a store that is busy
BUSY: Final = frozenset({408, 429, 500, 502, 503, 504})
"""HTTP statuses after which a request may succeed later."""
PASSING: Final = frozenset({
    errno.EBUSY, errno.ETIMEDOUT, errno.ECONNRESET, errno.ECONNREFUSED, errno.ECONNABORTED, errno.EPIPE, errno.EIO,
    getattr(errno, "EREMOTEIO", errno.EIO), errno.EAGAIN, errno.EHOSTUNREACH, errno.ENETUNREACH,
})  # fmt: skip
"""Errors of stores after which it may, too."""
_LOG = logging.getLogger(__name__)
_Value = TypeVar("_Value")
_ANONYMOUS: Final[dict[str, dict[str, Any]]] = {
    "s3": {"anon": True},
    "s3a": {"anon": True},
    "gs": {"token": "anon"},
    "gcs": {"token": "anon"},
}


def open_store(url: str, *, listed: bool = False, anonymous: bool = False) -> tuple[Any, str]:
    """fsspec's file system of a path or URL, and the path in it.

    Args:
        url: a path, or a URL of one of :data:`PROTOCOLS`.
        listed: it stands in a list or table, which may be a stranger's: not a place on this machine, nor a private address.
            What is named over HTTP by the user is at a private address only where its own host is.
        anonymous: a bucket is read without the credentials of the environment, as public ones can be.

    Raises:
        MissingExtraError: fsspec is not installed.
        SourceError: the store's own package is not installed, or it is none of these.
    """
    protocol, mark, _ = url.partition("://")
    allowed = _OF_STRANGERS if listed else PROTOCOLS
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
def refusals(place: str) -> Iterator[None]:
    """What is at a private address is not read, and said so; other trouble may pass."""
    try:
        yield
    except ValueError as error:
        raise SourceError(f"{place[:200]}: {error}") from error
    except OSError as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, RefusedError):
            cause = cause.__cause__ or cause.__context__
        if cause is None:
            raise
        raise SourceError(
            f"{place[:200]}: {cause}; a list or table may not name it: give its server yourself (base=), with the paths on it"
        ) from error


def is_local(fs: Any) -> bool:
    """The file system is that of this machine."""
    return "file" in ((fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol)


def patiently(call: Callable[[], _Value]) -> _Value:
    """What a call gives; while its store is busy it is called again, later each time.

    Raises:
        OSError: the store stays busy; else what the call raises.
    """
    wait = 1.0
    for _ in range(TRIES - 1):
        try:
            return call()
        except Exception as error:
            if not _is_busy(error):
                raise
            _LOG.info("%s, waiting", error)
        time.sleep(wait)
        wait *= 2
    try:
        return call()
    except Exception as error:
        if not _is_busy(error) or isinstance(error, OSError):
            raise
        raise OSError(errno.EBUSY, f"{error}; asked {TRIES} times") from error


def _is_busy(error: Exception) -> bool:
    if isinstance(error, (FileNotFoundError, PermissionError, SourceError)):
        return False
    if getattr(error, "status", None) in BUSY or isinstance(error, (TimeoutError, ConnectionError)):
        return True
    if type(error).__name__ in {"ClientPayloadError", "ServerDisconnectedError"}:  # of aiohttp: a cut answer
        return True
    return isinstance(error, OSError) and error.errno in PASSING


class PatientFile:
    """A file of a store that is read patiently: with ``read``, ``readline``, ``seek`` and ``tell``.

    Args:
        opened: what fsspec has opened for reading.
    """

    closed = False

    def __init__(self, opened: Any) -> None:
        self._opened = opened

    def read(self, size: int = -1) -> bytes:
        """As that of the file."""
        return self._again(lambda: bytes(self._opened.read(size)))

    def readline(self, size: int = -1) -> bytes:
        """As that of the file."""
        return self._again(lambda: bytes(self._opened.readline(size)))

    def _again(self, call: Callable[[], bytes]) -> bytes:
        start = self._opened.tell()

        def read() -> bytes:
            if self._opened.tell() != start:
                self._opened.seek(start)
            return call()

        return patiently(read)

    def seek(self, offset: int, whence: int = 0) -> int:
        """As that of the file."""
        return int(self._opened.seek(offset, whence))

    def tell(self) -> int:
        """As that of the file."""
        return int(self._opened.tell())

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def writable(self) -> bool:
        """It is not."""
        return False

    def close(self) -> None:
        """Closes the file."""
        self.closed = True
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_patiently(fs: Any, path: str) -> PatientFile:
    """A file of a store, for reading."""
    return PatientFile(patiently(lambda: fs.open(path, "rb")))
