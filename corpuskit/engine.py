"""Runs one function over many items: here, or in worker processes with limits of time and memory.

A worker is a fresh Python process that talks over a local connection. It does not import the caller's script, so a
script needs no ``if __name__ == "__main__"``. A worker that dies or exceeds a limit is replaced; the item it had
becomes a failure, the others go on. Workers are recycled after a number of items, since parsers leak memory.
"""

from __future__ import annotations

import atexit
import itertools
import os
import pickle  # only between our own two processes, over an authenticated connection
import queue
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Client, Connection, Listener
from typing import Any, Final, Generic, Literal, TypeVar

from corpuskit.errors import ConfigurationError, ResourceLimitError

Item = TypeVar("Item")
Value = TypeVar("Value")

_RECYCLE_AFTER: Final = 500
_START_SECONDS: Final = 60.0
_TRIES: Final = 3  # for an item whose worker died: it may have been killed by something else
_WINDOW: Final = 16  # items a worker ahead of the slowest one, so that results can be given in order


class WorkerDiedError(ResourceLimitError):
    """The worker process died while it had this item."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Item, Value]):
    """What became of one item.

    Attributes:
        index: 0-based position among the items.
        item: the item.
        value: what the function gave; None after a failure.
        error: what it raised, or the limit that was exceeded.
        tries: how often it was tried.
    """

    index: int
    item: Item
    value: Value | None = None
    error: Exception | None = None
    tries: int = 1


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for one item; they hold in worker processes only.

    Attributes:
        seconds: wall-clock time.
        memory: bytes of address space of the worker (POSIX).
    """

    seconds: float | None = 120.0
    memory: int | None = 4 * 1024**3


def run(
    function: Callable[[Item], Value],
    items: Iterable[Item],
    *,
    on: Literal["serial", "processes"] = "serial",
    workers: int | None = None,
    limits: Limits = Limits(),
    progress: str | None = None,
    total: int | None = None,
) -> Iterator[Outcome[Item, Value]]:
    """Runs ``function`` over ``items``; gives an outcome each, in the order of the items.

    Args:
        function: with ``on="processes"`` it is found by its module and name, so it is not one of the calling script.
        items: taken as they are needed, at most some dozens ahead.
        on: ``"serial"``: in this process, without limits; ``"processes"``: in worker processes.
        workers: how many processes; default: one a CPU.
        limits: for each item.
        progress: shows a progress bar with this name.
        total: how many items there are, for the progress bar.

    Raises:
        ConfigurationError: an unknown ``on``.
    """
    if on == "serial":
        outcomes = _run_serially(function, items)
    elif on == "processes":
        outcomes = _run_in_processes(function, items, workers or os.cpu_count() or 1, limits)
    else:
        raise ConfigurationError(f"on={on!r}: expected 'serial' or 'processes'")
    return _with_progress(outcomes, progress, total) if progress is not None else outcomes


def call(function: Callable[..., Value], *arguments: Any, limits: Limits = Limits()) -> Value:
    """Calls a function in a worker process, under limits; raises what it raises.

    Raises:
        ResourceLimitError: a limit was reached, or the worker died.
    """
    worker = _hire(limits)
    try:
        return worker.call(function, arguments)  # type: ignore[no-any-return]
    finally:
        _release(worker)


def _run_serially(function: Callable[[Item], Value], items: Iterable[Item]) -> Iterator[Outcome[Item, Value]]:
    for index, item in enumerate(items):
        try:
            value = function(item)
        except Exception as error:
            yield Outcome(index, item, error=error)
        else:
            yield Outcome(index, item, value)


def _run_in_processes(
    function: Callable[[Item], Value], items: Iterable[Item], workers: int, limits: Limits
) -> Iterator[Outcome[Item, Value]]:
    numbered = iter(items)
    waiting: dict[int, Outcome[Item, Value]] = {}
    given = sent = 0
    exhausted = False
    with Pool(function, workers=workers, limits=limits) as pool:
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


class Pool(Generic[Item, Value]):
    """Worker processes that take items one by one and give outcomes as they come, in any order.

    Args:
        function: as for :func:`run`.
        workers: how many processes; default: one a CPU.
        limits: for each item.
    """

    def __init__(
        self, function: Callable[[Item], Value], *, workers: int | None = None, limits: Limits = Limits()
    ) -> None:
        self._function = function
        self._limits = limits
        self._todo: queue.Queue[tuple[int, Item] | None] = queue.Queue()
        self._done: queue.Queue[Outcome[Item, Value] | BaseException] = queue.Queue()
        self._stop = threading.Event()
        self.next_index = 0
        self._threads = [
            threading.Thread(target=self._serve, daemon=True, name=f"engine-{i}")
            for i in range(workers or os.cpu_count() or 1)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, item: Item) -> int:
        """Hands in an item; gives its index."""
        index = self.next_index
        self.next_index += 1
        self._todo.put((index, item))
        return index

    def result(self, timeout: float | None = None) -> Outcome[Item, Value]:
        """The next outcome.

        Raises:
            queue.Empty: none came in ``timeout`` seconds.
        """
        outcome = self._done.get(timeout=timeout)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def close(self) -> None:
        """Stops the workers; items under way are given up."""
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
        worker: _Worker | None = None
        try:
            while (task := self._todo.get()) is not None and not self._stop.is_set():
                for tries in itertools.count(1):
                    if worker is None or not worker.is_fit:
                        if worker is not None:
                            _release(worker)
                        worker = _hire(self._limits)
                    try:
                        value = worker.call(self._function, (task[1],), self._stop)
                        self._done.put(Outcome(*task, value, tries=tries))
                    except WorkerDiedError as error:
                        if tries < _TRIES and not self._stop.is_set():
                            continue
                        self._done.put(Outcome(*task, error=error, tries=tries))
                    except Exception as error:
                        self._done.put(Outcome(*task, error=error, tries=tries))
                    break
        except BaseException as error:
            self._done.put(error)
        finally:
            if worker is not None:
                _release(worker)


class _Worker:
    """A Python process that calls functions for us."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.calls = 0
        key = secrets.token_bytes(32)
        with Listener(None, authkey=key) as listener:
            command = [sys.executable, "-c", "from corpuskit.engine import _work; _work()"]
            # BLAS threads would multiply with the workers and eat address space.
            environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
            environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment)
            hello = pickle.dumps((listener.address, key, limits.memory))
            assert self._process.stdin is not None
            self._process.stdin.write(hello)
            self._process.stdin.close()
            self._connection = _accept(listener, self._process)

    @property
    def is_fit(self) -> bool:
        """It is alive and not due to be recycled."""
        return self._process.poll() is None and self.calls < _RECYCLE_AFTER

    def call(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], stop: threading.Event | None = None
    ) -> Any:
        self.calls += 1
        try:
            self._connection.send((function, arguments))
            if not self._answered(stop):
                self.close()
                raise ResourceLimitError(f"took longer than {self.limits.seconds:g} s")
            succeeded, result = self._connection.recv()
        except (EOFError, OSError) as error:
            code = self._wait()
            raise WorkerDiedError(f"the worker process died ({_exit_reason(code)})") from error
        if not succeeded:
            raise result
        return result

    def _answered(self, stop: threading.Event | None) -> bool:
        """Waits for the answer in small steps, so that a stop is noticed."""
        left = self.limits.seconds if self.limits.seconds is not None else float("inf")
        while left > 0:
            step = min(left, 0.5)
            if self._connection.poll(step):
                return True
            left -= step
            if stop is not None and stop.is_set():
                self.close()
                raise WorkerDiedError("stopped")
        return False

    def _wait(self) -> int | None:
        try:
            return self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.close()
            return None

    def close(self) -> None:
        self._connection.close()
        self._process.kill()
        self._process.wait()


def _accept(listener: Listener, process: subprocess.Popen[bytes]) -> Connection:
    """The worker's connection; a worker that cannot start raises instead of hanging."""
    result: queue.Queue[Any] = queue.Queue()

    def accept() -> None:
        try:
            result.put(listener.accept())
        except Exception as error:
            result.put(error)

    threading.Thread(target=accept, daemon=True).start()
    for _ in range(int(_START_SECONDS * 10)):
        try:
            connection = result.get(timeout=0.1)
        except queue.Empty:
            if process.poll() is not None:
                break
            continue
        if isinstance(connection, Exception):
            raise connection
        return connection  # type: ignore[no-any-return]
    process.kill()
    raise WorkerDiedError(f"a worker process could not start ({_exit_reason(process.poll())})")


def _exit_reason(code: int | None) -> str:
    if code is None:
        return "no exit code"
    if code < 0:
        import signal

        try:
            return signal.Signals(-code).name
        except ValueError:
            return f"signal {-code}"
    return f"exit code {code}"


def _work() -> None:
    """The worker's side: answers calls until the connection closes."""
    import signal
    import time

    address, key, memory = pickle.loads(sys.stdin.buffer.read())  # noqa: S301 - from our parent
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    parent = os.getppid()

    def die_with_parent() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=die_with_parent, daemon=True).start()
    if memory is not None:
        _limit_memory(memory)
    try:
        connection = Client(address, authkey=key)
    except (OSError, EOFError):
        return  # the parent has given up meanwhile
    with connection:
        while True:
            try:
                function, arguments = connection.recv()
            except (EOFError, OSError):
                return
            try:
                answer = (True, function(*arguments))
            except MemoryError:
                answer = (False, ResourceLimitError(f"needs more than {memory or 0:,} bytes of memory"))
            except Exception as error:
                answer = (False, _portable(error))
            try:
                connection.send(answer)
            except OSError:
                return  # the parent has gone


def _limit_memory(limit: int) -> None:
    try:
        import resource
    except ImportError:  # not POSIX
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _portable(error: Exception) -> Exception:
    """The error, or a plain one that says the same where it does not survive pickling."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - what we have just dumped
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _with_progress(
    outcomes: Iterator[Outcome[Item, Value]], name: str, total: int | None
) -> Iterator[Outcome[Item, Value]]:
    from tqdm.auto import tqdm

    failed = 0
    with tqdm(total=total, desc=name, unit="doc", mininterval=0.5) as bar:
        for outcome in outcomes:
            failed += outcome.error is not None
            if failed:
                bar.set_postfix(failed=failed, refresh=False)
            bar.update()
            yield outcome


# Workers between two jobs: starting one costs about a second of imports.
_idle: list[_Worker] = []
_idle_lock = threading.Lock()


def _hire(limits: Limits) -> _Worker:
    with _idle_lock:
        for worker in _idle:
            if worker.limits.memory == limits.memory:
                _idle.remove(worker)
                break
        else:
            worker = None
    if worker is None or not worker.is_fit:
        if worker is not None:
            worker.close()
        return _Worker(limits)
    worker.limits = limits
    return worker


def _release(worker: _Worker) -> None:
    with _idle_lock:
        keep = worker.is_fit and len(_idle) < (os.cpu_count() or 1)
        if keep:
            _idle.append(worker)
    if not keep:
        worker.close()


@atexit.register
def close_idle_workers() -> None:
    """Ends the worker processes that wait for the next job; done at exit too."""
    with _idle_lock:
        while _idle:
            _idle.pop().close()
