"""Folders that a program wrote: which of their files are documents, and which belong to one.

Known are the trees of the Language Resource Extractor, artifact directories of TextWorks, and our own exports.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final

from corpuskit.document.marks import MARKS
from corpuskit.sources.request_log import is_request_log

TEXT_SUFFIX: Final = ".nlp.txt"
MARKS_SUFFIX: Final = f".{MARKS}"
_CORPUS_ROOT: Final = ".corpus-root"
_REQUESTS: Final = "requests.log.csv"
_LOGS: Final = frozenset((_REQUESTS, "config.txt", "messages.log.txt", "exceptions.log.txt", "checkpoint.bin"))
MANIFEST: Final = "manifest.json"
EXPORTED: Final = "nlp.txt"
_HEAD: Final = 200  # bytes
_MOST_BESIDE: Final = 1000  # files


def is_part(path: Path) -> bool:
    """Whether a file belongs to a document beside it, or is a program's record of its own work.

    A log of requests is none: it is taken in as such.
    """
    name = path.name
    if name.endswith(MARKS_SUFFIX):
        return path.with_name(name.removesuffix(MARKS_SUFFIX) + TEXT_SUFFIX).is_file()
    if name in _LOGS and _has_log(path.parent):
        return name != _REQUESTS
    if (entry := _entry(path)) is not None:
        return path != entry
    return any(_is_export(folder) and EXPORTED not in path.relative_to(folder).parts[:1] for folder in path.parents)


def beside(path: Path) -> dict[str, Path]:
    """What belongs to a document: name in its artifact directory → file."""
    if path.name.endswith(TEXT_SUFFIX):
        marks = path.with_name(path.name.removesuffix(TEXT_SUFFIX) + MARKS_SUFFIX)
        return {MARKS: marks} if _stays_in(marks, path.parent) else {}
    if _entry(path) != path:
        return {}
    found = sorted(
        file
        for pattern in ("*", "*/*")
        for file in path.parent.glob(pattern)
        if file != path and _stays_in(file, path.parent)
        if not any(part.startswith(".") for part in file.relative_to(path.parent).parts)
    )
    return {file.relative_to(path.parent).as_posix(): file for file in found[:_MOST_BESIDE]}


def _stays_in(file: Path, folder: Path) -> bool:
    """Whether no link, also none of a folder between, leads from a folder to a file elsewhere."""
    return _is_own(file) and file.resolve().is_relative_to(folder.resolve())


def _is_own(file: Path) -> bool:
    """A file that is no link: a folder may be a stranger's."""
    return file.is_file() and not file.is_symlink()


def _entry(path: Path) -> Path | None:
    """The original of the artifact directory that a file stands in; None where it stands in none."""
    for folder in path.parents[:2]:
        original = folder / folder.name.removesuffix(".d")
        if folder.name.endswith(".d") and _is_corpus_root(folder.parent) and _is_own(original):
            return original
    return None


@functools.lru_cache(maxsize=1024)
def _is_corpus_root(folder: Path) -> bool:
    return _is_own(folder / _CORPUS_ROOT)


@functools.lru_cache(maxsize=1024)
def _has_log(folder: Path) -> bool:
    """Whether the Language Resource Extractor kept its log here, or its settings."""
    log, settings = folder / _REQUESTS, folder / "config.txt"
    if _is_own(log):
        return is_request_log(log)
    if not _is_own(settings):
        return False
    with settings.open("rb") as file:
        lines = [line.strip().lower() for line in file.read(10_000).splitlines()]
    return all(any(line.startswith(key) for line in lines) for key in (b"scope=", b"rooturl="))


@functools.lru_cache(maxsize=1024)
def _is_export(folder: Path) -> bool:
    """Whether we have exported the standard format there."""
    manifest = folder / MANIFEST
    if not _is_own(manifest) or not (folder / EXPORTED).is_dir():
        return False
    with manifest.open("rb") as file:
        return b'"made_by": "corpuskit' in file.read(_HEAD)


def forget() -> None:
    """Forgets what folders hold: they may have changed since."""
    for function in (_is_corpus_root, _has_log, _is_export):
        function.cache_clear()
