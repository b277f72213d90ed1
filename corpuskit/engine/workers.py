"""Worker processes: new Python processes that call functions and return the results over a local connection.

They do not import the script of the caller, so a script works without ``if __name__ == "__main__"``.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import itertools
import os
import pickle  # used only between this process and its workers, over an authenticated connection
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

_MAX_CALLS: Final = 20_000  # then the worker is replaced
_MAX_IDLE_MEMORY: Final = 1024**3  # bytes between two calls: parsers leak memory
_START_SECONDS: Final = 60.0
_EXIT_SECONDS: Final = 2.0  # for a regular exit, including the worker's own workers


def call(
    function: Callable[..., Value],
    *arguments: Any,
    limits: Limits = DEFAULT_LIMITS,
    stop: threading.Event | None = None,
) -> Value:
    """Call a function in a worker process with limits. Exceptions of the function are raised.

    Args:
        function: Importable by module and name.
        arguments: Arguments of the function.
        limits: Limits of time and memory.
        stop: Event that stops the call.

    Raises:
        ResourceLimitError: A limit was exceeded.
        WorkerDiedError: The worker died or was stopped.
    """
    worker = acquire_worker(limits)
    try:
        return worker.call(function, arguments, stop)  # type: ignore[no-any-return]
    finally:
        release_worker(worker)


class Worker:
    """A Python process that calls functions."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.calls = 0
        self._memory = 0  # bytes, as reported after the last call
        key = secrets.token_bytes(32)
        with Listener(None, authkey=key) as listener:
            command = [sys.executable, "-c", "from corpuskit.engine.workers import work; work()"]
            # Threads of BLAS would multiply with the workers and use up address space.
            environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
            environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
            with _sigint_blocked():
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
        """Whether the process is alive and does not have to be replaced."""
        return self._process.poll() is None and self.calls < _MAX_CALLS and self._memory < _MAX_IDLE_MEMORY

    def call(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], stop: threading.Event | None = None
    ) -> Any:
        """Return the result of a function, or raise its exception, WorkerDiedError or ResourceLimitError."""
        self.calls += 1
        death_error: type[WorkerDiedError] = WorkerLostError
        try:
            self._connection.send((function, arguments))
            answer = None
            while answer is None:
                if not self._wait_for_answer(stop):
                    self.kill()
                    raise ResourceLimitError(f"took longer than {self.limits.seconds:g} s")
                answer, death_error = self._connection.recv(), WorkerDiedError
            succeeded, result, self._memory = answer
        except (EOFError, OSError) as error:
            code = self._wait()
            raise death_error(f"the worker process died ({_exit_reason(code)})") from error
        if not succeeded:
            raise result
        return result

    def _wait_for_answer(self, stop: threading.Event | None) -> bool:
        """Return whether an answer arrives in time. Waits in short steps to notice a stop."""
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
        """Close the connection and wait until the process has ended."""
        self._connection.close()
        try:
            self._process.wait(timeout=_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """Kill the process."""
        self._connection.close()
        self._process.kill()
        self._process.wait()


@contextlib.contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Block SIGINT while a process is started, so that the child does not receive it. This thread receives it afterwards."""
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
    """Return the connection of a worker. Raise if the worker cannot start."""
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
    code = process.poll()  # None if it hangs
    process.kill()
    error_type = WorkerLostError if code is not None and code < 0 else WorkerDiedError
    raise error_type(f"a worker process could not start ({_exit_reason(code)})")


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
    """Serve calls in the worker process until the connection is closed."""
    import signal
    import time

    address, key, memory = pickle.loads(sys.stdin.buffer.read())  # noqa: S301 - from our parent
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # drops a signal that arrived during the start
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
        return  # the parent has stopped waiting
    with connection:
        for calls in itertools.count():
            if calls == 1:
                gc.collect()
                gc.freeze()  # keeps the objects of imported modules out of later collections
            try:
                function, arguments = connection.recv()
                with contextlib.suppress(Exception):
                    getattr(function, "prepare", _no_preparation)()
                connection.send(None)  # from here on a crash is attributed to the item
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
                return  # the parent has ended


def _no_preparation() -> None:
    """Default for functions without the attribute ``prepare``."""


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
    """Return the error, or a RuntimeError with its message if it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - dumped in the same expression
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def default_workers() -> int:
    """Return the default number of worker processes.

    It is the environment variable ``CORPUSKIT_WORKERS`` if set, else the number of processors available to this
    process.
    """
    configured = os.environ.get("CORPUSKIT_WORKERS", "")
    if configured.isdecimal() and int(configured) > 0:
        return int(configured)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# Idle workers are reused: starting one takes about a second.
_idle: list[Worker] = []
_idle_lock = threading.Lock()


def acquire_worker(limits: Limits) -> Worker:
    """Return an idle worker with the same memory limit, or start one."""
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
    """Make a worker idle, or close it if it has to be replaced. If there are too many idle workers, close the oldest one."""
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
    """Close the idle worker processes. Also called at exit."""
    with _idle_lock:
        while _idle:
            worker = _idle.pop()
            try:
                worker.close()
            except KeyboardInterrupt:  # a second Ctrl-C while the program ends
                worker.kill()
