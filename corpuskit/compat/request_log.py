"""``requests.log.csv`` of the Language Resource Extractor."""

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

# As its users' scripts know them; "Reponse" is how it was spelled.
COLUMNS: Final = {
    "Clock": "clock", "Url": "url", "Status code": "status_code", "Reponse time (ms)": "response_ms",
    "Download time (ms)": "download_ms", "Content size (bytes)": "bytes", "Unique text blocks (%)": "unique_share",
    "Crawl depth": "depth", "Parent Url": "parent", "Redirected from": "redirected_from", "Retry count": "retries",
    "Retry after (s)": "retry_after_s", "Error message": "error",
}  # fmt: skip
# Names of .NET's HttpStatusCode that are not the phrase without blanks.
_DOTNET: Final = {
    302: "Found", 203: "NonAuthoritativeInformation", 207: "MultiStatus", 208: "AlreadyReported", 226: "IMUsed",
    413: "RequestEntityTooLarge", 414: "RequestUriTooLong", 416: "RequestedRangeNotSatisfiable", 422: "UnprocessableEntity",
    505: "HttpVersionNotSupported", 418: "418",
}  # fmt: skip
# Its second names for one code.
_SECOND: Final = {
    "Ambiguous": 300, "Moved": 301, "Redirect": 302, "RedirectMethod": 303, "RedirectKeepVerb": 307, "Unused": 306,
}  # fmt: skip
_START: Final = b"Clock;Url;"
_MONTH_FIRST: Final = re.compile(r"(\d\d?)/(\d\d?)/(\d{4}) (\d\d?):(\d\d):(\d\d)\Z", re.ASCII)
_WHOLE: Final = ("response_ms", "download_ms", "bytes", "depth", "retries")
_TIME: Final = re.compile(r"(\d\d?):(\d\d):(\d\d)(?:[.,](\d{1,6}))?\Z", re.ASCII)
_LONGEST: Final = 1_000_000  # characters of a line
_SHOWN: Final = 200  # characters of a line that is not understood
_NIGHT: Final = timedelta(hours=12)  # a clock that goes back by more has passed midnight


def is_request_log(path: Path) -> bool:
    """Whether a file begins as such a log."""
    if path.name != "requests.log.csv":
        return False
    with path.open("rb") as file:
        return file.read(64).removeprefix(b"\xef\xbb\xbf").startswith(_START)


def status_name(status: int | None) -> str:
    """The name of a status in .NET; empty for none."""
    if status is None:
        return ""
    if status in _DOTNET:
        return _DOTNET[status]
    try:
        return HTTPStatus(status).phrase.title().replace(" ", "").replace("-", "").replace("'", "").replace("Ok", "OK")
    except ValueError:
        return str(status)


_BY_NAME: Final = {**_SECOND, **{status_name(status.value): status.value for status in HTTPStatus}}


def read_request_log(path: Path, unread: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """The rows of a log, by the names of ``requests()``; clocks without a zone are taken as UTC.

    The extractor itself writes the time of day alone: the last line is taken to be of the day when the file was written
    last, and a line whose time is far before that of the line above to be of the next day. The header stands again
    wherever a crawl was continued.

    Args:
        path: the file.
        unread: lines without a clock or URL are appended to it.
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
            day += timedelta(days=before - time > _NIGHT)
            before = time
            clock = day + time
        if clock is None or not row.get("url"):
            if unread is not None:
                unread.append(";".join(values)[:_SHOWN])
            continue
        row["clock"] = clock.isoformat(timespec="microseconds")
        row["status_code"] = _status(row.get("status_code", ""))
        for name in _WHOLE:
            number = _number(row.get(name, ""))
            row[name] = None if number is None else round(number)
        for name in ("unique_share", "retry_after_s"):
            row[name] = _number(row.get(name, ""))
        yield {name: row.get(name) or None if isinstance(row.get(name), str) else row.get(name) for name in COLUMNS.values()}  # fmt: skip


def _lines(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        yield from csv.reader((line for line in file if len(line) <= _LONGEST), delimiter=";", quoting=csv.QUOTE_NONE)


def _first_day(path: Path) -> datetime:
    """The day of the first line of a log without dates, by how often its clock passes midnight."""
    nights, before = 0, timedelta()
    for values in _lines(path):
        if values and (time := _time_of_day(values[0].strip())) is not None:
            nights += before - time > _NIGHT
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
    """A finite number; a comma may be its decimal point, as on the author's machine."""
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) and abs(number) < 2**53 else None


def write_requests(catalog: Catalog, path: Path) -> int:
    """Write ``requests.log.csv`` as the Language Resource Extractor does, and return the number of rows.

    Separated by ``;``, which becomes ``,`` in values; the status by its name in .NET; the share of new text as a fraction
    of 1, though its column says per cent, as there.

    Args:
        catalog: The catalogue of the corpus.
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
    """Without what would end a value or line, or be run by a spreadsheet."""
    text = " ".join(text.replace(";", ",").replace('"', "'").replace("\\", "/").split())
    return f"'{text}" if text[:1] in {"=", "+", "@"} else text
