"""Reads records of remote archives at the locations in a table, and checks each against the table."""

from __future__ import annotations

import io
import posixpath
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from corpuskit.errors import CorpusKitError, RefusedError, SourceError
from corpuskit.shards.byte_ranges import ArchiveReader, Span, coalesce_ranges
from corpuskit.sources.resource import Resource
from corpuskit.sources.warc import read_warc
from corpuskit.sources.web import canonical_url

ResourceOrError = Resource | tuple[str, Exception]
LOCATION_COLUMNS: Final = ("warc_filename", "warc_record_offset", "warc_record_length")
OPTIONAL_COLUMNS: Final = ("url", "content_digest", "crawl")
"""Optional columns of a table of locations. Each record must have this URL and digest."""
_MAX_HEADERS: Final = 65_536  # bytes of a record in addition to the body


def read_records(
    rows: list[dict[str, Any]], archives: ArchiveReader, folder: Path, max_bytes: int
) -> Iterator[ResourceOrError]:
    """Yield the pages at the locations in a table, by archive and offset; (URI, error) for each location without a
    valid page.

    Args:
        rows: Rows of the table.
        archives: Reader of the archives.
        folder: Directory for temporary files.
        max_bytes: Maximum size of a page.

    Raises:
        StoreBusyError: The store rejected all attempts because it is busy.
    """
    by_archive: dict[str, list[Span]] = {}
    for number, row in enumerate(rows):
        name, start, length = (row[column] for column in LOCATION_COLUMNS)
        problem = _problem(name, start, length, max_bytes)
        if problem:
            yield _uri(row), SourceError(f"{_location(row)}: {problem}")
        else:
            by_archive.setdefault(name, []).append(Span(number, start, length))
    for name in sorted(by_archive):
        for byte_range in coalesce_ranges(by_archive[name]):
            try:
                content = archives.read(name, byte_range.start, byte_range.end)
            except SourceError as error:
                for span in byte_range.spans:
                    yield _uri(rows[span.number]), error
                continue
            for span in byte_range.spans:
                first = span.start - byte_range.start
                yield _page(rows[span.number], content[first : first + span.length], folder, max_bytes)


def _problem(name: Any, start: Any, length: Any, max_bytes: int) -> str:
    """Return what is wrong with a location, before any request; empty if it is valid."""
    if (
        not isinstance(name, str)
        or not name
        or ".." in name.split("/")
        or not isinstance(start, int)
        or not isinstance(length, int)
        or start < 0
    ):
        return "not a valid location of a record"
    if not 0 < length <= max_bytes + _MAX_HEADERS:
        return f"{length:,} bytes, the limit is {max_bytes:,}"
    return ""


def _location(row: dict[str, Any]) -> str:
    return f"{str(row[LOCATION_COLUMNS[0]])[:300]}@{row[LOCATION_COLUMNS[1]]}"


def _uri(row: dict[str, Any]) -> str:
    url = row.get("url")
    return url if isinstance(url, str) and url else _location(row)


def _page(row: dict[str, Any], record: bytes, folder: Path, max_bytes: int) -> ResourceOrError:
    """Return the page in a record, or (URI, error)."""
    uri, location = _uri(row), _location(row)
    if len(record) < row["warc_record_length"]:
        return uri, SourceError(
            f"{location}: the archive ends after {len(record):,} of {row['warc_record_length']:,} bytes"
        )
    if not record.startswith(b"\x1f\x8b") and not record.startswith(b"WARC/"):
        return uri, SourceError(f"{location}: expected the start of a WARC record")
    file = folder / "record.warc.gz"
    file.write_bytes(record)
    pages = list(read_warc(file, max_bytes=max_bytes, name=posixpath.basename(row["warc_filename"])))
    if not pages:
        return uri, SourceError(f"{location}: expected a page, found {_describe_record(record)}")
    page = pages[0]
    if isinstance(page, tuple):
        return uri, page[1]
    expected_url, digest = row.get("url"), row.get("content_digest")
    if isinstance(expected_url, str) and not _is_same_url(expected_url, page.uri):
        return uri, SourceError(f"{location}: expected the page {expected_url[:300]}, found {page.uri[:300]}")
    known = page.metadata.get("payload_digest", "")
    if isinstance(digest, str) and digest and known.startswith("sha1:") and known[5:] != digest.removeprefix("sha1:"):
        return uri, SourceError(f"{location}: the digest is {known}, expected {digest[:100]} according to the index")
    metadata = {
        **page.metadata,
        "warc": row["warc_filename"],
        "warc_offset": str(row["warc_record_offset"]),
        "warc_length": str(row["warc_record_length"]),
    }
    if isinstance(row.get("crawl"), str) and row["crawl"]:
        metadata["crawl"] = row["crawl"][:100]
    return replace(page, metadata=metadata, record=record)


def _describe_record(record: bytes) -> str:
    """Describe a record that contains no page."""
    from fastwarc.warc import ArchiveIterator

    try:
        for archive_record in ArchiveIterator(io.BytesIO(record), parse_http=False):
            return f"a {archive_record.headers.get('WARC-Type')} record, {archive_record.headers.get('WARC-Target-URI') or 'without URI'}"
    except (OSError, ValueError, EOFError) as error:
        return str(error)
    return "unreadable data"


def _is_same_url(first: str, second: str) -> bool:
    if first == second:
        return True
    try:
        return canonical_url(first) == canonical_url(second)
    except (RefusedError, CorpusKitError, ValueError):
        return False
