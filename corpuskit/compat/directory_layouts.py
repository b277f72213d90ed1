"""Directory layouts of the Language Resource Extractor and TextWorks: distinction of documents and auxiliary files."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final

from corpuskit.compat.request_log import is_request_log
from corpuskit.sources.trees import is_own, stays_in

_CORPUS_ROOT: Final = ".corpus-root"
_REQUESTS: Final = "requests.log.csv"
_LOGS: Final = frozenset((_REQUESTS, "config.txt", "messages.log.txt", "exceptions.log.txt", "checkpoint.bin"))
_MAX_SIDECARS: Final = 1000  # files


def is_part(path: Path) -> bool | None:
    """Return whether a file is a sidecar file of a document or a log of the program; None in other directories.

    The request log is not an auxiliary file, because it is imported.
    """
    if path.name in _LOGS and _has_log(path.parent):
        return path.name != _REQUESTS
    entry = _original_of(path)
    return None if entry is None else path != entry


def sidecars(path: Path) -> dict[str, Path]:
    """Return the sidecar files of a document in an artifact directory of TextWorks: relative name → file."""
    if _original_of(path) != path:
        return {}
    files = sorted(
        file
        for pattern in ("*", "*/*")
        for file in path.parent.glob(pattern)
        if file != path and stays_in(file, path.parent)
        if not any(part.startswith(".") for part in file.relative_to(path.parent).parts)
    )
    return {file.relative_to(path.parent).as_posix(): file for file in files[:_MAX_SIDECARS]}


def clear_cache() -> None:
    """Clear the caches, since directories may have changed."""
    _is_corpus_root.cache_clear()
    _has_log.cache_clear()


def _original_of(path: Path) -> Path | None:
    """Return the original of the artifact directory that holds a file, if it is in one."""
    for folder in path.parents[:2]:
        original = folder / folder.name.removesuffix(".d")
        if folder.name.endswith(".d") and _is_corpus_root(folder.parent) and is_own(original):
            return original
    return None


@functools.lru_cache(maxsize=1024)
def _is_corpus_root(folder: Path) -> bool:
    return is_own(folder / _CORPUS_ROOT)


@functools.lru_cache(maxsize=1024)
def _has_log(folder: Path) -> bool:
    """Return whether the Language Resource Extractor wrote its log or its settings here."""
    log, settings = folder / _REQUESTS, folder / "config.txt"
    if is_own(log):
        return is_request_log(log)
    if not is_own(settings):
        return False
    with settings.open("rb") as file:
        lines = [line.strip().lower() for line in file.read(10_000).splitlines()]
    return all(any(line.startswith(key) for line in lines) for key in (b"scope=", b"rooturl="))
