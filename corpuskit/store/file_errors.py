"""Causes of file errors, for messages: a full disk, missing permissions, a file locked by another process."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from corpuskit.errors import CorpusError, CorpusKitError

_DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT)


@contextlib.contextmanager
def convert_write_errors(target: str, state_after: str) -> Iterator[None]:
    """Convert an OSError into a CorpusError with the cause and advice.

    Args:
        target: What is written, such as ``the model``.
        state_after: What exists after the failure, for the message.

    Raises:
        CorpusError: The block raised an OSError.
    """
    try:
        yield
    except OSError as error:
        if isinstance(error, CorpusKitError):
            raise
        advice = "free some space" if error.errno in _DISK_FULL else "check the permissions"
        cause = error.strerror or error
        raise CorpusError(f"{target} cannot be written ({cause}): {advice} and try again; {state_after}") from error


def processes_using(file: Path) -> str:
    """Return the other processes that have a file open, for a message, or an empty string if the system reports none."""
    import psutil

    processes = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and any(Path(opened.path) == file for opened in process.open_files()):
                processes.append(f"process {process.pid}")
        except (psutil.Error, OSError):  # the process has ended or belongs to another user
            continue
    return ", ".join(processes)
