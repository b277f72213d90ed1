"""What is kept below originals/, found without a catalogue."""

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
    """An original: where it is, and what its record says."""

    file: str
    offset: int | None
    length: int | None
    uri: str | None = None
    date: str | None = None
    media_type: str | None = None
    status: int | None = None


class OriginalIndex:
    """What is kept below originals/, by the hash of its content."""

    def __init__(self, folder: SafeFolder) -> None:
        self.by_hash: dict[str, list[IndexedOriginal]] = {}
        self.requested: dict[str, IndexedOriginal] = {}
        self.texts: dict[str, tuple[str, IndexedOriginal]] = {}  # URI → hash and place of a .nlp.txt that brought it
        self.damaged: list[str] = []
        for name in folder.file_names("*.warc.gz"):
            self._read_warc(folder, name)
        for directory in folder.folder_names():
            for name in folder.subfolder(directory).file_names() if directory.endswith(".d") else ():
                # In an artifact directory the original has the directory's name, or a version's without its number.
                if directory.removesuffix(".d").endswith(name):
                    kept = IndexedOriginal(f"{directory}/{name}", None, None)
                    with folder.open(kept.file) as file:
                        digest = _digest(file)
                    self._add(digest, kept)
                    if name.endswith(TEXT_SUFFIX) and (uri := _own_uri(folder, kept.file)):
                        self.texts[uri] = digest, kept

    def _add(self, digest: str, kept: IndexedOriginal) -> None:
        self.by_hash.setdefault(digest, []).append(kept)

    def _read_warc(self, folder: SafeFolder, name: str) -> None:
        from fastwarc.warc import ArchiveIterator, WarcRecordType

        waiting: tuple[str, IndexedOriginal] | None = None
        size = 0
        try:
            with folder.open(name) as stream:
                size = os.fstat(stream.fileno()).st_size
                for record in ArchiveIterator(stream, record_types=WarcRecordType.any_type, parse_http=True):
                    # A place spans a response and its request, which follows it.
                    if record.record_type == WarcRecordType.request:
                        continue
                    if waiting is not None:
                        self._add(waiting[0], _ended(waiting[1], record.stream_pos))
                        waiting = None
                    if record.record_type != WarcRecordType.response:
                        continue
                    kept = self._response(name, record)
                    self.requested[kept.uri or ""] = kept
                    waiting = _digest(record.reader), kept
        except (OSError, ValueError, EOFError) as error:
            self.damaged.append(f"originals/{name} cannot be read to its end: {error}")
            waiting = None
        if waiting is not None:
            self._add(waiting[0], _ended(waiting[1], size))

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
        """The hash and place of the ``.nlp.txt`` that a document was added as; its metadata tell of an older original."""
        return self.texts.get(uri)

    def take(self, digest: str, uri: str) -> IndexedOriginal | None:
        """The original of a document: the one of its URI, else any of its content."""
        found = self.by_hash.get(digest, [])
        return next((kept for kept in found if kept.uri == uri), found[0] if found else None)


def _digest(reader: Any) -> str:
    digest, size = hashlib.sha256(), 0
    while block := reader.read(1 << 20):
        digest.update(block)
        size += len(block)
        if size > MAX_BYTES:
            raise ValueError(f"a record has more than {MAX_BYTES:,} bytes unpacked")
    return digest.hexdigest()


def _own_uri(folder: SafeFolder, name: str) -> str:
    """The URI of a ``.nlp.txt``; empty where it is not known."""
    try:
        uri = from_nlptext(folder.read(name), strict=False).uri
    except CorpusKitError:
        return ""
    return "" if uri == "?" else uri


def _ended(kept: IndexedOriginal, end: int) -> IndexedOriginal:
    from dataclasses import replace

    return replace(kept, length=end - (kept.offset or 0))
