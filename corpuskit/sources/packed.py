"""Content that gzip, bzip2 or xz has packed."""

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

# Suffix → the first bytes, and what opens it.
PACKERS: Final[dict[str, tuple[bytes, Callable[..., Any]]]] = {
    ".gz": (b"\x1f\x8b\x08", gzip.open),
    ".bz2": (b"BZh", bz2.open),
    ".xz": (b"\xfd7zXZ\x00", lzma.open),
}
DAMAGED: Final = (zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)
"""What reading damaged packed content raises."""
DAMAGED_ZIP: Final = (*DAMAGED, zipfile.BadZipFile, NotImplementedError, RuntimeError)
"""What opening and reading a damaged or encrypted ZIP file raises."""


def packed_by(content: bytes) -> str | None:
    """The suffix of the packer whose mark the content begins with; None where it is not packed."""
    return next((suffix for suffix, (mark, _) in PACKERS.items() if content.startswith(mark)), None)


def open_wacz(file: Any, name: str) -> zipfile.ZipFile:
    """Open a WACZ package.

    Args:
        file: path, or an open file.
        name: names it in errors.

    Raises:
        SourceError: It is not a ZIP file.
    """
    try:
        return zipfile.ZipFile(file)
    except DAMAGED_ZIP as error:
        raise SourceError(f"{name} is no WACZ package: {error}") from error


def unpack(source: bytes | IO[bytes], suffix: str | None = None, *, where: str, max_bytes: int) -> bytes:
    """Return the unpacked content.

    Args:
        source: packed bytes, or an open file of them.
        suffix: ``.gz``, ``.bz2`` or ``.xz``; default: what the bytes begin with.
        where: names it in errors.
        max_bytes: of the unpacked content; no more is unpacked, whatever the file says of its size.

    Raises:
        SourceError: It is damaged.
        ResourceLimitError: It has more than ``max_bytes``.
    """
    if isinstance(source, bytes):
        suffix = suffix or packed_by(source) or ".gz"
        source = io.BytesIO(source)
    try:
        with PACKERS[suffix or ".gz"][1](source, "rb") as stream:
            content: bytes = stream.read(max_bytes + 1)
    except DAMAGED as error:
        raise SourceError(f"{where} cannot be unpacked: {error}") from error
    if len(content) > max_bytes:
        raise ResourceLimitError(f"{where}: more than {max_bytes:,} bytes, the limit")
    return content
