"""How far a run is: a bar on a terminal or in a notebook, elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

_EVERY: Final = 60.0  # seconds between two lines

_Thing = TypeVar("_Thing")


def with_progress(
    things: Iterable[_Thing], name: str, total: int | None, has_failed: Callable[[_Thing], bool] = lambda _: False
) -> Iterator[_Thing]:
    """Yield things as they come, and show on standard error how many came.

    Args:
        things: What comes.
        name: Stands before the numbers.
        total: How many there will be; None: unknown.
        has_failed: Tells those that are counted as failed.
    """
    if sys.stderr.isatty() or _is_notebook():
        yield from _with_bar(things, name, total, has_failed)
    else:
        yield from _with_lines(things, name, total, has_failed)


def _is_notebook() -> bool:
    # Only an imported IPython can be the shell of this process.
    ipython = sys.modules.get("IPython")
    return hasattr(ipython and ipython.get_ipython(), "kernel")


def _with_bar(
    things: Iterable[_Thing], name: str, total: int | None, has_failed: Callable[[_Thing], bool]
) -> Iterator[_Thing]:
    from tqdm.auto import tqdm

    failed = 0
    with tqdm(total=total, desc=name, mininterval=0.5) as bar:
        for thing in things:
            failed += has_failed(thing)
            if failed:
                bar.set_postfix(failed=failed, refresh=False)
            bar.update()
            yield thing


def _with_lines(
    things: Iterable[_Thing], name: str, total: int | None, has_failed: Callable[[_Thing], bool]
) -> Iterator[_Thing]:
    failed, told = 0, time.monotonic()
    for number, thing in enumerate(things, 1):
        failed += has_failed(thing)
        if (now := time.monotonic()) - told >= _EVERY:
            told = now
            of_all = "" if total is None else f" of {total:,}"
            sys.stderr.write(f"{name}: {number:,}{of_all}{f', {failed:,} failed' if failed else ''}\n")
            sys.stderr.flush()
        yield thing
