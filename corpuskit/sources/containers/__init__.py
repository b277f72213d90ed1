"""Readers of container files, one module per format; the modules of this package are imported automatically."""

from __future__ import annotations

from corpuskit.plugins import import_all
from corpuskit.sources.container import READERS, Reader


def reader_of(name: str) -> Reader | None:
    """Return the reader for a file name, or None if the suffix is not that of a container.

    Args:
        name: The name of a file.
    """
    import_all(__name__)
    lower = name.lower()
    return next((reader for suffix, reader in READERS.items() if lower.endswith(suffix)), None)
