"""originals/: web pages as WARC records, files in artifact directories as TextWorks keeps them."""

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

_MAX_WARC: Final = 1_000_000_000  # bytes; then the next file begins
# The body is kept decoded, so these would lie.
_DROPPED_HEADERS: Final = frozenset({"content-encoding", "transfer-encoding", "content-length", "connection"})
_ABSOLUTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:\S*\Z")
_STAMP: Final = "%Y-%m-%dT%H:%M:%SZ"
CORPUS_ROOT: Final = ".corpus-root"
_CRAWLED: Final = "crawl-[0-9][0-9][0-9][0-9][0-9].warc.gz"
_ADDED: Final = "added-[0-9][0-9][0-9][0-9][0-9].warc.gz"


@dataclass(frozen=True, slots=True)
class OriginalLocation:
    """Where an original is kept: a file below originals/, and the record's span where that is a WARC file.

    Args:
        file: A path below originals/.
        offset: First byte of the record in a WARC file; None: the whole file.
        length: Number of bytes of the record.
    """

    file: str
    offset: int | None = None
    length: int | None = None


class WarcWriter:
    """Appends records to WARC files, one gzip member a record. One writer a corpus at a time."""

    def __init__(self, folder: Folder, committed_end: dict[str, int]) -> None:
        """``committed_end``: for each file, where its last committed record ends; what is behind is cut off."""
        self._folder = ensure_folder(folder)
        self._lock = threading.Lock()
        names = self._folder.file_names(_CRAWLED)
        for name in names:
            if (end := committed_end.get(name, 0)) < 0:
                raise CorpusError(
                    f"originals/{name} ends at byte {end} by the catalogue, which cannot be: corpuskit repair makes it again"
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
        """Appends a request record and a response record; returns the response's place. See :meth:`push`."""
        from fastwarc.warc import WarcRecord, WarcRecordType

        answer = _answer(status_line, headers, body)
        stamp = date.strftime(_STAMP)
        response = WarcRecord()
        response.init_headers(WarcRecordType.response)
        response.headers["Content-Type"] = "application/http; msgtype=response"
        asked = WarcRecord()
        asked.init_headers(WarcRecordType.request)
        asked.headers["Content-Type"] = "application/http; msgtype=request"
        asked.headers["WARC-Concurrent-To"] = response.headers["WARC-Record-ID"]
        for record, content in ((response, answer), (asked, request)):
            record.headers["WARC-Target-URI"] = url
            record.headers["WARC-Date"] = stamp
            record.set_bytes_content(content)
        members = [_member(response), _member(asked)]
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
        """Hands all records to the system; to be called before the transaction that names them is committed."""
        self._handle.flush()

    def flush(self) -> None:
        """Makes all records survive a power cut."""
        self._handle.flush()
        os.fsync(self._handle.fileno())

    def close(self) -> None:
        """Closes the file."""
        self.flush()
        self._handle.close()


class AddedRecordWriter:
    """Appends what comes from web archives, wikis and dumps to a WARC file of its own, ``added-NNNNN.warc.gz``.

    The file is made when the first record comes. Its name is taken by making it, so that several can add at once.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = as_safe_folder(folder)
        self._handle: IO[bytes] | None = None
        self._name = ""

    def write(
        self, uri: str, date: datetime, headers: Iterable[tuple[str, str]] | None, media_type: str, body: bytes
    ) -> OriginalLocation:
        """Appends a response record, or without ``headers`` a resource record; the system has it when this returns."""
        from fastwarc.warc import WarcRecord, WarcRecordType

        record = WarcRecord()
        record.init_headers(WarcRecordType.resource if headers is None else WarcRecordType.response)
        record.headers["Content-Type"] = media_type if headers is None else "application/http; msgtype=response"
        record.headers["WARC-Target-URI"] = uri if _ABSOLUTE.match(uri) else "file:" + quote(uri)
        record.headers["WARC-Date"] = date.astimezone(UTC).strftime(_STAMP)
        record.set_bytes_content(body if headers is None else _answer("HTTP/1.1 200 OK", headers, body))
        member = _member(record)
        handle = self._handle
        if handle is None or handle.tell() > _MAX_WARC:
            handle = self._open()
        offset = handle.tell()
        handle.write(member)
        handle.flush()
        return OriginalLocation(self._name, offset, len(member))

    def _open(self) -> IO[bytes]:
        self.close()
        number = max((int(name[6:11]) for name in self._folder.file_names(_ADDED)), default=0)
        while True:
            number += 1
            self._name = f"added-{number:05d}.warc.gz"
            try:
                self._handle = self._folder.open(self._name, "xb", buffering=1 << 20)
            except FileExistsError:
                continue
            return self._handle

    def close(self) -> None:
        """Closes the file; all records survive a power cut then."""
        if self._handle is not None:
            self._handle.flush()
            os.fsync(self._handle.fileno())
            self._handle.close()
            self._handle = None


def _answer(status_line: str, headers: Iterable[tuple[str, str]], body: bytes) -> bytes:
    head = "".join(f"{k}: {v}\r\n" for k, v in headers if k.lower() not in _DROPPED_HEADERS)
    return f"{status_line}\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode("utf-8", "replace") + body


def _member(record: object) -> bytes:
    """One record as a gzip member of its own."""
    from isal import isal_zlib

    plain = io.BytesIO()
    record.write(plain, checksum_data=True)  # type: ignore[attr-defined]
    # A fifth of zlib's time at its level 6 for 3 % more bytes (measured on pages, 2026-11).
    packer = isal_zlib.compressobj(1, isal_zlib.DEFLATED, 31)
    return bytes(packer.compress(plain.getvalue()) + packer.flush())


def store_file(folder: SafeFolder, name: str, content: bytes, doc_id: str) -> OriginalLocation:
    """Keeps a file in an artifact directory ``NAME.d/NAME``; another file of this name gets the doc_id into its own."""
    folder.mkdir()
    if not folder.exists(CORPUS_ROOT):
        folder.write(CORPUS_ROOT, b"")
    name = safe_segment(name)
    for candidate in (name, f"{doc_id}-{name}"):
        file = f"{candidate}.d/{candidate}"
        known = folder.stat(file)
        if known is None:
            folder.write(file, content)
            return OriginalLocation(file)
        if known.st_size == len(content) and folder.read(file) == content:
            return OriginalLocation(file)
    # A new version of a document whose earlier versions are kept too.
    number = 2
    while folder.exists(file := f"{doc_id}-{number}-{name}.d/{name}"):
        number += 1
    folder.write(file, content)
    return OriginalLocation(file)


def store_companion_files(folder: SafeFolder, place: OriginalLocation, files: Mapping[str, bytes]) -> bool:
    """Keep files in the artifact directory of an original; return whether one of them was new or another before.

    Args:
        folder: originals/.
        place: of an original that is a file.
        files: content by ``NAME`` or ``GROUP/NAME``.
    """
    changed = False
    directory, _, original = place.file.rpartition("/")
    for name, content in files.items():
        parts = "/".join(safe_segment(part) for part in name.split("/")[:2])
        file = f"{directory}/{parts}"
        known = folder.stat(file)
        if parts == original or (known and known.st_size == len(content) and folder.read(file) == content):
            continue
        folder.write(file, content)
        changed = True
    return changed


def read_original(folder: Folder, place: OriginalLocation) -> bytes:
    """The bytes of an original: of a WARC record its body.

    Raises:
        CorpusError: it is missing or damaged, or lies outside of the folder.
    """
    folder = as_safe_folder(folder)
    try:
        if place.offset is None:
            return folder.read(place.file)
        with folder.open(place.file) as handle:
            handle.seek(place.offset)
            member = handle.read(min(max(place.length or 0, 0), MAX_BYTES))
    except (OSError, ValueError, OverflowError) as error:
        raise CorpusError(f"originals/{place.file} cannot be read: {error}") from error
    from fastwarc.warc import ArchiveIterator

    try:
        for record in ArchiveIterator(io.BytesIO(member)):
            content = bytes(record.reader.read(MAX_BYTES + 1))
            if len(content) > MAX_BYTES:
                raise ValueError(f"more than {MAX_BYTES:,} bytes unpacked")
            return content
    except (OSError, ValueError) as error:
        raise CorpusError(f"originals/{place.file} is damaged at {place.offset}: {error}") from error
    raise CorpusError(f"originals/{place.file} has no record at {place.offset}")
