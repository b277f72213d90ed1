"""Outcomes of items, and the limits of their execution."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from corpuskit.errors import ResourceLimitError

Item = TypeVar("Item")
Value = TypeVar("Value")
TRIES: Final = 3  # per item: its worker may have died for another reason


class WorkerDiedError(ResourceLimitError):
    """The worker process died while it ran the item."""


class WorkerLostError(WorkerDiedError):
    """The worker process died before it started the item, so the item is not the cause."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Item, Value]):
    """Outcome of one item.

    Attributes:
        index: 0-based position of the item.
        item: The item.
        value: Return value of the function; None after a failure.
        error: Exception of the function, or the exceeded limit.
        tries: Number of tries.
    """

    index: int
    item: Item
    value: Value | None = None
    error: Exception | None = None
    tries: int = 1


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits per item. They apply in worker processes only.

    Attributes:
        seconds: Wall-clock time.
        memory: Address space of the worker in bytes (POSIX).
    """

    seconds: float | None = 120.0
    memory: int | None = 4 * 1024**3


DEFAULT_LIMITS: Final = Limits()


def attempt(
    function: Callable[[Item], Value], index: int, item: Item, retry: tuple[type[Exception], ...]
) -> Outcome[Item, Value]:
    """Call the function in this process, with retries."""
    tries = 1
    while True:
        try:
            return Outcome(index, item, function(item), tries=tries)
        except Exception as error:
            if not isinstance(error, retry) or tries == TRIES:
                return Outcome(index, item, error=error, tries=tries)
        time.sleep(0.1 * 4**tries)
        tries += 1
