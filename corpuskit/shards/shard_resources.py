"""The resources of one shard."""

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
from corpuskit.shards.inputs import Shard
from corpuskit.shards.ranges import Archives
from corpuskit.shards.records import MORE_COLUMNS, PLACE_COLUMNS, read_records
from corpuskit.sources.archives import read_file
from corpuskit.sources.files import FoundFile
from corpuskit.sources.media import detect_media_type
from corpuskit.sources.resource import Resource
from corpuskit.sources.stores import is_local, open_store, private_address_errors
from corpuskit.sources.warc import read_wacz, read_warc
from corpuskit.sources.web import canonical_url

Found = Resource | tuple[str, Exception]
_URL_COLUMNS: Final = ("uri", "url")
_CONTENT_COLUMNS: Final = ("content", "html", "body")
_BATCH: Final = 64  # rows in memory
_PLACES: Final = 2048  # of records: neighbours among these are fetched together
_NO_DATE: Final = datetime.fromtimestamp(0, UTC)


def read_shard(shard: Shard, *, max_bytes: int) -> Iterator[Found]:
    """What a shard holds, one at a time, in the same order every time; (URI, error) for what cannot be read.

    The time a resource was fetched is that of its record or file, never that of the clock; 1970 where none is known.

    A Parquet file has columns ``uri`` or ``url`` and ``content``, ``html`` or ``body`` (bytes or text), and may have
    ``media_type``, ``charset`` and ``fetched``; or, as the index of Common Crawl, ``warc_filename``,
    ``warc_record_offset`` and ``warc_record_length``: the records are read from there, by archive and offset; with ``url``
    and ``content_digest`` each must be what these say.

    Raises:
        SourceError: the shard cannot be read, or has other columns.
        OSError: the store does not answer.
    """
    began = datetime.now(UTC)
    with tempfile.TemporaryDirectory(prefix="corpuskit-") as folder:
        for found in _READERS[shard.kind](shard, Path(folder), max_bytes):
            yield found if isinstance(found, tuple) else _dated(found, began)


def _dated(resource: Resource, began: datetime) -> Resource:
    known = resource.fetched.astimezone(UTC) < began
    return resource if known else replace(resource, fetched=resource.modified or _NO_DATE)


def _warc(shard: Shard, folder: Path, max_bytes: int) -> Iterator[Found]:
    file = local_copy(shard.urls[0], folder, listed=shard.is_listed)
    name = posixpath.basename(shard.urls[0])
    if name.lower().endswith(".wacz"):
        yield from read_wacz(file, max_bytes=max_bytes)
    else:
        yield from read_warc(file, max_bytes=max_bytes, name=name)


def _files(shard: Shard, folder: Path, max_bytes: int) -> Iterator[Found]:
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


def _parquet(shard: Shard, folder: Path, max_bytes: int) -> Iterator[Found]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = local_copy(shard.urls[0], folder)
    try:
        parquet = pq.ParquetFile(file)
    except (pa.ArrowException, OSError) as error:
        raise SourceError(f"{shard.urls[0]} is no Parquet file: {error}") from error
    with parquet:
        names = set(parquet.schema_arrow.names)
        url = next((name for name in _URL_COLUMNS if name in names), None)
        content = next((name for name in _CONTENT_COLUMNS if name in names), None)
        if names.issuperset(PLACE_COLUMNS):
            root = shard.root or posixpath.dirname(shard.urls[0])
            archives = Archives(root, pause=shard.pause, anonymous=shard.is_anonymous, listed=shard.is_listed)
            more = [name for name in MORE_COLUMNS if name in names]
            for batch in parquet.iter_batches(batch_size=_PLACES, columns=[*PLACE_COLUMNS, *more]):
                yield from read_records(batch.to_pylist(), archives, folder, max_bytes)
        elif url and content:
            more = [name for name in ("media_type", "charset", "fetched") if name in names]
            for row in _rows(parquet, [url, content, *more]):
                yield _page(row, row[url], row[content], max_bytes)
        else:
            raise SourceError(
                f"{shard.urls[0]}: columns {', '.join(sorted(names))[:200]}; expected url and content, or "
                f"{', '.join(PLACE_COLUMNS)}; URLs alone are fetched by a crawl"
            )


def _rows(parquet: Any, columns: list[str]) -> Iterator[dict[str, Any]]:
    for batch in parquet.iter_batches(batch_size=_BATCH, columns=columns):
        yield from batch.to_pylist()


def _page(row: dict[str, Any], url: Any, content: Any, max_bytes: int) -> Found:
    uri = str(url)
    try:
        uri = canonical_url(uri)
        data = content.encode("utf-8", "replace") if isinstance(content, str) else bytes(content or b"")
        if len(data) > max_bytes:
            raise SourceError(f"{len(data):,} bytes, the limit is {max_bytes:,}")
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
    """The file itself where it is on this machine, else a copy in ``folder``.

    Args:
        url: of the file.
        folder: for the copy.
        listed: as for :func:`corpuskit.shards.inputs.open_store`.

    Raises:
        SourceError: there is no such file, or it is at a private address.
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
        raise SourceError(f"{url}: there is no such file") from error
    return copy


_READERS: Final = {"warc": _warc, "files": _files, "parquet": _parquet}
