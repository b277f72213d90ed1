"""Ingestion of resources: each becomes a stored original, a document and a row of the catalog, or a failure row.

It has three steps, so that the second one can run in worker processes: :func:`register` stores the original and adds a
row with the status ``fetched``, :func:`extract` writes the files of the document, and :func:`commit` sets the status to
``extracted``. If the process is killed in between, rows remain ``fetched`` and :func:`extract_pending` completes them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from corpuskit import engine
from corpuskit._version import __version__
from corpuskit.dates import as_utc
from corpuskit.document import NLPTextDocument
from corpuskit.errors import CorpusError, CorpusKitError
from corpuskit.extraction import ExtractOptions, extract_bytes
from corpuskit.extraction.pdf import PDF_TYPE, has_artifacts
from corpuskit.safe_folder import SafeFolder
from corpuskit.sources.nlptext import NLPTEXT_TYPE
from corpuskit.sources.resource import Resource
from corpuskit.store import CorpusFolder, OriginalLocation
from corpuskit.store.document_ids import document_id, host_with_port
from corpuskit.store.document_metadata import save_metadata as keep_said
from corpuskit.store.document_metadata import select_metadata
from corpuskit.store.document_writer import State, VersionPlanner, share_of_new_text
from corpuskit.store.documents import write_document
from corpuskit.store.element_cache import invalidate_elements
from corpuskit.store.originals import AddedRecordWriter, read_original, store_companion_files, store_file
from corpuskit.text import count_words, detect_language, text_hash

EXTRACTOR: Final = f"corpuskit {__version__}"
LIMITS: Final = engine.Limits(seconds=120, memory=6 * 1024**3)
_PENDING_BATCH: Final = 500
_MAX_SCORED_CHARACTERS: Final = 100_000  # of the main text, passed on for scoring


@dataclass(frozen=True, slots=True)
class RegisteredResource:
    """A resource with a stored original."""

    doc_id: str
    version: int
    state: State


@dataclass(frozen=True, slots=True)
class ExtractionTask:
    """Input of the extraction of one document in a worker process."""

    doc_id: str
    version: int
    uri: str
    media_type: str
    charset: str | None
    location: OriginalLocation
    path: str
    content_hash: str
    fetched: str
    modified: str | None
    source: str
    metadata: dict[str, str]
    options: ExtractOptions
    root: SafeFolder
    textworks: bool = False


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """Values of an extracted document for the catalog.

    Attributes:
        title: Title of the document.
        lang: Language code.
        words: Number of words.
        main_words: Number of words of the main content.
        elements: Number of elements.
        timestamp: Date of the document, ISO 8601.
        text_hash: Hash of the main text, or None without one.
        metadata: Columns of the document metadata, as JSON.
        text: Beginning of the main text.
        texts: Hash and length of each text and title.
    """

    title: str
    lang: str
    words: int
    main_words: int
    elements: int
    timestamp: str
    text_hash: int | None
    metadata: str
    text: str = field(repr=False)
    texts: tuple[tuple[int, int], ...] = field(repr=False)


@dataclass(slots=True)
class IngestReport:
    """Counts of an ingestion: resources that were new, changed, unchanged, removed earlier (and not added again), or failed.

    Attributes:
        counts: Number of resources by outcome; ``requests`` is the number imported from logs of other crawlers.
        left_out: Corpus folders that were found among the files and skipped.
    """

    counts: Counter[str] = field(default_factory=Counter)
    left_out: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> int:
        if name in {"new", "changed", "unchanged", "removed", "failed", "requests"}:
            return self.counts[name]
        raise AttributeError(name)

    @property
    def summary(self) -> str:
        """The counts as one line of text."""
        parts = [f"{count:,} {name}" for name, count in self.counts.items() if count]
        corpora = f"; skipped because they are corpora: {', '.join(self.left_out)}" if self.left_out else ""
        return (", ".join(parts) or "nothing to add") + corpora

    def __repr__(self) -> str:
        return self.summary + ("; see corpus.failures()" if self.counts["failed"] else "")


def ingest(
    folder: CorpusFolder,
    resources: Iterable[Resource | tuple[str, Exception]],
    *,
    progress: bool = True,
    textworks: bool | None = None,
) -> IngestReport:
    """Store and extract resources, and return the counts. An item ``(uri, error)`` is a resource that could not be read.

    Args:
        folder: The corpus.
        resources: The resources.
        progress: Show a progress bar.
        textworks: Write the artifacts of TextWorks next to the originals of PDF files; default: the setting in
            corpus.toml.
    """
    report = IngestReport()
    if textworks is None:
        textworks = folder.settings.pdf.textworks

    def tasks() -> Iterator[ExtractionTask]:
        for resource in resources:
            if isinstance(resource, tuple):
                folder.catalog.add_failure(resource[0], "read", resource[1])
                report.counts["failed"] += 1
                continue
            try:
                registered = register(folder, resource, store=_record_writer(records, resource))
            except (CorpusKitError, OSError, ValueError) as error:  # ValueError: an invalid URI
                folder.catalog.add_failure(resource.uri, "keep", error)
                report.counts["failed"] += 1
                continue
            folder.catalog.clear_failure(resource.uri, ["read", "keep"])
            is_known = registered.state in {"unchanged", "removed"}
            task = None if is_known else load_task(folder, registered.doc_id, registered.version)
            if registered.state == "unchanged" and (resource.sidecars or textworks):
                task = _reextraction_task(folder, registered, resource, textworks=textworks)
            if task is None:
                report.counts[registered.state] += 1
            else:
                states[(registered.doc_id, registered.version)] = registered.state
                yield replace(task, textworks=textworks)

    states: dict[tuple[str, int], State] = {}
    with closing(AddedRecordWriter(folder.originals)) as records:
        for outcome in extract_all(folder, tasks(), progress="add" if progress else None):
            task = outcome.item
            state = states.pop((task.doc_id, task.version), "new")
            report.counts["failed" if outcome.error is not None else state] += 1
    return report


def _reextraction_task(
    folder: CorpusFolder, known: RegisteredResource, resource: Resource, *, textworks: bool
) -> ExtractionTask | None:
    """Return a task for a known original if its companion files have changed or requested artifacts are missing."""
    task = load_task(folder, known.doc_id, known.version)
    has_changed = task.location.offset is None and store_companion_files(
        folder.originals, task.location, resource.sidecars
    )
    is_missing = textworks and task.media_type == PDF_TYPE and not has_artifacts(_artifact_folder(task))
    return task if has_changed or is_missing else None


def _artifact_folder(task: ExtractionTask) -> SafeFolder:
    """Return the artifact directory of an original that is stored as a file."""
    return task.root.subfolder("originals").subfolder(task.location.file.rpartition("/")[0])


def _record_writer(records: AddedRecordWriter, resource: Resource) -> Callable[[Resource], OriginalLocation] | None:
    """Return a function that stores an original as a WARC record, or None for a file, which is stored as a file."""
    if resource.source == "file":
        return None
    return lambda item: records.write(item.uri, item.fetched, item.headers, item.media_type, item.content)


def find_payload(folder: CorpusFolder, digest: str) -> tuple[bytes, str, str | None] | None:
    """Return content, media type and charset of a document from a WARC record with this payload digest, or None."""
    catalog = folder.catalog
    rows = catalog.rows(
        "SELECT original, original_offset, original_length, media_type, charset FROM documents "
        "WHERE payload_digest = ? AND status <> 'removed' AND original <> '' "
        "ORDER BY doc_id, version DESC LIMIT 1",
        (digest,),
    )
    if not rows:
        return None
    file, offset, length, media_type, charset = rows[0]
    return read_original(folder.originals, OriginalLocation(file, offset, length)), media_type, charset


def register(
    folder: CorpusFolder, resource: Resource, *, store: Callable[[Resource], OriginalLocation] | None = None
) -> RegisteredResource:
    """Store the original of a resource and add a row to the catalog. Known content is not stored again.

    Args:
        folder: The corpus.
        resource: The resource.
        store: Function that stores a new original, for example as a WARC record, and returns its location. By default
            the original is stored as a file.
    """
    catalog = folder.catalog
    content_hash = hashlib.sha256(resource.content).hexdigest()
    with catalog.transaction() as connection:
        doc_id, uri = _identity(folder, resource, content_hash)
        state, version = VersionPlanner(catalog).plan(doc_id, uri, content_hash)
        if version is None:
            return RegisteredResource(doc_id, 0, state)
        if state == "unchanged":
            if version.status != "extracted":  # retry after a failure
                connection.execute(
                    "UPDATE documents SET status = 'fetched', extractor = NULL, media_type = ? "
                    "WHERE doc_id = ? AND version = ?",
                    (resource.media_type, doc_id, version.number),
                )
                state = "new" if version.number == 1 else "changed"
            return RegisteredResource(doc_id, version.number, state)
        if store is not None:
            location = store(resource)
        else:
            location = store_file(folder.originals, resource.name or uri.rpartition("/")[2], resource.content, doc_id)
            store_companion_files(folder.originals, location, resource.sidecars)
        catalog.insert(
            "documents",
            {
                "doc_id": doc_id, "version": version.number, "uri": uri, "host": host_with_port(uri),
                "media_type": resource.media_type, "charset": resource.charset,
                "fetched": resource.fetched.astimezone(UTC).isoformat(), "status": "fetched", "path": version.path,
                "original": location.file, "original_offset": location.offset, "original_length": location.length,
                "content_hash": content_hash, "origin": resource.origin, "etag": resource.etag,
                "last_modified": resource.modified.astimezone(UTC).isoformat() if resource.modified else None,
                "source": resource.source,
                "metadata": json.dumps(resource.metadata, ensure_ascii=False) if resource.metadata else None,
                "payload_digest": resource.metadata.get("payload_digest"),
            },
        )  # fmt: skip
    return RegisteredResource(doc_id, version.number, state)


def _identity(folder: CorpusFolder, resource: Resource, content_hash: str) -> tuple[str, str]:
    """Return doc_id and URI. A file with the name of one from another directory, but other content, gets a hash in its URI."""
    doc_id = document_id(resource.uri)
    if resource.origin is None:
        return doc_id, resource.uri
    origins = folder.catalog.rows("SELECT origin, content_hash FROM documents WHERE doc_id = ?", (doc_id,))
    is_same_document = not origins or any(
        row["origin"] == resource.origin or row["content_hash"] == content_hash for row in origins
    )
    if is_same_document:
        return doc_id, resource.uri
    uri = f"{resource.uri}#{resource.origin[:8]}"
    return document_id(uri), uri


def load_task(folder: CorpusFolder, doc_id: str, version: int) -> ExtractionTask:
    """Return the extraction task of a registered document.

    Raises:
        CorpusError: The row is missing although an index of the catalog lists it: the catalog is damaged.
    """
    row = folder.catalog.connection.execute(
        "SELECT * FROM documents WHERE doc_id = ? AND version = ?", (doc_id, version)
    ).fetchone()
    if row is None:
        raise CorpusError(
            f"catalog.sqlite is damaged (missing row of {doc_id}): corpuskit repair rebuilds it from the other files"
        )
    return ExtractionTask(
        doc_id=doc_id,
        version=version,
        uri=row["uri"],
        media_type=row["media_type"],
        charset=row["charset"],
        location=OriginalLocation(row["original"], row["original_offset"], row["original_length"]),
        path=row["path"],
        content_hash=row["content_hash"],
        fetched=row["fetched"],
        modified=row["last_modified"],
        source=row["source"],
        metadata=_parse_metadata(row["metadata"]),
        options=folder.settings.extraction_for(row["host"]),
        root=folder.root,
    )


def _parse_metadata(text: str | None) -> dict[str, Any]:
    """Parse the metadata of a source. Invalid JSON results in an empty dictionary, so that other rows are processed."""
    try:
        metadata = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return metadata if isinstance(metadata, dict) else {}


def pending_tasks(folder: CorpusFolder) -> Iterator[ExtractionTask]:
    """Yield tasks for all documents with the status ``fetched``, including those of a killed process."""
    last = ("", 0)
    while rows := folder.catalog.rows(
        "SELECT doc_id, version FROM documents WHERE status = 'fetched' AND (doc_id, version) > (?, ?) "
        "ORDER BY doc_id, version LIMIT ?",
        (*last, _PENDING_BATCH),
    ):
        for row in rows:
            yield load_task(folder, row["doc_id"], row["version"])
        last = (rows[-1]["doc_id"], rows[-1]["version"])


def extract_pending(folder: CorpusFolder, *, progress: str | None = None) -> int:
    """Extract the documents with the status ``fetched`` and return their number."""
    return sum(1 for _ in extract_all(folder, pending_tasks(folder), progress=progress))


def extract_all(
    folder: CorpusFolder, tasks: Iterable[ExtractionTask], *, progress: str | None = None
) -> Iterator[engine.Outcome[ExtractionTask, ExtractionResult]]:
    """Extract documents in worker processes, commit the outcomes and yield them."""
    for outcome in engine.run(
        extract, tasks, on="processes", limits=LIMITS, last=extract_without_forms, progress=progress
    ):
        commit(folder, outcome)
        yield outcome


def extract(task: ExtractionTask) -> ExtractionResult:
    """Extract one document and write its files. Runs in a worker process."""
    originals = task.root.subfolder("originals")
    content = read_original(originals, task.location)
    wants_artifacts = task.location.offset is None and (task.textworks or task.media_type == NLPTEXT_TYPE)
    document = extract_bytes(
        content,
        media_type=task.media_type,
        uri=task.uri,
        options=task.options,
        charset=task.charset,
        artifacts=_artifact_folder(task) if wants_artifacts else None,
    )
    add_provenance(document, task)
    return summarize(write_document(task.root.subfolder("documents"), task.path, document), task)


def extract_without_forms(task: ExtractionTask) -> ExtractionResult:
    """Extract a document without the forms of a PDF: damaged forms can crash the PDF library."""
    return extract(replace(task, options=replace(task.options, forms=False)))


def summarize(document: NLPTextDocument, task: ExtractionTask) -> ExtractionResult:
    """Return the values of a document in normal form for the catalog."""
    main = document.to_text(main=True)
    full_text = document.to_text()
    words = count_words(full_text)
    return ExtractionResult(
        title=document.title,
        lang=document.metadata["language"],
        words=words,
        main_words=words if main == full_text else count_words(main),
        elements=len(document.table),
        timestamp=as_utc(document.timestamp or datetime.fromisoformat(task.fetched)).isoformat(),
        text_hash=text_hash(main) if main else None,
        metadata=select_metadata(document.metadata),
        text=main[:_MAX_SCORED_CHARACTERS],
        texts=tuple((text_hash(text), len(text)) for text in document.text_strings()),
    )


def add_provenance(document: NLPTextDocument, task: ExtractionTask) -> None:
    """Add the provenance and the best date to the metadata: the date of the page, else of the server or file, else of fetching.

    Metadata in a ``.nlp.txt`` file takes precedence.
    """
    own_metadata = dict(document.metadata) if task.media_type == NLPTEXT_TYPE else {}
    metadata = document.metadata
    document.uri = task.uri
    if document.timestamp is None:
        document.timestamp = datetime.fromisoformat(task.modified or task.fetched)
        metadata["timestamp_source"] = "last-modified" if task.modified else "fetched"
    text = document.to_text(main=True) or document.to_text()
    metadata["language"] = detect_language(text, metadata.get("language"))
    metadata["fetched"] = task.fetched
    if task.modified:
        metadata["last_modified"] = task.modified
    metadata["media_type"] = task.media_type
    metadata["original_sha256"] = task.content_hash
    metadata["source"] = task.source
    for key, value in task.metadata.items():
        metadata.setdefault(key, value)
    metadata["extractor"] = EXTRACTOR
    metadata.update(own_metadata)


def commit(folder: CorpusFolder, outcome: engine.Outcome[ExtractionTask, ExtractionResult]) -> float | None:
    """Write the outcome of a task to the catalog and return the share of its text that is new to the corpus.

    The share counts characters of texts and titles, as the Language Resource Extractor does. It is None after a
    failure.
    """
    task = outcome.item
    with folder.catalog.transaction() as connection:
        if outcome.error is not None:
            connection.execute(
                "UPDATE documents SET status = 'failed', extractor = ? WHERE doc_id = ? AND version = ?",
                (EXTRACTOR, task.doc_id, task.version),
            )
            folder.catalog.add_failure(task.uri, "extract", outcome.error, tries=outcome.tries)
            return None
        value = outcome.value
        assert value is not None
        share = share_of_new_text(connection, value.texts)
        folder.catalog.invalidate_score(task.doc_id, value.text_hash)
        connection.execute(
            "UPDATE documents SET status = 'extracted', title = ?, lang = ?, words = ?, main_words = ?, elements = ?, "
            "timestamp = ?, text_hash = ?, unique_share = ?, extractor = ? WHERE doc_id = ? AND version = ?",
            (
                value.title, value.lang, value.words, value.main_words, value.elements, value.timestamp,
                value.text_hash, share, EXTRACTOR, task.doc_id, task.version,
            ),
        )  # fmt: skip
        keep_said(folder, [(task.doc_id, task.version, value.metadata)])
        invalidate_elements(connection, task.doc_id, task.version)
        folder.catalog.clear_failure(task.uri, ["extract"])
    return share


__all__ = [
    "ExtractionResult",
    "ExtractionTask",
    "IngestReport",
    "RegisteredResource",
    "commit",
    "document_id",
    "extract",
    "extract_all",
    "extract_pending",
    "extract_without_forms",
    "find_payload",
    "ingest",
    "load_task",
    "pending_tasks",
    "register",
]  # fmt: skip
