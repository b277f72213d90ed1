"""Runs on Dask: a cluster of this machine, or one of others."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

from corpuskit.engine.outcomes import TRIES, Item, Limits, Outcome, Value, WorkerDiedError, attempt
from corpuskit.engine.workers import call, default_workers, picklable_error
from corpuskit.errors import MissingExtraError

if TYPE_CHECKING:
    from distributed import Client

_WINDOW: Final = 4  # items a thread that are handed in ahead
_RESTORE_EVERY: Final = 2  # seconds


def run_on_dask(
    function: Callable[[Item], Value],
    items: Iterable[Item],
    client: Client | None,
    workers: int | None,
    limits: Limits,
    retry: tuple[type[Exception], ...],
) -> Iterator[Outcome[Item, Value]]:
    """As :func:`corpuskit.engine.run`. What is under way when the caller stops is cancelled."""
    try:
        from distributed import as_completed
    except ImportError:
        raise MissingExtraError("distributed", "dask") from None
    with ExitStack() as stack:
        if client is None:
            client = stack.enter_context(_local(workers))
        cluster: Any = client
        width = max(1, sum(cluster.nthreads().values())) * _WINDOW
        run = f"corpuskit-{secrets.token_hex(4)}"
        numbered = enumerate(items)
        under_way: dict[str, tuple[int, Item, int, Any]] = {}
        completed: Any = as_completed([], loop=cluster.loop)  # type: ignore[no-untyped-call]
        waiting: dict[int, Outcome[Item, Value]] = {}
        # Items whose workers died, maybe of what another item did there: each is tried again with nothing beside it.
        suspects: list[tuple[int, Item]] = []
        alone = ""

        def submit(index: int, item: Item, tries: int, name: str = "") -> None:
            key = name or f"{run}-{index}-{tries}"
            # Not pure: the same item twice is done twice. Without retries: what the function raises is an outcome.
            future = cluster.submit(_work, function, index, item, limits, retry, key=key, pure=False)
            under_way[key] = (index, item, tries, future)
            completed.add(future)

        def fill() -> None:
            while not alone and len(under_way) + len(waiting) + len(suspects) < width:
                try:
                    index, item = next(numbered)
                except StopIteration:
                    return
                submit(index, item, 1)

        stack.callback(lambda: [future.cancel() for *_, future in under_way.values()])
        given = 0
        fill()
        while under_way or suspects:
            if not under_way:
                index, item = suspects.pop(0)
                alone = f"{run}-{index}-alone"
                submit(index, item, TRIES, alone)
            future = next(completed)
            index, item, tries, _ = under_way.pop(future.key)
            if _is_killed(future) and not alone:
                suspects.append((index, item))
                fill()
                continue
            alone = ""
            outcome = _outcome(future, index, item, tries)
            if outcome is None:
                submit(index, item, tries + 1)
                continue
            waiting[index] = outcome
            fill()
            while given in waiting:
                yield waiting.pop(given)
                given += 1


def _outcome(future: Any, index: int, item: Item, tries: int) -> Outcome[Item, Any] | None:
    """What became of an item; None where it was lost and is to be tried again."""
    if future.status == "finished":
        value, error, tried = future.result()
        return Outcome(index, item, value, error, tried)
    if future.status == "error":
        error = future.exception()
        if _is_killed(future):  # Dask has counted by itself
            return Outcome(index, item, error=WorkerDiedError("its workers died, one after the other"), tries=TRIES)
        reason = error if isinstance(error, Exception) else RuntimeError(str(error))
    else:
        reason = WorkerDiedError(f"Dask gave it up ({future.status})")
    return Outcome(index, item, error=reason, tries=tries) if tries >= TRIES else None


def _is_killed(future: Any) -> bool:
    from distributed.scheduler import KilledWorker

    return future.status == "error" and isinstance(future.exception(), KilledWorker)


def _work(
    function: Callable[[Item], Value], index: int, item: Item, limits: Limits, retry: tuple[type[Exception], ...]
) -> tuple[Value | None, Exception | None, int]:
    """On the worker: the function under its limits, which need a process of their own."""
    if limits.seconds is None and limits.memory is None:
        outcome = attempt(function, index, item, retry)
    else:
        outcome = attempt(lambda it: call(function, it, limits=limits), index, item, (*retry, WorkerDiedError))
    return outcome.value, None if outcome.error is None else picklable_error(outcome.error), outcome.tries


@contextlib.contextmanager
def _local(workers: int | None) -> Iterator[Client]:
    """A cluster of this machine: one thread a process, since extraction holds the interpreter's lock."""
    import logging

    import dask
    from distributed import Client, LocalCluster

    width = workers or default_workers()
    settings = {
        "distributed.scheduler.allowed-failures": TRIES - 1,
        # Shards run for minutes: a worker that holds the lock for long is not dead.
        "distributed.admin.tick.limit": "1h",
        "distributed.comm.timeouts.connect": "60s",
        # What watches every process many times a second is for task graphs of milliseconds: it took 3% of a CPU in each,
        # 0.7% without (2026-11-22).
        "distributed.admin.tick.interval": "1s",
        "distributed.admin.system-monitor.interval": "10s",
        "distributed.admin.system-monitor.gil.enabled": False,
        "distributed.worker.profile.enabled": False,
    }
    with (
        dask.config.set(settings),
        LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=width,
            threads_per_worker=1,
            processes=True,
            memory_limit=0,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,  # type: ignore[no-untyped-call]
        _kept_at(width, cluster),
    ):
        yield client


@contextlib.contextmanager
def _kept_at(width: int, cluster: Any) -> Iterator[None]:
    """Replaces workers that Dask gives up: those that took too long to start again. A cluster that has none waits for ever."""
    from distributed.core import Status
    from tornado.ioloop import PeriodicCallback

    def restore() -> None:
        for name, worker in list(cluster.workers.items()):
            if worker.status in {Status.closed, Status.failed}:
                del cluster.workers[name]
        cluster.scale(width)  # makes what is missing

    timer = PeriodicCallback(restore, _RESTORE_EVERY * 1000)
    cluster.loop.add_callback(timer.start)
    try:
        yield
    finally:
        cluster.loop.add_callback(timer.stop)
