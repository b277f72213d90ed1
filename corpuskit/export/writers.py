"""What a format of exports says of itself: a decorator on the class that writes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from corpuskit.export.item import Writer

_WriterClass = TypeVar("_WriterClass", bound=type[Writer])
FORMATS: Final[dict[str, Format]] = {}
"""Those whose modules are imported; :func:`corpuskit.export.formats.formats` has all."""


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
