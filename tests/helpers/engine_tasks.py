"""Functions that the engine's tests run in worker processes."""

import os
import signal
import time
from pathlib import Path


def double(number):
    return 2 * number


def fail_on_three(number):
    if number == 3:
        raise ValueError("three")
    return number


def sleep(seconds):
    time.sleep(seconds)
    return seconds


def allocate(size):
    return len(bytearray(size))


def die(_):
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(marker):
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "second try"


def pid(_):
    return os.getpid()


class UnpicklableError(Exception):
    def __init__(self, a, b):
        super().__init__(f"{a} {b}")


def raise_unpicklable(_):
    raise UnpicklableError(1, 2)


def die_on_three(number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def fail_twice(marker):
    file = Path(marker)
    tries = len(file.read_text()) if file.exists() else 0
    file.write_text("x" * (tries + 1))
    if tries < 2:
        raise OSError("the store does not answer")
    return "third try"


def extract_or_abort(task):
    """As pdfium ends its process over some broken forms."""
    from corpuskit.ingest import extract

    if task.options.forms:
        os.abort()
    return extract(task)
