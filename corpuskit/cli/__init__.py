"""The command line. The commands are imported when one runs, so that Ctrl-C ends that too in one line."""

from __future__ import annotations

import sys

from corpuskit.cli.interrupt import ignore_ctrl_c


def main() -> None:
    """Run the command line.

    Exit codes: 0 done; 1 an error, told in one line; 2 wrong usage; 3 some inputs failed; 130 stopped with Ctrl-C.
    """
    try:
        _run()
    except KeyboardInterrupt:
        ignore_ctrl_c()
        _end("stopped", 130)
    except SystemExit as ended:
        if ended.code == 130:
            ignore_ctrl_c()
        raise
    except OSError as error:
        _end(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}", 1)


def _run() -> None:
    from corpuskit.cli.commands import app
    from corpuskit.cli.usage import WrongUsageError
    from corpuskit.errors import CorpusKitError

    try:
        app()
    except WrongUsageError as error:
        _end(str(error), 2)
    except CorpusKitError as error:
        _end(str(error), 1)
    except SystemExit as ended:
        # Typer ends silently where Ctrl-C reached no command that tells how far it came.
        if isinstance(getattr(ended.__context__, "__cause__", None), KeyboardInterrupt):
            _end("stopped", 130)
        raise


def _end(message: str, code: int) -> None:
    print(f"corpuskit: {message}", file=sys.stderr)
    sys.exit(code)


__all__ = ["main"]
