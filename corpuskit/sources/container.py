"""Registry of readers of container files by suffix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Protocol, TypeVar

from corpuskit.sources.files import FoundFile
from corpuskit.sources.resource import PayloadLookup, SourceItem


class Reader(Protocol):
    """Interface of a function that yields the resources in a container file."""

    def __call__(self, file: FoundFile, *, max_bytes: int, known: PayloadLookup | None) -> Iterator[SourceItem]:
        """Yield the resources in a file; a resource that cannot be read is yielded as (URI, error).

        Args:
            found: The file.
            max_bytes: Maximum size of a resource.
            known: Lookup of payloads stored earlier, for records that only refer to a payload.
        """


_Function = TypeVar("_Function", bound=Reader)
READERS: Final[dict[str, Reader]] = {}
"""Readers of the modules imported so far. :func:`corpuskit.sources.containers.reader_of` imports all modules first."""


def reads(*suffixes: str) -> Callable[[_Function], _Function]:
    """Return a decorator that registers a reader for file suffixes, in lower case, such as ``.har``."""

    def decorator(function: _Function) -> _Function:
        READERS.update(dict.fromkeys(suffixes, function))
        return function

    return decorator
