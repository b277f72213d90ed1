"""A copy of a corpus while it is in use."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Final

from corpuskit.errors import CorpusError
from corpuskit.safe_folder import SafeFolder
from corpuskit.store.database import CATALOG, connect
from corpuskit.store.file_errors import convert_write_errors
from corpuskit.store.folder import CorpusFolder

_COPIED: Final = (
    "documents", "originals", "labels", "models", "vectors", "tokens", "annotations", "preprocessing", "discoveries",
)  # fmt: skip
_FILES: Final = ("corpus.toml",)
_ANSWERS: Final = "annotations/answers.sqlite"  # changed in place, so it is copied by SQLite


def backup(folder: CorpusFolder, path: Path) -> int:
    """Copies a corpus that may be crawled meanwhile; returns the bytes copied.

    First a snapshot of the catalogue, then the files: whatever the snapshot names is there by then. The element cache is
    left out, it is made again; so are exports. The token index is copied, since layers of functions, models and files stand
    there only. What is a link, pipe or device in the corpus is not copied.

    Raises:
        CorpusError: the target exists, is inside the corpus, or cannot be written; nothing of it is left there.
    """
    path = path.resolve()
    if path.is_relative_to(folder.path):
        raise CorpusError(f"{path} is inside the corpus: a backup goes outside of it")
    if path.exists():
        raise CorpusError(f"{path} exists: a backup goes into a new folder")
    with convert_write_errors(f"the backup {path}", "nothing of this one is left there"):
        try:
            return _copy_all(folder, path)
        except sqlite3.OperationalError as error:  # SQLite has an error of its own for a full disk
            raise OSError(errno.ENOSPC if "full" in str(error) else 0, str(error)) from error


def _copy_all(folder: CorpusFolder, path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = SafeFolder(path.parent)
    partial = beside.subfolder(f".{path.name}.partial")
    partial.remove_folder()
    partial.mkdir()
    try:
        with contextlib.closing(connect(partial, CATALOG)) as target:
            folder.catalog.connection.backup(target)
        names = (f"{room}/{name}" for room in _COPIED for name in folder.root.subfolder(room).walk())
        for name in itertools.chain(_FILES, names):
            if name == _ANSWERS:
                _copy_answers(folder.root, partial)
            elif not name.endswith(".tmp") and not name.startswith(f"{_ANSWERS}-"):
                _copy(folder.root, partial, name)
        beside.rename(f".{path.name}.partial", path.name)
    except BaseException:
        partial.remove_folder()
        raise
    return sum((SafeFolder(path) / name).stat().st_size for name in SafeFolder(path).walk())


def _copy_answers(source: SafeFolder, target: SafeFolder) -> None:
    """Copies the kept answers of machines with those that still stand in the log beside them."""
    folder, _, name = _ANSWERS.partition("/")
    target.mkdir(folder)
    try:
        with (
            contextlib.closing(connect(source.subfolder(folder), name, timeout=60)) as old,
            contextlib.closing(connect(target.subfolder(folder), name)) as new,
        ):
            old.backup(new)
    except sqlite3.Error as error:
        raise CorpusError(f"{_ANSWERS} cannot be copied: {error}; it is a cache: remove it to go on without") from error


def _copy(source: SafeFolder, target: SafeFolder, name: str) -> None:
    """Copies a file with its times; one that was removed since the folder was listed is left out."""
    with contextlib.suppress(FileNotFoundError), source.open(name) as old, target.open(name, "xb") as new:
        shutil.copyfileobj(old, new, 1 << 20)
        new.flush()
        known = os.fstat(old.fileno())
        os.utime(target / name, ns=(known.st_atime_ns, known.st_mtime_ns))
