"""Dates of standards and protocols, as datetimes in UTC. A date without a zone is taken as UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["as_utc", "parse_http_date", "parse_iso_date", "parse_loose_date", "parse_retry_after"]


def as_utc(date: datetime) -> datetime:
    """Return a date in UTC.

    Raises:
        OverflowError: It is outside the years 1 to 9999 there.
    """
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)


def parse_iso_date(text: str) -> datetime | None:
    """Return a date of ISO 8601 in UTC; None if it is none."""
    try:
        return as_utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None


def parse_http_date(text: str | None) -> datetime | None:
    """Return a date of an HTTP header (RFC 9110, 5.6.7) in UTC; None if it is none."""
    try:
        return as_utc(parsedate_to_datetime(text)) if text else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def parse_retry_after(text: str | None) -> float | None:
    """Return the seconds of a Retry-After header (RFC 9110, 10.2.3), which may be a date; None if it is neither."""
    if not text:
        return None
    if text.strip().isdecimal():
        return float(text)
    date = parse_http_date(text)
    return None if date is None else (date - datetime.now(UTC)).total_seconds()


def parse_loose_date(text: str) -> datetime | None:
    """Return a date in any form that dateutil reads, in the zone it names if it names one by its offset; None if it has no year."""
    from dateutil import parser  # type: ignore[import-untyped]

    if not re.search(r"(?:19|20)\d\d", text):
        return None
    try:
        # A zone that is only a name is taken as UTC: the names are ambiguous.
        date = parser.parse(text, default=datetime(2000, 1, 1), tzinfos=lambda _, offset: offset or 0)
    except (ValueError, OverflowError, TypeError, AttributeError):
        return None
    return date if isinstance(date, datetime) else None
