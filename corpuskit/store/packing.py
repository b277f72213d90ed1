"""pack() and unpack(): documents as files, or many in one file."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from corpuskit.errors import CorpusBusyError
from corpuskit.store.documents import MARKS_SUFFIX, TEXT_SUFFIX, write_atomically
from corpuskit.store.folder import CorpusFolder
from corpuskit.store.packs import Pack, PackWriter, forget_packs, next_pack, pack_files

_DOCUMENTS: Final = 10_000  # a pack
_BYTES: Final = 256 * 1024**2
_LOCK: Final = ".pack.lock"

Stamp = tuple[int, int, int]


def pack(folder: CorpusFolder) -> int:
    """Puts the extracted documents that are files into packs; gives how many.

    The corpus can be read, labelled and crawled meanwhile: a file goes when the pack that holds it is on the disk. A
    process that dies in between leaves some documents twice, with the same text; the next run removes the files.

    Raises:
        CorpusBusyError: another process packs or unpacks.
    """
    with pack_lock(folder):
        rows = folder.catalog.rows("SELECT path FROM documents WHERE status = 'extracted' ORDER BY host, uri, version")
        paths = iter([row["path"] for row in rows])
        count = 0
        while packed := _write_pack(folder.documents, paths):
            count += len(packed)
            forget_packs()
            for path, stamps in packed.items():
                _remove(folder.documents, path, stamps)
        _remove_empty(folder.documents)
        return count


def _write_pack(documents: Path, paths: Iterator[str]) -> dict[str, list[Stamp | None]]:
    """One pack of the next documents that are files; gives what it has taken, as it was."""
    taken: dict[str, list[Stamp | None]] = {}
    writer = None
    with contextlib.ExitStack() as stack:
        for path in paths:
            files = [documents / (path + suffix) for suffix in (TEXT_SUFFIX, MARKS_SUFFIX)]
            stamps = [_stamp(file) for file in files]
            if stamps[0] is None:
                continue
            try:
                text = files[0].read_bytes()
                marks = files[1].read_bytes() if stamps[1] else None
            except FileNotFoundError:
                continue
            if writer is None:
                writer = stack.enter_context(PackWriter(next_pack(documents)))
            writer.add(path, text, marks)
            taken[path] = stamps
            if len(writer) >= _DOCUMENTS or writer.size >= _BYTES:
                break
    return taken


def _stamp(file: Path) -> Stamp | None:
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _remove(documents: Path, path: str, stamps: list[Stamp | None]) -> None:
    """Removes the files of a packed document; one that was written again meanwhile stays, and counts."""
    files = [documents / (path + suffix) for suffix in (TEXT_SUFFIX, MARKS_SUFFIX)]
    if [_stamp(file) for file in files] == stamps:
        for file in files:  # the text first: who finds no text looks into the packs
            file.unlink(missing_ok=True)


def _remove_empty(documents: Path) -> None:
    for folder, _, _ in sorted(os.walk(documents), reverse=True):
        with contextlib.suppress(OSError):
            Path(folder).rmdir()
    documents.mkdir(exist_ok=True)


def unpack(folder: CorpusFolder) -> int:
    """Writes packed documents as files and removes the packs; gives how many.

    What is a file already is newer and stays as it is.

    Raises:
        CorpusBusyError: another process packs or unpacks.
        CorpusError: a pack is damaged; it is left as it is.
    """
    documents, count = folder.documents, 0
    with pack_lock(folder):
        known = {row["path"] for row in folder.catalog.rows("SELECT path FROM documents WHERE status = 'extracted'")}
        done: set[str] = set()
        for file in pack_files(documents):
            with Pack(file) as opened:
                for path in opened.paths():
                    if path in done or path not in known or (documents / (path + TEXT_SUFFIX)).exists():
                        continue
                    text, marks = opened.read(path) or (b"", None)
                    if marks is not None:
                        write_atomically(documents / (path + MARKS_SUFFIX), marks, durable=True)
                    write_atomically(documents / (path + TEXT_SUFFIX), text, durable=True)
                    done.add(path)
                    count += 1
            file.unlink()
            forget_packs()
        _remove_empty(documents)
    return count


@contextmanager
def pack_lock(folder: CorpusFolder) -> Iterator[None]:
    """Held by who adds or removes packs. The system releases it when the process dies.

    Raises:
        CorpusBusyError: another process holds it.
    """
    connection = sqlite3.connect(folder.path / _LOCK, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            raise CorpusBusyError("another process packs, unpacks or merges: wait until it is done") from None
        yield
    finally:
        connection.close()
