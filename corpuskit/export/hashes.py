"""SHA256SUMS: the hash of every file of an export, as ``sha256sum --check`` reads it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

SUMS: Final = "SHA256SUMS"


@dataclass(slots=True)
class FileEntry:
    """A file, or a folder of one file a document.

    Attributes:
        bytes: its size, or that of all files.
        sha256: its hash, or that of the folder's lines in SHA256SUMS.
        count: how many files; None for a file.
    """

    bytes: int
    sha256: str
    count: int | None = None

    def as_record(self) -> dict[str, Any]:
        """As JSON."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def write_sums(folder: Path) -> dict[str, FileEntry]:
    """Writes SHA256SUMS; returns an entry for each file at the top and each folder (its name ends in ``/``)."""
    entries: dict[str, FileEntry] = {}
    digests: dict[str, Any] = {}
    with (folder / SUMS).open("w", encoding="utf-8", newline="\n") as out:
        for file in _files(folder):
            name = file.relative_to(folder).as_posix()
            if name == SUMS:
                continue
            with file.open("rb") as handle:
                digest = hashlib.file_digest(handle, "sha256").hexdigest()
            size = file.stat().st_size
            line = f"{digest}  {name}\n"
            out.write(line)
            top, slash, _ = name.partition("/")
            if not slash:
                entries[name] = FileEntry(size, digest)
                continue
            entry = entries.setdefault(top + "/", FileEntry(0, "", 0))
            entry.bytes += size
            entry.count = (entry.count or 0) + 1
            digests.setdefault(top + "/", hashlib.sha256()).update(line.encode())
    for name, running in digests.items():
        entries[name].sha256 = running.hexdigest()
    return dict(sorted(entries.items()))


def _files(folder: Path) -> Iterator[Path]:
    """All files below, sorted; one folder's names at a time are in memory."""
    with os.scandir(folder) as found:
        entries = sorted((entry.name, entry.is_dir()) for entry in found)
    for name, is_folder in entries:
        if is_folder:
            yield from _files(folder / name)
        else:
            yield folder / name
