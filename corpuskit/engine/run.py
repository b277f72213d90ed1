"""Runs one function over many items: here, in worker processes, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, cast

from corpuskit.engine.dask_backend import run_on_dask
from corpuskit.engine.outcomes import DEFAULT_LIMITS, Item, Limits, Outcome, Value, attempt
from corpuskit.engine.pool import Pool
from corpuskit.engine.progress import with_progress
from corpuskit.engine.workers import default_workers
from corpuskit.errors import ConfigurationError
from corpuskit.validation import check_count

if TYPE_CHECKING:
    from distributed import Client

_WINDOW: Final = 16  # items a worker ahead of the slowest one, so that results can be given in order


def run(  # noqa: PLR0913 - the one way to run something over many items
    function: Callable[[Item], Value],
    items: Iterable[Item],
    *,
    on: Literal["serial", "processes", "dask"] | Client = "serial",
    workers: int | None = None,
    limits: Limits = DEFAULT_LIMITS,
    retry: tuple[type[Exception], ...] = (),
    last: Callable[[Item], Value] | None = None,
    progress: str | None = None,
    total: int | None = None,
) -> Iterator[Outcome[Item, Value]]:
    """Run ``function`` over ``items`` and yield an outcome each, in the order of the items.

    The function decides what is done, ``on`` only where: the outcomes are the same. An item whose worker died, or that
    raised one of ``retry``, is tried three times in all. Who stops early leaves no work under way.

    Args:
        function: with ``"processes"`` it is found by its module and name, so it is not one of the calling script.
        items: taken as they are needed, at most some dozens ahead.
        on: ``"serial"``: in this process, without limits; ``"processes"``: in worker processes; ``"dask"``: on a Dask
            cluster of this machine, made for this run (a script needs ``if __name__ == "__main__"`` then); or a ``distributed.Client``: on that cluster.
        workers: how many processes; default: ``CORPUSKIT_WORKERS``, else one per processor. A Client has its own.
        limits: for each item.
        retry: errors that pass, such as OSError of a store on the network.
        last: with ``"processes"``, called instead the last time for an item whose workers died: a way that does less.
        progress: shows a progress bar with this name and the time left, on a terminal or in a notebook; elsewhere a line a minute.
        total: how many items there are, for the progress bar.

    Raises:
        ConfigurationError: an unknown ``on``.
        MissingExtraError: Dask is asked for, and the extra ``dask`` is not installed.
    """
    check_engine(on, workers)
    workers = None if workers is None else int(workers)
    if on == "serial":
        outcomes = _run_serially(function, items, retry)
    elif on == "processes":
        outcomes = _run_in_processes(function, items, workers or default_workers(), limits, retry, last)
    else:
        outcomes = run_on_dask(function, items, None if isinstance(on, str) else on, workers, limits, retry)
    if progress is None:
        return outcomes
    return with_progress(outcomes, progress, total, lambda outcome: outcome.error is not None)


def check_engine(on: object, workers: object = None) -> None:
    """Refuse a place where nothing runs, before anything is begun.

    Args:
        on: Where items are to run: ``"serial"``, ``"processes"``, ``"dask"`` or a ``distributed.Client``.
        workers: How many processes; None: as many as there are CPUs.

    Raises:
        ConfigurationError: an unknown ``on``, or a number of workers that cannot be.
    """
    if not (on in {"serial", "processes", "dask"} if isinstance(on, str) else hasattr(on, "submit")):
        raise ConfigurationError(f"on={on!r:.80}: expected 'serial', 'processes', 'dask' or a distributed.Client")
    if workers is not None:
        check_count(workers, "workers", least=1)


def values(
    function: Callable[[Item], Value], items: Sequence[Item], *, in_processes: bool, progress: str | None = None
) -> Iterator[Value]:
    """Yield what ``function`` gives for each item, without limits; the first error ends it.

    Args:
        function: found by its module and name.
        items: the items.
        in_processes: in worker processes, else here.
        progress: shows a progress bar with this name.
    """
    without = Limits(seconds=None, memory=None)
    on: Literal["processes", "serial"] = "processes" if in_processes else "serial"
    for outcome in run(function, items, on=on, limits=without, progress=progress, total=len(items)):
        if outcome.error is not None:
            raise outcome.error
        yield cast("Value", outcome.value)


def _run_serially(
    function: Callable[[Item], Value], items: Iterable[Item], retry: tuple[type[Exception], ...]
) -> Iterator[Outcome[Item, Value]]:
    for index, item in enumerate(items):
        yield attempt(function, index, item, retry)


def _run_in_processes(
    function: Callable[[Item], Value],
    items: Iterable[Item],
    workers: int,
    limits: Limits,
    retry: tuple[type[Exception], ...],
    last: Callable[[Item], Value] | None,
) -> Iterator[Outcome[Item, Value]]:
    numbered = iter(items)
    waiting: dict[int, Outcome[Item, Value]] = {}
    given = sent = 0
    exhausted = False
    with Pool(function, workers=workers, limits=limits, retry=retry, last=last) as pool:
        while True:
            while not exhausted and sent - given < workers * _WINDOW:
                try:
                    item = next(numbered)
                except StopIteration:
                    exhausted = True
                    break
                pool.submit(item)
                sent += 1
            if given == sent:
                return
            while given not in waiting:
                outcome = pool.result()
                waiting[outcome.index] = outcome
            yield waiting.pop(given)
            given += 1
