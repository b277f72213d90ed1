"""Reader and writer of ``requests.log.csv``, the request log of the Language Resource Extractor."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from corpuskit.store.catalog import Catalog

# Column names of the extractor, including its spelling "Reponse", which scripts rely on.
COLUMNS: Final = {
    "Clock": "clock", "Url": "url", "Status code": "status_code", "Reponse time (ms)": "response_ms",
    "Download time (ms)": "download_ms", "Content size (bytes)": "bytes", "Unique text blocks (%)": "unique_share",
    "Crawl depth": "depth", "Parent Url": "parent", "Redirected from": "redirected_from", "Retry count": "retries",
    "Retry after (s)": "retry_after_s", "Error message": "error",
}  # fmt: skip
# Names in the .NET enumeration HttpStatusCode that differ from the reason phrase without spaces.
_DOTNET_NAMES: Final = {
    302: "Found", 203: "NonAuthoritativeInformation", 207: "MultiStatus", 208: "AlreadyReported", 226: "IMUsed",
    413: "RequestEntityTooLarge", 414: "RequestUriTooLong", 416: "RequestedRangeNotSatisfiable", 422: "UnprocessableEntity",
    505: "HttpVersionNotSupported", 418: "418",
}  # fmt: skip
# Alternative names in the same enumeration.
_ALTERNATIVE_NAMES: Final = {
    "Ambiguous": 300, "Moved": 301, "Redirect": 302, "RedirectMethod": 303, "RedirectKeepVerb": 307, "Unused": 306,
}  # fmt: skip
_START: Final = b"Clock;Url;"
_MONTH_FIRST: Final = re.compile(r"(\d\d?)/(\d\d?)/(\d{4}) (\d\d?):(\d\d):(\d\d)\Z", re.ASCII)
_INTEGER_COLUMNS: Final = ("response_ms", "download_ms", "bytes", "depth", "retries")
_TIME: Final = re.compile(r"(\d\d?):(\d\d):(\d\d)(?:[.,](\d{1,6}))?\Z", re.ASCII)
_MAX_LINE_CHARACTERS: Final = 1_000_000  # characters of a line
_MAX_REPORTED_CHARACTERS: Final = 200  # characters of an invalid line in reports
_MIN_STEP_BACK: Final = timedelta(hours=12)  # the time of day decreases by more only at midnight


def is_request_log(path: Path) -> bool:
    """Return whether a file is a request log, judged by name and header."""
    if path.name != "requests.log.csv":
        return False
    with path.open("rb") as file:
        return file.read(64).removeprefix(b"\xef\xbb\xbf").startswith(_START)


def status_name(status: int | None) -> str:
    """Return the .NET name of a status; an empty string for None."""
    if status is None:
        return ""
    if status in _DOTNET_NAMES:
        return _DOTNET_NAMES[status]
    try:
        return HTTPStatus(status).phrase.title().replace(" ", "").replace("-", "").replace("'", "").replace("Ok", "OK")
    except ValueError:
        return str(status)


_BY_NAME: Final = {**_ALTERNATIVE_NAMES, **{status_name(status.value): status.value for status in HTTPStatus}}


def read_request_log(path: Path, unread: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a log with the column names of ``requests()``; times without a zone are UTC.

    The extractor writes only the time of day. The last line is dated with the modification time of the file, and a day
    starts at each line with a much earlier time than the line before. Resumed crawls repeat the header.

    Args:
        path: The file.
        unread: List that receives the lines without time or URL.
    """
    day, before = None, timedelta()
    for values in _lines(path):
        row: dict[str, Any] = dict(zip(COLUMNS.values(), (value.strip() for value in values), strict=False))
        if row.get("clock") == "Clock" or not any(row.values()):
            continue
        time = _time_of_day(row.get("clock", ""))
        if time is None:
            clock = _clock(row.get("clock", ""))
        else:
            day = day or _first_day(path)
            day += timedelta(days=before - time > _MIN_STEP_BACK)
            before = time
            clock = day + time
        if clock is None or not row.get("url"):
            if unread is not None:
                unread.append(";".join(values)[:_MAX_REPORTED_CHARACTERS])
            continue
        row["clock"] = clock.isoformat(timespec="microseconds")
        row["status_code"] = _status(row.get("status_code", ""))
        for name in _INTEGER_COLUMNS:
            number = _number(row.get(name, ""))
            row[name] = None if number is None else round(number)
        for name in ("unique_share", "retry_after_s"):
            row[name] = _number(row.get(name, ""))
        yield {name: row.get(name) or None if isinstance(row.get(name), str) else row.get(name) for name in COLUMNS.values()}  # fmt: skip


def _lines(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        yield from csv.reader(
            (line for line in file if len(line) <= _MAX_LINE_CHARACTERS), delimiter=";", quoting=csv.QUOTE_NONE
        )


def _first_day(path: Path) -> datetime:
    """Return the day of the first line of a log without dates, by counting its midnights."""
    nights, before = 0, timedelta()
    for values in _lines(path):
        if values and (time := _time_of_day(values[0].strip())) is not None:
            nights += before - time > _MIN_STEP_BACK
            before = time
    last = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    return last.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=nights)


def _time_of_day(text: str) -> timedelta | None:
    match = _TIME.match(text)
    if not match:
        return None
    hours, minutes, seconds = map(int, match.groups()[:3])
    time = timedelta(hours=hours, minutes=minutes, seconds=seconds, microseconds=int((match[4] or "0").ljust(6, "0")))
    return time if time < timedelta(days=1) and minutes < 60 and seconds < 60 else None


def _clock(text: str) -> datetime | None:
    try:
        if match := _MONTH_FIRST.match(text):
            month, day, year, hour, minute, second = map(int, match.groups())
            date = datetime(year, month, day, hour, minute, second)
        else:
            date = datetime.fromisoformat(text)
        return date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _status(text: str) -> int | None:
    if text.isascii() and text.isdigit() and len(text) == 3:
        return int(text)
    return _BY_NAME.get(text)


def _number(text: str) -> float | None:
    """Parse a finite number; the decimal separator may be a comma, depending on the locale of the extractor."""
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) and abs(number) < 2**53 else None


def write_requests(catalog: Catalog, path: Path) -> int:
    """Write ``requests.log.csv`` as the Language Resource Extractor does, and return the number of rows.

    As in the extractor, values are separated by ``;`` (replaced by ``,`` inside values), statuses are .NET names, and the
    column "Unique text blocks (%)" has fractions of 1.

    Args:
        catalog: The catalog of the corpus.
        path: The file.
    """
    rows = catalog.connection.execute(f"SELECT {', '.join(COLUMNS.values())} FROM requests ORDER BY id")
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=";", quoting=csv.QUOTE_NONE, escapechar="\\", lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            values = list(row)
            values[2] = status_name(values[2])
            writer.writerow(["" if value is None else _plain(str(value)) for value in values])
            count += 1
    return count


def _plain(text: str) -> str:
    """Return the text without separators and line breaks; a formula prefix is escaped for spreadsheets."""
    text = " ".join(text.replace(";", ",").replace('"', "'").replace("\\", "/").split())
    return f"'{text}" if text[:1] in {"=", "+", "@"} else text
