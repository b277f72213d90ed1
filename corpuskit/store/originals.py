"""The directory originals/: web pages as WARC records, files in artifact directories in the layout of TextWorks."""

from __future__ import annotations

import io
import os
import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Final
from urllib.parse import quote

from corpuskit.errors import CorpusError
from corpuskit.safe_folder import MAX_BYTES, Folder, SafeFolder, as_safe_folder, ensure_folder
from corpuskit.store.paths import safe_segment

_MAX_WARC: Final = 1_000_000_000  # bytes; then a new file is started
# Invalid for the stored body, which is decoded.
_OMITTED_HEADERS: Final = frozenset({"content-encoding", "transfer-encoding", "content-length", "connection"})
_ABSOLUTE_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:\S*\Z")
_DATE_FORMAT: Final = "%Y-%m-%dT%H:%M:%SZ"
CORPUS_ROOT: Final = ".corpus-root"
_CRAWLED_FILES: Final = "crawl-[0-9][0-9][0-9][0-9][0-9].warc.gz"
_ADDED_FILES: Final = "added-[0-9][0-9][0-9][0-9][0-9].warc.gz"


@dataclass(frozen=True, slots=True)
class OriginalLocation:
    """Location of an original: a file below originals/, or a record in a WARC file.

    Args:
        file: Path below originals/.
        offset: Offset of the record in bytes, or None if the original is a separate file.
        length: Length of the record in bytes.
    """

    file: str
    offset: int | None = None
    length: int | None = None


class WarcWriter:
    """Writer of WARC files with one gzip member per record. Only one writer per corpus may be open."""

    def __init__(self, folder: Folder, committed_end: dict[str, int]) -> None:
        """Open the last file and truncate uncommitted records.

        Args:
            folder: The directory originals/.
            committed_end: End of the last committed record, by file.
        """
        self._folder = ensure_folder(folder)
        self._lock = threading.Lock()
        names = self._folder.file_names(_CRAWLED_FILES)
        for name in names:
            if (end := committed_end.get(name, 0)) < 0:
                raise CorpusError(
                    f"catalog.sqlite has an invalid end of originals/{name}: {end}; corpuskit repair rebuilds it"
                )
            with self._folder.open(name, "r+b") as handle:
                if handle.seek(0, os.SEEK_END) > end:
                    handle.truncate(end)
        self._number = int(names[-1][6:11]) if names else 1
        self._open()

    def _open(self) -> None:
        self._name = f"crawl-{self._number:05d}.warc.gz"
        self._handle = self._folder.open(self._name, "ab", buffering=1 << 20)
        self._end = self._handle.tell()

    def write(self, url: str, date: datetime, request: bytes, status_line: str, headers: Iterable[tuple[str, str]],
              body: bytes) -> OriginalLocation:  # fmt: skip
        """Append a response and a request record, and return the location of the response. See :meth:`push`."""
        from fastwarc.warc import WarcRecord, WarcRecordType

        http_response = _http_response(status_line, headers, body)
        date_text = date.strftime(_DATE_FORMAT)
        response = WarcRecord()
        response.init_headers(WarcRecordType.response)
        response.headers["Content-Type"] = "application/http; msgtype=response"
        request_record = WarcRecord()
        request_record.init_headers(WarcRecordType.request)
        request_record.headers["Content-Type"] = "application/http; msgtype=request"
        request_record.headers["WARC-Concurrent-To"] = response.headers["WARC-Record-ID"]
        for record, content in ((response, http_response), (request_record, request)):
            record.headers["WARC-Target-URI"] = url
            record.headers["WARC-Date"] = date_text
            record.set_bytes_content(content)
        members = [_gzip_member(response), _gzip_member(request_record)]
        with self._lock:
            if self._end > _MAX_WARC:
                self.flush()
                self._handle.close()
                self._number += 1
                self._open()
            offset, length = self._end, sum(map(len, members))
            self._handle.write(b"".join(members))
            self._end += length
            return OriginalLocation(self._name, offset, length)

    def push(self) -> None:
        """Pass all records to the operating system. Call it before the transaction that refers to them is committed."""
        self._handle.flush()

    def flush(self) -> None:
        """Sync all records to disk, so that they survive a power failure."""
        self._handle.flush()
        os.fsync(self._handle.fileno())

    def close(self) -> None:
        """Sync and close the file."""
        self.flush()
        self._handle.close()


class AddedRecordWriter:
    """Writer for resources from web archives, wikis and dumps, into separate WARC files ``added-NNNNN.warc.gz``.

    The file is created with the first record. Creating it reserves the name, so that several processes can add at once.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = as_safe_folder(folder)
        self._handle: IO[bytes] | None = None
        self._name = ""

    def write(
        self, uri: str, date: datetime, headers: Iterable[tuple[str, str]] | None, media_type: str, body: bytes
    ) -> OriginalLocation:
        """Append a response record, or a resource record without ``headers``, and pass it to the operating system."""
        from fastwarc.warc import WarcRecord, WarcRecordType

        record = WarcRecord()
        record.init_headers(WarcRecordType.resource if headers is None else WarcRecordType.response)
        record.headers["Content-Type"] = media_type if headers is None else "application/http; msgtype=response"
        record.headers["WARC-Target-URI"] = uri if _ABSOLUTE_URI.match(uri) else "file:" + quote(uri)
        record.headers["WARC-Date"] = date.astimezone(UTC).strftime(_DATE_FORMAT)
        record.set_bytes_content(body if headers is None else _http_response("HTTP/1.1 200 OK", headers, body))
        member = _gzip_member(record)
        handle = self._handle
        if handle is None or handle.tell() > _MAX_WARC:
            handle = self._open()
        offset = handle.tell()
        handle.write(member)
        handle.flush()
        return OriginalLocation(self._name, offset, len(member))

    def _open(self) -> IO[bytes]:
        self.close()
        number = max((int(name[6:11]) for name in self._folder.file_names(_ADDED_FILES)), default=0)
        while True:
            number += 1
            self._name = f"added-{number:05d}.warc.gz"
            try:
                self._handle = self._folder.open(self._name, "xb", buffering=1 << 20)
            except FileExistsError:
                continue
            return self._handle

    def close(self) -> None:
        """Sync and close the file."""
        if self._handle is not None:
            self._handle.flush()
            os.fsync(self._handle.fileno())
            self._handle.close()
            self._handle = None


def _http_response(status_line: str, headers: Iterable[tuple[str, str]], body: bytes) -> bytes:
    head = "".join(f"{k}: {v}\r\n" for k, v in headers if k.lower() not in _OMITTED_HEADERS)
    return f"{status_line}\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode("utf-8", "replace") + body


def _gzip_member(record: object) -> bytes:
    """Return a record as a separate gzip member."""
    from isal import isal_zlib

    uncompressed = io.BytesIO()
    record.write(uncompressed, checksum_data=True)  # type: ignore[attr-defined]
    # Takes a fifth of the time of zlib level 6, for 3 % more bytes (measured on web pages, 2026-11).
    compressor = isal_zlib.compressobj(1, isal_zlib.DEFLATED, 31)
    return bytes(compressor.compress(uncompressed.getvalue()) + compressor.flush())


def store_file(folder: SafeFolder, name: str, content: bytes, doc_id: str) -> OriginalLocation:
    """Store a file as ``NAME.d/NAME``. If the name is taken by another file, the doc_id is added to it."""
    folder.mkdir()
    if not folder.exists(CORPUS_ROOT):
        folder.write(CORPUS_ROOT, b"")
    name = safe_segment(name)
    for candidate in (name, f"{doc_id}-{name}"):
        file = f"{candidate}.d/{candidate}"
        status = folder.stat(file)
        if status is None:
            folder.write(file, content)
            return OriginalLocation(file)
        if status.st_size == len(content) and folder.read(file) == content:
            return OriginalLocation(file)
    # A new version of a document with stored earlier versions.
    number = 2
    while folder.exists(file := f"{doc_id}-{number}-{name}.d/{name}"):
        number += 1
    folder.write(file, content)
    return OriginalLocation(file)


def store_companion_files(folder: SafeFolder, location: OriginalLocation, files: Mapping[str, bytes]) -> bool:
    """Store files in the artifact directory of an original and return whether a file was new or has changed.

    Args:
        folder: The directory originals/.
        location: An original that is a separate file.
        files: Content by ``NAME`` or ``GROUP/NAME``.
    """
    changed = False
    directory, _, original = location.file.rpartition("/")
    for name, content in files.items():
        parts = "/".join(safe_segment(part) for part in name.split("/")[:2])
        file = f"{directory}/{parts}"
        status = folder.stat(file)
        if parts == original or (status and status.st_size == len(content) and folder.read(file) == content):
            continue
        folder.write(file, content)
        changed = True
    return changed


def read_original(folder: Folder, location: OriginalLocation) -> bytes:
    """Return the content of an original; for a WARC record its body.

    Raises:
        CorpusError: The original is missing or damaged, or its path is invalid.
    """
    folder = as_safe_folder(folder)
    try:
        if location.offset is None:
            return folder.read(location.file)
        with folder.open(location.file) as handle:
            handle.seek(location.offset)
            member = handle.read(min(max(location.length or 0, 0), MAX_BYTES))
    except (OSError, ValueError, OverflowError) as error:
        raise CorpusError(f"originals/{location.file} cannot be read: {error}") from error
    from fastwarc.warc import ArchiveIterator

    try:
        for record in ArchiveIterator(io.BytesIO(member)):
            content = bytes(record.reader.read(MAX_BYTES + 1))
            if len(content) > MAX_BYTES:
                raise ValueError(f"more than {MAX_BYTES:,} bytes unpacked")
            return content
    except (OSError, ValueError) as error:
        raise CorpusError(f"originals/{location.file} is damaged at {location.offset}: {error}") from error
    raise CorpusError(f"originals/{location.file} has no record at {location.offset}")
