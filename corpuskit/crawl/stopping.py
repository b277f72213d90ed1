"""A request to stop a crawl, and how long the crawl may take to follow it."""

from __future__ import annotations

import time
from typing import Final

_GRACE: Final = 5.0  # seconds


class Stopping:
    """Set by any thread; what is in progress then has a few seconds to finish.

    Without a lock: Ctrl-C may interrupt the main thread at any point of :meth:`ask`, also while it holds the lock of a
    :class:`threading.Event`, and a second call would then wait for ever.
    """

    def __init__(self) -> None:
        self._deadline: float | None = None

    def ask(self, *, at_once: bool = False) -> None:
        """Ask the crawl to stop; ``at_once``: what is in progress is cancelled."""
        if at_once:
            self._deadline = 0.0
        elif self._deadline is None:
            self._deadline = time.monotonic() + _GRACE

    def is_set(self) -> bool:
        """Whether the crawl is to stop."""
        return self._deadline is not None

    @property
    def is_over(self) -> bool:
        """Whether the crawl is to stop and the time of what was in progress is over."""
        return self._deadline is not None and time.monotonic() >= self._deadline
