"""Reads the resources of one shard."""

from __future__ import annotations

import hashlib
import posixpath
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from corpuskit.dates import as_utc, parse_iso_date
from corpuskit.errors import CorpusKitError, SourceError
from corpuskit.shards.byte_ranges import ArchiveReader
from corpuskit.shards.inputs import Shard
from corpuskit.shards.record_reader import LOCATION_COLUMNS, OPTIONAL_COLUMNS, ResourceOrError, read_records
from corpuskit.sources.archives import read_file
from corpuskit.sources.files import FoundFile
from corpuskit.sources.media import detect_media_type
from corpuskit.sources.resource import Resource
from corpuskit.sources.stores import is_local, open_store, private_address_errors
from corpuskit.sources.warc import read_wacz, read_warc
from corpuskit.sources.web import canonical_url

_URL_COLUMNS: Final = ("uri", "url")
_CONTENT_COLUMNS: Final = ("content", "html", "body")
_CONTENT_ROWS: Final = 64  # rows with content per batch
_LOCATION_ROWS: Final = 2048  # locations per batch; adjacent records of a batch are fetched together
_NO_DATE: Final = datetime.fromtimestamp(0, UTC)


def read_shard(shard: Shard, *, max_bytes: int) -> Iterator[ResourceOrError]:
    """Yield the resources of a shard, always in the same order; (URI, error) for those that cannot be read.

    The fetch time of a resource is that of its record or file, never the current time. If none is known, it is
    1970-01-01.

    A Parquet file has columns ``uri`` or ``url`` and ``content``, ``html`` or ``body`` (bytes or text), and optionally
    ``media_type``, ``charset`` and ``fetched``. Like the index of Common Crawl, it may instead have ``warc_filename``,
    ``warc_record_offset`` and ``warc_record_length``. The records are then read by archive and offset. If it has
    ``url`` and ``content_digest``, each record is checked against them.

    Raises:
        SourceError: The shard cannot be read, or has other columns.
        OSError: The store does not respond.
    """
    start = datetime.now(UTC)
    with tempfile.TemporaryDirectory(prefix="corpuskit-") as folder:
        for resource in _READERS[shard.kind](shard, Path(folder), max_bytes):
            yield resource if isinstance(resource, tuple) else _dated(resource, start)


def _dated(resource: Resource, start: datetime) -> Resource:
    has_known_time = resource.fetched.astimezone(UTC) < start
    return resource if has_known_time else replace(resource, fetched=resource.modified or _NO_DATE)


def _warc(shard: Shard, folder: Path, max_bytes: int) -> Iterator[ResourceOrError]:
    file = local_copy(shard.urls[0], folder, listed=shard.is_listed)
    name = posixpath.basename(shard.urls[0])
    if name.lower().endswith(".wacz"):
        yield from read_wacz(file, max_bytes=max_bytes)
    else:
        yield from read_warc(file, max_bytes=max_bytes, name=name)


def _files(shard: Shard, folder: Path, max_bytes: int) -> Iterator[ResourceOrError]:
    origin = hashlib.sha256(shard.root.encode("utf-8", "replace")).hexdigest()[:16]
    for url in shard.urls:
        uri = url[len(shard.root) :].lstrip("/")
        copy = None
        try:
            copy = local_copy(url, folder)
            yield from read_file(FoundFile(copy, uri, origin), max_bytes=max_bytes)
        except CorpusKitError as error:
            yield uri, error
        finally:
            if copy is not None and copy.is_relative_to(folder):
                copy.unlink(missing_ok=True)


def _parquet(shard: Shard, folder: Path, max_bytes: int) -> Iterator[ResourceOrError]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = local_copy(shard.urls[0], folder)
    try:
        parquet = pq.ParquetFile(file)
    except (pa.ArrowException, OSError) as error:
        raise SourceError(f"{shard.urls[0]}: expected a Parquet file: {error}") from error
    with parquet:
        names = set(parquet.schema_arrow.names)
        url = next((name for name in _URL_COLUMNS if name in names), None)
        content = next((name for name in _CONTENT_COLUMNS if name in names), None)
        if names.issuperset(LOCATION_COLUMNS):
            root = shard.root or posixpath.dirname(shard.urls[0])
            archives = ArchiveReader(root, pause=shard.pause, anonymous=shard.is_anonymous, listed=shard.is_listed)
            optional = [name for name in OPTIONAL_COLUMNS if name in names]
            for batch in parquet.iter_batches(batch_size=_LOCATION_ROWS, columns=[*LOCATION_COLUMNS, *optional]):
                yield from read_records(batch.to_pylist(), archives, folder, max_bytes)
        elif url and content:
            optional = [name for name in ("media_type", "charset", "fetched") if name in names]
            for row in _rows(parquet, [url, content, *optional]):
                yield _page(row, row[url], row[content], max_bytes)
        else:
            raise SourceError(
                f"{shard.urls[0]}: expected the columns url and content, or {', '.join(LOCATION_COLUMNS)}; found "
                f"{', '.join(sorted(names))[:200]}; to fetch URLs without content, use corpuskit crawl"
            )


def _rows(parquet: Any, columns: list[str]) -> Iterator[dict[str, Any]]:
    for batch in parquet.iter_batches(batch_size=_CONTENT_ROWS, columns=columns):
        yield from batch.to_pylist()


def _page(row: dict[str, Any], url: Any, content: Any, max_bytes: int) -> ResourceOrError:
    uri = str(url)
    try:
        uri = canonical_url(uri)
        data = content.encode("utf-8", "replace") if isinstance(content, str) else bytes(content or b"")
        if len(data) > max_bytes:
            raise SourceError(f"expected at most {max_bytes:,} bytes, got {len(data):,}")
        name = posixpath.basename(uri.partition("?")[0])
        return Resource(
            uri=uri,
            content=data,
            media_type=row.get("media_type") or detect_media_type(data, name, None),
            charset="utf-8" if isinstance(content, str) else row.get("charset"),
            fetched=_date(row.get("fetched")),
            name=name,
            source="parquet",
        )
    except (CorpusKitError, TypeError, ValueError) as error:
        return uri, error


def _date(value: Any) -> datetime:
    if isinstance(value, str):
        return parse_iso_date(value) or _NO_DATE
    return as_utc(value) if isinstance(value, datetime) else _NO_DATE


def local_copy(url: str, folder: Path, *, listed: bool = False) -> Path:
    """Return the path of a local file, or copy a remote file into ``folder``.

    Args:
        url: URL of the file.
        folder: Directory for the copy.
        listed: See :func:`corpuskit.sources.stores.open_store`.

    Raises:
        SourceError: The file does not exist, or is at a private address.
    """
    fs, path = open_store(url, listed=listed)
    try:
        if is_local(fs):
            if not Path(path).is_file():
                raise FileNotFoundError(path)
            return Path(path)
        copy = folder / (posixpath.basename(path) or "file")
        with private_address_errors(url):
            fs.get_file(path, str(copy))
    except FileNotFoundError as error:
        raise SourceError(f"{url}: the file does not exist") from error
    return copy


_READERS: Final = {"warc": _warc, "files": _files, "parquet": _parquet}
