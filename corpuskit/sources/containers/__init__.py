"""One module a kind of file that holds others, told by its suffix; a new module is found without a line elsewhere."""

from __future__ import annotations

from corpuskit.plugins import import_all
from corpuskit.sources.container import READERS, Reader


def reader_of(name: str) -> Reader | None:
    """Return what reads files of this name; None where its suffix says nothing.

    Args:
        name: The name of a file.
    """
    import_all(__name__)
    lower = name.lower()
    return next((reader for suffix, reader in READERS.items() if lower.endswith(suffix)), None)
