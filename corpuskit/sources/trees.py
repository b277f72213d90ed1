"""Directories written by a program: which of their files are documents, and which belong to one.

Exports of corpuskit are known here; feature groups add layouts of other programs by the hook ``directory layout``, a module with
``is_part``, ``sidecars`` and ``clear_cache``.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final

from corpuskit.document.marks import MARKS
from corpuskit.hooks import hooks

TEXT_SUFFIX: Final = ".nlp.txt"
MARKS_SUFFIX: Final = f".{MARKS}"
MANIFEST: Final = "manifest.json"
EXPORTED: Final = "nlp.txt"
_HEAD: Final = 200  # bytes


def is_part(path: Path) -> bool:
    """Return whether a file belongs to a document, or is a program's record of its own work."""
    name = path.name
    if name.endswith(MARKS_SUFFIX):
        return path.with_name(name.removesuffix(MARKS_SUFFIX) + TEXT_SUFFIX).is_file()
    for layout in hooks("directory layout"):
        if (found := layout.is_part(path)) is not None:
            return bool(found)
    return any(_is_export(folder) and EXPORTED not in path.relative_to(folder).parts[:1] for folder in path.parents)


def beside(path: Path) -> dict[str, Path]:
    """Return what belongs to a document: name in its artifact directory → file."""
    if path.name.endswith(TEXT_SUFFIX):
        marks = path.with_name(path.name.removesuffix(TEXT_SUFFIX) + MARKS_SUFFIX)
        return {MARKS: marks} if stays_in(marks, path.parent) else {}
    return {name: file for layout in hooks("directory layout") for name, file in layout.sidecars(path).items()}


def stays_in(file: Path, folder: Path) -> bool:
    """Return whether a file is in a directory, and no link leads to it from there."""
    return is_own(file) and file.resolve().is_relative_to(folder.resolve())


def is_own(file: Path) -> bool:
    """Return whether a path is a file and no link: a directory may be a stranger's."""
    return file.is_file() and not file.is_symlink()


@functools.lru_cache(maxsize=1024)
def _is_export(folder: Path) -> bool:
    """Return whether corpuskit has exported the standard format there."""
    manifest = folder / MANIFEST
    if not is_own(manifest) or not (folder / EXPORTED).is_dir():
        return False
    with manifest.open("rb") as file:
        return b'"made_by": "corpuskit' in file.read(_HEAD)


def forget() -> None:
    """Read directories again: they may have changed."""
    _is_export.cache_clear()
    for layout in hooks("directory layout"):
        layout.clear_cache()
