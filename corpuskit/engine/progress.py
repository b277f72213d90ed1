"""Progress of a run: a bar in a terminal or notebook, else log lines on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

_LINE_INTERVAL: Final = 60.0  # seconds

_Item = TypeVar("_Item")


def with_progress(
    items: Iterable[_Item], name: str, total: int | None, has_failed: Callable[[_Item], bool] = lambda _: False
) -> Iterator[_Item]:
    """Yield items unchanged and show their number on standard error.

    Args:
        items: The items.
        name: Label of the progress bar.
        total: Number of items, if known.
        has_failed: Return whether an item counts as failed.
    """
    if sys.stderr.isatty() or _is_notebook():
        yield from _with_bar(items, name, total, has_failed)
    else:
        yield from _with_lines(items, name, total, has_failed)


def _is_notebook() -> bool:
    # Only an imported IPython can be the shell of this process.
    ipython = sys.modules.get("IPython")
    return hasattr(ipython and ipython.get_ipython(), "kernel")


def _with_bar(
    items: Iterable[_Item], name: str, total: int | None, has_failed: Callable[[_Item], bool]
) -> Iterator[_Item]:
    from tqdm.auto import tqdm

    failed = 0
    with tqdm(total=total, desc=name, mininterval=0.5) as bar:
        for item in items:
            failed += has_failed(item)
            if failed:
                bar.set_postfix(failed=failed, refresh=False)
            bar.update()
            yield item


def _with_lines(
    items: Iterable[_Item], name: str, total: int | None, has_failed: Callable[[_Item], bool]
) -> Iterator[_Item]:
    failed, last_line = 0, time.monotonic()
    for number, item in enumerate(items, 1):
        failed += has_failed(item)
        if (now := time.monotonic()) - last_line >= _LINE_INTERVAL:
            last_line = now
            of_all = "" if total is None else f" of {total:,}"
            sys.stderr.write(f"{name}: {number:,}{of_all}{f', {failed:,} failed' if failed else ''}\n")
            sys.stderr.flush()
        yield item
