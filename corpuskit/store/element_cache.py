"""elements/*.parquet: the elements of all documents, a cache that is made from documents/ where it lacks something."""

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
    """Per column, a function that returns a mask of the rows to select; the text is tested last."""

_BATCH: Final = 1000  # documents a part
_IN_PROCESSES_FROM: Final = 3000  # documents; below, starting processes costs more than it gains
_TRIES: Final = 3  # where a part goes while it is read
_COMPACT_AT: Final = 64  # parts that are not full; then these are made again as few
_ABANDONED: Final = 3600.0  # seconds; a younger part that nothing refers to is about to be named, or still read


@dataclass(frozen=True)
class _Part:
    """A file of the cache, and the documents to read from it; None for all."""

    path: Path
    documents: frozenset[str] | None = None


@dataclass(frozen=True)
class _Known:
    """The parts that hold the last versions, as long as the catalogue's states are these."""

    states: tuple[str | None, ...]
    parts: tuple[_Part, ...]


# In 100,000 documents the catalogue's queries take as long as finding something in all their elements (2026-11-22).
_KNOWN: Final[WeakKeyDictionary[CorpusFolder, _Known]] = WeakKeyDictionary()


def element_table(
    folder: CorpusFolder,
    doc_ids: Sequence[str] | None = None,
    *,
    columns: Sequence[str] | None = None,
    where: Conditions | None = None,
) -> pa.Table:
    """The elements of the last versions of documents, those of a document together and in order.

    Args:
        folder: the corpus.
        doc_ids: only these; None for all.
        columns: only these of doc_id, those of the element table, lang, words and text_hash.
        where: only rows for which these hold; they are tested per file, the other rows take no memory.

    Returns:
        An Arrow table; text_hash (uint64) is equal where texts are.
    """
    names = list(columns) if columns is not None else cache_schema().names
    for _ in range(_TRIES):
        with contextlib.suppress(FileNotFoundError):  # another process has removed a document of that part meanwhile
            return _table(_parts(folder, doc_ids), names, where)
    return _table(_parts(folder, doc_ids), names, where)


def _table(parts: Sequence[_Part], names: Sequence[str], where: Conditions | None) -> pa.Table:
    import pyarrow as pa

    with ThreadPoolExecutor(os.cpu_count()) as pool:  # Arrow reads without the interpreter's lock
        tables = list(pool.map(functools.partial(_read, names=names, where=where), parts))
    return pa.concat_tables([_schema_of(names).empty_table(), *tables]).unify_dictionaries()


def element_tables(
    folder: CorpusFolder,
    doc_ids: Sequence[str] | None = None,
    *,
    columns: Sequence[str] | None = None,
    where: Conditions | None = None,
) -> Iterator[pa.Table]:
    """As :func:`element_table`, one part of the cache after the other; the next ones are read meanwhile."""
    names = list(columns) if columns is not None else cache_schema().names
    threads = os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[pa.Table]] = deque()
        for part in _parts(folder, doc_ids):
            waiting.append(pool.submit(_read, part, names, where))
            if len(waiting) > threads and len(table := waiting.popleft().result()):
                yield table
        yield from (table for table in (one.result() for one in waiting) if len(table))


def main_texts(folder: CorpusFolder, doc_ids: Sequence[str] | None = None) -> Iterator[tuple[str, str]]:
    """Yield doc_id and main text of the last versions, one block per line; documents without elements are left out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    given: set[str] = set()
    for left in range(_TRIES, -1, -1):
        try:
            for part in _parts(folder, doc_ids):
                table = _read(part, ["doc_id", "main", "text"])
                ids = table["doc_id"].cast(pa.string())
                rows = pc.and_(table["main"], pc.greater(pc.binary_length(table["text"]), 0))
                blocks = pa.table({"doc_id": ids, "text": table["text"]}).filter(rows)
                lists = blocks.group_by("doc_id", use_threads=False).aggregate([("text", "list")])
                joined = pc.binary_join(lists["text_list"], pa.scalar("\n", table["text"].type)).to_pylist()
                texts = dict(zip(lists["doc_id"].to_pylist(), joined, strict=True))
                for doc_id in pc.unique(ids).to_pylist():
                    if doc_id not in given:
                        given.add(doc_id)
                        yield doc_id, texts.get(doc_id, "")
        except FileNotFoundError:  # another process has removed a document of that part meanwhile
            if not left:
                raise
        else:
            return


def _read(part: _Part, names: Sequence[str], where: Conditions | None = None) -> pa.Table:
    """Read the rows of a part for which all conditions hold, in order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    conditions = dict(where or {})
    if part.documents is not None:
        conditions["doc_id"] = functools.partial(is_one_of, values=sorted(part.documents))
    with damage_reported(part.path):
        file = pq.ParquetFile(part.path)
        if not file.schema_arrow.equals(cache_schema()):
            raise CorpusError(f"elements/{part.path.name} is damaged (other columns): remove it, it is made again")
        if not conditions:
            return file.read(names)
        rows, tested = _rows(file.read(list(conditions)), conditions)
        if not len(rows):
            return _schema_of(names).empty_table()
        others = [name for name in names if name not in conditions]
        columns = dict(zip(tested.column_names, tested.columns, strict=True))
        columns |= dict(zip(others, file.read(others).take(rows).columns, strict=True)) if others else {}
        return pa.table([columns[name] for name in names], schema=_schema_of(names))


def _rows(table: pa.Table, conditions: Conditions) -> tuple[pa.Array, pa.Table]:
    """Return the numbers of the rows for which all conditions hold, and these rows."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = pa.array(np.arange(len(table)))
    for name in sorted(conditions, key="text".__eq__):
        passed = pc.indices_nonzero(conditions[name](table[name]))
        rows, table = rows.take(passed), table.take(passed)
    return rows, table


def is_one_of(column: pa.ChunkedArray, values: Sequence[str]) -> Any:
    """Return a mask of the rows of a column of strings that hold one of some values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.is_in(column.cast(pa.string()), value_set=pa.array(values, pa.string()))


@contextlib.contextmanager
def damage_reported(*parts: Path) -> Iterator[None]:
    """Name the damaged one among parts of the cache that are being read, and what to do.

    Raises:
        CorpusError: one cannot be read.
        FileNotFoundError: one has gone.
    """
    try:
        yield
    except (FileNotFoundError, CorpusError):
        raise
    except Exception as error:  # Arrow raises many
        import pyarrow.parquet as pq

        for part in parts:
            try:
                pq.ParquetFile(part).read()
            except FileNotFoundError:
                raise
            except Exception as reason:
                raise CorpusError(
                    f"elements/{part.name} is damaged ({str(reason).strip()[:200]}): remove it, it is made again"
                ) from error
        raise


def _schema_of(names: Sequence[str]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([cache_schema().field(name) for name in names])


def cache_schema() -> pa.Schema:
    """doc_id, the columns of an element, and what is derived from them."""
    import pyarrow as pa

    fields = [pa.field("doc_id", pa.dictionary(pa.int32(), pa.string())), *arrow_schema()]
    fields += [
        pa.field("lang", pa.dictionary(pa.int8(), pa.string())),
        pa.field("words", pa.int32()),
        pa.field("text_hash", pa.uint64()),
    ]
    return pa.schema(fields)


def invalidate_elements(connection: sqlite3.Connection, doc_id: str, version: int) -> None:
    """The version was extracted again: the part that holds its old elements is no longer used, and is made again."""
    row = connection.execute(
        "SELECT part FROM element_cache WHERE doc_id = ? AND version = ?", (doc_id, version)
    ).fetchone()
    if row is not None:
        connection.execute("DELETE FROM element_cache WHERE part = ?", (row[0],))


def update(folder: CorpusFolder) -> Sequence[_Part]:
    """Adds to the cache the documents it lacks, and removes parts that nothing refers to.

    Returns:
        The parts that hold the last versions of all documents.
    """
    states = _states(folder)
    known = _KNOWN.get(folder)
    # Without its files it is made again: anyone may remove a cache.
    if known is not None and known.states == states and all(part.path.exists() for part in known.parts):
        return known.parts
    _clean(folder)
    found, lacking = _kept(folder)
    if lacking:
        _make_missing(folder)
        found, lacking = _kept(folder)  # those that still lack cannot be read; the next call tries them again
    if not lacking:
        _KNOWN[folder] = found
    return found.parts


def _kept(folder: CorpusFolder) -> tuple[_Known, int]:
    """The parts that hold last versions of documents, and how many documents are in none."""
    with folder.catalog.snapshot():  # another process may drop a part between two queries
        states, held, sizes = _states(folder), _held(folder), _sizes(folder)
        lacking = held.pop(None, 0)
        parts = tuple(
            # A part keeps versions that are no longer the last, and documents that were removed.
            _Part(folder.elements / part, _documents_of(folder, part) if held[part] < sizes[part] else None)
            for part in sorted(filter(None, held))
        )
    return _Known(states, parts), lacking


def _states(folder: CorpusFolder) -> tuple[str | None, ...]:
    return tuple(folder.catalog.meta(key) for key in (DOCUMENTS_STATE, ELEMENTS_STATE))


def _sizes(folder: CorpusFolder) -> dict[str, int]:
    """How many versions each part holds."""
    return dict(folder.catalog.tuples("SELECT part, count(*) FROM element_cache GROUP BY part"))


def _held(folder: CorpusFolder) -> dict[str | None, int]:
    """How many last versions each part holds, and None how many are in none."""
    query = "SELECT part, count(*) FROM current LEFT JOIN element_cache USING (doc_id, version) GROUP BY part"
    return dict(folder.catalog.tuples(query))


def _documents_of(folder: CorpusFolder, part: str) -> frozenset[str]:
    query = "SELECT doc_id FROM element_cache JOIN current USING (doc_id, version) WHERE part = ?"
    return frozenset(row[0] for row in folder.catalog.tuples(query, (part,)))


def _clean(folder: CorpusFolder) -> None:
    """Removes what nothing refers to, and forgets parts whose files are gone, or that are many and small."""
    catalog = folder.catalog
    # In this order: a part that another process adds meanwhile is a file that is not yet known, and young.
    sizes = _sizes(folder)
    present = set(folder.elements.file_names("*.parquet"))
    for part in present - sizes.keys():
        found = folder.elements.stat(part)
        if found is not None and time.time() - found.st_mtime > _ABANDONED:
            folder.elements.remove(part)
    small = {part for part, size in sizes.items() if size < _BATCH}
    gone = (sizes.keys() - present) | (small if len(small) >= _COMPACT_AT else set())
    if gone:
        with catalog.transaction() as connection:
            connection.executemany("DELETE FROM element_cache WHERE part = ?", [(part,) for part in gone])
        for part in gone & present:  # who reads it can go on: it is removed when it is abandoned
            with contextlib.suppress(FileNotFoundError):
                os.utime(folder.elements / part)


def _make_missing(folder: CorpusFolder) -> None:
    """Writes the elements of the documents that are in no part."""
    catalog = folder.catalog
    missing = catalog.tuples(
        "SELECT doc_id, version, path, lang FROM current d WHERE NOT EXISTS "
        "(SELECT 1 FROM element_cache c WHERE c.doc_id = d.doc_id AND c.version = d.version) ORDER BY host, uri"
    )
    folder.elements.mkdir()
    batches = [
        (folder.elements, folder.documents, missing[start : start + _BATCH]) for start in range(0, len(missing), _BATCH)
    ]
    on_processes = len(missing) >= _IN_PROCESSES_FROM
    progress = "elements" if on_processes else None
    for part, done, failed in engine.values(_write_part, batches, in_processes=on_processes, progress=progress):
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
    """Writes one part; returns its name, the documents in it, and those that could not be read."""
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
        whole = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
        with elements.atomic_write(part) as file:
            pq.write_table(whole, file, compression="zstd", row_group_size=1 << 18)
    return part, done, failed


def add_derived_columns(table: pa.Table, doc_id: str, lang: str | None) -> pa.Table:
    """The elements of a document in the columns of :func:`cache_schema`."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    size = len(table)
    texts = np.array(["" if text is None else text for text in table.column("text").to_pylist()], dtype=object)
    # Arrow compiles a pattern anew at each call: that of a word took 3 ms, more than all else of a small document.
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


def _parts(folder: CorpusFolder, doc_ids: Sequence[str] | None) -> Sequence[_Part]:
    """The parts with wanted documents, and which of their documents to take."""
    parts = update(folder)
    if doc_ids is None:
        return parts
    found: dict[str, set[str]] = {}
    for part, doc_id in folder.catalog.tuples(
        "SELECT part, doc_id FROM element_cache JOIN current USING (doc_id, version) "
        "WHERE doc_id IN (SELECT value FROM json_each(?)) ORDER BY part",
        (json.dumps(list(doc_ids)),),
    ):
        found.setdefault(part, set()).add(doc_id)
    return [_Part(folder.elements / part, frozenset(documents)) for part, documents in found.items()]
