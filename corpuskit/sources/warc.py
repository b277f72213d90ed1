"""WARC files (ISO 28500) and WACZ packages: what a crawler kept of the web, Common Crawl's files among it."""

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
from corpuskit.sources.resource import Found, Known, Resource

WARC_SUFFIXES: Final = (".warc", ".warc.gz", ".warc.zst", ".arc.gz", ".warc.wet.gz", ".warc.wat.gz")
_GZIP: Final = b"\x1f\x8b\x08"
_VERSION: Final = b"WARC/"
_CHUNK: Final = 1 << 20
_HEAD: Final = 1 << 16  # bytes of HTTP headers beside the body
_DIGESTS: Final = ("sha1:", "sha256:", "md5:")
_ENCODINGS: Final = ("Content-Encoding", "Transfer-Encoding")
_SMALL: Final = 100_000_000  # bytes that may be packed as they like
_MOST_PACKED: Final = 100  # times; what is in a WACZ package is text, or packed already
_MOST_DAMAGES: Final = 10_000
# Declared types of what is no text: left out unread. What is declared wrongly shows in its bytes.
_LEFT_OUT: Final = (
    "image/", "audio/", "video/", "font/", "text/css", "text/javascript", "application/javascript", "model/",
    "application/x-javascript", "application/json", "application/font", "application/x-font", "application/wasm",
)  # fmt: skip
_TAKEN: Final = (
    "text/html",
    "application/xhtml+xml",
    "text/plain",
    "text/markdown",
    "application/pdf",
    "text/x-nlptext",
)
_TAKEN_OFFICE: Final = ("application/vnd.openxmlformats-officedocument.wordprocessingml", "application/vnd.ms-word")


def read_warc(path: Path, *, max_bytes: int, name: str | None = None, known: Known | None = None) -> Iterator[Found]:
    """The pages, PDF, Word and text files of a WARC file, one at a time, in the order of the file.

    Response records of status 200, resource records, the texts of WET files (conversion records) where the page itself is
    not before them, and revisit records whose payload stands earlier in the same file or is ``known``. Of a damaged, cut or too large record, or one whose digest is wrong, (URI, error) is given, and reading goes
    on with the next one.

    Args:
        path: the file; gzip, Zstandard or plain.
        max_bytes: records with a larger body are refused.
        name: what errors call the file.
        known: looks for the payload of a revisit record that stands in another file.

    Raises:
        SourceError: the file cannot be opened.
    """
    yield from _WarcReader(path, max_bytes, name or path.name, known).read()


def read_wacz(path: Path, *, max_bytes: int, name: str | None = None, known: Known | None = None) -> Iterator[Found]:
    """What :func:`read_warc` gives, of all WARC files in ``archive/`` of a WACZ package (WACZ 1.1.1, 5.2.1).

    Raises:
        SourceError: the package cannot be opened.
    """
    name = name or path.name
    with open_wacz(path, name) as package, tempfile.TemporaryDirectory() as folder:
        for number, info in enumerate(package.infolist()):
            if not info.filename.startswith("archive/") or not info.filename.endswith(WARC_SUFFIXES):
                continue
            if info.file_size > max(_SMALL, _MOST_PACKED * info.compress_size):
                ratio = info.file_size // max(info.compress_size, 1)
                message = f"{name}/{info.filename}: packed to 1/{ratio:,}: a bomb"
                yield f"{name}/{info.filename}", ResourceLimitError(message)
                continue
            copy = Path(folder) / f"{number}.warc"  # readers of WARC seek, which a packed file cannot
            try:
                with package.open(info) as packed, copy.open("wb") as plain:
                    # The records have checksums of their own: one that is damaged should not cost the others.
                    packed._expected_crc = None  # type: ignore[attr-defined]
                    shutil.copyfileobj(packed, plain, _CHUNK)
            except DAMAGED_ZIP as error:
                yield f"{name}/{info.filename}", SourceError(f"{info.filename} is damaged: {error}")
            if copy.exists():
                yield from read_warc(copy, max_bytes=max_bytes, name=f"{name}/{info.filename}", known=known)
                copy.unlink()


class _WarcReader:
    def __init__(self, path: Path, max_bytes: int, name: str, known: Known | None) -> None:
        self._path, self._max_bytes, self._name, self._known = path, max_bytes, name, known
        self._payloads: dict[str, int] = {}  # payload digest → where its record begins
        self._pages: set[str] = set()  # of which the file has more than a text

    def read(self) -> Iterator[Found]:
        from fastwarc.warc import WarcRecordType

        wanted = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.revisit | WarcRecordType.conversion
        start: int | None = 0
        damages = 0
        waiting: str | None = None  # a damage of which it is not known yet whether it is that of the next record
        while start is not None and damages < _MOST_DAMAGES:
            place, count = start, 0
            try:
                for offset, record in self._records(start, wanted):
                    if waiting is not None:
                        yield self._damage(place, waiting)
                        waiting = None
                    place, count = offset, count + 1
                    found = self._take(record, offset)
                    if found is not None:
                        yield found
                start = None
            except (OSError, ValueError, EOFError) as error:
                if isinstance(error, SourceError):
                    raise
                damages += 1
                waiting = str(error)
                start = self._next_start(place + 1)
                if count == 0:
                    yield self._damage(place, waiting)
                    waiting = None
        if waiting is not None:
            yield self._damage(place, waiting)

    def _damage(self, place: int, reason: str) -> Found:
        message = f"{self._name}: damaged at or behind byte {place:,}: {reason}"
        return f"{self._name}@{place}", SourceError(message)

    def _records(self, start: int, wanted: Any) -> Iterator[tuple[int, Any]]:
        """Offset and record, from a place where one begins."""
        from fastwarc.warc import ArchiveIterator

        try:
            stream = self._path.open("rb")
        except OSError as error:
            raise SourceError(f"{self._path} cannot be read: {error.strerror or error}") from error
        with stream:
            stream.seek(start)
            base: int | None = None
            for record in ArchiveIterator(stream, record_types=wanted, parse_http=False):
                if base is None:  # positions count from the beginning of the stream or of the file
                    base = start if record.stream_pos < start else 0
                yield base + record.stream_pos, record

    def _take(self, record: Any, offset: int) -> Found | None:
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

    def _revisit(self, record: Any, uri: str) -> Found | None:
        """The payload of an earlier record under this URI; None where it stood in this file under the same URI.

        ISO 28500, 6.7: a revisit record says with a digest which payload was obtained once more.
        """
        headers = record.headers
        digest = headers.get("WARC-Payload-Digest") or ""
        date = _date(record.record_date)
        offset = self._payloads.get(digest)
        if offset is not None:
            if (headers.get("WARC-Refers-To-Target-URI") or "").strip("<> ") == uri:
                return None  # it has not changed since
            from fastwarc.warc import WarcRecordType

            for _, original in self._records(offset, WarcRecordType.response | WarcRecordType.resource):
                found = self._read(original, uri, offset)
                return found and replace(found, fetched=date or found.fetched)
        known = self._known(digest) if self._known is not None and digest else None
        if known is None:
            message = f"{self._name}: a revisit record of {uri}, whose payload is in another file: add that one first"
            return uri, SourceError(message)
        content, media_type, charset = known
        metadata = {"warc": self._name, "warc_record_id": str(record.record_id), "payload_digest": digest}
        return Resource(
            uri, content, media_type, charset, fetched=date or datetime.now(UTC), name=_name_of(uri), source="warc",
            metadata=metadata, headers=(("Content-Type", media_type),),
        )  # fmt: skip

    def _read(self, record: Any, uri: str, offset: int) -> Resource | None:
        from fastwarc.warc import WarcRecordType

        length = record.content_length
        if length > self._max_bytes + _HEAD:
            raise ResourceLimitError(f"{uri}: {length:,} bytes, the limit is {self._max_bytes:,}")
        record.freeze()
        headers = record.headers
        if record.content_length < int(headers.get("Content-Length") or length):
            raise SourceError(f"{self._name}: the record of {uri} is cut short")
        self._verify(record, uri, "Block")
        if record.is_http:
            record.parse_http(auto_decode="all")
            http = record.http_headers
            is_encoded = http is not None and any(name in http for name in _ENCODINGS)
            if "WARC-Block-Digest" not in headers and not is_encoded:
                self._verify(record, uri, "Payload")  # it is that of the bytes before they were decoded
            if http is None or http.status_code != 200 or _is_left_out(record.http_content_type):
                return None
            self._pages.add(uri)
            return self._resource(
                record, uri, offset, record.http_content_type, record.http_charset, is_encoded=is_encoded
            )
        declared = (headers.get("Content-Type") or "").lower()
        if record.record_type == WarcRecordType.conversion:
            is_text = declared.startswith("text/plain") and uri not in self._pages
            return self._resource(record, uri, offset, declared, "utf-8") if is_text else None
        return None if _is_left_out(declared) else self._resource(record, uri, offset, declared, None)

    def _resource(
        self, record: Any, uri: str, offset: int, declared: str | None, charset: str | None, *, is_encoded: bool = False
    ) -> Resource | None:
        # Reading with a limit makes room for all of it; without an encoding the body is no longer than the record.
        content = record.reader.read(self._max_bytes + 1 if is_encoded else -1)
        if len(content) > self._max_bytes:
            raise ResourceLimitError(f"{uri}: more than {self._max_bytes:,} bytes when decoded")
        name = _name_of(uri)
        media_type = detect_media_type(content, name, declared)
        if not content.strip() or not (media_type in _TAKEN or media_type.startswith(_TAKEN_OFFICE)):
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
                raise SourceError(f"{self._name}: the record of {uri} is damaged, its {what.lower()} digest is wrong")

    def _next_start(self, start: int) -> int | None:
        """Where the next record begins, by the first bytes of a gzip member or of a plain record."""
        with self._path.open("rb") as stream:
            is_gzip = stream.read(3) == _GZIP
            mark = _GZIP if is_gzip else b"\r\n\r\n" + _VERSION
            stream.seek(start)
            place, window = start, stream.read(_CHUNK)
            while window:
                at = window.find(mark)
                while at >= 0:
                    if not is_gzip:
                        return place + at + 4
                    if _begins_record(window[at : at + 4096]):
                        return place + at
                    at = window.find(mark, at + 1)
                more = stream.read(_CHUNK)
                if not more:
                    return None
                kept = window[-4096:]
                place, window = place + len(window) - len(kept), kept + more
        return None


def _begins_record(content: bytes) -> bool:
    try:
        return zlib.decompressobj(31).decompress(content, 64).startswith(_VERSION)
    except zlib.error:
        return False


def _is_left_out(declared: str | None) -> bool:
    return (declared or "").strip().lower().startswith(_LEFT_OUT)


def _name_of(uri: str) -> str:
    """A file name: the last part of the path, else the host."""
    parts = urlsplit(uri)
    return unquote(parts.path).rpartition("/")[2] or parts.hostname or "page"


def _date(date: datetime | None) -> datetime | None:
    return None if date is None else as_utc(date)
