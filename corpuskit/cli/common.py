"""Shared state and helpers of commands: the current corpus, command lines for messages, the engine."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from corpuskit.cli.usage import usage_error_if

_ENGINES: Final = ("serial", "processes", "dask")

trusted: ContextVar[bool] = ContextVar("trusted", default=False)
"""True if --trust precedes the command. Links in the corpus are then followed."""
current_corpus: ContextVar[Path | None] = ContextVar("current_corpus", default=None)
"""The corpus of the current command."""


def quoted(text: str) -> str:
    """Return a path or name for the command line, in quotes if a shell needs them."""
    return text if text and not set(text) & set(" \t'\"$&;|*?()<>\\") else f'"{text}"'


def command_line(name: str, folder: Path | None = None) -> str:
    """Return the command line of a command for a corpus folder; default: the corpus of the current command."""
    corpus = folder or current_corpus.get()
    words = ["corpuskit", *(["--trust"] if trusted.get() else []), name]
    return " ".join([*words, "FOLDER" if corpus is None else quoted(str(corpus))])


@contextlib.contextmanager
def open_engine(on: str) -> Iterator[Any]:
    """Yield the named engine. For an address, yield a client that is closed at the end."""
    if "://" not in on:
        usage_error_if(
            on not in _ENGINES, f"--on {on}: expected {', '.join(_ENGINES)} or an address such as tcp://scheduler:8786"
        )
        yield on
        return
    from corpuskit.errors import MissingExtraError

    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError("distributed", "dask") from None
    with Client(on) as client:  # type: ignore[no-untyped-call]
        yield client
