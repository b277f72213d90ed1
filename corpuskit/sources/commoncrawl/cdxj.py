"""Reader of CDXJ indexes (lines of key, time and JSON object), as in pywb, Common Crawl and WACZ packages."""

from __future__ import annotations

import gzip
import itertools
import json
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from corpuskit.errors import SourceError
from corpuskit.sources.commoncrawl.index_rows import in_schema
from corpuskit.sources.packed import open_wacz

if TYPE_CHECKING:
    import pyarrow as pa

_MAX_LINE_BYTES: Final = 1 << 16  # bytes
_LOCAL_HEADER: Final = struct.Struct("<4s22xHH")  # signature, lengths of name and extra field (APPNOTE.TXT 4.3.7)
_JSON_KEYS: Final = {
    "url": ("url",),
    "fetch_status": ("status",),
    "content_digest": ("digest",),
    "content_mime_detected": ("mime-detected", "mime"),
    "content_languages": ("languages",),
    "content_charset": ("charset",),
    "content_truncated": ("truncated",),
    "warc_filename": ("filename",),
    "warc_record_offset": ("offset",),
    "warc_record_length": ("length",),
}


def read_cdxj(handle: Any, name: str, *, rows: int) -> Iterator[tuple[pa.RecordBatch, int]]:
    """Yield batches of a CDXJ file, plain or gzip, each with the number of lines read; invalid lines are skipped.

    Raises:
        SourceError: The file is damaged; the rows before the damage are yielded first.
    """
    lines = _lines(handle, name)
    while lines_of_batch := list(itertools.islice(lines, rows)):
        yield _batch(filter(None, map(_row, lines_of_batch))), len(lines_of_batch)


def read_wacz_index(handle: Any, name: str, *, rows: int) -> Iterator[tuple[pa.RecordBatch, int]]:
    """Yield batches of the indexes in a WACZ package (WACZ 1.1.1, 5.2.2), with offsets relative to the package file.

    Raises:
        SourceError: The package is damaged, has no index, or its archives are stored compressed.
    """
    with open_wacz(handle, name) as package:
        members = {info.filename: info for info in package.infolist()}
        spans = {
            posixpath.basename(member): _span(handle, info)
            for member, info in members.items()
            if member.startswith("archive/") and info.compress_type == zipfile.ZIP_STORED
        }
        indexes = [member for member in members if member.startswith("indexes/") and not member.endswith(".idx")]
        if not indexes or not spans:
            raise SourceError(
                f"{name}: no index of archives that are stored uncompressed in the package; add the whole package with corpuskit add"
            )
        for member in sorted(indexes):
            with package.open(member) as packed:
                lines = _lines(packed, f"{name}/{member}")
                while lines_of_batch := list(itertools.islice(lines, rows)):
                    rows_of_batch = (
                        _relative_to_package(row, name, spans) for row in map(_row, lines_of_batch) if row is not None
                    )
                    yield _batch(filter(None, rows_of_batch)), len(lines_of_batch)


def _span(handle: Any, info: zipfile.ZipInfo) -> tuple[int, int]:
    """Return the start and end offsets of a member in the package."""
    handle.seek(info.header_offset)
    head = handle.read(_LOCAL_HEADER.size)
    if len(head) < _LOCAL_HEADER.size:
        raise SourceError(f"{info.filename}: offset after the end of the package")
    _, name, extra = _LOCAL_HEADER.unpack(head)
    start = info.header_offset + _LOCAL_HEADER.size + name + extra
    return start, start + info.file_size


def _relative_to_package(row: dict[str, Any], package: str, spans: dict[str, tuple[int, int]]) -> dict[str, Any] | None:
    span = spans.get(posixpath.basename(str(row.get("warc_filename"))))
    offset, length = _number(row.get("warc_record_offset")), _number(row.get("warc_record_length"))
    if span is None or offset is None or length is None or span[0] + offset + length > span[1]:
        return None
    return {**row, "warc_filename": package, "warc_record_offset": str(span[0] + offset)}


def _number(value: str | None) -> int | None:
    return int(value) if value is not None and value.isascii() and value.isdigit() and len(value) <= 18 else None


def _lines(handle: Any, name: str) -> Iterator[bytes]:
    head = handle.read(2)
    handle.seek(0)
    stream: Any = gzip.GzipFile(fileobj=handle) if head == b"\x1f\x8b" else handle
    try:
        while line := stream.readline(_MAX_LINE_BYTES):
            if line.endswith(b"\n") or len(line) < _MAX_LINE_BYTES:
                yield line
                continue
            while line and not line.endswith(b"\n"):  # skip the rest of a line that is too long
                line = stream.readline(_MAX_LINE_BYTES)
            yield b""
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SourceError(f"{name}: damaged: {error}") from error


def _row(line: bytes) -> dict[str, Any] | None:
    """Return the row of a line, or None for headers and invalid lines."""
    head, mark, rest = line.partition(b" {")
    if not mark:
        return None
    try:
        value = json.loads(mark[1:] + rest)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    row = {
        name: next((str(value[key]) for key in keys if isinstance(value.get(key), (str, int))), None)
        for name, keys in _JSON_KEYS.items()
    }
    digest = row["content_digest"]
    row["content_digest"] = digest.removeprefix("sha1:") if digest else None
    time = head.rpartition(b" ")[2]
    row["fetch_time"] = time.decode("ascii") if time.isdigit() and len(time) == 14 else None
    return row


def _batch(rows: Iterable[dict[str, Any]]) -> pa.RecordBatch:
    import pyarrow as pa

    schema = pa.schema([pa.field(name, pa.string()) for name in (*_JSON_KEYS, "fetch_time")])
    listed = [{key: None if value is None else _clean(value) for key, value in row.items()} for row in rows]
    return in_schema(pa.RecordBatch.from_pylist(listed, schema=schema))


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")  # JSON may contain unpaired surrogates
