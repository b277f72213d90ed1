"""Packs: many documents in one file, each read alone.

A pack is a Zstandard file (RFC 8878) of one frame a document, its ``.nlp.txt``, followed by a skippable frame with its
marks; ``zstd -dc`` gives the texts one behind the other. A last skippable frame holds the index: a record a document,
sorted by the hash of its path, the paths, and a footer. A pack is written once and never changed.
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
from collections.abc import Iterable, Iterator
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
"""The folder of the packs below documents/."""

_MARKS_FRAME: Final = 0x184D2A50
_INDEX_FRAME: Final = 0x184D2A51
_FRAME: Final = struct.Struct("<II")  # magic, length
_FOOTER: Final = struct.Struct("<IIQ8s")  # documents, bytes of the paths, where the index frame begins, magic
_MAGIC: Final = b"CKPACK01"
_RECORD: Final = [("hash", "<u8"), ("offset", "<u8"), ("text", "<u4"), ("marks", "<u4"), ("path", "<u4")]
_MAX_TEXT: Final = 512 * 1024**2  # bytes of one document; a bomb ends here
_MAX_PATHS: Final = 256 * 1024**2
_ILLEGAL = re.compile(r'[<>:"\\|?*\x00-\x1f]')


class PackWriter:
    """Writes a pack; it is there, whole, when the context ends without an error.

    Args:
        file: the pack.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._temporary = file.with_name(f"{file.name}.{secrets.token_hex(8)}.tmp")
        file.parent.mkdir(parents=True, exist_ok=True)
        self._handle = self._temporary.open("xb")
        self._packer = FrameWriter(level=6)
        self._records: list[tuple[int, int, int, int]] = []
        self._paths: list[str] = []

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._handle.tell()

    def __len__(self) -> int:
        return len(self._paths)

    def add(self, path: str, text: bytes, marks: bytes | None) -> None:
        """Adds a document: its path below documents/, its ``.nlp.txt`` and its marks file."""
        self.add_packed(path, self._packer.frame(text), marks)

    def add_packed(self, path: str, frame: bytes, marks: bytes | None) -> None:
        """As :meth:`add`, with the text as a frame of another pack."""
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
        paths = self._packer.frame(json.dumps(self._paths, ensure_ascii=False).encode())
        footer = _FOOTER.pack(len(rows), len(paths), self._handle.tell(), _MAGIC)
        length = len(records) + len(paths) + len(footer)
        self._handle.write(_FRAME.pack(_INDEX_FRAME, length) + records + paths + footer)


class Pack:
    """A pack that is read. Safe to use from several threads.

    Raises:
        CorpusError: it is damaged.
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
        count, paths, self._end, magic = _FOOTER.unpack(self._data[size - _FOOTER.size :])
        records = np.dtype(_RECORD).itemsize * count
        if magic != _MAGIC or self._end + _FRAME.size + records + paths + _FOOTER.size != size:
            raise self._damaged("it has no index")
        start = self._end + _FRAME.size
        self._paths_at = (start + records, start + records + paths)
        # A copy: a view would keep the file mapped.
        self._records: npt.NDArray[np.void] = np.frombuffer(self._data[start : start + records], dtype=_RECORD)
        if (self._records["hash"][1:] < self._records["hash"][:-1]).any():
            raise self._damaged("its index is not sorted")

    def _damaged(self, why: str) -> CorpusError:
        return CorpusError(f"documents/{PACKS}/{self.file.name} is damaged: {why}")

    def __len__(self) -> int:
        return len(self._records)

    @cached_property
    def _paths(self) -> list[str]:
        try:
            paths = json.loads(read_frame(self._data[slice(*self._paths_at)], _MAX_PATHS))
        except (ZstdError, ValueError, RecursionError) as error:
            raise self._damaged(f"its paths cannot be read ({error})") from None
        if not isinstance(paths, list) or len(paths) != len(self) or not all(map(_is_path, paths)):
            raise self._damaged("its paths are none")
        return paths

    def paths(self) -> list[str]:
        """The paths of its documents, in the order they were written.

        Raises:
            CorpusError: they are damaged, or lead out of the folder.
        """
        return list(self._paths)

    def __contains__(self, path: str) -> bool:
        return self._find(path) is not None

    def _find(self, path: str) -> npt.NDArray[np.void] | None:
        import numpy as np

        wanted = np.uint64(path_hash(path))
        at = int(np.searchsorted(self._records["hash"], wanted))
        while at < len(self._records) and self._records["hash"][at] == wanted:
            record = self._records[at]
            if int(record["path"]) < len(self._paths) and self._paths[int(record["path"])] == path:
                return record  # type: ignore[no-any-return]
            at += 1
        return None

    def packed(self, path: str) -> tuple[bytes, bytes | None] | None:
        """The frame of a document's text and its marks; None where it is not in here.

        Raises:
            CorpusError: the pack is damaged.
        """
        record = self._find(path)
        if record is None:
            return None
        start, length, marks = int(record["offset"]), int(record["text"]), int(record["marks"])
        behind = start + length + (_FRAME.size if marks else 0)
        if behind + marks > self._end:
            raise self._damaged(f"the place of {path} is behind its end")
        frame = self._data[start : start + length]
        if marks and self._data[start + length : behind] != _FRAME.pack(_MARKS_FRAME, marks):
            raise self._damaged(f"no marks of {path} where they should be")
        return frame, self._data[behind : behind + marks] if marks else None

    def read(self, path: str) -> tuple[bytes, bytes | None] | None:
        """A document's ``.nlp.txt`` and marks file; None where it is not in here.

        Raises:
            CorpusError: the pack is damaged.
        """
        found = self.packed(path)
        if found is None:
            return None
        try:
            text = read_frame(found[0], _MAX_TEXT)
        except ZstdError as error:
            raise self._damaged(f"{path} cannot be read ({error})") from None
        return text, found[1]

    def close(self) -> None:
        """Closes the file."""
        self._data.close()

    def __enter__(self) -> Pack:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def path_hash(path: str) -> int:
    """What packs are sorted by: 64 bits of the SHA-256 of the path."""
    return int.from_bytes(hashlib.sha256(path.encode("utf-8", "replace")).digest()[:8], "big")


def _is_path(path: Any) -> bool:
    """A relative path that stays in its folder."""
    if not isinstance(path, str) or not path or path[0] == "/" or _ILLEGAL.search(path):
        return False
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return not any(part in {"", ".", ".."} for part in path.split("/"))


def pack_files(documents: SafeFolder) -> list[Path]:
    """The packs of a corpus, the newest first: what it holds comes before what older ones hold."""
    folder = documents.subfolder(PACKS)
    return [folder / name for name in reversed(folder.file_names("*" + PACK_SUFFIX))]


def next_pack(documents: SafeFolder) -> Path:
    """Where the next pack goes."""
    folder = documents.subfolder(PACKS)
    # A folder of such a name is no pack, and nothing can take its place.
    known = [
        int(name[:8])
        for name in (*folder.file_names("*" + PACK_SUFFIX), *folder.folder_names())
        if name[:8].isdecimal()
    ]
    documents.mkdir(PACKS)
    return documents / f"{PACKS}/{max(known, default=0) + 1:08d}{PACK_SUFFIX}"


# Packs are mapped once a process. They never change, so that a name and its inode say which pack it is.
_open: dict[tuple[str, int], Pack] = {}
_listed: dict[str, tuple[int, list[Pack]]] = {}
_lock = threading.Lock()
_MOST_OPEN: Final = 4000


def open_packs(documents: SafeFolder) -> list[Pack]:
    """The packs of a corpus, the newest first, kept open."""
    found = documents.stat(PACKS)
    if found is None:
        return []
    changed, folder = found.st_mtime_ns, str(documents.path)
    with _lock:
        known = _listed.get(folder)
        if known is not None and known[0] == changed:
            return known[1]
        packs = []
        for file in pack_files(documents):
            with contextlib.suppress(FileNotFoundError):
                key = (str(file), file.stat().st_ino)
                if key not in _open:
                    if len(_open) >= _MOST_OPEN:
                        _open.clear()
                    _open[key] = Pack(file)
                packs.append(_open[key])
        _listed[folder] = (changed, packs)
        return packs


def read_packed(documents: SafeFolder, path: str) -> tuple[bytes, bytes | None] | None:
    """A document of the packs; None where none holds it.

    Raises:
        CorpusError: a pack is damaged.
    """
    for pack in open_packs(documents):
        if (found := pack.read(path)) is not None:
            return found
    return None


def remove_packed(documents: SafeFolder, paths: Iterable[str]) -> int:
    """Writes the packs that hold these documents anew, without them; returns how many there were."""
    wanted, count = set(paths), 0
    for file in pack_files(documents):
        with Pack(file) as pack:
            held = pack.paths()
            if not any(path in wanted for path in held):
                continue
            count += sum(path in wanted for path in held)
            kept = [path for path in held if path not in wanted]
            if kept:
                with PackWriter(file) as writer:
                    for path in kept:
                        frame, marks = pack.packed(path) or (b"", None)
                        writer.add_packed(path, frame, marks)
        if not kept:
            file.unlink()
    close_packs()
    return count


def close_packs() -> None:
    """Opens packs anew when they are next read: they have changed."""
    with _lock:
        _listed.clear()
        _open.clear()


def sync_folder(folder: Path) -> None:
    """Makes a rename in a folder survive a power cut, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def pack_frames(pack: Pack) -> Iterator[tuple[str, bytes, bytes | None]]:
    """(path, frame, marks) of all documents of a pack."""
    for path in pack.paths():
        found = pack.packed(path)
        if found is not None:
            yield path, *found
