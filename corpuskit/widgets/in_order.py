"""Messages of a page in the order of its keys, each done once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class InOrder:
    """Does what messages with a ``page`` and a ``seq``, from 1 on, ask for: in the order of the keys, each once.

    JupyterLab moves a widget's messages to a separate thread while the first are under way, so that a later one can
    come before an earlier one.

    Args:
        tell: called with the number of a message that is done: its labels are on the disk.
    """

    def __init__(self, tell: Callable[[int], object]) -> None:
        self._tell = tell
        self._lock = threading.Lock()
        self._done: dict[str, int] = {}  # page → the last message of it that was done
        self._early: dict[tuple[str, int], Callable[[], object]] = {}

    def do(self, message: dict[str, Any], act: Callable[[], object]) -> None:
        """Process a message, or store it until the preceding ones have arrived.

        Exceptions of ``act`` propagate. The message is processed again with the next one and confirmed then.
        """
        page, number = str(message["page"]), int(message["seq"])
        with self._lock:
            done = self._done.get(page, 0)
            if number <= done:
                self._tell(number)
                return
            self._early[page, number] = act
            while (action := self._early.get((page, done + 1))) is not None:
                action()
                done += 1
                self._done[page] = done
                del self._early[page, done]
                self._tell(done)
