"""Files that hold others: what reads one, and the decorator that says of which suffix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Protocol, TypeVar

from corpuskit.sources.files import FoundFile
from corpuskit.sources.resource import Found, Known


class Reader(Protocol):
    """Gives what a file holds, one at a time; of what cannot be read (URI, error)."""

    def __call__(self, found: FoundFile, *, max_bytes: int, known: Known | None) -> Iterator[Found]:
        """Return the resources in a file.

        Args:
            found: The file.
            max_bytes: A resource is not larger.
            known: Tells what a record that only says "as before" stands for.
        """


_Function = TypeVar("_Function", bound=Reader)
READERS: Final[dict[str, Reader]] = {}
"""Those whose modules are imported; :func:`corpuskit.sources.containers.reader_of` knows all."""


def reads(*suffixes: str) -> Callable[[_Function], _Function]:
    """Return a decorator: the function reads files whose names end so, in small letters, as ``.har``."""

    def keep(function: _Function) -> _Function:
        READERS.update(dict.fromkeys(suffixes, function))
        return function

    return keep
