"""Numbers and times as people read them."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path


def counted(number: int, what: str) -> str:
    """Return a number with its noun: 1 page, 2 pages."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def clock(moment: float) -> str:
    """Return a time, in seconds since the epoch, as the clock on the wall shows it."""
    return datetime.fromtimestamp(moment).strftime("%Y-%m-%d %H:%M")


def who_has_open(file: Path) -> str:
    """Return which other processes have a file open, as far as the system tells it; empty where it does not."""
    import psutil

    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and any(Path(one.path) == file for one in process.open_files()):
                found.append(f"process {process.pid}")
        except (psutil.Error, OSError):  # it has ended, or is another user's
            continue
    return ", ".join(found)
