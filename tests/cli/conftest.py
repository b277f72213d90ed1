"""Commands are run as they are typed, in this process."""

import io
import sys
from collections import namedtuple

import pytest

Typed = namedtuple("Typed", "code out err")


@pytest.fixture
def typed(monkeypatch, capsys, tmp_path):
    """Runs a command line in a folder of its own; gives its exit code and what it prints."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, stdin=b""):
        from corpuskit.cli import main

        monkeypatch.setattr(sys, "argv", ["corpuskit", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return Typed(ended.value.code or 0, printed.out, printed.err)

    return run
