"""What an extractor is, and the decorator that says which media types it reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar

from corpuskit.document import NLPTextDocument
from corpuskit.extraction.options import ExtractOptions

_Function = TypeVar("_Function", bound=Callable[..., NLPTextDocument])


class Extractor(Protocol):
    """Turns the bytes of one resource into a document."""

    def __call__(
        self, content: bytes, *, uri: str | None, options: ExtractOptions, charset: str | None
    ) -> NLPTextDocument:
        """Return the document that bytes hold.

        Args:
            content: The bytes.
            uri: Where they came from.
            options: Choices for the extraction.
            charset: The encoding that the server or archive named, if it named one.
        """


EXTRACTORS: Final[dict[str, Extractor]] = {}
"""Those of the modules that are imported; :func:`corpuskit.extraction.media_types` knows all."""
WITH_FOLDER: Final[dict[str, Callable[..., NLPTextDocument]]] = {}
"""Media type → the extractor for a document that has a folder beside it, which it also takes, as ``folder``."""


def extracts(*media_types: str, with_folder: bool = False) -> Callable[[_Function], _Function]:
    """Return a decorator: the function is the extractor of these media types.

    Args:
        media_types: Such as ``application/x-subrip``.
        with_folder: It also takes a ``folder`` for what stands beside the document: it writes there, or reads what is there.
            Another function extracts where there is no folder.
    """

    def keep(function: _Function) -> _Function:
        table: dict[str, Any] = WITH_FOLDER if with_folder else EXTRACTORS
        table.update(dict.fromkeys(media_types, function))
        return function

    return keep
