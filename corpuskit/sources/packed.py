"""Detection and decompression of gzip, bzip2 and xz, and opening of WACZ packages."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from typing import IO, Any, Final

from corpuskit.errors import ResourceLimitError, SourceError

# Suffix → signature and open function.
PACKERS: Final[dict[str, tuple[bytes, Callable[..., Any]]]] = {
    ".gz": (b"\x1f\x8b\x08", gzip.open),
    ".bz2": (b"BZh", bz2.open),
    ".xz": (b"\xfd7zXZ\x00", lzma.open),
}
DAMAGED: Final = (zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)
"""Exceptions raised by reading damaged compressed content."""
DAMAGED_ZIP: Final = (*DAMAGED, zipfile.BadZipFile, NotImplementedError, RuntimeError)
"""Exceptions raised by opening or reading a damaged or encrypted ZIP file."""


def packed_by(content: bytes) -> str | None:
    """Return the suffix of the compression format, judged by the signature, or None if the content is not compressed."""
    return next((suffix for suffix, (mark, _) in PACKERS.items() if content.startswith(mark)), None)


def open_wacz(file: Any, name: str) -> zipfile.ZipFile:
    """Open a WACZ package.

    Args:
        file: Path or open file.
        name: Name of the package in error messages.

    Raises:
        SourceError: The file is not a ZIP file.
    """
    try:
        return zipfile.ZipFile(file)
    except DAMAGED_ZIP as error:
        raise SourceError(f"{name}: not a WACZ package: {error}") from error


def unpack(source: bytes | IO[bytes], suffix: str | None = None, *, where: str, max_bytes: int) -> bytes:
    """Return the decompressed content.

    Args:
        source: Compressed bytes, or an open file with them.
        suffix: ``.gz``, ``.bz2`` or ``.xz``; default: detected from the content.
        where: Name of the source in error messages.
        max_bytes: Maximum size of the decompressed content. The size declared in the file is not trusted.

    Raises:
        SourceError: The content is damaged.
        ResourceLimitError: The content is larger than ``max_bytes``.
    """
    if isinstance(source, bytes):
        suffix = suffix or packed_by(source) or ".gz"
        source = io.BytesIO(source)
    try:
        with PACKERS[suffix or ".gz"][1](source, "rb") as stream:
            content: bytes = stream.read(max_bytes + 1)
    except DAMAGED as error:
        raise SourceError(f"{where} cannot be decompressed: {error}") from error
    if len(content) > max_bytes:
        raise ResourceLimitError(f"{where}: larger than the limit of {max_bytes:,} bytes when decompressed")
    return content
