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
from typing import Final

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
_ROOMS: Final = frozenset(
    ("discoveries", "documents", "elements", "labels", "models", "originals", "tokens", "vectors")
)  # folders of a corpus that corpuskit writes
_CORPUS_FILE: Final = "corpus.toml"  # the name that corpuskit.store.settings gives it


def find_files(
    patterns: Iterable[Pattern | Iterable[Pattern]],
    *,
    into: Path | None = None,
    left_out: set[Path] | None = None,
) -> Iterator[FoundFile]:
    """Yield files, files of folders and their sub-folders, and files that match patterns with ``*``; sorted, none twice.

    A list of such stands for what is in it. Names that begin with a dot are left out in folders, as are files that belong to another one there; see
    ``corpuskit.sources.trees``.

    A corpus is no folder of files: one that lies in a folder, or that a pattern matches, is left out.

    Args:
        patterns: Paths and patterns, or lists of them.
        into: The folder of the corpus that the files are for.
        left_out: Takes the folders of the corpora that were left out.

    Raises:
        SourceError: a path does not exist, is the folder of a corpus, or lies in ``into``; or a pattern matches nothing.
    """
    trees.forget()
    left_out = set() if left_out is None else left_out
    seen: set[Path] = set()
    groups = ([one] if isinstance(one, str | os.PathLike) else one for one in patterns)
    for pattern in chain.from_iterable(groups):
        for found in _expand(pattern, into, left_out):
            real = found.path.resolve()
            if real not in seen and (os.fspath(pattern) == str(found.path) or not trees.is_part(real)):
                seen.add(real)
                yield found


def _expand(pattern: Pattern, into: Path | None, left_out: set[Path]) -> Iterator[FoundFile]:
    text = os.path.expanduser(os.fspath(pattern))  # noqa: PTH111 - a pattern is no path
    path = Path(text)
    if path.exists():
        _refuse_corpora(path, into)
    if path.is_dir():
        yield from _files_of(path, _without_corpora(sorted(path.rglob("*")), left_out, into=into), inside=path)
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
            found = _without_corpora([match, *sorted(match.rglob("*"))] if is_folder else [match], left_out)
            yield from _files_of(root, found, inside=match if is_folder else None)
    else:
        raise SourceError(f"there is no file or folder {text!r} (looked from {Path.cwd()})")


def _refuse_corpora(path: Path, into: Path | None) -> None:
    real = path.resolve()
    if real == into:
        raise SourceError(f"{path} is this corpus itself; name the files to add to it")
    if into is not None and real.is_relative_to(into) and real.relative_to(into).parts[0] in _ROOMS:
        raise SourceError(f"{path} lies in this corpus: what is in its folder is its own; name files from elsewhere")
    if (real / _CORPUS_FILE).is_file():
        raise SourceError(
            f"{path} is a corpus; export its documents (corpuskit export) and add the folder of the export"
        )


def _without_corpora(paths: list[Path], left_out: set[Path], *, into: Path | None = None) -> list[Path]:
    corpora = {path.parent for path in paths if path.name == _CORPUS_FILE}
    corpora |= {folder for path in paths[:1] for folder in (path, *path.parents) if (folder / _CORPUS_FILE).is_file()}
    # A folder of the user's own below the corpus that the files are for is no part of it.
    corpora = {folder for folder in corpora if folder in paths or folder.resolve() != into}
    if not corpora:
        return paths
    left_out.update(folder.resolve() for folder in corpora)
    return [path for path in paths if path not in corpora and corpora.isdisjoint(path.parents)]


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
