"""Which shards there are: web archives, folders of files, Parquet files, lists of paths; on disk or in any store of fsspec."""

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
_MOST_FILES: Final = 500  # a shard of files
_MOST_BYTES: Final = 128 * 1024**2
_MOST_LINES: Final = 64 * 1024**2  # bytes of a list of paths


@dataclass(frozen=True, slots=True)
class Shard:
    """A piece of the input that is extracted as one.

    Attributes:
        name: of its outputs; made from the name of the input, so that it is the same in every run.
        kind: ``warc``: one web archive; ``files``; ``parquet``: pages, or places of records.
        urls: the input's files.
        root: what names of ``files`` are relative to, and where the records of a Parquet file are.
        is_listed: a list names it, which may be a stranger's.
        pause: seconds between two requests for records.
        is_anonymous: buckets are read without credentials.
    """

    name: str
    kind: Literal["warc", "files", "parquet"]
    urls: tuple[str, ...]
    root: str = ""
    is_listed: bool = False
    pause: float = 0.0
    is_anonymous: bool = False


def find_shards(sources: Iterable[str], *, base: str | None = None) -> list[Shard]:
    """Return the shards of files, folders and patterns, sorted by name.

    - ``.warc``, ``.warc.gz``, ``.warc.zst``, ``.wacz``: a shard each.
    - ``.paths``, ``.paths.gz``: a list of web archives, one path a line, as Common Crawl publishes them.
    - ``.parquet``: a shard each; see ``corpuskit.shards.shard_reader.read_shard`` for the columns. URLs alone are no
      input: to fetch politely, requests to one host must go through one crawl.
    - other files, and all in folders: some hundred a shard.

    Args:
        sources: paths or URLs of any store that fsspec knows, such as ``s3://bucket/crawl/*.warc.gz``.
        base: what the paths of lists and the file names of records are relative to; default: the folder of the list.

    Raises:
        SourceError: a source does not exist, a pattern matches nothing, or a list names no archive.
        MissingExtraError: the extra ``dask`` is not installed.
    """
    found: list[Shard] = []
    loose: dict[str, list[tuple[str, int]]] = {}
    for source in sources:
        fs, path = open_store(source)
        root, files = _expand(fs, path, source)
        for name, size in files:
            url = fs.unstrip_protocol(name)
            lower = name.lower()
            if lower.endswith((*WARC_SUFFIXES, ".wacz")):
                found.append(Shard(_name(name), "warc", (url,)))
            elif lower.endswith(_LIST_SUFFIXES):
                found += _listed(fs, name, base or fs.unstrip_protocol(posixpath.dirname(name)))
            elif lower.endswith(".parquet"):
                found.append(Shard(_name(name), "parquet", (url,), base or ""))
            else:
                loose.setdefault(fs.unstrip_protocol(root), []).append((url, size))
    for root, urls in loose.items():
        found += _of_files(root, urls)
    found = list({(shard.kind, shard.urls): shard for shard in found}.values())
    names = Counter(shard.name.casefold() for shard in found)
    distinct = [
        replace(shard, name=f"{shard.name}~{_digest(*shard.urls)}") if names[shard.name.casefold()] > 1 else shard
        for shard in found
    ]
    return sorted(distinct, key=lambda shard: shard.name)


def _expand(fs: Any, path: str, source: str) -> tuple[str, list[tuple[str, int]]]:
    """What names are relative to, and (file, bytes) sorted."""
    try:
        if "*" in path or "?" in path or "[" in path:
            found = fs.glob(path, detail=True)
            fixed = path[: min(path.index(c) for c in "*?[" if c in path)].rpartition("/")[0]
        elif fs.isdir(path):
            found = fs.find(path, detail=True)
            fixed = path.rstrip("/")
        else:
            found, fixed = {path: fs.info(path)}, posixpath.dirname(path)
    except FileNotFoundError:
        found, fixed = {}, path
    files = [
        (name, int(info.get("size") or 0))
        for name, info in found.items()
        if info.get("type") == "file"
        and not (name != path and info.get("islink"))
        and not any(part.startswith(".") for part in name[len(fixed) :].split("/"))
    ]
    if not files:
        raise SourceError(f"{source}: there is no such file, or nothing matches")
    return posixpath.dirname(fixed), sorted(files)


def _listed(fs: Any, name: str, base: str) -> Iterator[Shard]:
    with fs.open(name, "rb") as handle:
        content = handle.read(_MOST_LINES)
    if content.startswith(b"\x1f\x8b"):
        import io

        with gzip.open(io.BytesIO(content)) as unpacked:
            content = unpacked.read(_MOST_LINES)
    lines = [line.strip() for line in content.decode("utf-8", "replace").splitlines() if line.strip()]
    wrong = [line for line in lines if not line.lower().endswith(WARC_SUFFIXES)]
    if wrong or not lines:
        raise SourceError(
            f"{name}: expected paths of web archives, found {(wrong or ['nothing'])[0][:80]!r}; "
            "URLs of pages are fetched by a crawl"
        )
    for line in lines:
        if ".." in line.split("/"):
            raise SourceError(f"{name}: the path {line[:80]!r} leads out of its folder")
        is_listed = "://" in line
        if is_listed:
            url = line
            open_store(url, listed=True)
        else:
            url = f"{base.rstrip('/')}/{line.lstrip('/')}"
            at, path = open_store(base)
            if "file" in at.protocol:
                _stays_in(SafeFolder(Path(path)), line.lstrip("/"), name)
        yield Shard(_name(line), "warc", (url,), is_listed=is_listed)


def _stays_in(folder: SafeFolder, line: str, name: str) -> None:
    try:
        folder.stat(line)
    except CorpusError as error:
        raise SourceError(f"{name}: {error}") from error


def _of_files(root: str, urls: list[tuple[str, int]]) -> Iterator[Shard]:
    """Files in runs of some hundred. What is in a run is in its name: a folder that has changed makes new shards."""
    run: list[str] = []
    sizes: list[int] = []
    for url, size in sorted(set(urls)):
        if run and (len(run) >= _MOST_FILES or sum(sizes) + size > _MOST_BYTES):
            yield _run(root, run, sizes)
            run, sizes = [], []
        run.append(url)
        sizes.append(size)
    yield _run(root, run, sizes)


def _run(root: str, urls: list[str], sizes: list[int]) -> Shard:
    folder = urls[0][len(root) :].strip("/").partition("/")[0] or "files"
    relative = (f"{url[len(root) :]} {size}" for url, size in zip(urls, sizes, strict=True))
    return Shard(f"{safe_segment(folder)}-{_digest(*relative)}", "files", tuple(urls), root)


def _name(path: str) -> str:
    """The folder and the file's name without its suffixes."""
    folder, _, file = path.rstrip("/").rpartition("/")
    for suffix in (*WARC_SUFFIXES, ".wacz", ".parquet"):
        if file.lower().endswith(suffix):
            file = file[: -len(suffix)]
            break
    parent = folder.rpartition("/")[2]
    return safe_segment(f"{parent}__{file}" if parent else file)


def _digest(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode("utf-8", "replace")).hexdigest()[:12]
