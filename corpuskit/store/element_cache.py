"""The element cache, elements/*.parquet: the elements of all documents, rebuilt from documents/ as needed."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import secrets
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from corpuskit import engine
from corpuskit.document.dataframes import arrow_schema, to_arrow
from corpuskit.errors import CorpusError
from corpuskit.safe_folder import SafeFolder
from corpuskit.store.documents import read_document
from corpuskit.store.folder import CorpusFolder
from corpuskit.store.schema import DOCUMENTS_STATE, ELEMENTS_STATE
from corpuskit.text import count_words

if TYPE_CHECKING:
    import pyarrow as pa

    Conditions = Mapping[str, Callable[[pa.ChunkedArray], Any]]
    """Function per column that returns a mask of the rows to select. The column text is tested last."""

_BATCH: Final = 1000  # documents per part
_IN_PROCESSES_FROM: Final = 3000  # for fewer documents, starting processes takes longer than it saves
_MAX_RETRIES: Final = 3  # if a part is removed while it is read
_COMPACT_FROM: Final = 64  # incomplete parts; then they are merged
_UNUSED_SECONDS: Final = 3600.0  # a younger part without references may be in use or about to be registered


@dataclass(frozen=True)
class _Part:
    """A file of the cache and the documents to read from it; None selects all."""

    path: Path
    documents: frozenset[str] | None = None


@dataclass(frozen=True)
class _CacheState:
    """Parts with the last versions of all documents, valid for these states of the catalog."""

    states: tuple[str | None, ...]
    parts: tuple[_Part, ...]


# For 100,000 documents the queries of the catalog take as long as a search in all elements (2026-11-22).
_STATES: Final[WeakKeyDictionary[CorpusFolder, _CacheState]] = WeakKeyDictionary()


def element_table(
    folder: CorpusFolder,
    doc_ids: Sequence[str] | None = None,
    *,
    columns: Sequence[str] | None = None,
    where: Conditions | None = None,
) -> pa.Table:
    """Return the elements of the last versions of documents. The elements of a document are adjacent and in order.

    Args:
        folder: The corpus.
        doc_ids: Documents to select; all by default.
        columns: Columns to select: doc_id, those of the element table, lang, words and text_hash.
        where: Conditions on rows. They are tested per file, so other rows use no memory.

    Returns:
        An Arrow table. text_hash (uint64) is equal for equal texts.
    """
    names = list(columns) if columns is not None else cache_schema().names
    for _ in range(_MAX_RETRIES):
        with contextlib.suppress(FileNotFoundError):  # another process has removed the part
            return _table(_parts_of_documents(folder, doc_ids), names, where)
    return _table(_parts_of_documents(folder, doc_ids), names, where)


def _table(parts: Sequence[_Part], names: Sequence[str], where: Conditions | None) -> pa.Table:
    import pyarrow as pa

    with ThreadPoolExecutor(os.cpu_count()) as pool:  # Arrow releases the GIL while reading
        tables = list(pool.map(functools.partial(_read, names=names, where=where), parts))
    return pa.concat_tables([_schema_of(names).empty_table(), *tables]).unify_dictionaries()


def element_tables(
    folder: CorpusFolder,
    doc_ids: Sequence[str] | None = None,
    *,
    columns: Sequence[str] | None = None,
    where: Conditions | None = None,
) -> Iterator[pa.Table]:
    """Yield the table of :func:`element_table` per part of the cache. The next parts are read in the background."""
    names = list(columns) if columns is not None else cache_schema().names
    threads = os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        pending: deque[Future[pa.Table]] = deque()
        for part in _parts_of_documents(folder, doc_ids):
            pending.append(pool.submit(_read, part, names, where))
            if len(pending) > threads and len(table := pending.popleft().result()):
                yield table
        yield from (table for table in (future.result() for future in pending) if len(table))


def main_texts(folder: CorpusFolder, doc_ids: Sequence[str] | None = None) -> Iterator[tuple[str, str]]:
    """Yield doc_id and main text of the last versions, one block per line. Documents without elements are skipped."""
    import pyarrow as pa
    import pyarrow.compute as pc

    yielded: set[str] = set()
    for retries_left in range(_MAX_RETRIES, -1, -1):
        try:
            for part in _parts_of_documents(folder, doc_ids):
                table = _read(part, ["doc_id", "main", "text"])
                ids = table["doc_id"].cast(pa.string())
                rows = pc.and_(table["main"], pc.greater(pc.binary_length(table["text"]), 0))
                blocks = pa.table({"doc_id": ids, "text": table["text"]}).filter(rows)
                lists = blocks.group_by("doc_id", use_threads=False).aggregate([("text", "list")])
                joined = pc.binary_join(lists["text_list"], pa.scalar("\n", table["text"].type)).to_pylist()
                texts = dict(zip(lists["doc_id"].to_pylist(), joined, strict=True))
                for doc_id in pc.unique(ids).to_pylist():
                    if doc_id not in yielded:
                        yielded.add(doc_id)
                        yield doc_id, texts.get(doc_id, "")
        except FileNotFoundError:  # another process has removed the part
            if not retries_left:
                raise
        else:
            return


def _read(part: _Part, names: Sequence[str], where: Conditions | None = None) -> pa.Table:
    """Return the rows of a part that satisfy all conditions, in order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    conditions = dict(where or {})
    if part.documents is not None:
        conditions["doc_id"] = functools.partial(is_one_of, values=sorted(part.documents))
    with damage_reported(part.path):
        file = pq.ParquetFile(part.path)
        if not file.schema_arrow.equals(cache_schema()):
            raise CorpusError(
                f"elements/{part.path.name} is damaged (wrong columns): remove it, it is rebuilt automatically"
            )
        if not conditions:
            return file.read(names)
        rows, tested_columns = _matching_rows(file.read(list(conditions)), conditions)
        if not len(rows):
            return _schema_of(names).empty_table()
        other_columns = [name for name in names if name not in conditions]
        columns = dict(zip(tested_columns.column_names, tested_columns.columns, strict=True))
        columns |= (
            dict(zip(other_columns, file.read(other_columns).take(rows).columns, strict=True)) if other_columns else {}
        )
        return pa.table([columns[name] for name in names], schema=_schema_of(names))


def _matching_rows(table: pa.Table, conditions: Conditions) -> tuple[pa.Array, pa.Table]:
    """Return the positions of the rows that satisfy all conditions, and these rows."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = pa.array(np.arange(len(table)))
    for name in sorted(conditions, key="text".__eq__):
        passed = pc.indices_nonzero(conditions[name](table[name]))
        rows, table = rows.take(passed), table.take(passed)
    return rows, table


def is_one_of(column: pa.ChunkedArray, values: Sequence[str]) -> Any:
    """Return a mask of the rows of a string column with one of the values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.is_in(column.cast(pa.string()), value_set=pa.array(values, pa.string()))


@contextlib.contextmanager
def damage_reported(*parts: Path) -> Iterator[None]:
    """Raise read errors as a CorpusError that names the damaged part of the cache.

    Raises:
        CorpusError: A part cannot be read.
        FileNotFoundError: A part was removed.
    """
    try:
        yield
    except (FileNotFoundError, CorpusError):
        raise
    except Exception as error:  # Arrow raises errors of many types
        import pyarrow.parquet as pq

        for part in parts:
            try:
                pq.ParquetFile(part).read()
            except FileNotFoundError:
                raise
            except Exception as reason:
                raise CorpusError(
                    f"elements/{part.name} is damaged ({str(reason).strip()[:200]}): remove it, it is rebuilt automatically"
                ) from error
        raise


def _schema_of(names: Sequence[str]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([cache_schema().field(name) for name in names])


def cache_schema() -> pa.Schema:
    """Return the schema of the cache: doc_id, the element columns and derived columns."""
    import pyarrow as pa

    fields = [pa.field("doc_id", pa.dictionary(pa.int32(), pa.string())), *arrow_schema()]
    fields += [
        pa.field("lang", pa.dictionary(pa.int8(), pa.string())),
        pa.field("words", pa.int32()),
        pa.field("text_hash", pa.uint64()),
    ]
    return pa.schema(fields)


def invalidate_elements(connection: sqlite3.Connection, doc_id: str, version: int) -> None:
    """Invalidate the part with the elements of a version that was extracted again. It is rebuilt as needed."""
    row = connection.execute(
        "SELECT part FROM element_cache WHERE doc_id = ? AND version = ?", (doc_id, version)
    ).fetchone()
    if row is not None:
        connection.execute("DELETE FROM element_cache WHERE part = ?", (row[0],))


def update(folder: CorpusFolder) -> Sequence[_Part]:
    """Add missing documents to the cache and remove unused parts.

    Returns:
        The parts with the last versions of all documents.
    """
    states = _catalog_states(folder)
    cached = _STATES.get(folder)
    # The files of the cache may be removed at any time; they are rebuilt.
    if cached is not None and cached.states == states and all(part.path.exists() for part in cached.parts):
        return cached.parts
    _remove_unused(folder)
    current, missing = _current_parts(folder)
    if missing:
        _build_missing(folder)
        # Documents that are still missing are unreadable. The next call retries them.
        current, missing = _current_parts(folder)
    if not missing:
        _STATES[folder] = current
    return current.parts


def _current_parts(folder: CorpusFolder) -> tuple[_CacheState, int]:
    """Return the parts with last versions of documents, and the number of documents in no part."""
    with folder.catalog.snapshot():  # another process may remove a part between two queries
        states, documents, versions = _catalog_states(folder), _documents_per_part(folder), _versions_per_part(folder)
        missing = documents.pop(None, 0)
        parts = tuple(
            # A part may also contain earlier versions and removed documents.
            _Part(folder.elements / part, _documents_of(folder, part) if documents[part] < versions[part] else None)
            for part in sorted(filter(None, documents))
        )
    return _CacheState(states, parts), missing


def _catalog_states(folder: CorpusFolder) -> tuple[str | None, ...]:
    return tuple(folder.catalog.meta(key) for key in (DOCUMENTS_STATE, ELEMENTS_STATE))


def _versions_per_part(folder: CorpusFolder) -> dict[str, int]:
    """Return the number of versions in each part."""
    return dict(folder.catalog.tuples("SELECT part, count(*) FROM element_cache GROUP BY part"))


def _documents_per_part(folder: CorpusFolder) -> dict[str | None, int]:
    """Return the number of last versions in each part; None is the key for those in no part."""
    query = "SELECT part, count(*) FROM current LEFT JOIN element_cache USING (doc_id, version) GROUP BY part"
    return dict(folder.catalog.tuples(query))


def _documents_of(folder: CorpusFolder, part: str) -> frozenset[str]:
    query = "SELECT doc_id FROM element_cache JOIN current USING (doc_id, version) WHERE part = ?"
    return frozenset(row[0] for row in folder.catalog.tuples(query, (part,)))


def _remove_unused(folder: CorpusFolder) -> None:
    """Remove files without references, and unregister missing and many small parts."""
    catalog = folder.catalog
    # In this order: a part added in the meantime is an unknown but young file, which is not removed.
    sizes = _versions_per_part(folder)
    present = set(folder.elements.file_names("*.parquet"))
    for part in present - sizes.keys():
        status = folder.elements.stat(part)
        if status is not None and time.time() - status.st_mtime > _UNUSED_SECONDS:
            folder.elements.remove(part)
    small = {part for part, size in sizes.items() if size < _BATCH}
    unregistered = (sizes.keys() - present) | (small if len(small) >= _COMPACT_FROM else set())
    if unregistered:
        with catalog.transaction() as connection:
            connection.executemany("DELETE FROM element_cache WHERE part = ?", [(part,) for part in unregistered])
        # Reading can continue: the files are removed later, when they have been unused for long enough.
        for part in unregistered & present:
            with contextlib.suppress(FileNotFoundError):
                os.utime(folder.elements / part)


def _build_missing(folder: CorpusFolder) -> None:
    """Build parts for the documents that are in no part."""
    catalog = folder.catalog
    missing = catalog.tuples(
        "SELECT doc_id, version, path, lang FROM current d WHERE NOT EXISTS "
        "(SELECT 1 FROM element_cache c WHERE c.doc_id = d.doc_id AND c.version = d.version) ORDER BY host, uri"
    )
    folder.elements.mkdir()
    batches = [
        (folder.elements, folder.documents, missing[start : start + _BATCH]) for start in range(0, len(missing), _BATCH)
    ]
    in_processes = len(missing) >= _IN_PROCESSES_FROM
    progress = "elements" if in_processes else None
    for part, done, failed in engine.values(_write_part, batches, in_processes=in_processes, progress=progress):
        with catalog.transaction() as connection:
            if done:
                connection.executemany(
                    "INSERT OR REPLACE INTO element_cache VALUES (?, ?, ?)", [(*key, part) for key in done]
                )
            for path, error in failed:
                catalog.add_failure(f"documents/{path}", "read", error)


def _write_part(
    batch: tuple[SafeFolder, SafeFolder, list[tuple[str, int, str, str | None]]],
) -> tuple[str, list[tuple[str, int]], list[tuple[str, Exception]]]:
    """Write a part. Return its name, its documents and the documents that could not be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    elements, documents, rows = batch
    tables, done, failed = [], [], []
    for doc_id, version, path, lang in rows:
        try:
            table = to_arrow(read_document(documents, path, strict=False).table)
        except Exception as error:
            failed.append((path, error))
            continue
        done.append((doc_id, version))
        tables.append(add_derived_columns(table, doc_id, lang))
    part = f"part-{secrets.token_hex(8)}.parquet"
    if tables:
        elements_table = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
        with elements.atomic_write(part) as file:
            pq.write_table(elements_table, file, compression="zstd", row_group_size=1 << 18)
    return part, done, failed


def add_derived_columns(table: pa.Table, doc_id: str, lang: str | None) -> pa.Table:
    """Return the elements of a document with the columns of :func:`cache_schema`."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    size = len(table)
    texts = np.array(["" if text is None else text for text in table.column("text").to_pylist()], dtype=object)
    # Not by Arrow: it compiles a pattern per call, which took 3 ms, longer than the rest of a small document.
    words = np.fromiter(map(count_words, texts), np.int32, size)
    hashes = pd.util.hash_array(texts, categorize=False) if size else np.empty(0, np.uint64)
    zeros = pa.array(np.zeros(size, np.int8))
    columns = [
        pa.DictionaryArray.from_arrays(pa.array(np.zeros(size, np.int32)), pa.array([doc_id])),
        *table.columns,
        pa.nulls(size, pa.dictionary(pa.int8(), pa.string()))
        if lang is None
        else pa.DictionaryArray.from_arrays(zeros, pa.array([lang])),
        pa.array(words),
        pa.array(hashes, pa.uint64()),
    ]
    return pa.Table.from_arrays(columns, schema=cache_schema())


def _parts_of_documents(folder: CorpusFolder, doc_ids: Sequence[str] | None) -> Sequence[_Part]:
    """Return the parts that contain the documents, restricted to them."""
    parts = update(folder)
    if doc_ids is None:
        return parts
    documents_by_part: dict[str, set[str]] = {}
    for part, doc_id in folder.catalog.tuples(
        "SELECT part, doc_id FROM element_cache JOIN current USING (doc_id, version) "
        "WHERE doc_id IN (SELECT value FROM json_each(?)) ORDER BY part",
        (json.dumps(list(doc_ids)),),
    ):
        documents_by_part.setdefault(part, set()).add(doc_id)
    return [_Part(folder.elements / part, frozenset(documents)) for part, documents in documents_by_part.items()]
