"""Records of numbers on disk: a head of 64 bytes with the sum of what follows, then the records, mapped when they are read."""

from __future__ import annotations

import hashlib
import struct
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from corpuskit.safe_folder import SafeFolder

__all__ = ["MAKER", "doc_ids_of", "head_of", "read", "write"]

_MAGIC: Final = b"ckitvec1"
_HEAD: Final = struct.Struct("<8sII16s32s")  # magic, bytes a record, dimensions, maker, SHA-256 of the records
MAKER: Final = 16  # bytes that say what made the records


def write(folder: SafeFolder, name: str, records: npt.NDArray[Any], *, dimensions: int = 0, maker: bytes = b"") -> None:
    """Write records as a whole file or not at all.

    Args:
        folder: where.
        name: of the file.
        records: a structured array; the least significant byte of each number first.
        dimensions: of a vector in each.
        maker: up to 16 bytes; records of another maker are not read.
    """
    content = _bytes_of(np.ascontiguousarray(records))
    head = _HEAD.pack(_MAGIC, records.dtype.itemsize, dimensions, maker, hashlib.sha256(content).digest())
    with folder.atomic_write(name) as file:
        file.write(head)
        file.write(content)


def head_of(folder: SafeFolder, name: str) -> tuple[int, bytes] | None:
    """Return the dimensions and the maker that a file tells; None where it is none of ours."""
    try:
        with folder.open(name) as file:
            magic, _, dimensions, maker, _ = _HEAD.unpack(file.read(_HEAD.size))
    except (OSError, struct.error):
        return None
    return (int(dimensions), bytes(maker)) if magic == _MAGIC else None


def read(
    folder: SafeFolder, name: str, kind: np.dtype[Any], *, maker: bytes = b"", mapped: bool = False
) -> npt.NDArray[Any] | None:
    """Return the records of a file; None where it is absent, cut, changed, of other records or of another maker.

    Args:
        folder: where.
        name: of the file.
        kind: of the records.
        maker: as they were written with.
        mapped: the records stay on disk until they are asked for.

    Raises:
        CorpusError: a link, a pipe or a folder stands there.
    """
    try:
        with folder.open(name) as file:
            head = file.read(_HEAD.size)
            size = file.seek(0, 2) - _HEAD.size
            if len(head) < _HEAD.size or size % kind.itemsize:
                return None
            magic, itemsize, _, made_by, digest = _HEAD.unpack(head)
            if (magic, itemsize, made_by) != (_MAGIC, kind.itemsize, maker.ljust(MAKER, b"\0")):
                return None
            if not size:
                return np.zeros(0, kind)
            file.seek(0)
            found: npt.NDArray[Any] = np.memmap(file, kind, "r", _HEAD.size, (size // kind.itemsize,)).view(np.ndarray)
    except (OSError, ValueError):  # a file that is cut meanwhile
        return None
    if hashlib.sha256(_bytes_of(found)).digest() != digest:
        return None
    return found if mapped else found.copy()


def _bytes_of(records: Any) -> memoryview:
    return memoryview(records.view(np.uint8).reshape(-1)) if len(records) else memoryview(b"")


def doc_ids_of(records: npt.NDArray[Any]) -> list[str]:
    """Return the documents of records as strings; of records from elsewhere too, whatever bytes they have."""
    return [doc_id.decode("latin-1") for doc_id in records["doc_id"].tolist()]
