"""Index files of a crawl and the location of its archives."""

from __future__ import annotations

import gzip
import io
import os
import posixpath
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final, Literal

from corpuskit.errors import SourceError
from corpuskit.sources.commoncrawl.filters import Filters
from corpuskit.sources.stores import open_retrying, open_store, private_address_errors, retry_busy

PUBLIC: Final = "https://data.commoncrawl.org/"
"""Common Crawl over HTTPS, without an account; ``s3://commoncrawl`` requires one (``anonymous=False``)."""
_CRAWL: Final = re.compile(r"CC-MAIN-\d{4}-\d{2}")
_LISTED_AT: Final = "https://index.commoncrawl.org lists all crawls"
_ROOT_MARKERS: Final = (
    "/cc-index/",
    "/crawl-data/",
)  # archive names are relative to the part of the URL before these
_LIST_SUFFIXES: Final = (".paths", ".paths.gz", ".paths.txt")
_CDXJ: Final = re.compile(r"(^cdx-\d+\.gz|\.cdxj?(\.gz)?)$")
_MAX_LIST_BYTES: Final = 64 * 1024**2  # bytes of a list of paths
_SUBSET: Final = re.compile(r"/subset=(?!warc/)")

Kind = Literal["parquet", "cdxj", "wacz"]


@dataclass(frozen=True, slots=True)
class Partition:
    """One file of an index.

    Attributes:
        url: Path or URL of the file.
        kind: ``parquet``: columnar index; ``cdxj``: lines of JSON; ``wacz``: lines of JSON in a package with its archives.
        crawl: Name of the crawl, such as CC-MAIN-2024-22, or empty if the path has none.
        is_listed: The URL comes from a list, which may be untrusted.
    """

    url: str
    kind: Kind
    crawl: str = ""
    is_listed: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """An index of web archives with filters on its rows.

    Attributes:
        name: The ``index`` argument of :func:`commoncrawl`.
        partitions: Files of the index, sorted by URL.
        archives: Base URL of the archive names.
        filters: Conditions on the rows.
        anonymous: Buckets are read without credentials.
    """

    name: str
    partitions: tuple[Partition, ...] = field(repr=False)
    archives: str
    filters: Filters
    anonymous: bool = True

    def __len__(self) -> int:
        """Return the number of files."""
        return len(self.partitions)


def commoncrawl(  # noqa: PLR0913 - the public signature
    index: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    domains: Iterable[str] | str = (),
    tld: Iterable[str] | str = (),
    languages: Iterable[str] | str = (),
    mime: Iterable[str] | str = (),
    status: int | None = 200,
    since: date | str | None = None,
    base: str | None = None,
    anonymous: bool = True,
) -> Index:
    """Return an index of web archives with filters on its rows; only the names of the index files are read.

    Args:
        index: A crawl of Common Crawl (``CC-MAIN-2024-22``), or files, folders, patterns and lists of paths, local, over
            HTTPS or in a bucket. Formats: columnar index (``.parquet``; only the subset ``warc``), CDXJ
            (``cdx-00000.gz``, ``.cdxj``) and WACZ packages.
        domains: Domains including their subdomains, such as ``example.org``.
        tld: Top-level domains, such as ``fr``.
        languages: Codes such as ``en`` or ``eng``; the first language of the page must be one of them.
        mime: Detected media types, such as ``text/html``; ``text/*`` matches all text types.
        status: HTTP status; None matches any status.
        since: Earliest fetch date.
        base: Base URL of the archive names. Default: the part of the index path before ``cc-index/`` or
            ``crawl-data/``, else its directory.
        anonymous: Read buckets without credentials; False uses the credentials of the environment.

    Raises:
        SourceError: There is no such file, or no index among the files.
        ConfigurationError: A filter is invalid.
        MissingExtraError: The extra ``dask`` is not installed.

    Example:
        >>> commoncrawl("CC-MAIN-2024-22", tld="fr", mime="text/html")                   # doctest: +SKIP
    """
    filters = Filters.of(domains=domains, tld=tld, languages=languages, mime=mime, status=status, since=since)
    sources = [index] if isinstance(index, (str, os.PathLike)) else list(index) if isinstance(index, Iterable) else []
    if not sources or not all(isinstance(source, str | os.PathLike) and os.fspath(source) for source in sources):
        raise SourceError(
            f"index: found {index!r}, expected a crawl such as 'CC-MAIN-2024-22', or files or folders of an index"
        )
    partitions_by_url: dict[str, Partition] = {}
    roots: set[str] = set()
    names = [os.fspath(source) for source in sources]
    for source in names:
        location = f"{PUBLIC}crawl-data/{source}/cc-index-table.paths.gz" if _CRAWL.fullmatch(source) else source
        for partition, root in _partitions(source, location, anonymous):
            partitions_by_url[partition.url] = partition
            roots.add(root)
    if base is None and len(roots) > 1:
        raise SourceError(
            f"found archives at {', '.join(sorted(roots)[:3])}, expected one location: pass the base URL of their names as base="
        )
    name = ", ".join(names)
    partitions = tuple(sorted(partitions_by_url.values(), key=lambda partition: partition.url))
    return Index(name, partitions, (base or roots.pop()).rstrip("/"), filters, anonymous)


def _partitions(name: str, source: str, anonymous: bool) -> Iterator[tuple[Partition, str]]:
    """Yield the index files of one source, each with the base URL of its archive names."""
    fs, path = open_store(source, anonymous=anonymous)
    files = _expanded(fs, path, source)
    if not files:
        raise SourceError(_no_files_message(name, source))
    index_files = [file for file in files if _kind(file) is not None and _SUBSET.search(file) is None]
    lists = [file for file in files if file.endswith(_LIST_SUFFIXES)]
    if not index_files and not lists:
        raise SourceError(
            f"{source}: no index (.parquet, cdx-00000.gz, .cdxj, .wacz) and no list of its files (.paths.gz)"
        )
    for file in index_files:
        url = fs.unstrip_protocol(file)
        yield _partition(url), _root(url)
    for file in lists:
        url = fs.unstrip_protocol(file)
        root = _root(url)
        for line in _lines(fs, file):
            partition = _partition_of_line(line, root, url)
            if partition is not None:
                yield partition, root


def _no_files_message(name: str, source: str) -> str:
    """Return the error message for a source without files."""
    if name != source:
        return f"there is no crawl {name}: no file at {source}; {_LISTED_AT}"
    if "/" in name or Path(name).exists():
        return f"{name}: there is no such file, or the directory is empty"
    return (
        f"{name}: there is no such file in {Path.cwd()}, and the name is not that of a crawl (year and week, as "
        f"CC-MAIN-2024-22); {_LISTED_AT}"
    )


def _expanded(fs: Any, path: str, source: str) -> list[str]:
    try:
        with private_address_errors(source):
            if any(mark in path for mark in "*["):
                return sorted(retry_busy(lambda: fs.glob(path)))
            if retry_busy(lambda: fs.isfile(path)):
                return [path]
            paths = retry_busy(lambda: fs.find(path))
            return sorted(
                file for file in paths if not any(part.startswith(".") for part in file[len(path) :].split("/"))
            )
    except FileNotFoundError as error:
        raise SourceError(f"{source}: there is no such file") from error
    except OSError as error:
        raise SourceError(f"{source} cannot be read: {error}") from error


def _lines(fs: Any, file: str) -> list[str]:
    """Return the lines of a list of paths."""
    try:
        with open_retrying(fs, file) as handle:
            content = handle.read(_MAX_LIST_BYTES)
        if content.startswith(b"\x1f\x8b"):
            with gzip.open(io.BytesIO(content)) as unpacked:
                content = unpacked.read(_MAX_LIST_BYTES)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"{file} cannot be read: {error}") from error
    return [line.strip() for line in content.decode("utf-8", "replace").splitlines() if line.strip()]


def _partition_of_line(line: str, root: str, name: str) -> Partition | None:
    """Return the index file named in a line, or None if it is not an index, or of another subset."""
    if _kind(line) is None or _SUBSET.search(f"/{line}") is not None:
        return None
    if ".." in line.split("/"):
        raise SourceError(f"{name}: unsafe path {line[:80]!r}: expected a path without '..'")
    if "://" in line or "::" in line:
        open_store(line, listed=True)
        return _partition(line, is_listed=True)
    return _partition(f"{root}/{line.lstrip('/')}")


def _partition(url: str, *, is_listed: bool = False) -> Partition:
    crawl = _CRAWL.search(url)
    kind = _kind(url)
    assert kind is not None
    return Partition(url, kind, crawl.group() if crawl else "", is_listed)


def _kind(path: str) -> Kind | None:
    name = posixpath.basename(path).lower()
    if name.endswith(".parquet"):
        return "parquet"
    if name.endswith(".wacz"):
        return "wacz"
    return "cdxj" if _CDXJ.search(name) else None


def _root(url: str) -> str:
    for mark in _ROOT_MARKERS:
        before, separator, _ = url.partition(mark)
        if separator:
            return before
    return posixpath.dirname(url)
