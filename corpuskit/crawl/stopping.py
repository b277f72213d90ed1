"""The wish that a crawl stops, and how long it may take."""

from __future__ import annotations

import threading
import time
from typing import Final

_GRACE: Final = 5.0  # seconds


class Stopping:
    """Told by any thread; what is under way then has a few seconds to come to its end."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._deadline = 0.0

    def ask(self, *, at_once: bool = False) -> None:
        """Asks the crawl to stop; ``at_once``: what is under way is broken off."""
        if not self._event.is_set():
            self._deadline = time.monotonic() + _GRACE
        if at_once:
            self._deadline = 0.0
        self._event.set()

    def is_set(self) -> bool:
        """The crawl is to stop."""
        return self._event.is_set()

    @property
    def is_over(self) -> bool:
        """The crawl is to stop, and what was under way has had its time."""
        return self._event.is_set() and time.monotonic() >= self._deadline
