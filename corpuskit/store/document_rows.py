"""The rows of documents() as an Arrow table, cached in elements/ until the catalog changes."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from corpuskit.errors import CorpusError
from corpuskit.store.document_metadata import DATE_COLUMNS, METADATA_COLUMNS, read_metadata, save_metadata
from corpuskit.store.folder import CorpusFolder
from corpuskit.store.schema import DOCUMENTS_STATE

if TYPE_CHECKING:
    import pyarrow as pa

# In a separate directory: elements/*.parquet are parts of the element cache.
_CACHE_FILE: Final = "catalog/documents.parquet"
_STATE_KEY: Final = b"corpuskit.documents_state"
_MIN_CACHED_DOCUMENTS: Final = 2000  # fewer rows are read from the catalog as fast
_COLUMNS: Final = (
    "doc_id",
    "version",
    "uri",
    "host",
    "title",
    "media_type",
    "lang",
    "words",
    "main_words",
    "elements",
    "timestamp",
    "fetched",
    "status",
    "relevance",
    "decision",
)
_FINGERPRINT: Final = "fingerprint"
_DERIVED_COLUMNS: Final = (
    "duplicate_of",
    *METADATA_COLUMNS,
    _FINGERPRINT,
)  # computed from other columns of the catalog


def document_rows(folder: CorpusFolder, *, versions: bool = False, metadata: bool = False) -> pa.Table:
    """Return one row per document with its last version, sorted by host and URI; with ``versions`` one row per version.

    Columns: doc_id, uri, host, title, media_type, lang, status, decision, duplicate_of (large_string); version (int32);
    words, main_words, elements (int64); timestamp, fetched (timestamp[us, UTC]); relevance (double). duplicate_of is
    the document with the same main text and the shortest URI.

    With ``metadata`` also author, site_name, description, categories, tags, license, canonical, image (large_string),
    published, updated (timestamp[us, UTC]); and fingerprint (large_string), which is equal for main texts that differ
    only in white space and case.

    Every change of a document row or a score sets a new random state in the same transaction. The cached table contains
    the state of its rows and is used only if the state is current.
    """
    table = _rows(folder, versions=versions)
    return table if metadata else table.drop_columns([*METADATA_COLUMNS, _FINGERPRINT])


def _rows(folder: CorpusFolder, *, versions: bool) -> pa.Table:
    connection = folder.catalog.connection
    if versions or connection.in_transaction:
        return _from_catalog(folder, versions=versions)[0]
    connection.execute("BEGIN")  # read the state and the rows consistently
    try:
        state = folder.catalog.meta(DOCUMENTS_STATE) or ""
        table = _from_cache(folder, state)
        if table is not None:
            return table
        table, from_files = _from_catalog(folder)
    finally:
        connection.execute("COMMIT")
    if from_files:
        save_metadata(folder, from_files)
    if state and len(table) >= _MIN_CACHED_DOCUMENTS:
        _write_cache(folder, state, table)
    return table


def remove_cached_rows(folder: CorpusFolder) -> None:
    """Remove the cached table: it contains the titles of removed documents."""
    folder.elements.remove(_CACHE_FILE)


def rows_schema() -> pa.Schema:
    """Return the schema of :func:`document_rows`."""
    import pyarrow as pa

    types = {"version": pa.int32(), "relevance": pa.float64()}
    types |= dict.fromkeys(("words", "main_words", "elements"), pa.int64())
    types |= dict.fromkeys(("timestamp", "fetched", *DATE_COLUMNS), pa.timestamp("us", "UTC"))
    return pa.schema([(name, types.get(name, pa.large_string())) for name in (*_COLUMNS, *_DERIVED_COLUMNS)])


def _from_cache(folder: CorpusFolder, state: str) -> pa.Table | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with folder.elements.open(_CACHE_FILE) as handle:
            file = pq.ParquetFile(handle)
            if (file.schema_arrow.metadata or {}).get(_STATE_KEY) != state.encode():
                return None
            table = file.read()
    except (OSError, CorpusError, pa.ArrowException):  # missing or damaged: rebuilt from the catalog
        return None
    table = table.replace_schema_metadata(None)
    return table if table.schema == rows_schema() else None


def _write_cache(folder: CorpusFolder, state: str, table: pa.Table) -> None:
    import pyarrow.parquet as pq

    # The cache is optional: a full disk, a read-only directory or an irregular file is not an error.
    with contextlib.suppress(OSError, CorpusError), folder.elements.atomic_write(_CACHE_FILE) as file:
        pq.write_table(table.replace_schema_metadata({_STATE_KEY: state}), file, compression="lz4")


def _from_catalog(folder: CorpusFolder, *, versions: bool = False) -> tuple[pa.Table, list[tuple[str, int, str]]]:
    """Return the rows, and metadata that had to be read from documents.

    The catalog lacks the metadata of documents that an older version, a merge or a repair has written.
    """
    import pyarrow as pa

    names = ", ".join("s." + name if name in {"relevance", "decision"} else "d." + name for name in _COLUMNS)
    table, condition = ("documents", "WHERE d.status = 'extracted'") if versions else ("current", "")
    rows = folder.catalog.tuples(
        f"SELECT {names}, d.text_hash, d.path, t.said FROM {table} d LEFT JOIN scores s ON s.doc_id = d.doc_id "
        f"LEFT JOIN said t ON t.doc_id = d.doc_id AND t.version = d.version {condition}"
    )
    # Sorted by code points as in SQLite, where sorting took as long as the rest of the query.
    rows.sort(key=_sort_key)
    values: list[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * (len(_COLUMNS) + 3)
    *_, hashes, paths, stored = values
    columns = dict(zip(_COLUMNS, values, strict=False))
    columns["duplicate_of"] = _duplicate_of(columns, hashes)
    columns[_FINGERPRINT] = [None if text is None else f"{text:016x}" for text in hashes]
    parsed = [_parse_metadata(text) for text in stored]
    from_files = [
        (row[0], row[1], read_metadata(folder, path))
        for row, path, row_metadata in zip(rows, paths, parsed, strict=True)
        if row_metadata is None
    ]
    remaining = iter(from_files)
    metadata = [row_metadata if row_metadata is not None else json.loads(next(remaining)[2]) for row_metadata in parsed]
    for name in METADATA_COLUMNS:
        columns[name] = [row_metadata.get(name) for row_metadata in metadata]
    schema = rows_schema()
    rows_table = pa.Table.from_arrays([_array(columns[field.name], field.type) for field in schema], schema=schema)
    return rows_table, from_files


def _parse_metadata(text: str | None) -> dict[str, Any] | None:
    """Return the metadata stored in the catalog, or None if it is missing or invalid."""
    try:
        metadata = None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None
    return metadata if isinstance(metadata, dict) else None


def _sort_key(row: tuple[Any, ...]) -> tuple[str, str, int]:
    return row[3], row[2], row[1]


def _array(values: Any, kind: pa.DataType) -> pa.Array:
    import pandas as pd
    import pyarrow as pa

    if not pa.types.is_timestamp(kind):
        return pa.array(values, kind)
    texts = pd.Series(values, dtype="str")
    # Dates in the metadata may be invalid.
    dates = pd.to_datetime(texts, utc=True, format="ISO8601", errors="coerce")
    return pa.array(dates.astype("datetime64[us, UTC]"), kind)


def title_rows(folder: CorpusFolder) -> pa.Table:
    """Return doc_id, title, uri and host of all documents. No document file is read."""
    import pyarrow as pa

    rows = folder.catalog.tuples("SELECT doc_id, title, uri, host FROM current")
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * 4
    arrays = [pa.array(column, pa.large_string()) for column in columns]
    return pa.Table.from_arrays(arrays, names=["doc_id", "title", "uri", "host"])


def duplicate_ids(folder: CorpusFolder) -> dict[str, str]:
    """Return duplicate_of by doc_id, without documents that are unique. Faster than :func:`document_rows`."""
    rows = folder.catalog.tuples(
        "SELECT doc_id, uri, version, text_hash FROM current WHERE text_hash IN "
        # Hashes of all versions: filtering the newest ones takes longer than some extra rows.
        "(SELECT text_hash FROM documents WHERE status = 'extracted' GROUP BY text_hash HAVING count(*) > 1)"
    )
    values: list[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * 4
    ids, hashes = values[0], values[3]
    originals = _duplicate_of(dict(zip(("doc_id", "uri", "version"), values, strict=False)), hashes)
    return {doc_id: original for doc_id, original in zip(ids, originals, strict=True) if original is not None}


def _duplicate_of(columns: dict[str, Any], hashes: Any) -> list[str | None]:
    """Return per row the doc_id with the same main text and the shortest URI, or None if it is the row itself."""
    preferred: dict[int, int] = {}
    uris, versions, ids = columns["uri"], columns["version"], columns["doc_id"]
    for row, hash_value in enumerate(hashes):
        if hash_value is None:
            continue
        other = preferred.setdefault(hash_value, row)
        if other != row and (len(uris[row]), uris[row], versions[row]) < (
            len(uris[other]),
            uris[other],
            versions[other],
        ):
            preferred[hash_value] = row
    originals = [None if hash_value is None else ids[preferred[hash_value]] for hash_value in hashes]
    return [None if original == doc_id else original for original, doc_id in zip(originals, ids, strict=True)]
