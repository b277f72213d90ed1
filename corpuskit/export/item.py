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

_NOT_SAID: Final = ("last-modified", "fetched")  # of a timestamp's sources
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
    """One document to be exported.

    Attributes:
        row: its row of ``documents()`` and its license, plain values, times as ISO 8601 text, None for nulls; columns
            as in :data:`ROW_TYPES`.
        path: where it stands below documents/, without suffix; legal on every system, unique without case.
        document: the document in normal form.
        main: texts are those of the main content.
        original: gives the bytes it was extracted from.
        annotation: the layers of the corpus' tokens, where a format carries them and there are some.
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
    def kept(self) -> list[int]:
        """Positions of the elements whose texts are exported."""
        table = self.document.table
        return [i for i, text in enumerate(table.text) if text and (table.main[i] or not self.main)]


def said_date(document: NLPTextDocument) -> datetime | None:
    """The date that a document says it has, not the one its server or its file has."""
    return None if document.metadata.get("timestamp_source") in _NOT_SAID else document.timestamp


class Writer(Protocol):
    """Writes one format; documents come one at a time, so that memory stays flat.

    One that leaves documents out on purpose counts them, by reason, in an attribute ``left_out``; the report tells them.
    """

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        """``folder`` exists; files of other formats are in it too."""

    def write(self, item: Item) -> None:
        """Writes one document. What it raises but OSError is a failure of this document: nothing of it is written."""

    def close(self) -> None:
        """Ends the files."""
