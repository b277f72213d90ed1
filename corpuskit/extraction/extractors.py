"""Interface of extractors, and the decorator that registers them for media types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar

from corpuskit.document import NLPTextDocument
from corpuskit.extraction.options import ExtractOptions

_Function = TypeVar("_Function", bound=Callable[..., NLPTextDocument])


class Extractor(Protocol):
    """Function that extracts a document from the bytes of one resource."""

    def __call__(
        self, content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None
    ) -> NLPTextDocument:
        """Return the document.

        Args:
            content: The bytes.
            uri: URI of the resource.
            options: Options of the extraction.
            charset: Encoding declared by the server or archive.
        """


EXTRACTORS: Final[dict[str, Extractor]] = {}
"""Extractors of the modules imported so far. :func:`corpuskit.extraction.media_types` imports all modules first."""
WITH_FOLDER: Final[dict[str, Callable[..., NLPTextDocument]]] = {}
"""Media type → extractor that also reads or writes sidecar files, with the additional argument ``folder``."""


def extracts(*media_types: str, with_folder: bool = False) -> Callable[[_Function], _Function]:
    """Return a decorator that registers a function as the extractor of media types.

    Args:
        media_types: Media types, such as ``application/x-subrip``.
        with_folder: The function takes an additional argument ``folder``, the directory of sidecar files that it reads or
            writes. Documents without such a directory need a second extractor, registered without this flag.
    """

    def decorator(function: _Function) -> _Function:
        table: dict[str, Any] = WITH_FOLDER if with_folder else EXTRACTORS
        table.update(dict.fromkeys(media_types, function))
        return function

    return decorator
