"""Packs: files of many documents that can be read individually.

A pack is a Zstandard file (RFC 8878). Each document is one frame with its ``.nlp.txt``, followed by a skippable frame
with its marks; ``zstd -dc`` prints all texts. The last skippable frame contains the index: one record per document,
sorted by the hash of its path, then the paths and a footer. Packs are never modified.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
import re
import secrets
import struct
import threading
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from corpuskit.errors import CorpusError
from corpuskit.safe_folder import SafeFolder
from corpuskit.zstd import FrameWriter, ZstdError, read_frame

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PACK_SUFFIX: Final = ".nlp.txt.zst"
PACKS: Final = "_packs_"
"""Directory of the packs below documents/."""

_MARKS_FRAME: Final = 0x184D2A50
_INDEX_FRAME: Final = 0x184D2A51
_FRAME: Final = struct.Struct("<II")  # magic, length
_FOOTER: Final = struct.Struct("<IIQ8s")  # number of documents, bytes of the paths, offset of the index frame, magic
_MAGIC: Final = b"CKPACK01"
_RECORD: Final = [("hash", "<u8"), ("offset", "<u8"), ("text", "<u4"), ("marks", "<u4"), ("path", "<u4")]
_MAX_TEXT: Final = 512 * 1024**2  # bytes per document; protects from decompression bombs
_MAX_PATHS: Final = 256 * 1024**2
_ILLEGAL = re.compile(r'[<>:"\\|?*\x00-\x1f]')


class PackWriter:
    """Writer of a pack. The file appears when the context ends without an error.

    Args:
        file: Path of the pack.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._temporary = file.with_name(f"{file.name}.{secrets.token_hex(8)}.tmp")
        file.parent.mkdir(parents=True, exist_ok=True)
        self._handle = self._temporary.open("xb")
        self._encoder = FrameWriter(level=6)
        self._records: list[tuple[int, int, int, int]] = []
        self._paths: list[str] = []

    @property
    def size(self) -> int:
        """Number of bytes written."""
        return self._handle.tell()

    def __len__(self) -> int:
        return len(self._paths)

    def add(self, path: str, text: bytes, marks: bytes | None) -> None:
        """Add a document: its path below documents/, the content of its ``.nlp.txt`` and of its marks file."""
        self.add_packed(path, self._encoder.frame(text), marks)

    def add_packed(self, path: str, frame: bytes, marks: bytes | None) -> None:
        """Add a document with its text as a frame of another pack."""
        self._records.append((path_hash(path), self._handle.tell(), len(frame), len(marks or b"")))
        self._paths.append(path)
        self._handle.write(frame)
        if marks:
            self._handle.write(_FRAME.pack(_MARKS_FRAME, len(marks)) + marks)

    def __enter__(self) -> PackWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._write_index()
                self._handle.flush()
                os.fsync(self._handle.fileno())
            self._handle.close()
            if kind is None:
                self._temporary.replace(self._file)
                sync_folder(self._file.parent)
        finally:
            self._handle.close()
            self._temporary.unlink(missing_ok=True)

    def _write_index(self) -> None:
        import numpy as np

        rows = [(*record, number) for number, record in enumerate(self._records)]
        records = np.sort(np.array(rows, dtype=_RECORD), order=["hash", "path"]).tobytes()
        paths = self._encoder.frame(json.dumps(self._paths, ensure_ascii=False).encode())
        footer = _FOOTER.pack(len(rows), len(paths), self._handle.tell(), _MAGIC)
        length = len(records) + len(paths) + len(footer)
        self._handle.write(_FRAME.pack(_INDEX_FRAME, length) + records + paths + footer)


class Pack:
    """Reader of a pack. Safe for concurrent use by threads.

    Raises:
        CorpusError: The pack is damaged.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            with file.open("rb") as handle:
                self._data = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:  # ValueError: an empty file
            raise CorpusError(f"documents/{PACKS}/{file.name} cannot be read: {error}") from error
        try:
            self._read_footer()
        except BaseException:
            self.close()
            raise

    def _read_footer(self) -> None:
        import numpy as np

        size = len(self._data)
        if size < _FRAME.size + _FOOTER.size:
            raise self._damaged("it is too short")
        count, paths, self._index_offset, magic = _FOOTER.unpack(self._data[size - _FOOTER.size :])
        records = np.dtype(_RECORD).itemsize * count
        if magic != _MAGIC or self._index_offset + _FRAME.size + records + paths + _FOOTER.size != size:
            raise self._damaged("it has no index")
        start = self._index_offset + _FRAME.size
        self._paths_span = (start + records, start + records + paths)
        # A copy: a view would keep the file mapped after it is closed.
        self._records: npt.NDArray[np.void] = np.frombuffer(self._data[start : start + records], dtype=_RECORD)
        if (self._records["hash"][1:] < self._records["hash"][:-1]).any():
            raise self._damaged("its index is not sorted")

    def _damaged(self, reason: str) -> CorpusError:
        return CorpusError(f"documents/{PACKS}/{self.file.name} is damaged: {reason}")

    def __len__(self) -> int:
        return len(self._records)

    @cached_property
    def _paths(self) -> list[str]:
        try:
            paths = json.loads(read_frame(self._data[slice(*self._paths_span)], _MAX_PATHS))
        except (ZstdError, ValueError, RecursionError) as error:
            raise self._damaged(f"its paths cannot be read ({error})") from None
        if not isinstance(paths, list) or len(paths) != len(self) or not all(map(_is_path, paths)):
            raise self._damaged("its paths are invalid")
        return paths

    def paths(self) -> list[str]:
        """Return the paths of the documents, in the order they were written.

        Raises:
            CorpusError: The paths are damaged or point outside of the directory.
        """
        return list(self._paths)

    def __contains__(self, path: str) -> bool:
        return self._find(path) is not None

    def _find(self, path: str) -> npt.NDArray[np.void] | None:
        import numpy as np

        hash_value = np.uint64(path_hash(path))
        position = int(np.searchsorted(self._records["hash"], hash_value))
        while position < len(self._records) and self._records["hash"][position] == hash_value:
            record = self._records[position]
            if int(record["path"]) < len(self._paths) and self._paths[int(record["path"])] == path:
                return record  # type: ignore[no-any-return]
            position += 1
        return None

    def packed(self, path: str) -> tuple[bytes, bytes | None] | None:
        """Return the frame of a document's text and its marks, or None if the pack does not contain the document.

        Raises:
            CorpusError: The pack is damaged.
        """
        record = self._find(path)
        if record is None:
            return None
        start, text_length, marks_length = int(record["offset"]), int(record["text"]), int(record["marks"])
        marks_start = start + text_length + (_FRAME.size if marks_length else 0)
        if marks_start + marks_length > self._index_offset:
            raise self._damaged(f"the offset of {path} is after its end")
        frame = self._data[start : start + text_length]
        if marks_length and self._data[start + text_length : marks_start] != _FRAME.pack(_MARKS_FRAME, marks_length):
            raise self._damaged(f"the marks of {path} are not at their offset")
        return frame, self._data[marks_start : marks_start + marks_length] if marks_length else None

    def read(self, path: str) -> tuple[bytes, bytes | None] | None:
        """Return the content of a document's ``.nlp.txt`` and marks file, or None if the pack does not contain the document.

        Raises:
            CorpusError: The pack is damaged.
        """
        frames = self.packed(path)
        if frames is None:
            return None
        try:
            text = read_frame(frames[0], _MAX_TEXT)
        except ZstdError as error:
            raise self._damaged(f"{path} cannot be read ({error})") from None
        return text, frames[1]

    def close(self) -> None:
        """Close the file."""
        self._data.close()

    def __enter__(self) -> Pack:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def path_hash(path: str) -> int:
    """Return the sort key of a path in a pack: the first 64 bits of its SHA-256."""
    return int.from_bytes(hashlib.sha256(path.encode("utf-8", "replace")).digest()[:8], "big")


def _is_path(path: Any) -> bool:
    """Return whether a value is a relative path inside the directory."""
    if not isinstance(path, str) or not path or path[0] == "/" or _ILLEGAL.search(path):
        return False
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return not any(part in {"", ".", ".."} for part in path.split("/"))


def pack_files(documents: SafeFolder) -> list[Path]:
    """Return the paths of the packs, newest first. Documents in newer packs take precedence."""
    folder = documents.subfolder(PACKS)
    return [folder / name for name in reversed(folder.file_names("*" + PACK_SUFFIX))]


def next_pack(documents: SafeFolder) -> Path:
    """Return the path of the next pack."""
    folder = documents.subfolder(PACKS)
    # Numbers of irregular entries are also skipped: they cannot be replaced.
    numbers = [
        int(name[:8])
        for name in (*folder.file_names("*" + PACK_SUFFIX), *folder.folder_names())
        if name[:8].isdecimal()
    ]
    documents.mkdir(PACKS)
    return documents / f"{PACKS}/{max(numbers, default=0) + 1:08d}{PACK_SUFFIX}"


# Packs are mapped once per process. They never change, so name and inode identify them.
_packs_by_file: dict[tuple[str, int], Pack] = {}
_packs_by_folder: dict[str, tuple[int, list[Pack]]] = {}
_lock = threading.Lock()
_MAX_OPEN: Final = 4000


def open_packs(documents: SafeFolder) -> list[Pack]:
    """Return the packs of a corpus, newest first. They stay open."""
    status = documents.stat(PACKS)
    if status is None:
        return []
    changed, folder = status.st_mtime_ns, str(documents.path)
    with _lock:
        cached = _packs_by_folder.get(folder)
        if cached is not None and cached[0] == changed:
            return cached[1]
        packs = []
        for file in pack_files(documents):
            with contextlib.suppress(FileNotFoundError):
                key = (str(file), file.stat().st_ino)
                if key not in _packs_by_file:
                    if len(_packs_by_file) >= _MAX_OPEN:
                        _packs_by_file.clear()
                    _packs_by_file[key] = Pack(file)
                packs.append(_packs_by_file[key])
        _packs_by_folder[folder] = (changed, packs)
        return packs


def read_packed(documents: SafeFolder, path: str) -> tuple[bytes, bytes | None] | None:
    """Return the content of a document's text and marks from the packs, or None if no pack contains it.

    Raises:
        CorpusError: A pack is damaged.
    """
    for pack in open_packs(documents):
        if (content := pack.read(path)) is not None:
            return content
    return None


def remove_packed(documents: SafeFolder, paths: Iterable[str]) -> int:
    """Rewrite packs without some documents and return the number of documents removed."""
    removed, count = set(paths), 0
    for file in pack_files(documents):
        with Pack(file) as pack:
            pack_paths = pack.paths()
            if not any(path in removed for path in pack_paths):
                continue
            count += sum(path in removed for path in pack_paths)
            remaining = [path for path in pack_paths if path not in removed]
            if remaining:
                with PackWriter(file) as writer:
                    for path in remaining:
                        frame, marks = pack.packed(path) or (b"", None)
                        writer.add_packed(path, frame, marks)
        if not remaining:
            file.unlink()
    close_packs()
    return count


def close_packs() -> None:
    """Close all packs after a change. They are opened again when they are next read."""
    with _lock:
        _packs_by_folder.clear()
        _packs_by_file.clear()


def sync_folder(folder: Path) -> None:
    """Sync a directory, so that a rename in it survives a power failure. No effect on Windows."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
