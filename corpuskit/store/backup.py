"""Backup of a corpus that may be in use."""

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

_DIRECTORIES: Final = (
    "documents", "originals", "labels", "models", "vectors", "tokens", "annotations", "preprocessing", "discoveries",
)  # fmt: skip
_FILES: Final = ("corpus.toml",)
_ANSWER_CACHE: Final = "annotations/answers.sqlite"  # modified in place, so SQLite has to copy it


def backup(folder: CorpusFolder, path: Path) -> int:
    """Copy a corpus while it may be crawled, and return the number of bytes copied.

    A snapshot of the catalog is copied first and the files after it, so every file in the snapshot exists. The element
    cache and exports are not copied: they can be rebuilt. The token index is copied, since layers made by functions,
    models and files are stored only there. Links, pipes and devices in the corpus are skipped.

    Raises:
        CorpusError: The target exists, is inside the corpus, or cannot be written. No partial copy remains.
    """
    path = path.resolve()
    if path.is_relative_to(folder.path):
        raise CorpusError(f"{path} is inside the corpus: choose a directory outside of it for the backup")
    if path.exists():
        raise CorpusError(f"{path} exists: choose a new directory for the backup")
    with convert_write_errors(f"the backup {path}", "no partial backup remains"):
        try:
            return _copy_all(folder, path)
        except sqlite3.OperationalError as error:  # SQLite reports a full disk by its own error
            raise OSError(errno.ENOSPC if "full" in str(error) else 0, str(error)) from error


def _copy_all(folder: CorpusFolder, path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    target_folder = SafeFolder(path.parent)
    partial = target_folder.subfolder(f".{path.name}.partial")
    partial.remove_folder()
    partial.mkdir()
    try:
        with contextlib.closing(connect(partial, CATALOG)) as target:
            folder.catalog.connection.backup(target)
        names = (
            f"{directory}/{name}" for directory in _DIRECTORIES for name in folder.root.subfolder(directory).walk()
        )
        for name in itertools.chain(_FILES, names):
            if name == _ANSWER_CACHE:
                _copy_answer_cache(folder.root, partial)
            elif not name.endswith(".tmp") and not name.startswith(f"{_ANSWER_CACHE}-"):
                _copy(folder.root, partial, name)
        target_folder.rename(f".{path.name}.partial", path.name)
    except BaseException:
        partial.remove_folder()
        raise
    return sum((SafeFolder(path) / name).stat().st_size for name in SafeFolder(path).walk())


def _copy_answer_cache(source: SafeFolder, target: SafeFolder) -> None:
    """Copy the cache of model answers, including answers that are still in its write-ahead log."""
    folder, _, name = _ANSWER_CACHE.partition("/")
    target.mkdir(folder)
    try:
        with (
            contextlib.closing(connect(source.subfolder(folder), name, timeout=60)) as old,
            contextlib.closing(connect(target.subfolder(folder), name)) as new,
        ):
            old.backup(new)
    except sqlite3.Error as error:
        raise CorpusError(f"{_ANSWER_CACHE} cannot be copied: {error}; it is a cache and can be removed") from error


def _copy(source: SafeFolder, target: SafeFolder, name: str) -> None:
    """Copy a file with its times. A file that was removed since the directory was listed is skipped."""
    with contextlib.suppress(FileNotFoundError), source.open(name) as old, target.open(name, "xb") as new:
        shutil.copyfileobj(old, new, 1 << 20)
        new.flush()
        status = os.fstat(old.fileno())
        os.utime(target / name, ns=(status.st_atime_ns, status.st_mtime_ns))
