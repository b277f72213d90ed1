"""One item, as often as it may be tried."""

from __future__ import annotations

import time
from collections.abc import Callable

from corpuskit.engine.outcomes import TRIES, Item, Outcome, Value


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
