"""Execution on Dask: a local cluster or a connected one."""

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

_WINDOW: Final = 4  # items per thread that are submitted in advance
_RESTORE_EVERY: Final = 2  # seconds


def run_on_dask(
    function: Callable[[Item], Value],
    items: Iterable[Item],
    client: Client | None,
    workers: int | None,
    limits: Limits,
    retry: tuple[type[Exception], ...],
) -> Iterator[Outcome[Item, Value]]:
    """Run as :func:`corpuskit.engine.run` does. Running items are cancelled when the caller stops."""
    try:
        from distributed import as_completed
    except ImportError:
        raise MissingExtraError("distributed", "dask") from None
    with ExitStack() as stack:
        if client is None:
            client = stack.enter_context(_local_client(workers))
        cluster: Any = client
        width = max(1, sum(cluster.nthreads().values())) * _WINDOW
        run = f"corpuskit-{secrets.token_hex(4)}"
        numbered = enumerate(items)
        running: dict[str, tuple[int, Item, int, Any]] = {}
        completed: Any = as_completed([], loop=cluster.loop)  # type: ignore[no-untyped-call]
        finished: dict[int, Outcome[Item, Value]] = {}
        # Items with dead workers. Another item may be the cause, so each is retried while no other item runs.
        suspects: list[tuple[int, Item]] = []
        isolated_key = ""

        def submit(index: int, item: Item, tries: int, name: str = "") -> None:
            key = name or f"{run}-{index}-{tries}"
            # pure=False: equal items run separately. Dask does not retry: an exception is an outcome.
            future = cluster.submit(_work, function, index, item, limits, retry, key=key, pure=False)
            running[key] = (index, item, tries, future)
            completed.add(future)

        def fill() -> None:
            while not isolated_key and len(running) + len(finished) + len(suspects) < width:
                try:
                    index, item = next(numbered)
                except StopIteration:
                    return
                submit(index, item, 1)

        stack.callback(lambda: [future.cancel() for *_, future in running.values()])
        next_index = 0
        fill()
        while running or suspects:
            if not running:
                index, item = suspects.pop(0)
                isolated_key = f"{run}-{index}-alone"
                submit(index, item, TRIES, isolated_key)
            future = next(completed)
            index, item, tries, _ = running.pop(future.key)
            if _is_killed(future) and not isolated_key:
                suspects.append((index, item))
                fill()
                continue
            isolated_key = ""
            outcome = _outcome(future, index, item, tries)
            if outcome is None:
                submit(index, item, tries + 1)
                continue
            finished[index] = outcome
            fill()
            while next_index in finished:
                yield finished.pop(next_index)
                next_index += 1


def _outcome(future: Any, index: int, item: Item, tries: int) -> Outcome[Item, Any] | None:
    """Return the outcome of a future, or None if the item was lost and has to be retried."""
    if future.status == "finished":
        value, error, tried = future.result()
        return Outcome(index, item, value, error, tried)
    if future.status == "error":
        error = future.exception()
        if _is_killed(future):  # Dask has exhausted its own retries
            return Outcome(index, item, error=WorkerDiedError("all workers that ran it died"), tries=TRIES)
        reason = error if isinstance(error, Exception) else RuntimeError(str(error))
    else:
        reason = WorkerDiedError(f"Dask dropped it ({future.status})")
    return Outcome(index, item, error=reason, tries=tries) if tries >= TRIES else None


def _is_killed(future: Any) -> bool:
    from distributed.scheduler import KilledWorker

    return future.status == "error" and isinstance(future.exception(), KilledWorker)


def _work(
    function: Callable[[Item], Value], index: int, item: Item, limits: Limits, retry: tuple[type[Exception], ...]
) -> tuple[Value | None, Exception | None, int]:
    """Run the function on a Dask worker. Limits need a separate process."""
    if limits.seconds is None and limits.memory is None:
        outcome = attempt(function, index, item, retry)
    else:
        outcome = attempt(lambda it: call(function, it, limits=limits), index, item, (*retry, WorkerDiedError))
    return outcome.value, None if outcome.error is None else picklable_error(outcome.error), outcome.tries


@contextlib.contextmanager
def _local_client(workers: int | None) -> Iterator[Client]:
    """Start a local cluster with one thread per process, since extraction holds the GIL."""
    import logging

    import dask
    from distributed import Client, LocalCluster

    width = workers or default_workers()
    settings = {
        "distributed.scheduler.allowed-failures": TRIES - 1,
        # Shards run for minutes: a worker that holds the GIL for long is alive.
        "distributed.admin.tick.limit": "1h",
        "distributed.comm.timeouts.connect": "60s",
        # Frequent monitoring is made for tasks of milliseconds: it used 3 % of a CPU per process, 0.7 % with these
        # settings (2026-11-22).
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
        _workers_restored(width, cluster),
    ):
        yield client


@contextlib.contextmanager
def _workers_restored(width: int, cluster: Any) -> Iterator[None]:
    """Replace workers that Dask closes because they restart too slowly. A cluster without workers would wait forever."""
    from distributed.core import Status
    from tornado.ioloop import PeriodicCallback

    def restore() -> None:
        for name, worker in list(cluster.workers.items()):
            if worker.status in {Status.closed, Status.failed}:
                del cluster.workers[name]
        cluster.scale(width)  # starts the missing workers

    timer = PeriodicCallback(restore, _RESTORE_EVERY * 1000)
    cluster.loop.add_callback(timer.start)
    try:
        yield
    finally:
        cluster.loop.add_callback(timer.stop)
