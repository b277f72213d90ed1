"""Runs commands, and kills them: forks of one process that has imported all, since imports take longer than small commands.

As a script it is that process: a JSON list of arguments and the name of a log a line of input; the pid and, later, the exit code a line of output.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path


class Commands:
    """Where commands of corpuskit are run, one at a time."""

    def __init__(self, log):
        self._log = Path(log)
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._server = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def _start(self, arguments):
        print(
            json.dumps([[str(argument) for argument in arguments], str(self._log)]), file=self._server.stdin, flush=True
        )
        return int(self._server.stdout.readline())

    def _ended(self):
        return int(self._server.stdout.readline())

    def run(self, *arguments):
        """Runs a command that is to succeed; gives its seconds."""
        start = time.monotonic()
        self._start(arguments)
        assert self._ended() == 0, self._log.read_text()
        return time.monotonic() - start

    def kill(self, *arguments, seed, seconds):
        """Runs a command and kills it somewhere within so many seconds; gives whether it was still at work."""
        pid = self._start(arguments)
        time.sleep(random.Random(seed).uniform(0, seconds))
        with contextlib.suppress(ProcessLookupError):  # it has ended
            os.killpg(pid, signal.SIGKILL)
        return self._ended() == -signal.SIGKILL

    def close(self):
        self._server.stdin.close()
        self._server.wait()
        self._server.stdout.close()


def _serve():
    # What the commands import.
    import pandas  # noqa: F401
    import pyarrow.compute
    import pyarrow.dataset
    import pyarrow.parquet  # noqa: F401

    import corpuskit.export
    import corpuskit.extraction
    import corpuskit.relevance
    import corpuskit.shards
    import corpuskit.views  # noqa: F401
    from corpuskit.cli import main

    for line in sys.stdin:
        arguments, log = json.loads(line)
        ready, told = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.setsid()  # a group of its own, which its workers are in
            os.write(told, b".")
            _run(main, arguments, log)
        os.read(ready, 1)
        os.close(ready)
        os.close(told)
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def _run(main, arguments, log):
    import traceback

    code = 1
    try:
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for handle in (1, 2):
            os.dup2(output, handle)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.argv = ["corpuskit", *arguments]
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
