"""Formatting of counts and times in messages."""

from __future__ import annotations

from datetime import datetime


def pluralize(number: int, noun: str) -> str:
    """Return a number with its noun: 1 page, 2 pages."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_time(timestamp: float) -> str:
    """Return a Unix timestamp as local date and time."""
    return datetime.fromtimestamp(timestamp).strftime("%Y-%m-%d %H:%M")
