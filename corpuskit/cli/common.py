"""State and helpers that commands share: the corpus a command is about, Ctrl-C, the engine."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from corpuskit.cli.usage import refuse

_ENGINES: Final = ("serial", "processes", "dask")

trusted: ContextVar[bool] = ContextVar("trusted", default=False)
"""Whether --trust was typed before the command: links in the corpus are followed."""
named: ContextVar[Path | None] = ContextVar("named", default=None)
"""The corpus that the command is about."""


def quoted(text: str) -> str:
    """Return a path or name as it is typed: in quotes if a shell needs them."""
    return text if text and not set(text) & set(" \t'\"$&;|*?()<>\\") else f'"{text}"'


def to_type(name: str, folder: Path | None = None) -> str:
    """Return a command as it is typed, on a folder or on the corpus of the command that runs."""
    found = folder or named.get()
    words = ["corpuskit", *(["--trust"] if trusted.get() else []), name]
    return " ".join([*words, "FOLDER" if found is None else quoted(str(found))])


@contextlib.contextmanager
def engine_at(on: str) -> Iterator[Any]:
    """Return the named engine; for an address a client, which is closed at the end."""
    if "://" not in on:
        refuse(
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
