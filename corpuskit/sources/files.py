"""Files and folders."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from corpuskit.errors import ResourceLimitError, SourceError
from corpuskit.sources import trees
from corpuskit.sources.media import detect_media_type
from corpuskit.sources.resource import Resource


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to be added.

    Attributes:
        path: where it is.
        uri: its path relative to the parent of the folder it was added from, with ``/``.
        origin: a hash of that parent, so that files of one name from two places stay two.
        leads_out: it was found in a folder, as a link to what lies outside of that folder, which may be a stranger's.
    """

    path: Path
    uri: str
    origin: str
    leads_out: bool = False


Pattern = str | os.PathLike[str]


def find_files(patterns: Iterable[Pattern | Iterable[Pattern]]) -> Iterator[FoundFile]:
    """Yield files, files of folders and their sub-folders, and files that match patterns with ``*``; sorted, none twice.

    A list of such stands for what is in it. Names that begin with a dot are left out in folders, as are files that belong to another one there; see
    ``corpuskit.sources.trees``.

    Args:
        patterns: Paths and patterns, or lists of them.

    Raises:
        SourceError: a path does not exist, or a pattern matches nothing.
    """
    trees.forget()
    seen: set[Path] = set()
    groups = ([one] if isinstance(one, str | os.PathLike) else one for one in patterns)
    for pattern in chain.from_iterable(groups):
        for found in _expand(pattern):
            real = found.path.resolve()
            if real not in seen and (os.fspath(pattern) == str(found.path) or not trees.is_part(real)):
                seen.add(real)
                yield found


def _expand(pattern: str | os.PathLike[str]) -> Iterator[FoundFile]:
    text = os.path.expanduser(os.fspath(pattern))  # noqa: PTH111 - a pattern is no path
    path = Path(text)
    if path.is_dir():
        yield from _files_of(path, sorted(path.rglob("*")), inside=path)
    elif path.exists():
        yield from _files_of(path.parent, [path])
    elif glob.has_magic(text):
        matches = sorted(Path(match) for match in glob.iglob(text, recursive=True))  # noqa: PTH207 - absolute patterns too
        if not matches:
            raise SourceError(f"no file matches {text!r} (looked from {Path.cwd()})")
        first_magic = next(i for i, part in enumerate(Path(text).parts) if glob.has_magic(part))
        root = Path(*Path(text).parts[:first_magic]) if first_magic else Path()
        for match in matches:
            is_folder = match.is_dir()
            yield from _files_of(
                root, sorted(match.rglob("*")) if is_folder else [match], inside=match if is_folder else None
            )
    else:
        raise SourceError(f"there is no file or folder {text!r} (looked from {Path.cwd()})")


def _files_of(root: Path, paths: Iterable[Path], *, inside: Path | None = None) -> Iterator[FoundFile]:
    within = None if inside is None else inside.resolve()
    base = Path(os.path.abspath(root))  # noqa: PTH100 - a symlink keeps the name the user gave
    origin = hashlib.sha256(os.fsencode(base)).hexdigest()[:16]
    for path in paths:
        whole = Path(os.path.abspath(path))  # noqa: PTH100
        relative = whole.relative_to(base)
        if any(part.startswith(".") for part in relative.parts) or not path.is_file():
            continue
        uri = "/".join([base.name, *relative.parts]) if base.name else relative.as_posix()
        leads_out = within is not None and not path.resolve().is_relative_to(within)
        yield FoundFile(path, uri, origin, leads_out)


def read_resource(found: FoundFile, *, max_bytes: int) -> Resource:
    """Read a file.

    Args:
        found: The file.
        max_bytes: Larger files are refused.

    Raises:
        SourceError: it cannot be read.
        ResourceLimitError: it is larger than ``max_bytes``.
    """
    try:
        status = found.path.stat()
        if status.st_size > max_bytes:
            raise ResourceLimitError(f"{found.uri}: {status.st_size:,} bytes, the limit is {max_bytes:,}")
        content = found.path.read_bytes()
        beside = {name: path.read_bytes() for name, path in _beside(found.path, max_bytes).items()}
    except OSError as error:
        raise SourceError(f"{found.path} cannot be read: {error.strerror or error}") from error
    return Resource(
        uri=found.uri.encode("utf-8", "replace").decode(),
        content=content,
        media_type=detect_media_type(content, found.path.name),
        modified=datetime.fromtimestamp(status.st_mtime, UTC),
        name=found.path.name.encode("utf-8", "replace").decode(),
        origin=found.origin,
        beside=beside,
    )


def _beside(path: Path, max_bytes: int) -> dict[str, Path]:
    """The files that belong to one, without those that are too large."""
    return {
        name: file
        for name, file in trees.beside(path.resolve()).items()
        if not file.is_symlink() and file.stat().st_size <= max_bytes
    }
