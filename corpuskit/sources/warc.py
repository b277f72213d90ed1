"""Readers of web archives: WARC files (ISO 28500), including those of Common Crawl, and WACZ packages."""

from __future__ import annotations

import shutil
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from corpuskit.dates import as_utc
from corpuskit.errors import ResourceLimitError, SourceError
from corpuskit.sources.media import detect_media_type
from corpuskit.sources.packed import DAMAGED_ZIP, open_wacz
from corpuskit.sources.resource import PayloadLookup, Resource, SourceItem

WARC_SUFFIXES: Final = (".warc", ".warc.gz", ".warc.zst", ".arc.gz", ".warc.wet.gz", ".warc.wat.gz")
_GZIP_SIGNATURE: Final = b"\x1f\x8b\x08"
_VERSION: Final = b"WARC/"
_CHUNK: Final = 1 << 20
_MAX_HEADER_BYTES: Final = 1 << 16  # bytes of HTTP headers in addition to the body
_DIGESTS: Final = ("sha1:", "sha256:", "md5:")
_ENCODINGS: Final = ("Content-Encoding", "Transfer-Encoding")
_SMALL: Final = 100_000_000  # bytes; no limit of the compression ratio below
_MAX_COMPRESSION_RATIO: Final = 100  # compression ratio; members of WACZ packages are text or already compressed
_MAX_DAMAGES: Final = 10_000
# Declared types that are never text: skipped without reading. Other wrong declarations are detected by content.
_SKIPPED_TYPES: Final = (
    "image/", "audio/", "video/", "font/", "text/css", "text/javascript", "application/javascript", "model/",
    "application/x-javascript", "application/json", "application/font", "application/x-font", "application/wasm",
)  # fmt: skip
_ACCEPTED_TYPES: Final = (
    "text/html",
    "application/xhtml+xml",
    "text/plain",
    "text/markdown",
    "application/pdf",
    "text/x-nlptext",
)
_ACCEPTED_OFFICE_TYPES: Final = (
    "application/vnd.openxmlformats-officedocument.wordprocessingml",
    "application/vnd.ms-word",
)


def read_warc(
    path: Path, *, max_bytes: int, name: str | None = None, known: PayloadLookup | None = None
) -> Iterator[SourceItem]:
    """Yield the pages, PDF, Word and text files of a WARC file, in the order of the file.

    These are read: response records with status 200; resource records; conversion records (texts of WET files), unless
    the file also has the page itself; revisit records with a payload earlier in the file or found by ``known``. A record
    that is damaged, truncated, too large or has a wrong digest is yielded as (URI, error), and reading continues.

    Args:
        path: The file: gzip, Zstandard or plain.
        max_bytes: Maximum size of a body.
        name: Name of the file in error messages.
        known: Lookup of the payload of a revisit record that is not in this file.

    Raises:
        SourceError: The file cannot be opened.
    """
    yield from _WarcReader(path, max_bytes, name or path.name, known).read()


def read_wacz(
    path: Path, *, max_bytes: int, name: str | None = None, known: PayloadLookup | None = None
) -> Iterator[SourceItem]:
    """Yield the resources of all WARC files in ``archive/`` of a WACZ package (WACZ 1.1.1, 5.2.1); see :func:`read_warc`.

    Raises:
        SourceError: The package cannot be opened.
    """
    name = name or path.name
    with open_wacz(path, name) as package, tempfile.TemporaryDirectory() as folder:
        for number, info in enumerate(package.infolist()):
            if not info.filename.startswith("archive/") or not info.filename.endswith(WARC_SUFFIXES):
                continue
            if info.file_size > max(_SMALL, _MAX_COMPRESSION_RATIO * info.compress_size):
                ratio = info.file_size // max(info.compress_size, 1)
                message = f"{name}/{info.filename}: compression ratio {ratio:,}:1 exceeds {_MAX_COMPRESSION_RATIO}:1 (possible zip bomb)"
                yield f"{name}/{info.filename}", ResourceLimitError(message)
                continue
            copy = Path(folder) / f"{number}.warc"  # the WARC reader needs a seekable file
            try:
                with package.open(info) as packed, copy.open("wb") as plain:
                    # Records have their own checksums; a damaged record must not prevent the reading of the others.
                    packed._expected_crc = None  # type: ignore[attr-defined]
                    shutil.copyfileobj(packed, plain, _CHUNK)
            except DAMAGED_ZIP as error:
                yield f"{name}/{info.filename}", SourceError(f"{info.filename}: damaged: {error}")
            if copy.exists():
                yield from read_warc(copy, max_bytes=max_bytes, name=f"{name}/{info.filename}", known=known)
                copy.unlink()


class _WarcReader:
    def __init__(self, path: Path, max_bytes: int, name: str, known: PayloadLookup | None) -> None:
        self._path, self._max_bytes, self._name, self._known = path, max_bytes, name, known
        self._payloads: dict[str, int] = {}  # payload digest → offset of its record
        self._pages: set[str] = set()  # URIs of pages in the file, for which conversion records are skipped

    def read(self) -> Iterator[SourceItem]:
        from fastwarc.warc import WarcRecordType

        record_types = (
            WarcRecordType.response | WarcRecordType.resource | WarcRecordType.revisit | WarcRecordType.conversion
        )
        start: int | None = 0
        damage_count = 0
        pending_error: str | None = None  # error that may belong to the next record
        while start is not None and damage_count < _MAX_DAMAGES:
            offset_of_last, count = start, 0
            try:
                for offset, record in self._records(start, record_types):
                    if pending_error is not None:
                        yield self._damage_report(offset_of_last, pending_error)
                        pending_error = None
                    offset_of_last, count = offset, count + 1
                    resource = self._convert(record, offset)
                    if resource is not None:
                        yield resource
                start = None
            except (OSError, ValueError, EOFError) as error:
                if isinstance(error, SourceError):
                    raise
                damage_count += 1
                pending_error = str(error)
                start = self._next_start(offset_of_last + 1)
                if count == 0:
                    yield self._damage_report(offset_of_last, pending_error)
                    pending_error = None
        if pending_error is not None:
            yield self._damage_report(offset_of_last, pending_error)

    def _damage_report(self, offset: int, reason: str) -> SourceItem:
        message = f"{self._name}: damaged at or after byte {offset:,}: {reason}"
        return f"{self._name}@{offset}", SourceError(message)

    def _records(self, start: int, record_types: Any) -> Iterator[tuple[int, Any]]:
        """Yield offset and record, from the offset of a record on."""
        from fastwarc.warc import ArchiveIterator

        try:
            stream = self._path.open("rb")
        except OSError as error:
            raise SourceError(f"{self._path} cannot be read: {error.strerror or error}") from error
        with stream:
            stream.seek(start)
            base: int | None = None
            for record in ArchiveIterator(stream, record_types=record_types, parse_http=False):
                if base is None:  # fastwarc counts positions from the start of the stream or of the file
                    base = start if record.stream_pos < start else 0
                yield base + record.stream_pos, record

    def _convert(self, record: Any, offset: int) -> SourceItem | None:
        from fastwarc.warc import WarcRecordType

        headers = record.headers
        uri = (headers.get("WARC-Target-URI") or "").strip("<> ")
        if not uri.lower().startswith(("http:", "https:", "file:", "ftp:")):
            return None
        if record.record_type == WarcRecordType.revisit:
            return self._revisit(record, uri)
        try:
            return self._read(record, uri, offset)
        except (SourceError, ResourceLimitError) as error:
            return uri, error

    def _revisit(self, record: Any, uri: str) -> SourceItem | None:
        """Return the payload that a revisit record refers to by its digest (ISO 28500, 6.7).

        Return None if this file has the payload under the same URI: the page is unchanged.
        """
        headers = record.headers
        digest = headers.get("WARC-Payload-Digest") or ""
        date = _date(record.record_date)
        offset = self._payloads.get(digest)
        if offset is not None:
            if (headers.get("WARC-Refers-To-Target-URI") or "").strip("<> ") == uri:
                return None  # unchanged
            from fastwarc.warc import WarcRecordType

            for _, original in self._records(offset, WarcRecordType.response | WarcRecordType.resource):
                resource = self._read(original, uri, offset)
                return resource and replace(resource, fetched=date or resource.fetched)
        known = self._known(digest) if self._known is not None and digest else None
        if known is None:
            message = (
                f"{self._name}: the payload of the revisit record of {uri} is in another file: add that file first"
            )
            return uri, SourceError(message)
        content, media_type, charset = known
        metadata = {"warc": self._name, "warc_record_id": str(record.record_id), "payload_digest": digest}
        return Resource(
            uri, content, media_type, charset, fetched=date or datetime.now(UTC), name=_file_name(uri), source="warc",
            metadata=metadata, headers=(("Content-Type", media_type),),
        )  # fmt: skip

    def _read(self, record: Any, uri: str, offset: int) -> Resource | None:
        from fastwarc.warc import WarcRecordType

        length = record.content_length
        if length > self._max_bytes + _MAX_HEADER_BYTES:
            raise ResourceLimitError(f"{uri}: {length:,} bytes, the limit is {self._max_bytes:,}")
        record.freeze()
        headers = record.headers
        if record.content_length < int(headers.get("Content-Length") or length):
            raise SourceError(f"{self._name}: the record of {uri} is truncated")
        self._verify(record, uri, "Block")
        if record.is_http:
            record.parse_http(auto_decode="all")
            http = record.http_headers
            is_encoded = http is not None and any(name in http for name in _ENCODINGS)
            if "WARC-Block-Digest" not in headers and not is_encoded:
                self._verify(record, uri, "Payload")  # the digest is that of the encoded body
            if http is None or http.status_code != 200 or _is_skipped_type(record.http_content_type):
                return None
            self._pages.add(uri)
            return self._resource(
                record, uri, offset, record.http_content_type, record.http_charset, is_encoded=is_encoded
            )
        declared = (headers.get("Content-Type") or "").lower()
        if record.record_type == WarcRecordType.conversion:
            is_text = declared.startswith("text/plain") and uri not in self._pages
            return self._resource(record, uri, offset, declared, "utf-8") if is_text else None
        return None if _is_skipped_type(declared) else self._resource(record, uri, offset, declared, None)

    def _resource(
        self, record: Any, uri: str, offset: int, declared: str | None, charset: str | None, *, is_encoded: bool = False
    ) -> Resource | None:
        # read(n) allocates n bytes. Without an encoding the body cannot be larger than the record, so no limit is needed.
        content = record.reader.read(self._max_bytes + 1 if is_encoded else -1)
        if len(content) > self._max_bytes:
            raise ResourceLimitError(f"{uri}: larger than the limit of {self._max_bytes:,} bytes when decoded")
        name = _file_name(uri)
        media_type = detect_media_type(content, name, declared)
        if not content.strip() or not (media_type in _ACCEPTED_TYPES or media_type.startswith(_ACCEPTED_OFFICE_TYPES)):
            return None
        http = record.http_headers if record.is_http else None
        metadata = {"warc": self._name, "warc_record_id": str(record.record_id)}
        if cut := record.headers.get("WARC-Truncated"):  # ISO 28500, 5.13: by length, time, disconnection
            metadata["truncated"] = cut[:40]
        if digest := record.headers.get("WARC-Payload-Digest"):
            self._payloads.setdefault(digest, offset)
            metadata["payload_digest"] = digest
        return Resource(
            uri=uri,
            content=content,
            media_type=media_type,
            charset=charset,
            fetched=_date(record.record_date) or datetime.now(UTC),
            modified=_date(record.http_last_modified) if http is not None else None,
            name=name,
            etag=http.get("ETag") if http is not None else None,
            source="warc",
            metadata=metadata,
            headers=tuple(http.items()) if http is not None else None,
        )

    def _verify(self, record: Any, uri: str, what: str) -> None:
        digest = (record.headers.get(f"WARC-{what}-Digest") or "").lower()
        if digest.startswith(_DIGESTS):
            good = record.verify_block_digest() if what == "Block" else record.verify_payload_digest()
            if not good:
                raise SourceError(f"{self._name}: the record of {uri} is damaged: wrong {what.lower()} digest")

    def _next_start(self, start: int) -> int | None:
        """Return the offset of the next record, found by the signature of a gzip member or of a plain record."""
        with self._path.open("rb") as stream:
            is_gzip = stream.read(3) == _GZIP_SIGNATURE
            mark = _GZIP_SIGNATURE if is_gzip else b"\r\n\r\n" + _VERSION
            stream.seek(start)
            window_start, window = start, stream.read(_CHUNK)
            while window:
                index = window.find(mark)
                while index >= 0:
                    if not is_gzip:
                        return window_start + index + 4
                    if _begins_record(window[index : index + 4096]):
                        return window_start + index
                    index = window.find(mark, index + 1)
                more = stream.read(_CHUNK)
                if not more:
                    return None
                overlap = window[-4096:]
                window_start, window = window_start + len(window) - len(overlap), overlap + more
        return None


def _begins_record(content: bytes) -> bool:
    try:
        return zlib.decompressobj(31).decompress(content, 64).startswith(_VERSION)
    except zlib.error:
        return False


def _is_skipped_type(declared: str | None) -> bool:
    return (declared or "").strip().lower().startswith(_SKIPPED_TYPES)


def _file_name(uri: str) -> str:
    """Return a file name for a URI: the last part of its path, else its host."""
    parts = urlsplit(uri)
    return unquote(parts.path).rpartition("/")[2] or parts.hostname or "page"


def _date(date: datetime | None) -> datetime | None:
    return None if date is None else as_utc(date)
