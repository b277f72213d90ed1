"""Registry of export formats, filled by a decorator of the writer classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, TypeVar

from corpuskit.export.item import Item, Writer
from corpuskit.export.options import ExportOptions
from corpuskit.safe_folder import SafeFolder

_WriterClass = TypeVar("_WriterClass", bound=type[Writer])
FORMATS: Final[dict[str, Format]] = {}
"""Formats of the imported modules; :func:`corpuskit.export.formats.formats` returns all."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be exported.

    Attributes:
        writer: its class.
        files: what it writes.
        about: one line for users.
        tree: it has the tree of the elements, which is that of the main content unless all is asked for.
        layers: it carries the layers of tokens.
    """

    writer: type[Writer]
    files: str
    about: str
    tree: bool = False
    layers: bool = False


def export_format(
    name: str, *, files: str, about: str, tree: bool = False, layers: bool = False
) -> Callable[[_WriterClass], _WriterClass]:
    """Return a decorator that makes a class the writer of a format; see :class:`Format`."""

    def keep(writer: _WriterClass) -> _WriterClass:
        FORMATS[name] = Format(writer, files, about, tree, layers)
        return writer

    return keep


class FileWriter:
    """Writer of one file per document, at the document's path below a directory of the export."""

    folder: ClassVar[str]
    suffix: ClassVar[str]

    def __init__(self, folder: Path, options: ExportOptions) -> None:
        self._folder = SafeFolder(folder).subfolder(self.folder)
        self._folder.mkdir()

    def text(self, item: Item) -> str:
        """Return the content of the document's file."""
        raise NotImplementedError

    def write(self, item: Item) -> None:
        """Write the document's file."""
        self._folder.write(f"{item.path}{self.suffix}", self.text(item).encode())

    def close(self) -> None:
        """Nothing is open."""
