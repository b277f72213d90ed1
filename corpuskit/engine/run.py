"""Execution of a function over many items: in this process, in worker processes, or on a Dask cluster."""

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

_WINDOW: Final = 16  # items per worker that may finish before the slowest one, since results are in order


def run(  # noqa: PLR0913 - options of the one entry point
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
    """Run ``function`` over ``items`` and yield one outcome per item, in the order of the items.

    ``on`` selects the executor; the outcomes are the same on every executor. An item is tried up to three times if its
    worker dies or it raises one of ``retry``. If the caller stops early, no work continues.

    Args:
        function: Importable by module and name for ``"processes"``, so not defined in the calling script.
        items: Consumed as needed, at most some dozens in advance.
        on: ``"serial"``: this process, without limits. ``"processes"``: worker processes. ``"dask"``: a local Dask
            cluster that is started for this run; a script then needs ``if __name__ == "__main__"``. Or a
            ``distributed.Client``: its cluster.
        workers: Number of processes; default: ``CORPUSKIT_WORKERS``, else one per processor. Ignored for a Client.
        limits: Limits per item.
        retry: Temporary errors, for example OSError of a network file system.
        last: With ``"processes"``: simpler function for the last try of an item that killed its workers.
        progress: Label of a progress bar, which is shown in a terminal or notebook; elsewhere one line per minute.
        total: Number of items, for the progress bar.

    Raises:
        ConfigurationError: ``on`` is unknown.
        MissingExtraError: Dask is requested and the extra ``dask`` is not installed.
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
    """Validate the arguments of :func:`run` before the work starts.

    Args:
        on: ``"serial"``, ``"processes"``, ``"dask"`` or a ``distributed.Client``.
        workers: Number of processes. None starts one per CPU.

    Raises:
        ConfigurationError: ``on`` is unknown or ``workers`` is not a positive integer.
    """
    if not (on in {"serial", "processes", "dask"} if isinstance(on, str) else hasattr(on, "submit")):
        raise ConfigurationError(f"on={on!r:.80}: expected 'serial', 'processes', 'dask' or a distributed.Client")
    if workers is not None:
        check_count(workers, "workers", minimum=1)


def values(
    function: Callable[[Item], Value], items: Sequence[Item], *, in_processes: bool, progress: str | None = None
) -> Iterator[Value]:
    """Yield the return value of ``function`` for each item, without limits. The first error is raised.

    Args:
        function: Importable by module and name.
        items: The items.
        in_processes: Use worker processes.
        progress: Label of a progress bar.
    """
    no_limits = Limits(seconds=None, memory=None)
    on: Literal["processes", "serial"] = "processes" if in_processes else "serial"
    for outcome in run(function, items, on=on, limits=no_limits, progress=progress, total=len(items)):
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
    remaining = iter(items)
    finished: dict[int, Outcome[Item, Value]] = {}
    next_index = submitted = 0
    exhausted = False
    with Pool(function, workers=workers, limits=limits, retry=retry, last=last) as pool:
        while True:
            while not exhausted and submitted - next_index < workers * _WINDOW:
                try:
                    item = next(remaining)
                except StopIteration:
                    exhausted = True
                    break
                pool.submit(item)
                submitted += 1
            if next_index == submitted:
                return
            while next_index not in finished:
                outcome = pool.result()
                finished[outcome.index] = outcome
            yield finished.pop(next_index)
            next_index += 1
