"""What a writer gets: a document with its row of the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from corpuskit.document import NLPTextDocument

if TYPE_CHECKING:
    from corpuskit.export.options import ExportOptions

_NOT_STATED: Final = ("last-modified", "fetched")  # of a timestamp's sources
ROW_TYPES: Final = {
    "doc_id": str, "version": int, "uri": str, "host": str, "title": str, "media_type": str, "lang": str, "words": int,
    "main_words": int, "elements": int, "timestamp": str, "fetched": str, "relevance": float, "decision": str,
    "label": str, "license": str,
}  # fmt: skip
"""Columns of :attr:`Item.row`."""


class TokenLayers(Protocol):
    """Layers of the tokens of a corpus, such as lemmas."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the layers."""

    @property
    def state(self) -> str:
        """A value that changes when the layers change."""

    def of(self, doc_id: str) -> dict[int, tuple[Sequence[str], Sequence[Sequence[str]]]]:
        """Return element_id → its words, and for each word its values, layer by layer."""


@dataclass(frozen=True)
class Item:
    """Document to be exported.

    Attributes:
        row: its row of ``documents()`` and its license, plain values, times as ISO 8601 text, None for nulls; columns
            as in :data:`ROW_TYPES`.
        path: Path below documents/, without suffix, valid on every system and unique regardless of case.
        document: the document in normal form.
        main: Whether only the main content is exported.
        original: Returns the bytes of the original.
        annotation: Token layers of the corpus, if the format has them and they exist.
    """

    row: dict[str, Any]
    path: str
    document: NLPTextDocument
    main: bool = True
    original: Callable[[], bytes] = bytes
    annotation: TokenLayers | None = None

    @cached_property
    def text(self) -> str:
        """The text of the document, of its main content if that is asked for."""
        return self.document.to_text(main=self.main)

    @cached_property
    def shown(self) -> Item:
        """This with a document of the main content only, where that is asked for."""
        from corpuskit.export.main_only import main_only

        return replace(self, document=main_only(self.document)) if self.main else self

    @cached_property
    def exported_rows(self) -> list[int]:
        """Positions of the elements with exported texts."""
        table = self.document.table
        return [i for i, text in enumerate(table.text) if text and (table.main[i] or not self.main)]


def stated_date(document: NLPTextDocument) -> datetime | None:
    """Return the date stated in the document, not that of its server or file."""
    return None if document.metadata.get("timestamp_source") in _NOT_STATED else document.timestamp


class Writer(Protocol):
    """Writer of one format. It gets one document at a time, so memory use is constant.

    A writer that skips documents counts them by reason in ``left_out``, for the report.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        """``folder`` exists; files of other formats are in it too."""

    def write(self, item: Item) -> None:
        """Write one document. An exception other than OSError is a failure of this document, which is then not written."""

    def close(self) -> None:
        """Ends the files."""
