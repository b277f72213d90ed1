"""What a writer gets: a document with its row of the catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from corpuskit.document import NLPTextDocument


@dataclass(frozen=True, slots=True)
class Item:
    """One document to be exported.

    Attributes:
        row: its row of ``documents()``, plain values, times as ISO 8601 text, None for nulls.
        path: where it stands below documents/, without suffix.
        document: the document.
    """

    row: dict[str, Any]
    path: str
    document: NLPTextDocument


class Writer(Protocol):
    """Writes one format; documents come one at a time, so that memory stays flat."""

    def __init__(self, folder: Path) -> None:
        """``folder`` exists; files of other formats are in it too."""

    def write(self, item: Item) -> None:
        """Writes one document."""

    def close(self) -> None:
        """Ends the files."""
