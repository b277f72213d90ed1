"""The shard function: one shard in, its outputs published. The same wherever it runs, and however often."""

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
from corpuskit.ingest import EXTRACTOR, LIMITS, Extracted, Task, complete, describe, document_id
from corpuskit.safe_folder import SafeFolder
from corpuskit.shards.inputs import Shard
from corpuskit.shards.output import CATALOG_SUFFIX, ELEMENTS_SUFFIX, PARTS, RECORDS_SUFFIX, Output
from corpuskit.shards.shard_reader import read_shard
from corpuskit.sources.resource import Resource
from corpuskit.store import Place
from corpuskit.store.catalog import clean
from corpuskit.store.identity import host_column
from corpuskit.store.packs import PACK_SUFFIX, PackWriter
from corpuskit.store.paths import document_path, with_suffix

if TYPE_CHECKING:
    import pyarrow as pa

_ROW_GROUP: Final = 1 << 17  # elements
RECORD_COLUMNS: Final = ("original_offset", "original_length")


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker needs to do one shard."""

    shard: Shard
    out: str
    options: ExtractOptions


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a shard: documents extracted, failures among them told as rows, and whether others were first."""

    documents: int = 0
    failures: int = 0
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class _Page:
    """A document as it comes out of a worker."""

    task: Task
    described: Extracted
    text: bytes
    marks: bytes
    elements: bytes
    etag: str | None
    record: bytes | None = None


def extract_shard(job: Job) -> Done:
    """Extracts a shard and publishes its outputs; does nothing where they are there.

    Each document is extracted in a worker process of its own, under the limits of ``add``: one that hangs, crashes or
    eats memory is a row of the failures, and the shard goes on. The outputs depend on the input, the options and the
    version of corpuskit only. Whoever does a shard a second time, after a crash or beside another, publishes the same.

    Raises:
        SourceError: the shard cannot be read.
        OSError: a store does not answer.
    """
    name, output = job.shard.name, Output(job.out)
    if output.has(name + CATALOG_SUFFIX):
        return Done(skipped=True)
    with tempfile.TemporaryDirectory(prefix="corpuskit-") as folder:
        writer = _ShardWriter(Path(folder), name)
        with writer:
            for found in _extracted(job):
                writer.add(found)
        for suffix in writer.parts:
            output.publish(Path(folder) / (name + suffix), name + suffix)
        # Last, and only once: with it the shard is done.
        first = output.publish(Path(folder) / (name + CATALOG_SUFFIX), name + CATALOG_SUFFIX, create=True)
    return Done(writer.documents, writer.failures, skipped=not first)


def _extracted(job: Job) -> Iterator[_Page | tuple[str, str, Exception, int]]:
    """Documents and (URI, stage, error, tries), in the order of the shard."""
    failed: list[tuple[int, str, Exception]] = []
    records: dict[int, bytes] = {}  # they need not go through the workers
    position = 0

    def inputs() -> Iterator[tuple[int, Resource, ExtractOptions]]:
        nonlocal position
        for found in read_shard(job.shard, max_bytes=job.options.max_bytes):
            position += 1
            if isinstance(found, tuple):
                failed.append((position, *found))
            else:
                if found.record is not None:
                    records[position] = found.record
                yield position, replace(found, record=None), job.options

    for outcome in engine.run(_extract, inputs(), on="processes", workers=1, limits=LIMITS, last=_extract_carefully):
        at, resource, _ = outcome.item
        record = records.pop(at, None)
        while failed and failed[0][0] < at:
            _, uri, error = failed.pop(0)
            yield uri, "read", error, 1
        if outcome.value is None:
            assert outcome.error is not None
            yield resource.uri, "extract", outcome.error, outcome.tries
        else:
            yield replace(outcome.value, record=record)
    for _, uri, error in failed:
        yield uri, "read", error, 1


def _extract_carefully(item: tuple[int, Resource, ExtractOptions]) -> _Page:
    """As :func:`_extract`, without the forms of a PDF."""
    at, resource, options = item
    return _extract((at, resource, replace(options, forms=False)))


def _extract(item: tuple[int, Resource, ExtractOptions]) -> _Page:
    """One document. Runs in a worker process."""
    import pyarrow as pa

    from corpuskit.document.frames import to_arrow
    from corpuskit.store.element_cache import with_derived

    _, resource, options = item
    task = _task(resource, options)
    document = extract_bytes(
        resource.content, media_type=task.media_type, uri=task.uri, options=options, charset=task.charset
    )
    complete(document, task)
    document = document.normalize()
    described = describe(document, task)
    sink = pa.BufferOutputStream()
    rows = with_derived(to_arrow(document.table), task.doc_id, described.lang)
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    text = to_nlptext(document).encode()
    return _Page(task, described, text, dump_marks(document.table), sink.getvalue().to_pybytes(), resource.etag)


@functools.cache
def _prepare() -> None:
    """Loads what the first document of a worker would wait for: a worker killed meanwhile is no try of that document."""
    page = b"<title>A page</title><p>It has a text to tell the language of, and declares no encoding.</p>"
    resource = Resource("http://a.example/", page, "text/html", fetched=datetime.fromtimestamp(0, UTC))
    _extract((0, resource, ExtractOptions()))


_extract.prepare = _prepare  # type: ignore[attr-defined]


def _task(resource: Resource, options: ExtractOptions) -> Task:
    return Task(
        doc_id=document_id(resource.uri),
        version=1,
        uri=resource.uri,
        media_type=resource.media_type,
        charset=resource.charset,
        place=Place(""),
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
    """Writes the files of a shard."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._pack = PackWriter(folder / (name + PACK_SUFFIX))
        self._rows: list[dict[str, Any]] = []
        self._taken: set[str] = set()
        self._pending: list[pa.Table] = []
        self._elements: Any = None
        self._records: IO[bytes] | None = None
        self.documents = self.failures = 0

    @property
    def parts(self) -> tuple[str, ...]:
        """The suffixes of the files, but for the catalogue part."""
        return PARTS[:-1] if self._records is None else (*PARTS[:-1], RECORDS_SUFFIX)

    def add(self, found: _Page | tuple[str, str, Exception, int]) -> None:
        """Adds a document, or a failure."""
        if isinstance(found, tuple):
            uri, stage, error, tries = found
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

        path = found.task.path
        while path.casefold() in self._taken:  # the page stands twice in the shard
            path = with_suffix(found.task.path, f"{len(self._taken)}")
        self._taken.add(path.casefold())
        self._pack.add(path, found.text, found.marks)
        self._rows.append(_row(found, path) | self._keep(found.record))
        self.documents += 1
        with pa.ipc.open_stream(found.elements) as stream:
            self._pending.append(stream.read_all())
        if sum(map(len, self._pending)) >= _ROW_GROUP:
            self._write_elements()

    def _keep(self, record: bytes | None) -> dict[str, int]:
        """Keeps a record; returns its place in the file of records."""
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


def _row(page: _Page, path: str) -> dict[str, Any]:
    task, described = page.task, page.described
    return {
        "doc_id": task.doc_id, "uri": clean(task.uri), "host": host_column(task.uri), "title": clean(described.title),
        "media_type": task.media_type, "charset": task.charset, "lang": described.lang, "words": described.words,
        "main_words": described.main_words, "elements": described.elements, "timestamp": described.timestamp,
        "fetched": task.fetched, "status": "extracted", "path": path, "content_hash": task.content_hash,
        "text_hash": described.text_hash, "etag": page.etag, "last_modified": task.modified,
        "source": task.source, "extractor": EXTRACTOR,
        "metadata": json.dumps(task.metadata, ensure_ascii=False, sort_keys=True) if task.metadata else None,
        "texts": [text for text, _ in described.texts], "lengths": [length for _, length in described.texts],
    }  # fmt: skip


def catalog_schema() -> pa.Schema:
    """A row a document or failure: the columns of ``documents`` in the catalogue, and those of ``failures``.

    ``texts`` and ``lengths``: the hash and the characters of each of its texts. ``original_offset`` and ``original_length``:
    its record in the shard's file of records, where there is one.
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
    """SHA-256 of a file."""
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
