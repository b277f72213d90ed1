"""Search for files by path and pattern, and reading of single files."""

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
        path: Path of the file.
        uri: Path relative to the parent of the added folder, with ``/``.
        origin: Hash of that parent; it distinguishes files with equal URIs from different folders.
        leads_out: True for a symbolic link in the added folder to a target outside it; such links are not trusted.
    """

    path: Path
    uri: str
    origin: str
    leads_out: bool = False


Pattern = str | os.PathLike[str]
_CORPUS_DIRECTORIES: Final = frozenset(
    ("discoveries", "documents", "elements", "labels", "models", "originals", "tokens", "vectors")
)  # directories that corpuskit writes in a corpus
_CORPUS_FILE: Final = "corpus.toml"  # as in corpuskit.store.settings


def find_files(
    patterns: Iterable[Pattern | Iterable[Pattern]],
    *,
    into: Path | None = None,
    left_out: set[Path] | None = None,
) -> Iterator[FoundFile]:
    """Yield the files of paths, folders (recursively) and patterns with ``*``: sorted, each file once.

    In folders, hidden files are skipped, and so are auxiliary files that belong to another file; see
    ``corpuskit.sources.trees``. Corpora inside a folder, or matched by a pattern, are skipped.

    Args:
        patterns: Paths and patterns, or lists of them.
        into: Folder of the corpus that the files are added to.
        left_out: Set that receives the folders of the skipped corpora.

    Raises:
        SourceError: A path does not exist, is a corpus, or is inside ``into``; or a pattern matches no file.
    """
    trees.clear_caches()
    left_out = set() if left_out is None else left_out
    seen: set[Path] = set()
    groups = (
        [pattern_or_list] if isinstance(pattern_or_list, str | os.PathLike) else pattern_or_list
        for pattern_or_list in patterns
    )
    for pattern in chain.from_iterable(groups):
        for file in _expand(pattern, into, left_out):
            resolved = file.path.resolve()
            if resolved not in seen and (os.fspath(pattern) == str(file.path) or not trees.is_auxiliary(resolved)):
                seen.add(resolved)
                yield file


def _expand(pattern: Pattern, into: Path | None, left_out: set[Path]) -> Iterator[FoundFile]:
    text = os.path.expanduser(os.fspath(pattern))  # noqa: PTH111 - patterns are strings
    path = Path(text)
    if path.exists():
        _check_not_corpus(path, into)
    if path.is_dir():
        yield from _files_of(path, _without_corpora(sorted(path.rglob("*")), left_out, into=into), root_limit=path)
    elif path.exists():
        yield from _files_of(path.parent, [path])
    elif glob.has_magic(text):
        matches = sorted(Path(match) for match in glob.iglob(text, recursive=True))  # noqa: PTH207 - absolute patterns too
        if not matches:
            raise SourceError(f"no file matches {text!r} (working directory: {Path.cwd()})")
        first_magic = next(i for i, part in enumerate(Path(text).parts) if glob.has_magic(part))
        root = Path(*Path(text).parts[:first_magic]) if first_magic else Path()
        for match in matches:
            is_folder = match.is_dir()
            files = _without_corpora([match, *sorted(match.rglob("*"))] if is_folder else [match], left_out)
            yield from _files_of(root, files, root_limit=match if is_folder else None)
    else:
        raise SourceError(f"there is no file or folder {text!r} (working directory: {Path.cwd()})")


def _check_not_corpus(path: Path, into: Path | None) -> None:
    resolved = path.resolve()
    if resolved == into:
        raise SourceError(f"{path}: this is the corpus itself; name the files to add to it")
    if (
        into is not None
        and resolved.is_relative_to(into)
        and resolved.relative_to(into).parts[0] in _CORPUS_DIRECTORIES
    ):
        raise SourceError(f"{path}: this path is inside the corpus; name files outside the folder of the corpus")
    if (resolved / _CORPUS_FILE).is_file():
        raise SourceError(
            f"{path}: this is a corpus; export its documents (corpuskit export) and add the folder of the export"
        )


def _without_corpora(paths: list[Path], left_out: set[Path], *, into: Path | None = None) -> list[Path]:
    corpora = {path.parent for path in paths if path.name == _CORPUS_FILE}
    corpora |= {folder for path in paths[:1] for folder in (path, *path.parents) if (folder / _CORPUS_FILE).is_file()}
    # The user may have folders with files inside the target corpus; only its own directories are excluded.
    corpora = {folder for folder in corpora if folder in paths or folder.resolve() != into}
    if not corpora:
        return paths
    left_out.update(folder.resolve() for folder in corpora)
    return [path for path in paths if path not in corpora and corpora.isdisjoint(path.parents)]


def _files_of(root: Path, paths: Iterable[Path], *, root_limit: Path | None = None) -> Iterator[FoundFile]:
    resolved_limit = None if root_limit is None else root_limit.resolve()
    base = Path(os.path.abspath(root))  # noqa: PTH100 - keeps the name of a symbolic link
    origin = hashlib.sha256(os.fsencode(base)).hexdigest()[:16]
    for path in paths:
        absolute = Path(os.path.abspath(path))  # noqa: PTH100
        relative = absolute.relative_to(base)
        if any(part.startswith(".") for part in relative.parts) or not path.is_file():
            continue
        uri = "/".join([base.name, *relative.parts]) if base.name else relative.as_posix()
        leads_out = resolved_limit is not None and not path.resolve().is_relative_to(resolved_limit)
        yield FoundFile(path, uri, origin, leads_out)


def read_resource(file: FoundFile, *, max_bytes: int) -> Resource:
    """Read a file and its sidecar files.

    Args:
        file: The file.
        max_bytes: Maximum size of the file.

    Raises:
        SourceError: The file cannot be read.
        ResourceLimitError: The file is larger than ``max_bytes``.
    """
    try:
        status = file.path.stat()
        if status.st_size > max_bytes:
            raise ResourceLimitError(f"{file.uri}: {status.st_size:,} bytes, the limit is {max_bytes:,}")
        content = file.path.read_bytes()
        sidecars = {name: path.read_bytes() for name, path in _sidecars(file.path, max_bytes).items()}
    except OSError as error:
        raise SourceError(f"{file.path} cannot be read: {error.strerror or error}") from error
    return Resource(
        uri=file.uri.encode("utf-8", "replace").decode(),
        content=content,
        media_type=detect_media_type(content, file.path.name),
        modified=datetime.fromtimestamp(status.st_mtime, UTC),
        name=file.path.name.encode("utf-8", "replace").decode(),
        origin=file.origin,
        sidecars=sidecars,
    )


def _sidecars(path: Path, max_bytes: int) -> dict[str, Path]:
    """Return the sidecar files of a file, except links and files that are too large."""
    return {
        name: file
        for name, file in trees.sidecars(path.resolve()).items()
        if not file.is_symlink() and file.stat().st_size <= max_bytes
    }
