"""Takes the outputs of shards into a corpus."""

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
from corpuskit.store.packs import PACK_SUFFIX, Pack, PackWriter, forget_packs, next_pack
from corpuskit.store.paths import safe_segment
from corpuskit.store.telling import counted

_MERGED: Final = "merged shard "
_COPIED: Final = (
    "title", "media_type", "charset", "lang", "words", "main_words", "elements", "timestamp", "fetched",
    "content_hash", "text_hash", "etag", "last_modified", "source", "extractor", "metadata",
)  # fmt: skip


@dataclass(slots=True)
class MergeReport:
    """How many documents were new, changed, unchanged or removed before (and stay so), how many failures were noted.

    Args:
        counts: Number of documents by what became of them.

    Attributes:
        shards: how many were merged now.
        damaged: name of a shard → what is wrong with it; it was left out.
    """

    shards: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    damaged: dict[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        parts = [f"{count:,} {name}" for name, count in self.counts.items() if count]
        text = f"{counted(self.shards, 'shard')}: {', '.join(parts) or 'nothing new'}"
        if self.damaged:
            name, why = next(iter(self.damaged.items()))
            text += f"; {len(self.damaged)} damaged and left out, such as {name}: {why}"
        return text


Judge = Callable[[Sequence[tuple[str, str, str]]], Sequence[bool]]
"""Of (URI, title, main text) of documents, which are taken in."""


def merge(folder: CorpusFolder, out: str, *, progress: bool = True, judge: Judge | None = None) -> MergeReport:
    """Merge shards into a corpus; those merged before are passed over.

    Documents arrive packed, their elements in the cache. Their originals stay where they are; of records of archives
    elsewhere, which shards of places keep, the originals come too. Of two contents of one page the second is a new
    version. A process that dies goes on where it stopped.

    Args:
        folder: the corpus.
        out: where the outputs of the shards are.
        progress: shows a bar, outside a terminal or notebook a line a minute.
        judge: says which documents are taken in; None: all.

    Raises:
        SourceError: there are no outputs of shards.
        CorpusBusyError: another process packs or merges.
    """
    output = Output(out)
    names = output.names()
    if not names:
        raise SourceError(f"{out}: no outputs of shards (NAME{CATALOG_SUFFIX}); corpuskit extract --on makes them")
    report = MergeReport()
    with folder.packing():
        for name in with_progress(names, "merge", len(names)) if progress else names:
            with tempfile.TemporaryDirectory(prefix="corpuskit-") as temporary:
                try:
                    _merge_shard(folder, output, name, Path(temporary), report, judge)
                except (SourceError, CorpusError) as error:
                    report.damaged[name] = str(error)
    return report


def _merge_shard(
    folder: CorpusFolder, output: Output, name: str, temporary: Path, report: MergeReport, judge: Judge | None
) -> None:
    part = output.fetch(name + CATALOG_SUFFIX, temporary)
    digest = file_hash(part)
    # Earlier versions kept the last shard of a name only; those of every fetch are called alike.
    if folder.catalog.meta(_MERGED + digest) is not None or folder.catalog.meta(_MERGED + name) == digest:
        return
    rows, digests = _read_part(part)
    parts = (*PARTS[:-1], RECORDS_SUFFIX) if RECORDS_SUFFIX in digests else PARTS[:-1]
    files = {suffix: output.fetch(name + suffix, temporary) for suffix in parts}
    for suffix, file in files.items():
        if digests.get(suffix) != file_hash(file):
            raise SourceError(f"{name}{suffix} is not what {name}{CATALOG_SUFFIX} was made with: extract it again")
    extracted = [row for row in rows if row["status"] == "extracted"]
    if judge is not None and extracted:
        with Pack(files[PACK_SUFFIX]) as source:
            wanted = judge([_read(source, row) for row in extracted])
        report.counts["not wanted"] += len(extracted) - sum(map(bool, wanted))
        extracted = [row for row, is_wanted in zip(extracted, wanted, strict=True) if is_wanted]
    taken = _states(folder, extracted, report)
    # The elements of a page that stands twice in the shard are told apart by its document only: the cache makes them anew.
    times = Counter(row["doc_id"] for row in extracted)
    cached = [row for row in taken if times[row["doc_id"]] == 1]
    target = next_pack(folder.documents)
    cache = f"part-{secrets.token_hex(8)}.parquet"
    if taken:
        with Pack(files[PACK_SUFFIX]) as source, PackWriter(target) as writer:
            for row in taken:
                frame = source.packed(row["path"])
                if frame is None:
                    raise SourceError(f"{name}{PACK_SUFFIX} lacks {row['path']}")
                writer.add_packed(row["new_path"], *frame)
        forget_packs()
        _write_cache(folder, files[ELEMENTS_SUFFIX], cached, cache)
        if RECORDS_SUFFIX in files:
            _keep_records(folder, files[RECORDS_SUFFIX], name, digests[RECORDS_SUFFIX], taken)
    with folder.catalog.transaction() as connection:
        for row in taken:
            folder.catalog.forget_score(row["doc_id"], row["text_hash"])
            folder.catalog.clear_failure(row["uri"], ["fetch", "read", "keep", "extract"])
            folder.catalog.insert("documents", _row(connection, row))
        connection.executemany(
            "INSERT OR REPLACE INTO element_cache VALUES (?, ?, ?)",
            [(row["doc_id"], row["version"], cache) for row in cached],
        )
        for row in rows:
            if row["status"] == "failed":
                report.counts["failed"] += 1
                failure = {name: row[name] for name in ("uri", "stage", "error", "message")}
                failure |= {"when": now(), "tries": row["tries"] or 1}
                folder.catalog.insert("failures", failure, conflict="REPLACE")
        folder.catalog.set_meta(_MERGED + digest, name)
    report.shards += 1


def _read(source: Pack, row: dict[str, Any]) -> tuple[str, str, str]:
    """URI, title and main text of a packed document."""
    found = source.read(row["path"])
    if found is None:
        raise SourceError(f"{source.file.name} lacks {row['path']}")
    document = from_nlptext(found[0], strict=False, where=row["path"])
    if found[1] is not None:
        load_marks(found[1], document.table, where=row["path"])
    return row["uri"], row["title"] or "", document.to_text(main=True)


def _keep_records(folder: CorpusFolder, file: Path, name: str, digest: str, taken: list[dict[str, Any]]) -> None:
    """Copies the records among the originals, and tells the rows where each one is.

    The file's name has its hash: a shard that is merged a second time has the same one.
    """
    size = file.stat().st_size
    for row in taken:
        offset, length = row["original_offset"], row["original_length"]
        if offset is None or length is None or not 0 <= offset < offset + length <= size:
            raise SourceError(f"{name}{RECORDS_SUFFIX} has no record of {row['uri'][:200]} at {offset}")
    original = f"shard-{safe_segment(name)[:80]}-{digest[:12]}.warc.gz"
    with folder.originals.replacing(original) as copy, file.open("rb") as source:
        shutil.copyfileobj(source, copy, 1 << 20)
    for row in taken:
        row["original"] = original


def _read_part(part: Path) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The rows of a catalogue part, and the SHA-256 of the files beside it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(part)
        info = json.loads((table.schema.metadata or {}).get(b"corpuskit", b"{}"))
        for column in RECORD_COLUMNS:  # shards of earlier versions have no records
            if column not in table.schema.names:
                at = catalog_schema().get_field_index(column)
                table = table.add_column(at, column, pa.nulls(len(table), pa.int64()))
        if not table.schema.equals(catalog_schema()) or not isinstance(info.get("sha256"), dict):
            raise SourceError(f"{part.name} has other columns than this version of corpuskit writes")
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, SourceError):
            raise
        raise SourceError(f"{part.name} cannot be read: {error}") from error
    rows = table.to_pylist()
    for row in rows:
        if row["status"] not in {"extracted", "failed"} or not row["uri"]:
            raise SourceError(f"{part.name}: a row without a URI or of status {row['status']!r}")
        if row["status"] == "extracted" and row["doc_id"] != document_id(row["uri"]):
            raise SourceError(f"{part.name}: {row['doc_id']} is not the doc_id of {row['uri'][:200]}")
    return rows, info["sha256"]


def _states(folder: CorpusFolder, rows: list[dict[str, Any]], report: MergeReport) -> list[dict[str, Any]]:
    """The rows to be taken in, with their version and path."""
    planner, taken = VersionPlanner(folder.catalog), []
    for row in rows:
        state, version = planner.plan(row["doc_id"], row["uri"], row["content_hash"])
        report.counts[state] += 1
        if version is not None and state != "unchanged":
            taken.append({**row, "version": version.number, "new_path": version.path})
    return taken


def _write_cache(folder: CorpusFolder, file: Path, taken: list[dict[str, Any]], cache: str) -> None:
    """The elements of the documents that are taken in."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    from corpuskit.store.element_cache import cache_schema

    table = pq.read_table(file)
    if table.schema.names != cache_schema().names:
        raise SourceError(f"{file.name} has other columns than this version of corpuskit writes")
    if sum(row["elements"] for row in taken) != len(table):
        table = table.filter(pc.field("doc_id").isin(pa.array(sorted(row["doc_id"] for row in taken))))
    with folder.elements.replacing(cache) as written:
        pq.write_table(table, written, compression="zstd", row_group_size=1 << 18)


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
