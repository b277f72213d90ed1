"""Packing and unpacking of documents: one file per document, or many documents per pack."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Final

from corpuskit.safe_folder import SafeFolder
from corpuskit.store.documents import MARKS_SUFFIX, TEXT_SUFFIX, read_files
from corpuskit.store.folder import CorpusFolder
from corpuskit.store.packs import Pack, PackWriter, close_packs, next_pack, pack_files

_MAX_DOCUMENTS: Final = 10_000  # per pack
_MAX_BYTES: Final = 256 * 1024**2

FileStamp = tuple[int, int, int]


def pack(folder: CorpusFolder) -> int:
    """Move documents from files into packs and return their number.

    The corpus can be read, labelled and crawled meanwhile: a file is removed after its pack is synced. If the process
    dies in between, some documents exist twice with the same content; the next run removes the files.

    Raises:
        CorpusBusyError: Another process packs or unpacks.
    """
    with folder.pack_lock():
        rows = folder.catalog.rows("SELECT path FROM documents WHERE status = 'extracted' ORDER BY host, uri, version")
        paths = iter([row["path"] for row in rows])
        count = 0
        while packed := _write_pack(folder.documents, paths):
            count += len(packed)
            close_packs()
            for path, stamps in packed.items():
                _remove_packed_files(folder.documents, path, stamps)
        _remove_empty_directories(folder.documents)
        return count


def _write_pack(documents: SafeFolder, paths: Iterator[str]) -> dict[str, list[FileStamp | None]]:
    """Write one pack of the next documents that are files. Return their paths with the stamps of the files."""
    packed: dict[str, list[FileStamp | None]] = {}
    writer = None
    with contextlib.ExitStack() as stack:
        for path in paths:
            stamps = _file_stamps(documents, path)
            if stamps[0] is None:
                continue
            try:
                text, marks = read_files(documents, path)
            except FileNotFoundError:
                continue
            if writer is None:
                writer = stack.enter_context(PackWriter(next_pack(documents)))
            writer.add(path, text, marks)
            packed[path] = stamps
            if len(writer) >= _MAX_DOCUMENTS or writer.size >= _MAX_BYTES:
                break
    return packed


def _file_stamps(documents: SafeFolder, path: str) -> list[FileStamp | None]:
    """Return inode, size and time of a document's files, to detect whether they are replaced."""
    states = [documents.stat(path + suffix) for suffix in (TEXT_SUFFIX, MARKS_SUFFIX)]
    return [None if status is None else (status.st_ino, status.st_size, status.st_mtime_ns) for status in states]


def _remove_packed_files(documents: SafeFolder, path: str, stamps: list[FileStamp | None]) -> None:
    """Remove the files of a packed document, unless they were written again: then they take precedence."""
    if _file_stamps(documents, path) == stamps:
        for suffix in (TEXT_SUFFIX, MARKS_SUFFIX):  # the text first: readers without a text file search the packs
            documents.remove(path + suffix)


def _remove_empty_directories(documents: SafeFolder) -> None:
    for folder, _, _ in sorted(os.walk(documents.mkdir()), reverse=True):  # does not follow links
        with contextlib.suppress(OSError):
            os.rmdir(folder)  # noqa: PTH106
    documents.mkdir()


def unpack(folder: CorpusFolder) -> int:
    """Write packed documents as files, remove the packs and return the number of documents.

    Existing files are newer and remain unchanged.

    Raises:
        CorpusBusyError: Another process packs or unpacks.
        CorpusError: A pack is damaged. It remains unchanged.
    """
    documents, count = folder.documents, 0
    with folder.pack_lock():
        known = {row["path"] for row in folder.catalog.rows("SELECT path FROM documents WHERE status = 'extracted'")}
        done: set[str] = set()
        for file in pack_files(documents):
            with Pack(file) as opened:
                for path in opened.paths():
                    if path in done or path not in known or documents.exists(path + TEXT_SUFFIX):
                        continue
                    text, marks = opened.read(path) or (b"", None)
                    if marks is not None:
                        documents.write(path + MARKS_SUFFIX, marks, durable=True)
                    documents.write(path + TEXT_SUFFIX, text, durable=True)
                    done.add(path)
                    count += 1
            file.unlink()
            close_packs()
        _remove_empty_directories(documents)
    return count
