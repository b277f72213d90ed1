"""Reads records of remote archives by byte ranges: adjacent records in one request, with retries for busy stores."""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from corpuskit.errors import CorpusError, SourceError
from corpuskit.safe_folder import SafeFolder
from corpuskit.sources.stores import BUSY, PASSING, TRIES, is_local, open_store, private_address_errors

_LOG = logging.getLogger(__name__)
MAX_GAP_SHARE: Final = 0.2
"""Maximum share of unused bytes between records, relative to the size of the records."""
_MAX_GAP: Final = 1 << 20  # bytes between two records of one request
_MAX_REQUEST_BYTES: Final = 32 << 20  # of a request for several records
_MAX_WAIT: Final = 300.0  # seconds; longer pauses requested by a store are shortened


class StoreBusyError(OSError):
    """The store is busy or does not respond, after the maximum number of attempts."""


class _RetryError(Exception):
    """A request failed that may succeed later.

    Args:
        reason: Description of the failure.
        wait: Pause requested by the store, in seconds.
    """

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class Span:
    """Location of a record: ``length`` bytes from ``start``. ``number`` is that of its row."""

    number: int
    start: int
    length: int

    @property
    def end(self) -> int:
        """Position after the last byte."""
        return self.start + self.length


@dataclass(frozen=True, slots=True)
class Range:
    """Bytes of one request, from ``start`` to before ``end``, with the records in it."""

    start: int
    end: int
    spans: tuple[Span, ...]


def coalesce_ranges(spans: Sequence[Span], *, max_gap_share: float = MAX_GAP_SHARE) -> list[Range]:
    """Return the requests for the records of one archive, in its order.

    A request costs more than some kilobytes. So records are combined, beginning with the smallest gaps, as long as all
    gaps together have at most ``max_gap_share`` times the bytes of the records.
    """
    ordered = sorted(spans, key=lambda span: (span.start, span.end, span.number))
    if not ordered:
        return []
    reach: list[int] = []  # running maximum of the ends, since records of a wrong index may overlap
    for span in ordered:
        reach.append(max(span.end, reach[-1] if reach else 0))
    needed = 0
    for position, span in enumerate(ordered):
        needed += max(0, span.end - max(span.start, reach[position - 1] if position else 0))
    gaps = [max(0, after.start - end) for after, end in zip(ordered[1:], reach, strict=False)]
    allowance, joined = max_gap_share * needed, [False] * len(gaps)
    for position in sorted(range(len(gaps)), key=lambda at: (gaps[at], at)):
        if gaps[position] > min(allowance, _MAX_GAP):
            break
        allowance -= gaps[position]
        joined[position] = True
    ranges: list[Range] = []
    group: list[Span] = []
    end = 0
    for position, span in enumerate(ordered):
        overlaps = position and span.start < end
        if group and not overlaps and (not joined[position - 1] or span.end - group[0].start > _MAX_REQUEST_BYTES):
            ranges.append(Range(group[0].start, end, tuple(group)))
            group, end = [], 0
        group.append(span)
        end = max(end, span.end)
    ranges.append(Range(group[0].start, end, tuple(group)))
    return ranges


class ArchiveReader:
    """Reader of byte ranges of archives.

    Args:
        root: Base of the names of archives.
        pause: Seconds between two requests to a remote store.
        anonymous: Read buckets without credentials.
        listed: The location is from a file, which may come from an untrusted person.
        sleep: Function that waits for a number of seconds.

    Attributes:
        requests: Number of requests.
        fetched: Number of bytes received.
    """

    def __init__(
        self,
        root: str,
        *,
        pause: float = 0.0,
        anonymous: bool = False,
        listed: bool = False,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self._root, self._pause, self._anonymous, self._listed = root.rstrip("/"), pause, anonymous, listed
        self._sleep = sleep or time.sleep
        self.requests = self.fetched = 0

    def read(self, name: str, start: int, end: int) -> bytes:
        """Return the bytes of an archive from ``start`` to before ``end``, or fewer at its end.

        Raises:
            SourceError: The archive does not exist, may not be read, or is outside the root.
            StoreBusyError: The store rejected all attempts because it is busy.
        """
        location = f"{name}@{start}"
        is_url = "://" in name or "::" in name
        url, listed = (name, True) if is_url else (f"{self._root}/{name}", self._listed)
        fs, path = open_store(url, listed=listed, anonymous=self._anonymous)
        if is_local(fs):
            content = self._read_local(name, location, start, end)
        else:
            content = self._read_remote(fs, path, location, start, end)
        self.fetched += len(content)
        return content

    def _read_local(self, name: str, location: str, start: int, end: int) -> bytes:
        self.requests += 1
        try:
            with SafeFolder(Path(open_store(self._root)[1])).open(name.lstrip("/")) as archive:
                archive.seek(start)
                return bytes(archive.read(end - start))
        except FileNotFoundError as error:
            raise SourceError(f"{location}: the archive does not exist ({error})") from error
        except (CorpusError, ValueError, OverflowError) as error:
            raise SourceError(f"{location}: {error}") from error

    def _read_remote(self, fs: Any, path: str, location: str, start: int, end: int) -> bytes:
        wait, reason = 1.0, ""
        content = b""
        for attempt in range(TRIES):
            if self.requests:
                self._sleep(self._pause)
            self.requests += 1
            try:
                content = _request(fs, path, location, start, end)
                if len(content) == end - start:
                    return content
                reason = f"received {len(content):,} of {end - start:,} bytes"
                if attempt >= 2:  # the archive ends here, or the index is wrong
                    return content
                requested_wait = None
            except _RetryError as error:
                reason, requested_wait = str(error), error.wait
            _LOG.info("%s: %s, waiting", location, reason)
            self._sleep(wait if requested_wait is None else min(max(requested_wait, 0.0), _MAX_WAIT))
            wait *= 2
        raise StoreBusyError(errno.EBUSY, f"{location}: {reason}; gave up after {TRIES} attempts")


def _request(fs: Any, path: str, location: str, start: int, end: int) -> bytes:
    """Send one request for a range; see :meth:`ArchiveReader.read`."""
    try:
        with private_address_errors(location):
            if "http" in ((fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol):
                from fsspec.asyn import sync

                return bytes(sync(fs.loop, _get, fs, path, location, start, end))
            return bytes(fs.cat_file(path, start=start, end=end))[: end - start]
    except SourceError:
        raise
    except FileNotFoundError as error:
        raise SourceError(f"{location}: the archive does not exist ({error})") from error
    except PermissionError as error:
        raise SourceError(f"{location}: permission denied by the store ({error})") from error
    except TimeoutError as error:
        raise _RetryError("timeout") from error
    except OSError as error:
        if error.errno == errno.EINVAL and "ange" in str(error):
            return b""  # InvalidRange: the range starts after the end
        if error.errno is None or error.errno in PASSING:
            raise _RetryError(str(error)) from error
        raise SourceError(f"{location}: {error}") from error


async def _get(fs: Any, url: str, location: str, start: int, end: int) -> bytes:
    """Send a GET request with a range, and read at most the requested bytes."""
    import aiohttp

    session = await fs.set_session()
    try:
        async with session.get(
            fs.encode_url(url),
            headers={"Range": f"bytes={start}-{end - 1}", "Accept-Encoding": "identity", "User-Agent": _user_agent()},
            timeout=aiohttp.ClientTimeout(total=300, sock_connect=15, sock_read=60),
        ) as answer:
            if answer.status == 416:
                return b""
            if answer.status in BUSY:
                raise _RetryError(f"the store answered {answer.status}", _seconds(answer.headers.get("Retry-After")))
            if answer.status == 404:
                raise FileNotFoundError(url)
            if answer.status in {401, 403}:
                raise PermissionError(f"{answer.status} {answer.reason}")
            is_complete = (
                answer.status == 200 and (answer.content_length or _MAX_REQUEST_BYTES + 1) <= _MAX_REQUEST_BYTES
            )
            starts_at_offset = answer.headers.get("Content-Range", "").startswith(f"bytes {start}-")
            if not is_complete and not (answer.status == 206 and starts_at_offset):
                raise SourceError(f"{location}: expected the requested range, the server answered {answer.status}")
            first = start if is_complete else 0
            parts, size = [], 0
            async for part in answer.content.iter_chunked(1 << 16):
                parts.append(part)
                size += len(part)
                if size >= first + end - start:
                    break
            return b"".join(parts)[first : first + end - start]
    except aiohttp.ClientPayloadError as error:
        raise _RetryError(f"the response was truncated: {error}") from error
    except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
        if _is_refused(error):
            raise
        raise _RetryError(f"the connection broke: {error}") from error


def _is_refused(error: BaseException | None) -> bool:
    from corpuskit.errors import RefusedError

    while error is not None:
        if isinstance(error, RefusedError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _seconds(value: str | None) -> float | None:
    """Return Retry-After in seconds; None if it is a date or missing."""
    text = (value or "").strip()
    return float(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _user_agent() -> str:
    from corpuskit.sources.web.client import user_agent

    return user_agent()
