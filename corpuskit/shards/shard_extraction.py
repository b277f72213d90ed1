"""Extraction of one shard: reads its resources and publishes its outputs. The outputs are the same on every engine."""

from __future__ import annotations

import functools
import hashlib
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from corpuskit import engine
from corpuskit.document import to_nlptext
from corpuskit.document.marks import dump_marks
from corpuskit.extraction import ExtractOptions, extract_bytes
from corpuskit.ingest import EXTRACTOR, LIMITS, ExtractionResult, ExtractionTask, add_provenance, document_id, summarize
from corpuskit.safe_folder import SafeFolder
from corpuskit.shards.inputs import Shard
from corpuskit.shards.output import CATALOG_SUFFIX, ELEMENTS_SUFFIX, PARTS, RECORDS_SUFFIX, Output
from corpuskit.shards.shard_reader import read_shard
from corpuskit.sources.resource import Resource
from corpuskit.store import OriginalLocation
from corpuskit.store.catalog import clean
from corpuskit.store.document_ids import host_with_port
from corpuskit.store.packs import PACK_SUFFIX, PackWriter
from corpuskit.store.paths import document_path, with_suffix

if TYPE_CHECKING:
    import pyarrow as pa

_ROW_GROUP: Final = 1 << 17  # elements
RECORD_COLUMNS: Final = ("original_offset", "original_length")


@dataclass(frozen=True, slots=True)
class ShardTask:
    """Input of a worker for one shard."""

    shard: Shard
    out: str
    options: ExtractOptions


@dataclass(frozen=True, slots=True)
class ShardResult:
    """Result of one shard: number of documents and failures, and whether another worker had finished it before."""

    documents: int = 0
    failures: int = 0
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class _ExtractedDocument:
    """A document extracted by a worker process."""

    task: ExtractionTask
    described: ExtractionResult
    text: bytes
    marks: bytes
    elements: bytes
    etag: str | None
    record: bytes | None = None


def extract_shard(job: ShardTask) -> ShardResult:
    """Extract a shard and publish its outputs, unless they exist.

    Each document is extracted in a separate worker process with the limits of ``add``. If one hangs, crashes or uses
    too much memory, a failure is recorded and the shard continues. The outputs depend only on the input, the options
    and the version of corpuskit. A second extraction, after a crash or in parallel, publishes the same.

    Raises:
        SourceError: The shard cannot be read.
        OSError: A store does not respond.
    """
    name, output = job.shard.name, Output(job.out)
    if output.has(name + CATALOG_SUFFIX):
        return ShardResult(skipped=True)
    with tempfile.TemporaryDirectory(prefix="corpuskit-") as folder:
        writer = _ShardWriter(Path(folder), name)
        with writer:
            for outcome in _outcomes(job):
                writer.add(outcome)
        for suffix in writer.parts:
            output.publish(Path(folder) / (name + suffix), name + suffix)
        # The catalog part is published last and only once: it marks the shard as done.
        is_first = output.publish(Path(folder) / (name + CATALOG_SUFFIX), name + CATALOG_SUFFIX, create=True)
    return ShardResult(writer.documents, writer.failures, skipped=not is_first)


def _outcomes(job: ShardTask) -> Iterator[_ExtractedDocument | tuple[str, str, Exception, int]]:
    """Yield documents and (URI, stage, error, tries), in the order of the shard."""
    failed: list[tuple[int, str, Exception]] = []
    records: dict[int, bytes] = {}  # records bypass the worker processes
    position = 0

    def inputs() -> Iterator[tuple[int, Resource, ExtractOptions]]:
        nonlocal position
        for resource_or_error in read_shard(job.shard, max_bytes=job.options.max_bytes):
            position += 1
            if isinstance(resource_or_error, tuple):
                failed.append((position, *resource_or_error))
            else:
                if resource_or_error.record is not None:
                    records[position] = resource_or_error.record
                yield position, replace(resource_or_error, record=None), job.options

    for outcome in engine.run(
        _extract, inputs(), on="processes", workers=1, limits=LIMITS, last=_extract_without_forms
    ):
        index, resource, _ = outcome.item
        record = records.pop(index, None)
        while failed and failed[0][0] < index:
            _, uri, error = failed.pop(0)
            yield uri, "read", error, 1
        if outcome.value is None:
            assert outcome.error is not None
            yield resource.uri, "extract", outcome.error, outcome.tries
        else:
            yield replace(outcome.value, record=record)
    for _, uri, error in failed:
        yield uri, "read", error, 1


def _extract_without_forms(item: tuple[int, Resource, ExtractOptions]) -> _ExtractedDocument:
    """Extract a document without the forms of a PDF; see :func:`_extract`."""
    index, resource, options = item
    return _extract((index, resource, replace(options, forms=False)))


def _extract(item: tuple[int, Resource, ExtractOptions]) -> _ExtractedDocument:
    """Extract one document. Runs in a worker process."""
    import pyarrow as pa

    from corpuskit.document.dataframes import to_arrow
    from corpuskit.store.element_cache import add_derived_columns

    _, resource, options = item
    task = _task(resource, options)
    document = extract_bytes(
        resource.content, media_type=task.media_type, uri=task.uri, options=options, charset=task.charset
    )
    add_provenance(document, task)
    document = document.normalize()
    described = summarize(document, task)
    sink = pa.BufferOutputStream()
    rows = add_derived_columns(to_arrow(document.table), task.doc_id, described.lang)
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    text = to_nlptext(document).encode()
    return _ExtractedDocument(
        task, described, text, dump_marks(document.table), sink.getvalue().to_pybytes(), resource.etag
    )


@functools.cache
def _prepare() -> None:
    """Import modules before the first document, so that a worker killed meanwhile does not count as a failed try."""
    page = b"<title>A page</title><p>It has a text to tell the language of, and declares no encoding.</p>"
    resource = Resource("http://a.example/", page, "text/html", fetched=datetime.fromtimestamp(0, UTC))
    _extract((0, resource, ExtractOptions()))


_extract.prepare = _prepare  # type: ignore[attr-defined]


def _task(resource: Resource, options: ExtractOptions) -> ExtractionTask:
    return ExtractionTask(
        doc_id=document_id(resource.uri),
        version=1,
        uri=resource.uri,
        media_type=resource.media_type,
        charset=resource.charset,
        location=OriginalLocation(""),
        path=document_path(resource.uri),
        content_hash=hashlib.sha256(resource.content).hexdigest(),
        fetched=resource.fetched.isoformat(),
        modified=resource.modified.isoformat() if resource.modified else None,
        source=resource.source,
        metadata=resource.metadata,
        options=options,
        root=SafeFolder(Path()),
    )


class _ShardWriter:
    """Writer of the files of a shard."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._pack = PackWriter(folder / (name + PACK_SUFFIX))
        self._rows: list[dict[str, Any]] = []
        self._paths: set[str] = set()
        self._pending: list[pa.Table] = []
        self._elements: Any = None
        self._records: IO[bytes] | None = None
        self.documents = self.failures = 0

    @property
    def parts(self) -> tuple[str, ...]:
        """Suffixes of the files, without the catalog part."""
        return PARTS[:-1] if self._records is None else (*PARTS[:-1], RECORDS_SUFFIX)

    def add(self, outcome: _ExtractedDocument | tuple[str, str, Exception, int]) -> None:
        """Add a document or a failure."""
        if isinstance(outcome, tuple):
            uri, stage, error, tries = outcome
            self.failures += 1
            row = {
                "uri": clean(uri),
                "stage": stage,
                "error": type(error).__name__,
                "message": clean(str(error))[:2000],
            }
            self._rows.append({**row, "tries": tries, "status": "failed"})
            return
        import pyarrow as pa

        path = outcome.task.path
        while path.casefold() in self._paths:  # the shard contains the page more than once
            path = with_suffix(outcome.task.path, f"{len(self._paths)}")
        self._paths.add(path.casefold())
        self._pack.add(path, outcome.text, outcome.marks)
        self._rows.append(_row(outcome, path) | self._write_record(outcome.record))
        self.documents += 1
        with pa.ipc.open_stream(outcome.elements) as stream:
            self._pending.append(stream.read_all())
        if sum(map(len, self._pending)) >= _ROW_GROUP:
            self._write_elements()

    def _write_record(self, record: bytes | None) -> dict[str, int]:
        """Write a record, and return its location in the file of records."""
        if record is None:
            return {}
        if self._records is None:
            self._records = (self._folder / (self._name + RECORDS_SUFFIX)).open("wb")
        offset = self._records.tell()
        self._records.write(record)
        return {"original_offset": offset, "original_length": len(record)}

    def _write_elements(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        from corpuskit.store.element_cache import cache_schema

        if self._elements is None:
            file = self._folder / (self._name + ELEMENTS_SUFFIX)
            self._elements = pq.ParquetWriter(file, cache_schema(), compression="zstd")
        if self._pending:
            self._elements.write_table(pa.concat_tables(self._pending).unify_dictionaries().combine_chunks())
            self._pending.clear()

    def __enter__(self) -> _ShardWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: Any) -> None:
        try:
            if kind is None:
                self._write_elements()
        finally:
            self._pack.__exit__(kind, value, trace)
            if self._records is not None:
                self._records.close()
            if self._elements is not None:
                self._elements.close()
        if kind is None:
            self._write_catalog()

    def _write_catalog(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        digests = {suffix: file_hash(self._folder / (self._name + suffix)) for suffix in self.parts}
        schema = catalog_schema().with_metadata({"corpuskit": json.dumps({"made_by": EXTRACTOR, "sha256": digests})})
        table = pa.Table.from_pylist(self._rows, schema=schema)
        pq.write_table(table, self._folder / (self._name + CATALOG_SUFFIX), compression="zstd")


def _row(page: _ExtractedDocument, path: str) -> dict[str, Any]:
    task, described = page.task, page.described
    return {
        "doc_id": task.doc_id, "uri": clean(task.uri), "host": host_with_port(task.uri), "title": clean(described.title),
        "media_type": task.media_type, "charset": task.charset, "lang": described.lang, "words": described.words,
        "main_words": described.main_words, "elements": described.elements, "timestamp": described.timestamp,
        "fetched": task.fetched, "status": "extracted", "path": path, "content_hash": task.content_hash,
        "text_hash": described.text_hash, "etag": page.etag, "last_modified": task.modified,
        "source": task.source, "extractor": EXTRACTOR,
        "metadata": json.dumps(task.metadata, ensure_ascii=False, sort_keys=True) if task.metadata else None,
        "texts": [text for text, _ in described.texts], "lengths": [length for _, length in described.texts],
    }  # fmt: skip


def catalog_schema() -> pa.Schema:
    """Return the schema of a catalog part: one row per document or failure.

    It has the columns of the tables ``documents`` and ``failures`` of the catalog. ``texts`` and ``lengths`` are the
    hash and the number of characters of each text of the document. ``original_offset`` and ``original_length`` locate
    its record in the shard's file of records, if there is one.
    """
    import pyarrow as pa

    texts = (
        "doc_id", "uri", "host", "title", "media_type", "charset", "lang", "timestamp", "fetched", "status", "path",
        "content_hash", "etag", "last_modified", "source", "extractor", "metadata", "stage", "error", "message",
    )  # fmt: skip
    numbers = ("words", "main_words", "elements", "text_hash", "tries", *RECORD_COLUMNS)
    return pa.schema(
        [pa.field(name, pa.string()) for name in texts]
        + [pa.field(name, pa.int64()) for name in numbers]
        + [pa.field("texts", pa.list_(pa.int64())), pa.field("lengths", pa.list_(pa.int32()))]
    )


def file_hash(file: Path) -> str:
    """Return the SHA-256 of a file."""
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
