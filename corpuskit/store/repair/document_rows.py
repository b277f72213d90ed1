"""Restoring of document rows from documents and originals."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from corpuskit.document import NLPTextDocument
from corpuskit.errors import CorpusError, CorpusKitError
from corpuskit.safe_folder import SafeFolder, split_path
from corpuskit.sources.nlptext import NLPTEXT_TYPE
from corpuskit.store.catalog import Catalog, clean
from corpuskit.store.document_ids import document_id, host_with_port
from corpuskit.store.documents import TEXT_SUFFIX, read_document
from corpuskit.store.formatting import pluralize
from corpuskit.store.packs import Pack, pack_files
from corpuskit.store.repair.original_index import OriginalIndex
from corpuskit.store.repair.report import RepairReport
from corpuskit.text import count_words, text_hash

_VERSION = re.compile(r"\.v([1-9][0-9]{0,6})(~[0-9a-f]{16}\.v[0-9]+)?\Z")
_BATCH: Final = 500


def restore_documents(
    documents: SafeFolder,
    catalog: Catalog,
    originals: OriginalIndex,
    known: dict[str, dict[str, Any]],
    report: RepairReport,
) -> None:
    """Restore rows of all documents and of originals without a document. Losses are added to the report."""
    used_originals: set[tuple[str, int | None]] = set()
    without_original = 0
    unread: dict[str, str] = {}
    removed = {row[0] for row in catalog.rows("SELECT doc_id FROM tombstones")}
    for paths in _batches(_paths(documents)):
        rows = []
        for name in paths:
            try:
                document = read_document(documents, name, strict=False)
            except (CorpusKitError, OSError) as error:
                unread[name] = str(error)
                continue
            row = _restored_row(name, document, originals, known.get(name))
            if row["doc_id"] in removed:
                continue
            used_originals.add((row["original"], row["original_offset"]))
            without_original += not row["original"] and row["source"] not in {"warc", "parquet"}
            rows.append((row, [text_hash(text) for text in document.text_strings()]))
        with catalog.transaction() as connection:
            for row, texts in rows:
                report.documents += catalog.insert("documents", row, conflict="IGNORE")
                connection.executemany("INSERT OR IGNORE INTO texts (hash) VALUES (?)", [(text,) for text in texts])
    # Documents that were not extracted, failed or were removed.
    for row in known.values():
        if row["status"] in {"fetched", "failed", "removed"} and _is_consistent(row):
            used_originals.add((row["original"], row["original_offset"]))
            with catalog.transaction() as connection:
                report.pending += catalog.insert("documents", row, conflict="IGNORE") and row["status"] == "fetched"
    _restore_unreadable(catalog, originals, known, used_originals, unread, report)
    report.lost += [f"documents/{name}{TEXT_SUFFIX}: {message}" for name, message in unread.items()]
    _restore_pending(catalog, originals, used_originals, removed, report)
    if without_original:
        report.lost.append(
            f"the originals of {pluralize(without_original, 'document')}: no file in originals/ has their hash"
        )
    report.lost += originals.damaged


def _restore_unreadable(
    catalog: Catalog, originals: OriginalIndex, known: dict[str, dict[str, Any]], used_originals: set[tuple[str, int | None]],
    unread: dict[str, str], report: RepairReport,
) -> None:  # fmt: skip
    """Mark documents with a missing or damaged text as pending if their original exists."""
    lost_names = []
    for name, row in known.items():
        if row["status"] != "extracted" or not _is_consistent(row):
            continue
        has_original = any(
            original.file == row["original"] for original in originals.by_hash.get(row["content_hash"], [])
        )
        with catalog.transaction():
            if has_original and catalog.insert(
                "documents", {**row, "status": "fetched", "extractor": None}, conflict="IGNORE"
            ):
                used_originals.add((row["original"], row["original_offset"]))
                unread.pop(name, None)
                report.pending += 1
            elif not has_original and name not in unread and not catalog.has_document_at(name):
                lost_names.append(name)
    if lost_names:
        report.lost.append(
            f"the texts and the originals of {pluralize(len(lost_names), 'document')}, such as {lost_names[0]}"
        )


def _restore_pending(
    catalog: Catalog,
    originals: OriginalIndex,
    used_originals: set[tuple[str, int | None]],
    removed: set[str],
    report: RepairReport,
) -> None:
    """Add rows for web originals without a document. The URIs of other files are unknown."""
    from corpuskit.store.paths import document_path, with_suffix

    unnamed = []
    for digest, indexed in originals.by_hash.items():
        for original in indexed:
            if (original.file, original.offset) in used_originals:
                continue
            if original.uri is None:
                unnamed.append(original.file)
                continue
            if original.status != 200 or "://" not in original.uri:
                continue
            doc_id = document_id(original.uri)
            if doc_id in removed:
                continue
            version = 1 + int(
                catalog.value("SELECT coalesce(max(version), 0) FROM documents WHERE doc_id = ?", (doc_id,))
            )
            name = document_path(original.uri) + (f".v{version}" if version > 1 else "")
            if catalog.value("SELECT 1 FROM documents WHERE path = ? COLLATE NOCASE", (name,)):
                name = with_suffix(name, f"{doc_id}.v{version}")
            row = {
                "doc_id": doc_id, "version": version, "uri": original.uri, "host": host_with_port(original.uri),
                "media_type": (original.media_type or "text/html").partition(";")[0].strip(), "fetched": original.date,
                "status": "fetched", "path": name, "original": original.file, "original_offset": original.offset,
                "original_length": original.length, "content_hash": digest, "source": "web",
            }  # fmt: skip
            with catalog.transaction():
                report.pending += catalog.insert("documents", row, conflict="IGNORE")
    if unnamed:
        report.lost.append(
            f"the URIs of {pluralize(len(unnamed), 'file')} in originals/ without a document, such as {unnamed[0]}: "
            "add them again"
        )


def _paths(documents: SafeFolder) -> Iterator[str]:
    """Yield the paths of all documents in files and packs, the newest version of a path first."""
    seen: set[str] = set()
    for file in sorted(documents.walk(TEXT_SUFFIX)):
        name = file.removesuffix(TEXT_SUFFIX)
        seen.add(name)
        yield name
    for pack in pack_files(documents):
        with contextlib.suppress(CorpusError), Pack(pack) as opened:
            for name in opened.paths():
                if name not in seen:
                    seen.add(name)
                    yield name


def _batches(paths: Iterator[str]) -> Iterator[list[str]]:
    import itertools

    while batch := list(itertools.islice(paths, _BATCH)):
        yield batch


def _restored_row(
    path: str, document: NLPTextDocument, originals: OriginalIndex, old: dict[str, Any] | None
) -> dict[str, Any]:
    """Return the old row if it matches the document, else a row restored from the document."""
    metadata = document.metadata
    digest = metadata.get("original_sha256", "")
    if old is not None and _is_consistent(old) and old["uri"] == document.uri and old["content_hash"] == digest:
        return {**old, "status": "extracted"}
    uri = document.uri
    match = _VERSION.search(path)
    original = originals.find(digest, uri)
    media_type = metadata.get("media_type", "text/html")
    if original is None and (added := originals.added_text(uri)) is not None:
        (digest, original), media_type = added, NLPTEXT_TYPE
        if old is not None and _is_consistent(old) and old["uri"] == uri and old["original"] == original.file:
            return {**old, "status": "extracted"}
    main = document.to_text(main=True)
    timestamp = document.timestamp
    if timestamp is not None:
        timestamp = timestamp.replace(tzinfo=UTC) if timestamp.tzinfo is None else timestamp.astimezone(UTC)
    fetched = metadata.get("fetched") or (timestamp or datetime.fromtimestamp(0, UTC)).isoformat()
    return {
        "doc_id": document_id(uri), "version": int(match[1]) if match else 1, "uri": uri,
        "host": host_with_port(uri), "title": clean(document.title),
        "media_type": media_type, "lang": metadata.get("language"),
        "words": count_words(document.to_text()), "main_words": count_words(main), "elements": len(document.table),
        "timestamp": (timestamp.isoformat() if timestamp else fetched), "fetched": fetched, "status": "extracted",
        "path": path, "original": original.file if original else "", "original_offset": original.offset if original else None,
        "original_length": original.length if original else None, "content_hash": digest,
        "text_hash": text_hash(main) if main else None, "last_modified": metadata.get("last_modified"),
        "source": metadata.get("source"), "extractor": metadata.get("extractor"),
    }  # fmt: skip


def _is_consistent(row: dict[str, Any]) -> bool:
    """Return whether the values of a row are consistent, so that its page was not damaged."""
    texts = ("doc_id", "uri", "host", "media_type", "fetched", "status", "path", "original", "content_hash")
    return (
        all(isinstance(row.get(name), str) for name in texts)
        and isinstance(row.get("version"), int)
        and row["doc_id"] == document_id(row["uri"])
        and all(row.get(name) is None or row[name] >= 0 for name in ("original_offset", "original_length"))
        and re.fullmatch(r"[0-9a-f]{64}", row["content_hash"]) is not None
        and all(_is_relative(row[name]) for name in ("path", "original"))
    )


def _is_relative(name: str) -> bool:
    with contextlib.suppress(CorpusError):
        split_path(name)
        return True
    return False
