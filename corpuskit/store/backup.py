"""A copy of a corpus while it is in use."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path
from typing import Final

from corpuskit.errors import CorpusError
from corpuskit.store.folder import CorpusFolder

_COPIED: Final = ("documents", "originals", "labels", "models")
_FILES: Final = ("corpus.toml",)


def backup(folder: CorpusFolder, path: Path) -> int:
    """Copies a corpus that may be crawled meanwhile; gives the bytes copied.

    First a snapshot of the catalogue, then the files: whatever the snapshot names is there by then. The element cache is
    left out, it is made again; so are exports.

    Raises:
        CorpusError: the target exists.
    """
    path = path.resolve()
    if path.exists() or path.is_relative_to(folder.path):
        raise CorpusError(f"{path}: a backup goes into a new folder outside of the corpus")
    partial = path.with_name(f".{path.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        with contextlib.closing(sqlite3.connect(partial / "catalog.sqlite")) as target:
            folder.catalog.connection.backup(target)
        for name in _FILES:
            shutil.copy2(folder.path / name, partial / name)
        for name in _COPIED:
            if (folder.path / name).exists():
                shutil.copytree(
                    folder.path / name, partial / name, copy_function=_copy, ignore=_passing, dirs_exist_ok=True
                )
        partial.rename(path)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def _passing(_: str, names: list[str]) -> list[str]:
    return [name for name in names if name.endswith(".tmp")]


def _copy(source: str, target: str) -> str:
    """Copies a file; one that was removed since the folder was listed is left out."""
    with contextlib.suppress(FileNotFoundError):
        shutil.copy2(source, target)
    return target
