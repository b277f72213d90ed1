"""Imports the outputs of shards into a corpus."""

from __future__ import annotations

import json
import secrets
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from corpuskit.document import from_nlptext
from corpuskit.document.marks import load_marks
from corpuskit.engine import with_progress
from corpuskit.errors import CorpusError, SourceError
from corpuskit.ingest import document_id
from corpuskit.shards.output import CATALOG_SUFFIX, ELEMENTS_SUFFIX, PARTS, RECORDS_SUFFIX, Output
from corpuskit.shards.shard_extraction import RECORD_COLUMNS, catalog_schema, file_hash
from corpuskit.store import CorpusFolder
from corpuskit.store.catalog import now
from corpuskit.store.document_writer import VersionPlanner, share_of_new_text
from corpuskit.store.formatting import pluralize
from corpuskit.store.packs import PACK_SUFFIX, Pack, PackWriter, close_packs, next_pack
from corpuskit.store.paths import safe_segment

_MERGED: Final = "merged shard "
_COPIED: Final = (
    "title", "media_type", "charset", "lang", "words", "main_words", "elements", "timestamp", "fetched",
    "content_hash", "text_hash", "etag", "last_modified", "source", "extractor", "metadata",
)  # fmt: skip


@dataclass(slots=True)
class MergeReport:
    """Report of a merge.

    Args:
        counts: Number of documents by state: new, changed, unchanged, removed (before, and still removed), failed.

    Attributes:
        shards: Number of shards merged in this call.
        damaged: Name of a shard that was skipped → what is wrong with it.
    """

    shards: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    damaged: dict[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        parts = [f"{count:,} {name}" for name, count in self.counts.items() if count]
        text = f"{pluralize(self.shards, 'shard')}: {', '.join(parts) or 'nothing new'}"
        if self.damaged:
            name, why = next(iter(self.damaged.items()))
            text += f"; {len(self.damaged)} damaged and left out, such as {name}: {why}"
        return text


DocumentFilter = Callable[[Sequence[tuple[str, str, str]]], Sequence[bool]]
"""Function from (URI, title, main text) of documents to whether each is imported."""


def merge(folder: CorpusFolder, out: str, *, progress: bool = True, judge: DocumentFilter | None = None) -> MergeReport:
    """Merge shards into a corpus. Shards merged before are skipped.

    The documents stay packed, and their elements go to the cache. Originals are not copied, except records of remote
    archives in shards of locations. If two shards contain different versions of a page, the second becomes a new
    version. The same call continues a merge that was interrupted.

    Args:
        folder: The corpus folder.
        out: Directory or URL of the outputs of the shards.
        progress: Show a progress bar; without a terminal or notebook, one line per minute.
        judge: Function that selects the documents to import; None: all.

    Raises:
        SourceError: ``out`` does not contain outputs of shards.
        CorpusBusyError: Another process packs or merges.
    """
    output = Output(out)
    names = output.names()
    if not names:
        raise SourceError(
            f"{out}: expected outputs of shards (NAME{CATALOG_SUFFIX}); create them with corpuskit extract --on"
        )
    report = MergeReport()
    with folder.pack_lock():
        for name in with_progress(names, "merge", len(names)) if progress else names:
            with tempfile.TemporaryDirectory(prefix="corpuskit-") as temporary:
                try:
                    _merge_shard(folder, output, name, Path(temporary), report, judge)
                except (SourceError, CorpusError) as error:
                    report.damaged[name] = str(error)
    return report


def _merge_shard(
    folder: CorpusFolder, output: Output, name: str, temporary: Path, report: MergeReport, judge: DocumentFilter | None
) -> None:
    part = output.fetch(name + CATALOG_SUFFIX, temporary)
    digest = file_hash(part)
    # Earlier versions stored the digest under the name of the shard, and names repeat in every fetch.
    if folder.catalog.meta(_MERGED + digest) is not None or folder.catalog.meta(_MERGED + name) == digest:
        return
    rows, digests = _read_part(part)
    parts = (*PARTS[:-1], RECORDS_SUFFIX) if RECORDS_SUFFIX in digests else PARTS[:-1]
    files = {suffix: output.fetch(name + suffix, temporary) for suffix in parts}
    for suffix, file in files.items():
        if digests.get(suffix) != file_hash(file):
            raise SourceError(
                f"{name}{suffix} does not match the digest in {name}{CATALOG_SUFFIX}: extract the shard again"
            )
    extracted = [row for row in rows if row["status"] == "extracted"]
    if judge is not None and extracted:
        with Pack(files[PACK_SUFFIX]) as source:
            is_selected = judge([_read_document(source, row) for row in extracted])
        report.counts["not wanted"] += len(extracted) - sum(map(bool, is_selected))
        extracted = [row for row, is_included in zip(extracted, is_selected, strict=True) if is_included]
    imported = _plan_versions(folder, extracted, report)
    # Elements of a page that occurs twice in the shard cannot be separated, so the cache rebuilds them from the documents.
    times = Counter(row["doc_id"] for row in extracted)
    with_elements = [row for row in imported if times[row["doc_id"]] == 1]
    target = next_pack(folder.documents)
    cache = f"part-{secrets.token_hex(8)}.parquet"
    if imported:
        with Pack(files[PACK_SUFFIX]) as source, PackWriter(target) as writer:
            for row in imported:
                frame = source.packed(row["path"])
                if frame is None:
                    raise SourceError(f"{name}{PACK_SUFFIX} lacks {row['path']}")
                writer.add_packed(row["new_path"], *frame)
        close_packs()
        _write_cache(folder, files[ELEMENTS_SUFFIX], with_elements, cache)
        if RECORDS_SUFFIX in files:
            _copy_records(folder, files[RECORDS_SUFFIX], name, digests[RECORDS_SUFFIX], imported)
    with folder.catalog.transaction() as connection:
        for row in imported:
            folder.catalog.invalidate_score(row["doc_id"], row["text_hash"])
            folder.catalog.clear_failure(row["uri"], ["fetch", "read", "keep", "extract"])
            folder.catalog.insert("documents", _row(connection, row))
        connection.executemany(
            "INSERT OR REPLACE INTO element_cache VALUES (?, ?, ?)",
            [(row["doc_id"], row["version"], cache) for row in with_elements],
        )
        for row in rows:
            if row["status"] == "failed":
                report.counts["failed"] += 1
                failure = {name: row[name] for name in ("uri", "stage", "error", "message")}
                failure |= {"when": now(), "tries": row["tries"] or 1}
                folder.catalog.insert("failures", failure, conflict="REPLACE")
        folder.catalog.set_meta(_MERGED + digest, name)
    report.shards += 1


def _read_document(source: Pack, row: dict[str, Any]) -> tuple[str, str, str]:
    """Return the URI, title and main text of a packed document."""
    packed = source.read(row["path"])
    if packed is None:
        raise SourceError(f"{source.file.name} lacks {row['path']}")
    document = from_nlptext(packed[0], strict=False, where=row["path"])
    if packed[1] is not None:
        load_marks(packed[1], document.table, where=row["path"])
    return row["uri"], row["title"] or "", document.to_text(main=True)


def _copy_records(folder: CorpusFolder, file: Path, name: str, digest: str, imported: list[dict[str, Any]]) -> None:
    """Copy the file of records to the originals, and set its name in the rows.

    The name contains the hash of the file, so that merging a shard again results in the same name.
    """
    size = file.stat().st_size
    for row in imported:
        offset, length = row["original_offset"], row["original_length"]
        if offset is None or length is None or not 0 <= offset < offset + length <= size:
            raise SourceError(
                f"{name}{RECORDS_SUFFIX} has no record of {row['uri'][:200]} at {offset}: extract the shard again"
            )
    original = f"shard-{safe_segment(name)[:80]}-{digest[:12]}.warc.gz"
    with folder.originals.atomic_write(original) as copy, file.open("rb") as source:
        shutil.copyfileobj(source, copy, 1 << 20)
    for row in imported:
        row["original"] = original


def _read_part(part: Path) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return the rows of a catalog part, and the SHA-256 of the other files of the shard by suffix."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(part)
        info = json.loads((table.schema.metadata or {}).get(b"corpuskit", b"{}"))
        for column in RECORD_COLUMNS:  # shards of earlier versions do not have these columns
            if column not in table.schema.names:
                index = catalog_schema().get_field_index(column)
                table = table.add_column(index, column, pa.nulls(len(table), pa.int64()))
        if not table.schema.equals(catalog_schema()) or not isinstance(info.get("sha256"), dict):
            raise SourceError(
                f"{part.name}: expected the columns of this version of corpuskit: extract the shard again"
            )
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, SourceError):
            raise
        raise SourceError(f"{part.name} cannot be read: {error}") from error
    rows = table.to_pylist()
    for row in rows:
        if row["status"] not in {"extracted", "failed"} or not row["uri"]:
            raise SourceError(
                f"{part.name}: expected a URI and the status extracted or failed, got the status {row['status']!r}"
            )
        if row["status"] == "extracted" and row["doc_id"] != document_id(row["uri"]):
            raise SourceError(f"{part.name}: {row['doc_id']} is not the doc_id of {row['uri'][:200]}")
    return rows, info["sha256"]


def _plan_versions(folder: CorpusFolder, rows: list[dict[str, Any]], report: MergeReport) -> list[dict[str, Any]]:
    """Return the rows to import, with their version and path."""
    planner, imported = VersionPlanner(folder.catalog), []
    for row in rows:
        state, version = planner.plan(row["doc_id"], row["uri"], row["content_hash"])
        report.counts[state] += 1
        if version is not None and state != "unchanged":
            imported.append({**row, "version": version.number, "new_path": version.path})
    return imported


def _write_cache(folder: CorpusFolder, file: Path, rows: list[dict[str, Any]], cache: str) -> None:
    """Write the elements of the imported documents to the cache."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    from corpuskit.store.element_cache import cache_schema

    table = pq.read_table(file)
    if table.schema.names != cache_schema().names:
        raise SourceError(f"{file.name}: expected the columns of this version of corpuskit: extract the shard again")
    if sum(row["elements"] for row in rows) != len(table):
        table = table.filter(pc.field("doc_id").isin(pa.array(sorted(row["doc_id"] for row in rows))))
    with folder.elements.atomic_write(cache) as cache_file:
        pq.write_table(table, cache_file, compression="zstd", row_group_size=1 << 18)


def _row(connection: sqlite3.Connection, row: dict[str, Any]) -> dict[str, Any]:
    """Return the catalog row of a document of a shard."""
    original = row.get("original", "")
    texts = zip(row["texts"] or [], row["lengths"] or [], strict=True)
    return {name: row[name] for name in ("doc_id", "version", "uri", "host", *_COPIED)} | {
        "status": "extracted", "path": row["new_path"], "original": original,
        "original_offset": row["original_offset"] if original else None,
        "original_length": row["original_length"] if original else None,
        "unique_share": share_of_new_text(connection, texts),
    }  # fmt: skip
