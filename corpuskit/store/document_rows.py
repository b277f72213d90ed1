"""The rows of documents() as Arrow, with a copy in elements/ that is read as long as the catalogue says it holds."""

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

# In a folder of its own: elements/*.parquet are elements.
_COPY: Final = "catalog/documents.parquet"
_STATE: Final = b"corpuskit.documents_state"
_COPIED_FROM: Final = 2000  # documents; fewer are read from the catalogue as fast
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
_MORE: Final = ("duplicate_of", *METADATA_COLUMNS, _FINGERPRINT)  # made of what else the catalogue holds


def document_rows(folder: CorpusFolder, *, versions: bool = False, said: bool = False) -> pa.Table:
    """Return one row a document, its last version, sorted by host and URI; with ``versions`` one row a version.

    Columns: doc_id, uri, host, title, media_type, lang, status, decision, duplicate_of (large_string); version (int32);
    words, main_words, elements (int64); timestamp, fetched (timestamp[us, UTC]); relevance (double). duplicate_of
    names the document with the same main text that has the shortest URI.

    With ``said`` also what the document says of itself: author, site_name, description, categories, tags, license,
    canonical, image (large_string), published, updated (timestamp[us, UTC]); and fingerprint (large_string), equal where
    main texts are, but for white space and case.

    Every change of a document's row or score gives the catalogue a new random state, in the same transaction. The copy
    holds the state it was made from, so it is used or made again, and never older than the catalogue.
    """
    table = _rows(folder, versions=versions)
    return table if said else table.drop_columns([*METADATA_COLUMNS, _FINGERPRINT])


def _rows(folder: CorpusFolder, *, versions: bool) -> pa.Table:
    connection = folder.catalog.connection
    if versions or connection.in_transaction:
        return _from_catalog(folder, versions=versions)[0]
    connection.execute("BEGIN")  # the state and the rows of one moment
    try:
        state = folder.catalog.meta(DOCUMENTS_STATE) or ""
        table = _from_copy(folder, state)
        if table is not None:
            return table
        table, unread = _from_catalog(folder)
    finally:
        connection.execute("COMMIT")
    if unread:
        save_metadata(folder, unread)
    if state and len(table) >= _COPIED_FROM:
        _write_copy(folder, state, table)
    return table


def remove_copy(folder: CorpusFolder) -> None:
    """Removes the copy: it holds titles of documents that are to leave no trace."""
    folder.elements.remove(_COPY)


def rows_schema() -> pa.Schema:
    """The columns of :func:`document_rows`."""
    import pyarrow as pa

    types = {"version": pa.int32(), "relevance": pa.float64()}
    types |= dict.fromkeys(("words", "main_words", "elements"), pa.int64())
    types |= dict.fromkeys(("timestamp", "fetched", *DATE_COLUMNS), pa.timestamp("us", "UTC"))
    return pa.schema([(name, types.get(name, pa.large_string())) for name in (*_COLUMNS, *_MORE)])


def _from_copy(folder: CorpusFolder, state: str) -> pa.Table | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with folder.elements.open(_COPY) as handle:
            file = pq.ParquetFile(handle)
            if (file.schema_arrow.metadata or {}).get(_STATE) != state.encode():
                return None
            table = file.read()
    except (OSError, CorpusError, pa.ArrowException):  # absent, or damaged: it is made again
        return None
    table = table.replace_schema_metadata(None)
    return table if table.schema == rows_schema() else None


def _write_copy(folder: CorpusFolder, state: str, table: pa.Table) -> None:
    import pyarrow.parquet as pq

    # A full disk or a read-only folder, or something else stands there: the rows come from the catalogue.
    with contextlib.suppress(OSError, CorpusError), folder.elements.atomic_write(_COPY) as file:
        pq.write_table(table.replace_schema_metadata({_STATE: state}), file, compression="lz4")


def _from_catalog(folder: CorpusFolder, *, versions: bool = False) -> tuple[pa.Table, list[tuple[str, int, str]]]:
    """The rows; and what had to be read from documents that an older version, a merge or a repair has written."""
    import pyarrow as pa

    names = ", ".join("s." + name if name in {"relevance", "decision"} else "d." + name for name in _COLUMNS)
    table, where = ("documents", "WHERE d.status = 'extracted'") if versions else ("current", "")
    rows = folder.catalog.tuples(
        f"SELECT {names}, d.text_hash, d.path, t.said FROM {table} d LEFT JOIN scores s ON s.doc_id = d.doc_id "
        f"LEFT JOIN said t ON t.doc_id = d.doc_id AND t.version = d.version {where}"
    )
    # By code points, as SQLite would: there the sort took as long as all the rest.
    rows.sort(key=_place)
    values: list[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * (len(_COLUMNS) + 3)
    *_, hashes, paths, said = values
    columns = dict(zip(_COLUMNS, values, strict=False))
    columns["duplicate_of"] = _duplicate_of(columns, hashes)
    columns[_FINGERPRINT] = [None if text is None else f"{text:016x}" for text in hashes]
    told = [_told(text) for text in said]
    unread = [
        (row[0], row[1], read_metadata(folder, path))
        for row, path, one in zip(rows, paths, told, strict=True)
        if one is None
    ]
    late = iter(unread)
    found = [one if one is not None else json.loads(next(late)[2]) for one in told]
    for name in METADATA_COLUMNS:
        columns[name] = [one.get(name) for one in found]
    schema = rows_schema()
    table_of = pa.Table.from_arrays([_array(columns[field.name], field.type) for field in schema], schema=schema)
    return table_of, unread


def _told(text: str | None) -> dict[str, Any] | None:
    """What a document says of itself, where the catalogue has it legibly."""
    try:
        found = None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _place(row: tuple[Any, ...]) -> tuple[str, str, int]:
    return row[3], row[2], row[1]


def _array(values: Any, kind: pa.DataType) -> pa.Array:
    import pandas as pd
    import pyarrow as pa

    if not pa.types.is_timestamp(kind):
        return pa.array(values, kind)
    texts = pd.Series(values, dtype="str")
    # A date that a document names may be none.
    dates = pd.to_datetime(texts, utc=True, format="ISO8601", errors="coerce")
    return pa.array(dates.astype("datetime64[us, UTC]"), kind)


def title_rows(folder: CorpusFolder) -> pa.Table:
    """doc_id, title, uri and host of the last versions of documents, and nothing for which a document must be read."""
    import pyarrow as pa

    rows = folder.catalog.tuples("SELECT doc_id, title, uri, host FROM current")
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * 4
    arrays = [pa.array(column, pa.large_string()) for column in columns]
    return pa.Table.from_arrays(arrays, names=["doc_id", "title", "uri", "host"])


def duplicate_ids(folder: CorpusFolder) -> dict[str, str]:
    """Of each document whose main text another one has too, the one with the shortest URI: ``duplicate_of`` alone, at once."""
    rows = folder.catalog.tuples(
        "SELECT doc_id, uri, version, text_hash FROM current WHERE text_hash IN "
        # Of all versions, not only the newest: a few hashes too many cost less than to look for the newest of each.
        "(SELECT text_hash FROM documents WHERE status = 'extracted' GROUP BY text_hash HAVING count(*) > 1)"
    )
    values: list[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * 4
    ids, hashes = values[0], values[3]
    of = _duplicate_of(dict(zip(("doc_id", "uri", "version"), values, strict=False)), hashes)
    return {doc_id: original for doc_id, original in zip(ids, of, strict=True) if original is not None}


def _duplicate_of(columns: dict[str, Any], hashes: Any) -> list[str | None]:
    """For documents whose main text another one has too: that one's doc_id, the one with the shortest URI."""
    first: dict[int, int] = {}
    uris, versions, ids = columns["uri"], columns["version"], columns["doc_id"]
    for row, text in enumerate(hashes):
        if text is None:
            continue
        known = first.setdefault(text, row)
        if known != row and (len(uris[row]), uris[row], versions[row]) < (
            len(uris[known]),
            uris[known],
            versions[known],
        ):
            first[text] = row
    of = [None if text is None else ids[first[text]] for text in hashes]
    return [None if original == doc_id else original for original, doc_id in zip(of, ids, strict=True)]
