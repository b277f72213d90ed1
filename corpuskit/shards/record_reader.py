"""The pages of a table of places: records of archives elsewhere, each held against what the table says of it."""

from __future__ import annotations

import io
import posixpath
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from corpuskit.errors import CorpusKitError, RefusedError, SourceError
from corpuskit.shards.byte_ranges import Archives, Span, merged
from corpuskit.sources.resource import Resource
from corpuskit.sources.warc import read_warc
from corpuskit.sources.web import canonical_url

Found = Resource | tuple[str, Exception]
PLACE_COLUMNS: Final = ("warc_filename", "warc_record_offset", "warc_record_length")
MORE_COLUMNS: Final = ("url", "content_digest", "crawl")
"""What a table of places may have too: then each record must be that page, with that digest."""
_HEAD: Final = 65_536  # bytes of a record beside the body


def read_records(rows: list[dict[str, Any]], archives: Archives, folder: Path, max_bytes: int) -> Iterator[Found]:
    """The pages of some places, by archive and offset; (URI, error) for each place that has none.

    Args:
        rows: of a table of places.
        archives: where they are.
        folder: for the record in hand.
        max_bytes: of a page.

    Raises:
        StoreBusyError: the store asked to come later each time.
    """
    by_archive: dict[str, list[Span]] = {}
    for number, row in enumerate(rows):
        name, start, length = (row[column] for column in PLACE_COLUMNS)
        wrong = _wrong(name, start, length, max_bytes)
        if wrong:
            yield _uri(row), SourceError(f"{_place(row)}: {wrong}")
        else:
            by_archive.setdefault(name, []).append(Span(number, start, length))
    for name in sorted(by_archive):
        for asked in merged(by_archive[name]):
            try:
                content = archives.read(name, asked.start, asked.end)
            except SourceError as error:
                for span in asked.spans:
                    yield _uri(rows[span.number]), error
                continue
            for span in asked.spans:
                first = span.start - asked.start
                yield _page(rows[span.number], content[first : first + span.length], folder, max_bytes)


def _wrong(name: Any, start: Any, length: Any, max_bytes: int) -> str:
    """What is wrong with a place before anything is asked for; empty for nothing."""
    if (
        not isinstance(name, str)
        or not name
        or ".." in name.split("/")
        or not isinstance(start, int)
        or not isinstance(length, int)
        or start < 0
    ):
        return "no place of a record"
    if not 0 < length <= max_bytes + _HEAD:
        return f"{length:,} bytes, the limit is {max_bytes:,}"
    return ""


def _place(row: dict[str, Any]) -> str:
    return f"{str(row[PLACE_COLUMNS[0]])[:300]}@{row[PLACE_COLUMNS[1]]}"


def _uri(row: dict[str, Any]) -> str:
    url = row.get("url")
    return url if isinstance(url, str) and url else _place(row)


def _page(row: dict[str, Any], record: bytes, folder: Path, max_bytes: int) -> Found:
    """The one page that a record must be."""
    uri, place = _uri(row), _place(row)
    if len(record) < row["warc_record_length"]:
        return uri, SourceError(
            f"{place}: the archive ends after {len(record):,} of {row['warc_record_length']:,} bytes"
        )
    if not record.startswith(b"\x1f\x8b") and not record.startswith(b"WARC/"):
        return uri, SourceError(f"{place}: no record begins there")
    file = folder / "record.warc.gz"
    file.write_bytes(record)
    found = list(read_warc(file, max_bytes=max_bytes, name=posixpath.basename(row["warc_filename"])))
    if not found:
        return uri, SourceError(f"{place}: no page is there: {_what(record)}")
    page = found[0]
    if isinstance(page, tuple):
        return uri, page[1]
    wanted, digest = row.get("url"), row.get("content_digest")
    if isinstance(wanted, str) and not _same(wanted, page.uri):
        return uri, SourceError(f"{place}: the page there is {page.uri[:300]}")
    known = page.metadata.get("payload_digest", "")
    if isinstance(digest, str) and digest and known.startswith("sha1:") and known[5:] != digest.removeprefix("sha1:"):
        return uri, SourceError(f"{place}: its digest is {known}, the index says {digest[:100]}")
    metadata = {
        **page.metadata,
        "warc": row["warc_filename"],
        "warc_offset": str(row["warc_record_offset"]),
        "warc_length": str(row["warc_record_length"]),
    }
    if isinstance(row.get("crawl"), str) and row["crawl"]:
        metadata["crawl"] = row["crawl"][:100]
    return replace(page, metadata=metadata, record=record)


def _what(record: bytes) -> str:
    """What a record without a page says of itself."""
    from fastwarc.warc import ArchiveIterator

    try:
        for found in ArchiveIterator(io.BytesIO(record), parse_http=False):
            return (
                f"a {found.headers.get('WARC-Type')} record, {found.headers.get('WARC-Target-URI') or 'of no address'}"
            )
    except (OSError, ValueError, EOFError) as error:
        return str(error)
    return "nothing that can be read"


def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    try:
        return canonical_url(one) == canonical_url(other)
    except (RefusedError, CorpusKitError, ValueError):
        return False
