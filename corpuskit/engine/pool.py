"""Pool of worker processes that take items one by one."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Final, Generic

from corpuskit.engine.outcomes import (
    DEFAULT_LIMITS,
    TRIES,
    Item,
    Limits,
    Outcome,
    Value,
    WorkerDiedError,
    WorkerLostError,
)
from corpuskit.engine.workers import Worker, acquire_worker, default_workers, release_worker

_MAX_LOST_WORKERS: Final = 20  # per item; after more workers that died before its start, the cause is not temporary


class Pool(Generic[Item, Value]):
    """Worker processes that take items one by one and return outcomes as they finish, in arbitrary order.

    Args:
        function: As for :func:`run`.
        workers: Number of processes; default: one per CPU.
        limits: Limits per item.
        retry: Temporary errors: an item that raises one is retried.
        last: Simpler function for the last try of an item that killed its workers.
    """

    def __init__(
        self,
        function: Callable[[Item], Value],
        *,
        workers: int | None = None,
        limits: Limits = DEFAULT_LIMITS,
        retry: tuple[type[Exception], ...] = (),
        last: Callable[[Item], Value] | None = None,
    ) -> None:
        self._function = function
        self._fallback = last or function
        self._limits = limits
        self._retry: tuple[type[Exception], ...] = (WorkerDiedError, *retry)
        self._queue: queue.Queue[tuple[int, Item] | None] = queue.Queue()
        self._outcomes: queue.Queue[Outcome[Item, Value] | BaseException] = queue.Queue()
        self._stop = threading.Event()
        self.next_index = 0
        self._workers = workers or default_workers()
        self._threads: list[threading.Thread] = []

    def submit(self, item: Item) -> int:
        """Submit an item and return its index.

        Args:
            item: Argument of the function.
        """
        index = self.next_index
        self.next_index += 1
        self._queue.put((index, item))
        if len(self._threads) < min(self._workers, self.next_index):  # one item needs one worker
            thread = threading.Thread(target=self._serve, daemon=True, name=f"engine-{len(self._threads)}")
            thread.start()
            self._threads.append(thread)
        return index

    def result(self, timeout: float | None = None) -> Outcome[Item, Value]:
        """Return the next outcome.

        Args:
            timeout: Seconds to wait. None waits without a limit.

        Raises:
            queue.Empty: No outcome within ``timeout`` seconds.
        """
        outcome = self._outcomes.get(timeout=timeout)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def close(self) -> None:
        """Stop the workers. Running items are abandoned."""
        self._stop.set()
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(timeout=5)

    def __enter__(self) -> Pool[Item, Value]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve(self) -> None:
        """Run items in one worker process at a time, until the pool is closed."""
        worker: Worker | None = None
        try:
            while (task := self._queue.get()) is not None and not self._stop.is_set():
                tries = lost_workers = deaths = 0
                while True:
                    tries += 1
                    try:
                        if worker is None or not worker.is_fit:
                            if worker is not None:
                                release_worker(worker)
                                worker = None
                            worker = acquire_worker(self._limits)
                        function = self._fallback if deaths == TRIES - 1 else self._function
                        value = worker.call(function, (task[1],), self._stop)
                        self._outcomes.put(Outcome(*task, value, tries=tries))
                    except WorkerLostError as error:
                        lost_workers += 1
                        if lost_workers < _MAX_LOST_WORKERS and not self._stop.is_set():
                            tries -= 1
                            continue
                        self._outcomes.put(Outcome(*task, error=error, tries=tries))
                    except self._retry as error:
                        deaths += isinstance(error, WorkerDiedError)
                        if tries < TRIES and not self._stop.is_set():
                            if not isinstance(error, WorkerDiedError):
                                time.sleep(0.1 * 4**tries)
                            continue
                        self._outcomes.put(Outcome(*task, error=error, tries=tries))
                    except Exception as error:
                        self._outcomes.put(Outcome(*task, error=error, tries=tries))
                    break
        except BaseException as error:
            self._outcomes.put(error)
        finally:
            if worker is not None:
                release_worker(worker)
