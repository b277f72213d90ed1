"""Worker processes: fresh Pythons that call functions for us over a local connection.

They do not import the caller's script, so a script needs no ``if __name__ == "__main__"``.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import itertools
import os
import pickle  # only between our own two processes, over an authenticated connection
import queue
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing.connection import Client, Connection, Listener
from typing import Any, Final

from corpuskit.engine.outcomes import DEFAULT_LIMITS, Limits, Value, WorkerDiedError, WorkerLostError
from corpuskit.errors import ResourceLimitError

_RECYCLE_AFTER: Final = 20_000  # calls
_RECYCLE_OVER: Final = 1024**3  # bytes in memory between two calls: parsers leak
_START_SECONDS: Final = 60.0
_END_SECONDS: Final = 2.0  # to end by itself, with the workers that it has hired


def call(
    function: Callable[..., Value],
    *arguments: Any,
    limits: Limits = DEFAULT_LIMITS,
    stop: threading.Event | None = None,
) -> Value:
    """Call a function in a worker process, under limits; raise what it raises.

    Args:
        function: found by its module and name.
        arguments: sent to it.
        limits: of time and memory.
        stop: ends the call where it is set.

    Raises:
        ResourceLimitError: a limit was reached.
        WorkerDiedError: the worker died, or was stopped.
    """
    worker = acquire_worker(limits)
    try:
        return worker.call(function, arguments, stop)  # type: ignore[no-any-return]
    finally:
        release_worker(worker)


class Worker:
    """A Python process that calls functions for us."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.calls = 0
        self._memory = 0  # bytes it said it holds
        key = secrets.token_bytes(32)
        with Listener(None, authkey=key) as listener:
            command = [sys.executable, "-c", "from corpuskit.engine.workers import work; work()"]
            # BLAS threads would multiply with the workers and eat address space.
            environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
            environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
            with _ctrl_c_held_back():
                self._process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment
                )
            hello = pickle.dumps((listener.address, key, limits.memory))
            assert self._process.stdin is not None
            self._process.stdin.write(hello)
            self._process.stdin.close()
            self._connection = _accept(listener, self._process)

    @property
    def is_fit(self) -> bool:
        """It is alive and not due to be recycled."""
        return self._process.poll() is None and self.calls < _RECYCLE_AFTER and self._memory < _RECYCLE_OVER

    def call(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], stop: threading.Event | None = None
    ) -> Any:
        """What the function gives; raises what it raises, and WorkerDiedError or ResourceLimitError."""
        self.calls += 1
        kind: type[WorkerDiedError] = WorkerLostError
        try:
            self._connection.send((function, arguments))
            answer = None
            while answer is None:
                if not self._answered(stop):
                    self.kill()
                    raise ResourceLimitError(f"took longer than {self.limits.seconds:g} s")
                answer, kind = self._connection.recv(), WorkerDiedError
            succeeded, result, self._memory = answer
        except (EOFError, OSError) as error:
            code = self._wait()
            raise kind(f"the worker process died ({_exit_reason(code)})") from error
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
                self.kill()
                raise WorkerDiedError("stopped")
        return False

    def _wait(self) -> int | None:
        try:
            return self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def close(self) -> None:
        """Lets it end by itself, with the workers that it has hired."""
        self._connection.close()
        try:
            self._process.wait(timeout=_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """Ends it at once."""
        self._connection.close()
        self._process.kill()
        self._process.wait()


@contextlib.contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """A process that is made here takes no notice of Ctrl-C until it says so; this thread gets it a moment later."""
    import signal

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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
    code = process.poll()  # None: it hangs
    process.kill()
    kind = WorkerLostError if code is not None and code < 0 else WorkerDiedError
    raise kind(f"a worker process could not start ({_exit_reason(code)})")


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


def work() -> None:
    """The worker's side: answers calls until the connection closes."""
    import signal
    import time

    address, key, memory = pickle.loads(sys.stdin.buffer.read())  # noqa: S301 - from our parent
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # what came while this process started is forgotten
    parent = os.getppid()

    def die_with_parent() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=die_with_parent, daemon=True).start()
    if memory is not None:
        _limit_memory(memory)
    import psutil

    memory_held = _memory_meter(psutil.Process())
    try:
        connection = Client(address, authkey=key)
    except (OSError, EOFError):
        return  # the parent has given up meanwhile
    with connection:
        for calls in itertools.count():
            if calls == 1:
                gc.collect()
                gc.freeze()  # what the first call has imported stays: not to be looked through again and again
            try:
                function, arguments = connection.recv()
                with contextlib.suppress(Exception):
                    getattr(function, "prepare", _nothing)()
                connection.send(None)  # it has begun: what happens from here on is the item's doing
            except (EOFError, OSError):
                return
            try:
                answer = (True, function(*arguments))
            except MemoryError:
                answer = (False, ResourceLimitError(f"needs more than {memory or 0:,} bytes of memory"))
            except Exception as error:
                answer = (False, picklable_error(error))
            try:
                connection.send((*answer, memory_held()))
            except OSError:
                return  # the parent has gone


def _nothing() -> None:
    """What a function without ``prepare`` needs."""


def _memory_meter(process: Any) -> Callable[[], int]:
    def held() -> int:
        return int(process.memory_info().rss)

    return held


def _limit_memory(limit: int) -> None:
    try:
        import resource
    except ImportError:  # not POSIX
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def picklable_error(error: Exception) -> Exception:
    """The error, or a plain one that says the same where it does not survive pickling."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - what we have just dumped
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def default_workers() -> int:
    """Return the number of worker processes if the caller names none.

    The environment variable ``CORPUSKIT_WORKERS`` if set, else one per processor that this process may use.
    """
    named = os.environ.get("CORPUSKIT_WORKERS", "")
    if named.isdecimal() and int(named) > 0:
        return int(named)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# Workers between two jobs: starting one costs about a second of imports.
_idle: list[Worker] = []
_idle_lock = threading.Lock()


def acquire_worker(limits: Limits) -> Worker:
    """A worker under these limits: one that waits, else a new one."""
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
        return Worker(limits)
    worker.limits = limits
    return worker


def release_worker(worker: Worker) -> None:
    """Keeps a worker for the next job, in place of the one that has waited longest where there are enough; or ends it."""
    with _idle_lock:
        if worker.is_fit:
            _idle.append(worker)
            worker_to_end = _idle.pop(0) if len(_idle) > default_workers() else None
        else:
            worker_to_end = worker
    if worker_to_end is not None:
        worker_to_end.close()


@atexit.register
def close_idle_workers() -> None:
    """End the worker processes that wait for the next job; done at exit too."""
    with _idle_lock:
        while _idle:
            worker = _idle.pop()
            try:
                worker.close()
            except KeyboardInterrupt:  # a second Ctrl-C while the program ends
                worker.kill()
