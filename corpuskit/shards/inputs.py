"""Input shards: web archives, groups of files, Parquet files and lists of paths, on disk or in a store of fsspec."""

from __future__ import annotations

import gzip
import hashlib
import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from corpuskit.errors import CorpusError, SourceError
from corpuskit.safe_folder import SafeFolder
from corpuskit.sources.stores import open_store
from corpuskit.sources.warc import WARC_SUFFIXES
from corpuskit.store.paths import safe_segment

_LIST_SUFFIXES: Final = (".paths", ".paths.gz", ".paths.txt")
_MAX_FILES: Final = 500  # per shard of files
_MAX_BYTES: Final = 128 * 1024**2  # per shard of files
_MAX_LIST_BYTES: Final = 64 * 1024**2  # of a list of paths


@dataclass(frozen=True, slots=True)
class Shard:
    """Part of the input that is extracted as a unit.

    Attributes:
        name: Name of its outputs. It is derived from the name of the input, so it is the same in every run.
        kind: ``warc``: a web archive; ``files``: a group of files; ``parquet``: a table of pages, or of locations
            of records.
        urls: URLs of the input files.
        root: Base of the names of ``files``, and location of the archives for records in a Parquet file.
        is_listed: Whether the URL is from a list, which may come from an untrusted person.
        pause: Seconds between two requests for records.
        is_anonymous: Whether buckets are read without credentials.
    """

    name: str
    kind: Literal["warc", "files", "parquet"]
    urls: tuple[str, ...]
    root: str = ""
    is_listed: bool = False
    pause: float = 0.0
    is_anonymous: bool = False


def find_shards(sources: Iterable[str], *, base: str | None = None) -> list[Shard]:
    """Return the shards of files, directories and patterns, sorted by name.

    - ``.warc``, ``.warc.gz``, ``.warc.zst``, ``.wacz``: one shard each.
    - ``.paths``, ``.paths.gz``: a list of web archives, one path per line, as published by Common Crawl.
    - ``.parquet``: one shard each; see ``corpuskit.shards.shard_reader.read_shard`` for the columns. A table
      of URLs without content is not accepted: to limit the requests per host, pages are fetched by a crawl.
    - Other files, and all files in directories: several hundred per shard.

    Args:
        sources: Paths or URLs of any store that fsspec supports, such as ``s3://bucket/crawl/*.warc.gz``.
        base: Base of the paths in lists and of the file names of records; default: the directory of the list.

    Raises:
        SourceError: A source does not exist, a pattern matches nothing, or a list contains no archive.
        MissingExtraError: The extra ``dask`` is not installed.
    """
    shards: list[Shard] = []
    other_files: dict[str, list[tuple[str, int]]] = {}
    for source in sources:
        fs, path = open_store(source)
        root, files = _expand(fs, path, source)
        for name, size in files:
            url = fs.unstrip_protocol(name)
            lower = name.lower()
            if lower.endswith((*WARC_SUFFIXES, ".wacz")):
                shards.append(Shard(_shard_name(name), "warc", (url,)))
            elif lower.endswith(_LIST_SUFFIXES):
                shards += _shards_of_list(fs, name, base or fs.unstrip_protocol(posixpath.dirname(name)))
            elif lower.endswith(".parquet"):
                shards.append(Shard(_shard_name(name), "parquet", (url,), base or ""))
            else:
                other_files.setdefault(fs.unstrip_protocol(root), []).append((url, size))
    for root, urls in other_files.items():
        shards += _group_files(root, urls)
    shards = list({(shard.kind, shard.urls): shard for shard in shards}.values())
    names = Counter(shard.name.casefold() for shard in shards)
    distinct = [
        replace(shard, name=f"{shard.name}~{_digest(*shard.urls)}") if names[shard.name.casefold()] > 1 else shard
        for shard in shards
    ]
    return sorted(distinct, key=lambda shard: shard.name)


def _expand(fs: Any, path: str, source: str) -> tuple[str, list[tuple[str, int]]]:
    """Return the base of the names, and (file, bytes) of the matching files, sorted."""
    try:
        if "*" in path or "?" in path or "[" in path:
            entries = fs.glob(path, detail=True)
            base = path[: min(path.index(c) for c in "*?[" if c in path)].rpartition("/")[0]
        elif fs.isdir(path):
            entries = fs.find(path, detail=True)
            base = path.rstrip("/")
        else:
            entries, base = {path: fs.info(path)}, posixpath.dirname(path)
    except FileNotFoundError:
        entries, base = {}, path
    files = [
        (name, int(info.get("size") or 0))
        for name, info in entries.items()
        if info.get("type") == "file"
        and not (name != path and info.get("islink"))
        and not any(part.startswith(".") for part in name[len(base) :].split("/"))
    ]
    if not files:
        raise SourceError(f"{source}: expected a file, directory or pattern, found nothing")
    return posixpath.dirname(base), sorted(files)


def _shards_of_list(fs: Any, name: str, base: str) -> Iterator[Shard]:
    with fs.open(name, "rb") as handle:
        content = handle.read(_MAX_LIST_BYTES)
    if content.startswith(b"\x1f\x8b"):
        import io

        with gzip.open(io.BytesIO(content)) as unpacked:
            content = unpacked.read(_MAX_LIST_BYTES)
    lines = [line.strip() for line in content.decode("utf-8", "replace").splitlines() if line.strip()]
    unexpected = [line for line in lines if not line.lower().endswith(WARC_SUFFIXES)]
    if unexpected or not lines:
        raise SourceError(
            f"{name}: expected paths of web archives, found {(unexpected or ['nothing'])[0][:80]!r}; "
            "to fetch URLs of pages, use corpuskit crawl"
        )
    for line in lines:
        if ".." in line.split("/"):
            raise SourceError(f"{name}: the path {line[:80]!r} leaves its directory; remove the .. from it")
        is_listed = "://" in line
        if is_listed:
            url = line
            open_store(url, listed=True)
        else:
            url = f"{base.rstrip('/')}/{line.lstrip('/')}"
            base_fs, path = open_store(base)
            if "file" in base_fs.protocol:
                _check_inside(SafeFolder(Path(path)), line.lstrip("/"), name)
        yield Shard(_shard_name(line), "warc", (url,), is_listed=is_listed)


def _check_inside(folder: SafeFolder, line: str, name: str) -> None:
    try:
        folder.stat(line)
    except CorpusError as error:
        raise SourceError(f"{name}: {error}") from error


def _group_files(root: str, urls: list[tuple[str, int]]) -> Iterator[Shard]:
    """Yield groups of several hundred files.

    The name of a group is derived from its content, so a changed directory results in new shards.
    """
    group: list[str] = []
    sizes: list[int] = []
    for url, size in sorted(set(urls)):
        if group and (len(group) >= _MAX_FILES or sum(sizes) + size > _MAX_BYTES):
            yield _group_shard(root, group, sizes)
            group, sizes = [], []
        group.append(url)
        sizes.append(size)
    yield _group_shard(root, group, sizes)


def _group_shard(root: str, urls: list[str], sizes: list[int]) -> Shard:
    directory = urls[0][len(root) :].strip("/").partition("/")[0] or "files"
    relative = (f"{url[len(root) :]} {size}" for url, size in zip(urls, sizes, strict=True))
    return Shard(f"{safe_segment(directory)}-{_digest(*relative)}", "files", tuple(urls), root)


def _shard_name(path: str) -> str:
    """Return a name of the parent directory and the file name without suffixes."""
    folder, _, file = path.rstrip("/").rpartition("/")
    for suffix in (*WARC_SUFFIXES, ".wacz", ".parquet"):
        if file.lower().endswith(suffix):
            file = file[: -len(suffix)]
            break
    parent = folder.rpartition("/")[2]
    return safe_segment(f"{parent}__{file}" if parent else file)


def _digest(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode("utf-8", "replace")).hexdigest()[:12]
