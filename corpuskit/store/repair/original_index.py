"""Index of the originals in originals/, built from the files without a catalog."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from corpuskit.document import from_nlptext
from corpuskit.errors import CorpusKitError
from corpuskit.safe_folder import MAX_BYTES, SafeFolder
from corpuskit.store.documents import TEXT_SUFFIX


@dataclass(frozen=True, slots=True)
class IndexedOriginal:
    """An original: its location and the values in its record."""

    file: str
    offset: int | None
    length: int | None
    uri: str | None = None
    date: str | None = None
    media_type: str | None = None
    status: int | None = None


class OriginalIndex:
    """The originals in originals/ by the hash of their content."""

    def __init__(self, folder: SafeFolder) -> None:
        self.by_hash: dict[str, list[IndexedOriginal]] = {}
        self.requested: dict[str, IndexedOriginal] = {}
        self.texts: dict[str, tuple[str, IndexedOriginal]] = {}  # URI → hash and location of a .nlp.txt that was added
        self.damaged: list[str] = []
        for name in folder.file_names("*.warc.gz"):
            self._read_warc(folder, name)
        for directory in folder.folder_names():
            for name in folder.subfolder(directory).file_names() if directory.endswith(".d") else ():
                # The original has the name of the directory, which may have a prefix for the id and version.
                if directory.removesuffix(".d").endswith(name):
                    original = IndexedOriginal(f"{directory}/{name}", None, None)
                    with folder.open(original.file) as file:
                        digest = _digest(file)
                    self._add(digest, original)
                    if name.endswith(TEXT_SUFFIX) and (uri := _document_uri(folder, original.file)):
                        self.texts[uri] = digest, original

    def _add(self, digest: str, original: IndexedOriginal) -> None:
        self.by_hash.setdefault(digest, []).append(original)

    def _read_warc(self, folder: SafeFolder, name: str) -> None:
        from fastwarc.warc import ArchiveIterator, WarcRecordType

        previous: tuple[str, IndexedOriginal] | None = None
        size = 0
        try:
            with folder.open(name) as stream:
                size = os.fstat(stream.fileno()).st_size
                for record in ArchiveIterator(stream, record_types=WarcRecordType.any_type, parse_http=True):
                    # A location spans a response and the request record after it.
                    if record.record_type == WarcRecordType.request:
                        continue
                    if previous is not None:
                        self._add(previous[0], _with_end(previous[1], record.stream_pos))
                        previous = None
                    if record.record_type != WarcRecordType.response:
                        continue
                    original = self._response(name, record)
                    self.requested[original.uri or ""] = original
                    previous = _digest(record.reader), original
        except (OSError, ValueError, EOFError) as error:
            self.damaged.append(f"originals/{name} cannot be read completely: {error}")
            previous = None
        if previous is not None:
            self._add(previous[0], _with_end(previous[1], size))

    @staticmethod
    def _response(name: str, record: Any) -> IndexedOriginal:
        date = record.record_date or datetime.fromtimestamp(0, UTC)
        return IndexedOriginal(
            file=name,
            offset=record.stream_pos,
            length=None,
            uri=(record.headers.get("WARC-Target-URI") or "").strip("<> "),
            date=date.astimezone(UTC).isoformat(),
            media_type=(record.http_content_type or "").lower() or None,
            status=record.http_headers.status_code if record.http_headers else None,
        )

    def added_text(self, uri: str) -> tuple[str, IndexedOriginal] | None:
        """Return hash and location of the ``.nlp.txt`` of a document. Its metadata refer to an earlier original."""
        return self.texts.get(uri)

    def find(self, digest: str, uri: str) -> IndexedOriginal | None:
        """Return the original of a document: one with its URI, else any with its content."""
        matches = self.by_hash.get(digest, [])
        return next((original for original in matches if original.uri == uri), matches[0] if matches else None)


def _digest(reader: Any) -> str:
    digest, size = hashlib.sha256(), 0
    while block := reader.read(1 << 20):
        digest.update(block)
        size += len(block)
        if size > MAX_BYTES:
            raise ValueError(f"a record has more than {MAX_BYTES:,} bytes unpacked")
    return digest.hexdigest()


def _document_uri(folder: SafeFolder, name: str) -> str:
    """Return the URI of a ``.nlp.txt`` file, or an empty string if it is unknown."""
    try:
        uri = from_nlptext(folder.read(name), strict=False).uri
    except CorpusKitError:
        return ""
    return "" if uri == "?" else uri


def _with_end(original: IndexedOriginal, end: int) -> IndexedOriginal:
    from dataclasses import replace

    return replace(original, length=end - (original.offset or 0))
