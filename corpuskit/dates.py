"""Parsing of dates from standards and protocols. Results are in UTC; a date without time zone is taken as UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["as_utc", "parse_http_date", "parse_iso_date", "parse_loose_date", "parse_retry_after"]


def as_utc(date: datetime) -> datetime:
    """Convert a date to UTC.

    Raises:
        OverflowError: The result is outside the years 1 to 9999.
    """
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)


def parse_iso_date(text: str) -> datetime | None:
    """Parse an ISO 8601 date. Return None if the text is invalid."""
    try:
        return as_utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None


def parse_http_date(text: str | None) -> datetime | None:
    """Parse a date of an HTTP header (RFC 9110, 5.6.7). Return None if the text is invalid."""
    try:
        return as_utc(parsedate_to_datetime(text)) if text else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def parse_retry_after(text: str | None) -> float | None:
    """Return the seconds of a Retry-After header (RFC 9110, 10.2.3): a number or a date. Return None if it is neither."""
    if not text:
        return None
    if text.strip().isdecimal():
        return float(text)
    date = parse_http_date(text)
    return None if date is None else (date - datetime.now(UTC)).total_seconds()


def parse_loose_date(text: str) -> datetime | None:
    """Parse a date in any form that dateutil supports. Return None if it has no year. A UTC offset in the text is kept."""
    from dateutil import parser  # type: ignore[import-untyped]

    if not re.search(r"(?:19|20)\d\d", text):
        return None
    try:
        # Names of time zones are ambiguous: such a date is taken as UTC.
        date = parser.parse(text, default=datetime(2000, 1, 1), tzinfos=lambda _, offset: offset or 0)
    except (ValueError, OverflowError, TypeError, AttributeError):
        return None
    return date if isinstance(date, datetime) else None
