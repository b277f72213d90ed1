"""Command line. The commands are imported when one runs, so that Ctrl-C during the import also ends in one line."""

from __future__ import annotations

import sys

from corpuskit.cli.interrupt import ignore_ctrl_c


def main() -> None:
    """Run the command line.

    Exit codes: 0 success; 1 an error, reported in one line; 2 wrong usage; 3 some inputs failed; 130 stopped with
    Ctrl-C.
    """
    try:
        _run()
    except KeyboardInterrupt:
        ignore_ctrl_c()
        _exit("stopped", 130)
    except SystemExit as exit_error:
        if exit_error.code == 130:
            ignore_ctrl_c()
        raise
    except OSError as error:
        _exit(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}", 1)


def _run() -> None:
    from corpuskit.cli.commands import app
    from corpuskit.cli.usage import WrongUsageError
    from corpuskit.errors import CorpusKitError

    try:
        app()
    except WrongUsageError as error:
        _exit(str(error), 2)
    except CorpusKitError as error:
        _exit(str(error), 1)
    except SystemExit as exit_error:
        # Typer exits silently if Ctrl-C is not handled by a command, which would report its progress.
        if isinstance(getattr(exit_error.__context__, "__cause__", None), KeyboardInterrupt):
            _exit("stopped", 130)
        raise


def _exit(message: str, code: int) -> None:
    print(f"corpuskit: {message}", file=sys.stderr)
    sys.exit(code)


__all__ = ["main"]
