"""What becomes of an item, and the limits it is worked on under."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from corpuskit.errors import ResourceLimitError

Item = TypeVar("Item")
Value = TypeVar("Value")
TRIES: Final = 3  # for an item whose worker died: it may have been killed by something else


class WorkerDiedError(ResourceLimitError):
    """The worker process died while it had this item."""


class WorkerLostError(WorkerDiedError):
    """The worker process died before it began the item, so the item did not kill it."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Item, Value]):
    """What became of one item.

    Attributes:
        index: 0-based position among the items.
        item: the item.
        value: what the function gave; None after a failure.
        error: what it raised, or the limit that was exceeded.
        tries: how often it was tried.
    """

    index: int
    item: Item
    value: Value | None = None
    error: Exception | None = None
    tries: int = 1


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for one item; they hold in worker processes only.

    Attributes:
        seconds: wall-clock time.
        memory: bytes of address space of the worker (POSIX).
    """

    seconds: float | None = 120.0
    memory: int | None = 4 * 1024**3


DEFAULT_LIMITS: Final = Limits()


def attempt(
    function: Callable[[Item], Value], index: int, item: Item, retry: tuple[type[Exception], ...]
) -> Outcome[Item, Value]:
    """Calls the function here, as often as it may be tried."""
    tries = 1
    while True:
        try:
            return Outcome(index, item, function(item), tries=tries)
        except Exception as error:
            if not isinstance(error, retry) or tries == TRIES:
                return Outcome(index, item, error=error, tries=tries)
        time.sleep(0.1 * 4**tries)
        tries += 1
