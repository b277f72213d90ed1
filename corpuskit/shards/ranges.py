"""Records of archives elsewhere, by byte ranges: neighbours in one request, a store that is busy left in peace."""

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
WASTE: Final = 0.2
"""Bytes between records that are fetched with them, as a share of the records' own at most."""
_FARTHEST: Final = 1 << 20  # bytes between two records of one request
_MOST: Final = 32 << 20  # bytes of a request for several records
_LONGEST_WAIT: Final = 300.0  # seconds that a store may ask for


class StoreBusyError(OSError):
    """The store asks to come later, or does not answer; it was asked as often as is polite."""


class _LaterError(Exception):
    """A request that may succeed later.

    Args:
        reason: what happened.
        wait: seconds that the store asks for.
    """

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class Span:
    """A record's bytes: ``length`` of them from ``start`` on. ``number`` is the row's."""

    number: int
    start: int
    length: int

    @property
    def end(self) -> int:
        """Where the next byte stands."""
        return self.start + self.length


@dataclass(frozen=True, slots=True)
class Range:
    """What one request fetches: bytes from ``start`` to before ``end``, with these records in it."""

    start: int
    end: int
    spans: tuple[Span, ...]


def merged(spans: Sequence[Span], *, waste: float = WASTE) -> list[Range]:
    """Return the requests for the records of one archive, in its order.

    The nearest neighbours are joined first, as long as the bytes between all that are joined are at most ``waste`` of the
    records' own: a request costs the store and the caller more than some kilobytes do.
    """
    ordered = sorted(spans, key=lambda span: (span.start, span.end, span.number))
    if not ordered:
        return []
    reach: list[int] = []  # the end of all up to each one: records may overlap where an index lies
    for span in ordered:
        reach.append(max(span.end, reach[-1] if reach else 0))
    needed = 0
    for position, span in enumerate(ordered):
        needed += max(0, span.end - max(span.start, reach[position - 1] if position else 0))
    gaps = [max(0, after.start - end) for after, end in zip(ordered[1:], reach, strict=False)]
    allowance, joined = waste * needed, [False] * len(gaps)
    for position in sorted(range(len(gaps)), key=lambda at: (gaps[at], at)):
        if gaps[position] > min(allowance, _FARTHEST):
            break
        allowance -= gaps[position]
        joined[position] = True
    found: list[Range] = []
    group: list[Span] = []
    end = 0
    for position, span in enumerate(ordered):
        overlaps = position and span.start < end
        if group and not overlaps and (not joined[position - 1] or span.end - group[0].start > _MOST):
            found.append(Range(group[0].start, end, tuple(group)))
            group, end = [], 0
        group.append(span)
        end = max(end, span.end)
    found.append(Range(group[0].start, end, tuple(group)))
    return found


class Archives:
    """Archives below one place, read by ranges.

    Args:
        root: what names are relative to.
        pause: seconds between two requests to a store on the network.
        anonymous: buckets are read without credentials.
        listed: a file says where they are, which may be a stranger's.
        sleep: waits so many seconds.

    Attributes:
        requests: how many were made.
        fetched: bytes that came.
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
        """The bytes of an archive from ``start`` to before ``end``; fewer where it ends before.

        Raises:
            SourceError: there is no such archive, it may not be read, or lies outside.
            StoreBusyError: the store asked to come later each time.
        """
        place = f"{name}@{start}"
        is_named = "://" in name or "::" in name
        where, listed = (name, True) if is_named else (f"{self._root}/{name}", self._listed)
        fs, path = open_store(where, listed=listed, anonymous=self._anonymous)
        if is_local(fs):
            content = self._read_here(name, place, start, end)
        else:
            content = self._read_there(fs, path, place, start, end)
        self.fetched += len(content)
        return content

    def _read_here(self, name: str, place: str, start: int, end: int) -> bytes:
        self.requests += 1
        try:
            with SafeFolder(Path(open_store(self._root)[1])).open(name.lstrip("/")) as archive:
                archive.seek(start)
                return bytes(archive.read(end - start))
        except FileNotFoundError as error:
            raise SourceError(f"{place}: there is no such archive ({error})") from error
        except (CorpusError, ValueError, OverflowError) as error:
            raise SourceError(f"{place}: {error}") from error

    def _read_there(self, fs: Any, path: str, place: str, start: int, end: int) -> bytes:
        wait, reason = 1.0, ""
        content = b""
        for attempt in range(TRIES):
            if self.requests:
                self._sleep(self._pause)
            self.requests += 1
            try:
                content = _request(fs, path, place, start, end)
                if len(content) == end - start:
                    return content
                reason = f"{len(content):,} of {end - start:,} bytes came"
                if attempt >= 2:  # the archive ends there, or the index lies
                    return content
                asked = None
            except _LaterError as error:
                reason, asked = str(error), error.wait
            _LOG.info("%s: %s, waiting", place, reason)
            self._sleep(wait if asked is None else min(max(asked, 0.0), _LONGEST_WAIT))
            wait *= 2
        raise StoreBusyError(errno.EBUSY, f"{place}: {reason}; asked {TRIES} times")


def _request(fs: Any, path: str, place: str, start: int, end: int) -> bytes:
    """One request for a range; see :meth:`Archives.read`."""
    try:
        with private_address_errors(place):
            if "http" in ((fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol):
                from fsspec.asyn import sync

                return bytes(sync(fs.loop, _get, fs, path, place, start, end))
            return bytes(fs.cat_file(path, start=start, end=end))[: end - start]
    except SourceError:
        raise
    except FileNotFoundError as error:
        raise SourceError(f"{place}: there is no such archive ({error})") from error
    except PermissionError as error:
        raise SourceError(f"{place}: the store does not let it be read ({error})") from error
    except TimeoutError as error:
        raise _LaterError("no answer in time") from error
    except OSError as error:
        if error.errno == errno.EINVAL and "ange" in str(error):
            return b""  # InvalidRange: it begins behind the end
        if error.errno is None or error.errno in PASSING:
            raise _LaterError(str(error)) from error
        raise SourceError(f"{place}: {error}") from error


async def _get(fs: Any, url: str, place: str, start: int, end: int) -> bytes:
    """A GET with a range, of which no more is read than was asked for."""
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
                raise _LaterError(f"the store answered {answer.status}", _seconds(answer.headers.get("Retry-After")))
            if answer.status == 404:
                raise FileNotFoundError(url)
            if answer.status in {401, 403}:
                raise PermissionError(f"{answer.status} {answer.reason}")
            is_whole = answer.status == 200 and (answer.content_length or _MOST + 1) <= _MOST
            begins = answer.headers.get("Content-Range", "").startswith(f"bytes {start}-")
            if not is_whole and not (answer.status == 206 and begins):
                raise SourceError(
                    f"{place}: the server answered {answer.status}, not with the range that was asked for"
                )
            first = start if is_whole else 0
            parts, size = [], 0
            async for part in answer.content.iter_chunked(1 << 16):
                parts.append(part)
                size += len(part)
                if size >= first + end - start:
                    break
            return b"".join(parts)[first : first + end - start]
    except aiohttp.ClientPayloadError as error:
        raise _LaterError(f"the answer was cut: {error}") from error
    except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
        if _is_refused(error):
            raise
        raise _LaterError(f"the connection broke: {error}") from error


def _is_refused(error: BaseException | None) -> bool:
    from corpuskit.errors import RefusedError

    while error is not None:
        if isinstance(error, RefusedError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _seconds(value: str | None) -> float | None:
    """Retry-After in seconds; None for a date, or where there is none."""
    text = (value or "").strip()
    return float(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _user_agent() -> str:
    from corpuskit.sources.web.client import user_agent

    return user_agent()
