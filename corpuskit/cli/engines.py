"""Where commands run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final

from corpuskit.cli.usage import refuse

_HERE: Final = ("serial", "processes", "dask")


@contextlib.contextmanager
def engine_at(on: str) -> Iterator[Any]:
    """The engine that is named; of an address a client, closed at the end."""
    if "://" not in on:
        refuse(on not in _HERE, f"--on {on}: expected {', '.join(_HERE)} or an address such as tcp://scheduler:8786")
        yield on
        return
    from corpuskit.errors import MissingExtraError

    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError("distributed", "dask") from None
    with Client(on) as client:  # type: ignore[no-untyped-call]
        yield client
