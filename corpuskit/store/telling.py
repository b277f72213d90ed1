"""Numbers and times as people read them."""

from __future__ import annotations

from datetime import datetime


def counted(number: int, what: str) -> str:
    """Return a number with its noun: 1 page, 2 pages."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def clock(moment: float) -> str:
    """Return a time, in seconds since the epoch, as the clock on the wall shows it."""
    return datetime.fromtimestamp(moment).strftime("%Y-%m-%d %H:%M")
