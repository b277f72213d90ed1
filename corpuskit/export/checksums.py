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
    """File, or directory with one file per document.

    Attributes:
        bytes: Size of the file or of all files.
        sha256: Hash of the file, or of the directory's lines in SHA256SUMS.
        count: Number of files, None if it is a file.
    """

    bytes: int
    sha256: str
    count: int | None = None

    def as_record(self) -> dict[str, Any]:
        """Return the entry as JSON."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def write_sums(folder: Path) -> dict[str, FileEntry]:
    """Write SHA256SUMS, and return an entry for each top-level file and directory (its name ends in ``/``)."""
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
    """Yield all files below a directory, sorted, with the names of one directory in memory at a time."""
    with os.scandir(folder) as scanned:
        entries = sorted((entry.name, entry.is_dir()) for entry in scanned)
    for name, is_folder in entries:
        if is_folder:
            yield from _files(folder / name)
        else:
            yield folder / name
