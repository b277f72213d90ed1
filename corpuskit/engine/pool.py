"""Worker processes that take items one by one."""

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

_LOST: Final = 20  # workers that died before they began an item; then something else is wrong than the item


class Pool(Generic[Item, Value]):
    """Worker processes that take items one by one and give outcomes as they come, in any order.

    Args:
        function: as for :func:`run`.
        workers: how many processes; default: one a CPU.
        limits: for each item.
        retry: errors that pass; an item that raised one is tried again.
        last: called instead the last time for an item whose workers died: a way that does less.
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
        self._last = last or function
        self._limits = limits
        self._retry: tuple[type[Exception], ...] = (WorkerDiedError, *retry)
        self._todo: queue.Queue[tuple[int, Item] | None] = queue.Queue()
        self._done: queue.Queue[Outcome[Item, Value] | BaseException] = queue.Queue()
        self._stop = threading.Event()
        self.next_index = 0
        self._workers = workers or default_workers()
        self._threads: list[threading.Thread] = []

    def submit(self, item: Item) -> int:
        """Hand in an item and return its index.

        Args:
            item: What the function gets.
        """
        index = self.next_index
        self.next_index += 1
        self._todo.put((index, item))
        if len(self._threads) < min(self._workers, self.next_index):  # one item needs one worker
            thread = threading.Thread(target=self._serve, daemon=True, name=f"engine-{len(self._threads)}")
            thread.start()
            self._threads.append(thread)
        return index

    def result(self, timeout: float | None = None) -> Outcome[Item, Value]:
        """Return the next outcome.

        Args:
            timeout: Seconds to wait; None: as long as it takes.

        Raises:
            queue.Empty: none came in ``timeout`` seconds.
        """
        outcome = self._done.get(timeout=timeout)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def close(self) -> None:
        """Stop the workers; items under way are given up."""
        self._stop.set()
        for _ in self._threads:
            self._todo.put(None)
        for thread in self._threads:
            thread.join(timeout=5)

    def __enter__(self) -> Pool[Item, Value]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve(self) -> None:
        """One thread with one worker process at a time."""
        worker: Worker | None = None
        try:
            while (task := self._todo.get()) is not None and not self._stop.is_set():
                tries = lost = died = 0
                while True:
                    tries += 1
                    try:
                        if worker is None or not worker.is_fit:
                            if worker is not None:
                                release_worker(worker)
                                worker = None
                            worker = acquire_worker(self._limits)
                        function = self._last if died == TRIES - 1 else self._function
                        value = worker.call(function, (task[1],), self._stop)
                        self._done.put(Outcome(*task, value, tries=tries))
                    except WorkerLostError as error:
                        lost += 1
                        if lost < _LOST and not self._stop.is_set():
                            tries -= 1
                            continue
                        self._done.put(Outcome(*task, error=error, tries=tries))
                    except self._retry as error:
                        died += isinstance(error, WorkerDiedError)
                        if tries < TRIES and not self._stop.is_set():
                            if not isinstance(error, WorkerDiedError):
                                time.sleep(0.1 * 4**tries)
                            continue
                        self._done.put(Outcome(*task, error=error, tries=tries))
                    except Exception as error:
                        self._done.put(Outcome(*task, error=error, tries=tries))
                    break
        except BaseException as error:
            self._done.put(error)
        finally:
            if worker is not None:
                release_worker(worker)
