"""Numbers and times as people read them."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from corpuskit.errors import CorpusError, CorpusKitError

_FULL: Final = (errno.ENOSPC, errno.EDQUOT)


def counted(number: int, what: str) -> str:
    """Return a number with its noun: 1 page, 2 pages."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def clock(moment: float) -> str:
    """Return a time, in seconds since the epoch, as the clock on the wall shows it."""
    return datetime.fromtimestamp(moment).strftime("%Y-%m-%d %H:%M")


@contextlib.contextmanager
def writing(what: str, then: str) -> Iterator[None]:
    """Say of what cannot be written why, what to do, and what became of it.

    Args:
        what: What is written, such as ``the model``.
        then: What is there afterwards.

    Raises:
        CorpusError: For an error of the system.
    """
    try:
        yield
    except OSError as error:
        if isinstance(error, CorpusKitError):
            raise
        advice = "free some space" if error.errno in _FULL else "check the permissions"
        why = error.strerror or error
        raise CorpusError(f"{what} cannot be written ({why}): {advice} and do the same again; {then}") from error


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
