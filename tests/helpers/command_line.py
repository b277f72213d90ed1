"""Running ``corpuskit`` commands from tests."""

import functools
import io
import signal
import subprocess
import sys
from collections import namedtuple

import pytest
import typer.main

CommandResult = namedtuple("CommandResult", "code out err")

# Typer builds all commands anew for each call, which takes longer than what most tests have a command do.
typer.main.get_command = functools.cache(typer.main.get_command)

# A shell that starts a process in the background makes it ignore SIGINT.
_INTERRUPTIBLE = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from corpuskit.cli import main; main()"
)


def command(*arguments):
    """Return the argument list that runs ``corpuskit`` in a new interpreter which reacts to SIGINT."""
    return [sys.executable, "-c", _INTERRUPTIBLE, *map(str, arguments)]


class CommandLine:
    """Runs commands in this process, through the same entry point as the installed script."""

    def __init__(self, monkeypatch, capsys):
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *arguments, stdin=b""):
        """Run a command and return its exit code, standard output and standard error."""
        from corpuskit.cli import main

        handler = signal.getsignal(signal.SIGINT)
        self._capsys.readouterr()
        with self._monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["corpuskit", *map(str, arguments)])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            try:
                with pytest.raises(SystemExit) as ended:
                    main()
            finally:
                signal.signal(signal.SIGINT, handler)  # an interrupted command ignores further signals for good
        printed = self._capsys.readouterr()
        return CommandResult(ended.value.code or 0, printed.out, printed.err)

    def spawn(self, *arguments, **options):
        """Start a command in a process of its own. Only for tests of signals, terminals and closed pipes."""
        return subprocess.Popen(command(*arguments), text=True, **options)
