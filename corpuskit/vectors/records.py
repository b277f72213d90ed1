"""Files of structured records: a header of 64 bytes with a checksum, followed by memory-mapped records."""

from __future__ import annotations

import hashlib
import struct
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from corpuskit.safe_folder import SafeFolder

__all__ = ["FINGERPRINT_SIZE", "doc_ids_of", "head_of", "read", "write"]

_MAGIC: Final = b"ckitvec1"
_HEAD: Final = struct.Struct("<8sII16s32s")  # magic, bytes per record, dimensions, fingerprint, SHA-256 of the records
FINGERPRINT_SIZE: Final = 16  # bytes that identify the model or run that produced the records


def write(folder: SafeFolder, name: str, records: npt.NDArray[Any], *, dimensions: int = 0, maker: bytes = b"") -> None:
    """Write records atomically.

    Args:
        folder: Directory of the file.
        name: Name of the file.
        records: Structured array of little-endian numbers.
        dimensions: Number of dimensions of the vector in each record.
        maker: Fingerprint of the model or run, up to 16 bytes. Records with another fingerprint are not read.
    """
    content = _bytes_of(np.ascontiguousarray(records))
    head = _HEAD.pack(_MAGIC, records.dtype.itemsize, dimensions, maker, hashlib.sha256(content).digest())
    with folder.atomic_write(name) as file:
        file.write(head)
        file.write(content)


def head_of(folder: SafeFolder, name: str) -> tuple[int, bytes] | None:
    """Return the dimensions and the fingerprint in the header of a file, or None for another file format."""
    try:
        with folder.open(name) as file:
            magic, _, dimensions, maker, _ = _HEAD.unpack(file.read(_HEAD.size))
    except (OSError, struct.error):
        return None
    return (int(dimensions), bytes(maker)) if magic == _MAGIC else None


def read(
    folder: SafeFolder, name: str, kind: np.dtype[Any], *, maker: bytes = b"", mapped: bool = False
) -> npt.NDArray[Any] | None:
    """Return the records of a file, or None if it is missing, damaged, or has another record type or fingerprint.

    Args:
        folder: Directory of the file.
        name: Name of the file.
        kind: Type of the records.
        maker: Expected fingerprint.
        mapped: Return a memory map instead of a copy in memory.

    Raises:
        CorpusError: The path is a link, a pipe or a directory.
    """
    try:
        with folder.open(name) as file:
            head = file.read(_HEAD.size)
            size = file.seek(0, 2) - _HEAD.size
            if len(head) < _HEAD.size or size % kind.itemsize:
                return None
            magic, itemsize, _, made_by, digest = _HEAD.unpack(head)
            if (magic, itemsize, made_by) != (_MAGIC, kind.itemsize, maker.ljust(FINGERPRINT_SIZE, b"\0")):
                return None
            if not size:
                return np.zeros(0, kind)
            file.seek(0)
            records: npt.NDArray[Any] = np.memmap(file, kind, "r", _HEAD.size, (size // kind.itemsize,)).view(
                np.ndarray
            )
    except (OSError, ValueError):  # the file was truncated meanwhile
        return None
    if hashlib.sha256(_bytes_of(records)).digest() != digest:
        return None
    return records if mapped else records.copy()


def _bytes_of(records: Any) -> memoryview:
    return memoryview(records.view(np.uint8).reshape(-1)) if len(records) else memoryview(b"")


def doc_ids_of(records: npt.NDArray[Any]) -> list[str]:
    """Return the doc_ids of records as strings. Latin-1 accepts any bytes, including those of damaged records."""
    return [doc_id.decode("latin-1") for doc_id in records["doc_id"].tolist()]
