"""Removal of documents: text, original, caches and index. A tombstone prevents that they are added again."""

from __future__ import annotations

import os
import uuid
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from corpuskit.errors import ConfigurationError, CorpusError, UnknownDocumentError
from corpuskit.safe_folder import SafeFolder
from corpuskit.store.catalog import clean, now
from corpuskit.store.document_rows import remove_cached_rows
from corpuskit.store.documents import remove_document
from corpuskit.store.folder import CorpusFolder

_PLACEHOLDER: Final = (
    "WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:{id}>\r\nWARC-Date: {date}\r\n"
    "Content-Type: text/plain\r\nContent-Length: 7\r\n\r\nremoved\r\n\r\n"
)


def remove_documents(folder: CorpusFolder, doc_ids: Sequence[str], reason: str) -> int:
    """Remove all versions of documents and return the number of documents.

    The tombstones are written first: if the process dies, no document appears complete, and repeating the removal
    completes it. Labels and the request log keep the doc_id and the URL.

    Raises:
        ConfigurationError: The reason is empty.
        UnknownDocumentError: A doc_id was never in the corpus. No document is removed.
        CorpusBusyError: Documents are being packed. Repeating the removal completes it.
    """
    if not reason.strip():
        raise ConfigurationError("remove: expected a reason, which is stored with the tombstone")
    catalog = folder.catalog
    uris = {row["doc_id"]: row["uri"] for row in catalog.rows("SELECT DISTINCT doc_id, uri FROM documents")}
    unknown = [doc_id for doc_id in doc_ids if doc_id not in uris]
    if unknown:
        raise UnknownDocumentError(f"no document {unknown[0]!r} ({len(unknown)} unknown in all)")
    parts: set[str] = set()
    catalog.connection.execute("PRAGMA secure_delete = ON")  # overwrite deleted content with zeros
    with catalog.transaction() as connection:
        for doc_id in doc_ids:
            connection.execute(
                'INSERT OR REPLACE INTO tombstones (doc_id, uri, reason, "when") VALUES (?, ?, ?, ?)',
                (doc_id, uris[doc_id], clean(reason), now()),
            )
            connection.execute(
                "UPDATE documents SET status = 'removed', title = NULL, text_hash = NULL, metadata = NULL, "
                "payload_digest = NULL WHERE doc_id = ?",
                (doc_id,),
            )
            connection.execute(
                "UPDATE frontier SET state = 'refused', reason_refused = ?, reason_code = '' WHERE url = ?",
                (clean(f"removed: {reason}"), uris[doc_id]),
            )
            connection.execute("DELETE FROM scores WHERE doc_id = ?", (doc_id,))
            connection.execute("DELETE FROM said WHERE doc_id = ?", (doc_id,))
            connection.execute("DELETE FROM failures WHERE uri = ?", (uris[doc_id],))
            parts |= {row[0] for row in catalog.rows("SELECT part FROM element_cache WHERE doc_id = ?", (doc_id,))}
        # Parts are never modified: those with a removed text are deleted and rebuilt.
        connection.executemany("DELETE FROM element_cache WHERE part = ?", [(part,) for part in parts])
    catalog.connection.execute("PRAGMA secure_delete = OFF")
    # The write-ahead log contains the old pages until it is truncated; with concurrent readers this happens later.
    catalog.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    for part in parts:
        folder.elements.remove(part)
    remove_cached_rows(folder)
    versions = [
        row for doc_id in doc_ids for row in catalog.rows("SELECT * FROM documents WHERE doc_id = ?", (doc_id,))
    ]
    with folder.pack_lock():
        remove_document(folder.documents, *(row["path"] for row in versions))
    for row in versions:
        if row["original"]:
            if row["original_offset"] is None:
                _remove_file(folder, row["original"])
            else:
                _blank(folder.originals, row["original"], row["original_offset"], row["original_length"])
    return len(doc_ids)


def _remove_file(folder: CorpusFolder, original: str) -> None:
    """Remove the artifact directory of a file unless another document has the same original."""
    users = folder.catalog.value(
        "SELECT count(*) FROM documents WHERE original = ? AND status <> 'removed'", (original,)
    )
    directory = original.rpartition("/")[0]
    if not users and directory:
        folder.originals.remove_folder(directory)


def _blank(originals: SafeFolder, file: str, offset: int, length: int | None) -> None:
    """Overwrite a record in a WARC file with a placeholder of the same compressed length, so that other offsets remain valid.

    Raises:
        CorpusError: The record does not exist, or the path is invalid.
    """
    if not originals.exists(file):
        return
    date = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    compressor = zlib.compressobj(9, zlib.DEFLATED, 31)
    record = compressor.compress(_PLACEHOLDER.format(id=uuid.uuid4(), date=date).encode()) + compressor.flush()
    with originals.open(file, "r+b") as handle:
        if length is None or not (offset >= 0 and 0 <= length <= os.fstat(handle.fileno()).st_size - offset):
            raise CorpusError(
                f"originals/{file} has no {length or 0:,} bytes at {offset:,}: corpuskit repair corrects the offset"
            )
        # RFC 1952: the header of ten bytes can be followed by a comment (flag 0x10), used as padding here.
        padding = length - len(record)
        if padding > 0:
            record = record[:3] + b"\x10" + record[4:10] + b" " * (padding - 1) + b"\x00" + record[10:]
        handle.seek(offset)
        handle.write(record[:length])
        handle.flush()
        os.fsync(handle.fileno())
