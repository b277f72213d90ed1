"""Takes documents out of a corpus: text, original, cache and index; a tombstone keeps them from coming back."""

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
from corpuskit.store.document_rows import remove_copy
from corpuskit.store.documents import remove_document
from corpuskit.store.folder import CorpusFolder

_PLACEHOLDER: Final = (
    "WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:{id}>\r\nWARC-Date: {date}\r\n"
    "Content-Type: text/plain\r\nContent-Length: 7\r\n\r\nremoved\r\n\r\n"
)


def remove_documents(folder: CorpusFolder, doc_ids: Sequence[str], reason: str) -> int:
    """Removes all versions of documents; returns how many documents.

    The tombstone comes first: a process that dies in between leaves no document that looks whole, and removing again
    finishes the work. Labels and the crawl's log keep the doc_id and the URL.

    Raises:
        ConfigurationError: no reason is given.
        UnknownDocumentError: a doc_id was never in the corpus; then none is removed.
        CorpusBusyError: documents are being packed; removing again finishes the work.
    """
    if not reason.strip():
        raise ConfigurationError("remove: expected a reason; it is kept with the tombstone")
    catalog = folder.catalog
    known = {row["doc_id"]: row["uri"] for row in catalog.rows("SELECT DISTINCT doc_id, uri FROM documents")}
    unknown = [doc_id for doc_id in doc_ids if doc_id not in known]
    if unknown:
        raise UnknownDocumentError(f"no document {unknown[0]!r} ({len(unknown)} unknown in all)")
    parts: set[str] = set()
    catalog.connection.execute("PRAGMA secure_delete = ON")  # zeros over what SQLite lets go
    with catalog.transaction() as connection:
        for doc_id in doc_ids:
            connection.execute(
                'INSERT OR REPLACE INTO tombstones (doc_id, uri, reason, "when") VALUES (?, ?, ?, ?)',
                (doc_id, known[doc_id], clean(reason), now()),
            )
            connection.execute(
                "UPDATE documents SET status = 'removed', title = NULL, text_hash = NULL, metadata = NULL, "
                "payload_digest = NULL WHERE doc_id = ?",
                (doc_id,),
            )
            connection.execute(
                "UPDATE frontier SET state = 'refused', reason_refused = ? WHERE url = ?",
                (clean(f"removed: {reason}"), known[doc_id]),
            )
            connection.execute("DELETE FROM scores WHERE doc_id = ?", (doc_id,))
            connection.execute("DELETE FROM said WHERE doc_id = ?", (doc_id,))
            connection.execute("DELETE FROM failures WHERE uri = ?", (known[doc_id],))
            parts |= {row[0] for row in catalog.rows("SELECT part FROM element_cache WHERE doc_id = ?", (doc_id,))}
        # A part is written once; one that holds a removed text goes, and is made again without it.
        connection.executemany("DELETE FROM element_cache WHERE part = ?", [(part,) for part in parts])
    catalog.connection.execute("PRAGMA secure_delete = OFF")
    # The log of changes holds the old pages until it is emptied; beside a reader it is emptied later.
    catalog.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    for part in parts:
        folder.elements.remove(part)
    remove_copy(folder)
    versions = [row for id in doc_ids for row in catalog.rows("SELECT * FROM documents WHERE doc_id = ?", (id,))]
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
    """Removes the artifact directory of a file that no other document came from."""
    others = folder.catalog.value(
        "SELECT count(*) FROM documents WHERE original = ? AND status <> 'removed'", (original,)
    )
    directory = original.rpartition("/")[0]
    if not others and directory:
        folder.originals.remove_folder(directory)


def _blank(originals: SafeFolder, file: str, offset: int, length: int | None) -> None:
    """Overwrites a record of a WARC file by a small one of the same packed length: all other offsets stay.

    Raises:
        CorpusError: there is no such record, or the file lies outside of the folder.
    """
    if not originals.exists(file):
        return
    date = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    record = packer.compress(_PLACEHOLDER.format(id=uuid.uuid4(), date=date).encode()) + packer.flush()
    with originals.open(file, "r+b") as handle:
        if length is None or not (offset >= 0 and 0 <= length <= os.fstat(handle.fileno()).st_size - offset):
            raise CorpusError(
                f"originals/{file} has no {length or 0:,} bytes at {offset:,}: corpuskit repair looks where it is"
            )
        # RFC 1952: after the header's ten bytes may stand a comment, here the padding; flag 0x10 says so.
        padding = length - len(record)
        if padding > 0:
            record = record[:3] + b"\x10" + record[4:10] + b" " * (padding - 1) + b"\x00" + record[10:]
        handle.seek(offset)
        handle.write(record[:length])
        handle.flush()
        os.fsync(handle.fileno())
