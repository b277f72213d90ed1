"""What becomes of an item, and the limits it is worked on under."""

from __future__ import annotations

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
