"""Rows of the catalogue made again from documents and originals."""

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
    """Make rows of all documents and of the originals that wait for one; what cannot be made again is told in the report."""
    used: set[tuple[str, int | None]] = set()
    without_original = 0
    unread: dict[str, str] = {}
    removed = {row[0] for row in catalog.rows("SELECT doc_id FROM tombstones")}
    for paths in _batched(_paths(documents)):
        rows = []
        for name in paths:
            try:
                document = read_document(documents, name, strict=False)
            except (CorpusKitError, OSError) as error:
                unread[name] = str(error)
                continue
            row = _row(name, document, originals, known.get(name))
            if row["doc_id"] in removed:
                continue
            used.add((row["original"], row["original_offset"]))
            without_original += not row["original"] and row["source"] not in {"warc", "parquet"}
            rows.append((row, [text_hash(text) for text in document.text_strings()]))
        with catalog.transaction() as connection:
            for row, texts in rows:
                report.documents += catalog.insert("documents", row, conflict="IGNORE")
                connection.executemany("INSERT OR IGNORE INTO texts (hash) VALUES (?)", [(text,) for text in texts])
    # What was fetched and not extracted, or failed.
    for row in known.values():
        if row["status"] in {"fetched", "failed", "removed"} and _is_sound(row):
            used.add((row["original"], row["original_offset"]))
            with catalog.transaction() as connection:
                report.pending += catalog.insert("documents", row, conflict="IGNORE") and row["status"] == "fetched"
    _again(catalog, originals, known, used, unread, report)
    report.lost += [f"documents/{name}{TEXT_SUFFIX}: {message}" for name, message in unread.items()]
    _pending(catalog, originals, used, removed, report)
    if without_original:
        report.lost.append(
            f"the originals of {pluralize(without_original, 'document')}: nothing in originals/ has their hash"
        )
    report.lost += originals.damaged


def _again(
    catalog: Catalog, originals: OriginalIndex, known: dict[str, dict[str, Any]], used: set[tuple[str, int | None]],
    unread: dict[str, str], report: RepairReport,
) -> None:  # fmt: skip
    """Documents the old catalogue knew whose text is gone or damaged are extracted again where their original is there."""
    gone = []
    for name, row in known.items():
        if row["status"] != "extracted" or not _is_sound(row):
            continue
        here = any(kept.file == row["original"] for kept in originals.by_hash.get(row["content_hash"], []))
        with catalog.transaction():
            if here and catalog.insert("documents", {**row, "status": "fetched", "extractor": None}, conflict="IGNORE"):
                used.add((row["original"], row["original_offset"]))
                unread.pop(name, None)
                report.pending += 1
            elif not here and name not in unread and not catalog.has_document_at(name):
                gone.append(name)
    if gone:
        report.lost.append(f"the texts and the originals of {pluralize(len(gone), 'document')}, such as {gone[0]}")


def _pending(
    catalog: Catalog,
    originals: OriginalIndex,
    used: set[tuple[str, int | None]],
    removed: set[str],
    report: RepairReport,
) -> None:
    """Originals of the web that no document was made from are extracted again; of files the URI is not known."""
    from corpuskit.store.paths import document_path, with_suffix

    unnamed = []
    for digest, places in originals.by_hash.items():
        for kept in places:
            if (kept.file, kept.offset) in used:
                continue
            if kept.uri is None:
                unnamed.append(kept.file)
                continue
            if kept.status != 200 or "://" not in kept.uri:
                continue
            doc_id = document_id(kept.uri)
            if doc_id in removed:
                continue
            version = 1 + int(
                catalog.value("SELECT coalesce(max(version), 0) FROM documents WHERE doc_id = ?", (doc_id,))
            )
            name = document_path(kept.uri) + (f".v{version}" if version > 1 else "")
            if catalog.value("SELECT 1 FROM documents WHERE path = ? COLLATE NOCASE", (name,)):
                name = with_suffix(name, f"{doc_id}.v{version}")
            row = {
                "doc_id": doc_id, "version": version, "uri": kept.uri, "host": host_with_port(kept.uri),
                "media_type": (kept.media_type or "text/html").partition(";")[0].strip(), "fetched": kept.date,
                "status": "fetched", "path": name, "original": kept.file, "original_offset": kept.offset,
                "original_length": kept.length, "content_hash": digest, "source": "web",
            }  # fmt: skip
            with catalog.transaction():
                report.pending += catalog.insert("documents", row, conflict="IGNORE")
    if unnamed:
        report.lost.append(
            f"where {pluralize(len(unnamed), 'file')} in originals/ came from, without a document, such as {unnamed[0]}: "
            "add them again"
        )


def _paths(documents: SafeFolder) -> Iterator[str]:
    """The paths of all documents, of files and in packs, the newest of each first."""
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


def _batched(paths: Iterator[str]) -> Iterator[list[str]]:
    import itertools

    while batch := list(itertools.islice(paths, _BATCH)):
        yield batch


def _row(path: str, document: NLPTextDocument, originals: OriginalIndex, old: dict[str, Any] | None) -> dict[str, Any]:
    """A row of the catalogue: the old one where it fits the document, else made from it."""
    metadata = document.metadata
    digest = metadata.get("original_sha256", "")
    if old is not None and _is_sound(old) and old["uri"] == document.uri and old["content_hash"] == digest:
        return {**old, "status": "extracted"}
    uri = document.uri
    match = _VERSION.search(path)
    kept = originals.take(digest, uri)
    media_type = metadata.get("media_type", "text/html")
    if kept is None and (added := originals.added_text(uri)) is not None:
        (digest, kept), media_type = added, NLPTEXT_TYPE
        if old is not None and _is_sound(old) and old["uri"] == uri and old["original"] == kept.file:
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
        "path": path, "original": kept.file if kept else "", "original_offset": kept.offset if kept else None,
        "original_length": kept.length if kept else None, "content_hash": digest,
        "text_hash": text_hash(main) if main else None, "last_modified": metadata.get("last_modified"),
        "source": metadata.get("source"), "extractor": metadata.get("extractor"),
    }  # fmt: skip


def _is_sound(row: dict[str, Any]) -> bool:
    """A row whose page was not damaged: its parts agree."""
    texts = ("doc_id", "uri", "host", "media_type", "fetched", "status", "path", "original", "content_hash")
    return (
        all(isinstance(row.get(name), str) for name in texts)
        and isinstance(row.get("version"), int)
        and row["doc_id"] == document_id(row["uri"])
        and all(row.get(name) is None or row[name] >= 0 for name in ("original_offset", "original_length"))
        and re.fullmatch(r"[0-9a-f]{64}", row["content_hash"]) is not None
        and all(_stays(row[name]) for name in ("path", "original"))
    )


def _stays(name: str) -> bool:
    with contextlib.suppress(CorpusError):
        split_path(name)
        return True
    return False
