"""Which files an index has, and where its archives are."""

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
from corpuskit.sources.stores import open_patiently, open_store, patiently, refusals

PUBLIC: Final = "https://data.commoncrawl.org/"
"""Where Common Crawl can be read without an account; ``s3://commoncrawl`` asks for one (``anonymous=False``)."""
_CRAWL: Final = re.compile(r"CC-MAIN-\d{4}-\d{2}")
_LISTED_AT: Final = "https://index.commoncrawl.org lists all crawls"
_ROOTS: Final = (
    "/cc-index/",
    "/crawl-data/",
)  # what stands in front of these is what names of archives are relative to
_LIST_SUFFIXES: Final = (".paths", ".paths.gz", ".paths.txt")
_CDXJ: Final = re.compile(r"(^cdx-\d+\.gz|\.cdxj?(\.gz)?)$")
_MOST_LIST: Final = 64 * 1024**2  # bytes of a list of paths
_SUBSET: Final = re.compile(r"/subset=(?!warc/)")

Kind = Literal["parquet", "cdxj", "wacz"]


@dataclass(frozen=True, slots=True)
class Partition:
    """One file of an index.

    Attributes:
        url: where it is.
        kind: ``parquet``: columns; ``cdxj``: lines of JSON; ``wacz``: lines of JSON in a package with its archives.
        crawl: such as CC-MAIN-2024-22; empty where its path has none.
        is_listed: a list names it by a URL, and the list may be a stranger's.
    """

    url: str
    kind: Kind
    crawl: str = ""
    is_listed: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """An index of web archives, and which of its pages are wanted.

    Attributes:
        name: what was asked for.
        partitions: its files, sorted.
        archives: what the names of archives are relative to.
        filters: which rows are wanted.
        anonymous: buckets are read without credentials.
    """

    name: str
    partitions: tuple[Partition, ...] = field(repr=False)
    archives: str
    filters: Filters
    anonymous: bool = True

    def __len__(self) -> int:
        """How many files it has."""
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
    """Return an index of web archives with what is wanted of it; nothing but the names of its files is read.

    Args:
        index: a crawl of Common Crawl (``CC-MAIN-2024-22``), or files, folders, patterns and lists of paths on disk, over
            https or in a bucket: the columnar index (``.parquet``, of several subsets the one of pages), CDXJ
            (``cdx-00000.gz``, ``.cdxj``), and WACZ packages.
        domains: hosts with all below them, such as ``example.org``.
        tld: last labels of hosts, such as ``fr``.
        languages: codes such as ``en`` or ``eng``; the page's first language must be one of them.
        mime: detected media types, such as ``text/html``; ``text/*`` takes all that begin so.
        status: HTTP status; None for all.
        since: fetched at this date or later.
        base: what the names of archives are relative to; default: what stands before ``cc-index/`` or ``crawl-data/`` in
            the index's path, else its folder.
        anonymous: buckets are read without credentials, as public ones can be; False takes those of your environment.

    Raises:
        SourceError: there is no such file, or none that is an index.
        ConfigurationError: a filter cannot be.
        MissingExtraError: the extra ``dask`` is not installed.

    Example:
        >>> commoncrawl("CC-MAIN-2024-22", tld="fr", mime="text/html")                   # doctest: +SKIP
    """
    filters = Filters.of(domains=domains, tld=tld, languages=languages, mime=mime, status=status, since=since)
    given = [index] if isinstance(index, (str, os.PathLike)) else list(index) if isinstance(index, Iterable) else []
    if not given or not all(isinstance(source, str | os.PathLike) and os.fspath(source) for source in given):
        raise SourceError(
            f"index: found {index!r}, expected a crawl such as 'CC-MAIN-2024-22', or files or folders of an index"
        )
    found: dict[str, Partition] = {}
    roots: set[str] = set()
    names = [os.fspath(source) for source in given]
    for source in names:
        asked = f"{PUBLIC}crawl-data/{source}/cc-index-table.paths.gz" if _CRAWL.fullmatch(source) else source
        for partition, root in _partitions(source, asked, anonymous):
            found[partition.url] = partition
            roots.add(root)
    if base is None and len(roots) > 1:
        raise SourceError(
            f"archives are at {', '.join(sorted(roots)[:3])}: name what their names are relative to (base=)"
        )
    name = ", ".join(names)
    partitions = tuple(sorted(found.values(), key=lambda partition: partition.url))
    return Index(name, partitions, (base or roots.pop()).rstrip("/"), filters, anonymous)


def _partitions(name: str, source: str, anonymous: bool) -> Iterator[tuple[Partition, str]]:
    """The files of one source, each with what the names of its archives are relative to."""
    fs, path = open_store(source, anonymous=anonymous)
    files = _expanded(fs, path, source)
    if not files:
        raise SourceError(_nothing(name, source))
    wanted = [file for file in files if _kind(file) is not None and _SUBSET.search(file) is None]
    lists = [file for file in files if file.endswith(_LIST_SUFFIXES)]
    if not wanted and not lists:
        raise SourceError(
            f"{source}: no index (.parquet, cdx-00000.gz, .cdxj, .wacz) and no list of its files (.paths.gz)"
        )
    for file in wanted:
        url = fs.unstrip_protocol(file)
        yield _partition(url), _root(url)
    for file in lists:
        url = fs.unstrip_protocol(file)
        root = _root(url)
        for line in _lines(fs, file):
            partition = _listed(line, root, url)
            if partition is not None:
                yield partition, root


def _nothing(name: str, source: str) -> str:
    """What is said where nothing is found: what was looked for, and where."""
    if name != source:
        return f"there is no crawl {name}: nothing is at {source}; {_LISTED_AT}"
    if "/" in name or Path(name).exists():
        return f"{name}: there is no such file, or nothing in it"
    return (
        f"{name}: there is no such file in {Path.cwd()}, and it is no crawl of Common Crawl, which are named by year and "
        f"week, as CC-MAIN-2024-22; {_LISTED_AT}"
    )


def _expanded(fs: Any, path: str, source: str) -> list[str]:
    try:
        with refusals(source):
            if any(mark in path for mark in "*["):
                return sorted(patiently(lambda: fs.glob(path)))
            if patiently(lambda: fs.isfile(path)):
                return [path]
            found = patiently(lambda: fs.find(path))
            return sorted(
                file for file in found if not any(part.startswith(".") for part in file[len(path) :].split("/"))
            )
    except FileNotFoundError as error:
        raise SourceError(f"{source}: there is no such file") from error
    except OSError as error:
        raise SourceError(f"{source} cannot be read: {error}") from error


def _lines(fs: Any, file: str) -> list[str]:
    """The paths in a list."""
    try:
        with open_patiently(fs, file) as handle:
            content = handle.read(_MOST_LIST)
        if content.startswith(b"\x1f\x8b"):
            with gzip.open(io.BytesIO(content)) as unpacked:
                content = unpacked.read(_MOST_LIST)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"{file} cannot be read: {error}") from error
    return [line.strip() for line in content.decode("utf-8", "replace").splitlines() if line.strip()]


def _listed(line: str, root: str, name: str) -> Partition | None:
    """The file of a line; None where it is of another subset, or no index."""
    if _kind(line) is None or _SUBSET.search(f"/{line}") is not None:
        return None
    if ".." in line.split("/"):
        raise SourceError(f"{name}: the path {line[:80]!r} leads out of its folder")
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
    for mark in _ROOTS:
        before, found, _ = url.partition(mark)
        if found:
            return before
    return posixpath.dirname(url)
