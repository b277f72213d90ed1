"""pack() and unpack(): documents as files, or many in one file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Final

from corpuskit.safe_folder import SafeFolder
from corpuskit.store.documents import MARKS_SUFFIX, TEXT_SUFFIX, read_files
from corpuskit.store.folder import CorpusFolder
from corpuskit.store.packs import Pack, PackWriter, close_packs, next_pack, pack_files

_DOCUMENTS: Final = 10_000  # a pack
_BYTES: Final = 256 * 1024**2

Stamp = tuple[int, int, int]


def pack(folder: CorpusFolder) -> int:
    """Puts the extracted documents that are files into packs; returns how many.

    The corpus can be read, labelled and crawled meanwhile: a file goes when the pack that holds it is on the disk. A
    process that dies in between leaves some documents twice, with the same text; the next run removes the files.

    Raises:
        CorpusBusyError: another process packs or unpacks.
    """
    with folder.pack_lock():
        rows = folder.catalog.rows("SELECT path FROM documents WHERE status = 'extracted' ORDER BY host, uri, version")
        paths = iter([row["path"] for row in rows])
        count = 0
        while packed := _write_pack(folder.documents, paths):
            count += len(packed)
            close_packs()
            for path, stamps in packed.items():
                _remove(folder.documents, path, stamps)
        _remove_empty(folder.documents)
        return count


def _write_pack(documents: SafeFolder, paths: Iterator[str]) -> dict[str, list[Stamp | None]]:
    """One pack of the next documents that are files; returns what it has taken, as it was."""
    taken: dict[str, list[Stamp | None]] = {}
    writer = None
    with contextlib.ExitStack() as stack:
        for path in paths:
            stamps = _stamps(documents, path)
            if stamps[0] is None:
                continue
            try:
                text, marks = read_files(documents, path)
            except FileNotFoundError:
                continue
            if writer is None:
                writer = stack.enter_context(PackWriter(next_pack(documents)))
            writer.add(path, text, marks)
            taken[path] = stamps
            if len(writer) >= _DOCUMENTS or writer.size >= _BYTES:
                break
    return taken


def _stamps(documents: SafeFolder, path: str) -> list[Stamp | None]:
    """What tells the files of a document from others of the same names."""
    found = [documents.stat(path + suffix) for suffix in (TEXT_SUFFIX, MARKS_SUFFIX)]
    return [None if one is None else (one.st_ino, one.st_size, one.st_mtime_ns) for one in found]


def _remove(documents: SafeFolder, path: str, stamps: list[Stamp | None]) -> None:
    """Removes the files of a packed document; one that was written again meanwhile stays, and counts."""
    if _stamps(documents, path) == stamps:
        for suffix in (TEXT_SUFFIX, MARKS_SUFFIX):  # the text first: who finds no text looks into the packs
            documents.remove(path + suffix)


def _remove_empty(documents: SafeFolder) -> None:
    for folder, _, _ in sorted(os.walk(documents.mkdir()), reverse=True):  # follows no links
        with contextlib.suppress(OSError):
            os.rmdir(folder)  # noqa: PTH106
    documents.mkdir()


def unpack(folder: CorpusFolder) -> int:
    """Writes packed documents as files and removes the packs; returns how many.

    What is a file already is newer and stays as it is.

    Raises:
        CorpusBusyError: another process packs or unpacks.
        CorpusError: a pack is damaged; it is left as it is.
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
        _remove_empty(documents)
    return count
