"""Directory layouts of programs: distinction of documents and auxiliary files.

Exports of corpuskit are recognized here. Feature groups add layouts of other programs with the hook ``directory layout``:
a module with ``is_part``, ``sidecars`` and ``clear_cache``.
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
_HEAD_BYTES: Final = 200  # bytes


def is_auxiliary(path: Path) -> bool:
    """Return whether a file is a sidecar file of a document, or a log or manifest of the program."""
    name = path.name
    if name.endswith(MARKS_SUFFIX):
        return path.with_name(name.removesuffix(MARKS_SUFFIX) + TEXT_SUFFIX).is_file()
    for layout in hooks("directory layout"):
        if (answer := layout.is_part(path)) is not None:
            return bool(answer)
    return any(_is_export(folder) and EXPORTED not in path.relative_to(folder).parts[:1] for folder in path.parents)


def sidecars(path: Path) -> dict[str, Path]:
    """Return the sidecar files of a document: name in its artifact directory → file."""
    if path.name.endswith(TEXT_SUFFIX):
        marks = path.with_name(path.name.removesuffix(TEXT_SUFFIX) + MARKS_SUFFIX)
        return {MARKS: marks} if stays_in(marks, path.parent) else {}
    return {name: file for layout in hooks("directory layout") for name, file in layout.sidecars(path).items()}


def stays_in(file: Path, folder: Path) -> bool:
    """Return whether a file is inside a directory without symbolic links."""
    return is_own(file) and file.resolve().is_relative_to(folder.resolve())


def is_own(file: Path) -> bool:
    """Return whether a path is a regular file, not a symbolic link: the directory may be untrusted."""
    return file.is_file() and not file.is_symlink()


@functools.lru_cache(maxsize=1024)
def _is_export(folder: Path) -> bool:
    """Return whether a directory is a corpuskit export with ``.nlp.txt`` files."""
    manifest = folder / MANIFEST
    if not is_own(manifest) or not (folder / EXPORTED).is_dir():
        return False
    with manifest.open("rb") as file:
        return b'"made_by": "corpuskit' in file.read(_HEAD_BYTES)


def clear_caches() -> None:
    """Clear the caches of directory layouts, since directories may have changed."""
    _is_export.cache_clear()
    for layout in hooks("directory layout"):
        layout.clear_cache()
