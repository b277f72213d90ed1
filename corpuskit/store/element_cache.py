"""elements/*.parquet: the elements of all documents, a cache that is made from documents/ where it lacks something."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import secrets
import sqlite3
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from corpuskit import engine
from corpuskit.document.frames import arrow_schema, to_arrow
from corpuskit.errors import CorpusError
from corpuskit.safe_folder import SafeFolder
from corpuskit.store.documents import read_document
from corpuskit.store.folder import CorpusFolder
from corpuskit.store.schema import DOCUMENTS_STATE, ELEMENTS_STATE
from corpuskit.text import count_words

if TYPE_CHECKING:
    import pyarrow as pa

    from corpuskit.interruptible import polars as pl

_BATCH: Final = 1000  # documents a part
_IN_PROCESSES_FROM: Final = 3000  # documents; below, starting processes costs more than it gains
_TRIES: Final = 3  # where a part goes while it is read
_FIRST_ROWS: Final = 10_000  # looked through alone, so that the first lines come early
_PARTS_AT_ONCE: Final = 8  # looked through together: faster than one by one, and 8,000 documents fit into memory
_COMPACT_AT: Final = 64  # parts that are not full; then these are made again as few
_ABANDONED: Final = 3600.0  # seconds; a younger part that nothing refers to is about to be named, or still read


@dataclass(frozen=True)
class _Part:
    """A file of the cache, the rows of it to look at, and the documents to take from them; None: all."""

    path: Path
    documents: frozenset[str] | None = None
    rows: tuple[int, int | None] | None = None  # the first, and how many


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
    where: pl.Expr | None = None,
) -> pa.Table:
    """The elements of the last versions of documents, those of a document together and in order.

    Args:
        folder: the corpus.
        doc_ids: only these; None for all.
        columns: only these of doc_id, those of the element table, lang, words and text_hash.
        where: only rows for which this holds; it is asked while the files are read, the other rows take no memory.

    Returns:
        An Arrow table; text_hash (uint64) is equal where texts are.
    """
    names = list(columns) if columns is not None else cache_schema().names
    for _ in range(_TRIES):
        with contextlib.suppress(FileNotFoundError):  # another process has removed a document of that part meanwhile
            return _table(_parts(folder, doc_ids), names, where)
    return _table(_parts(folder, doc_ids), names, where)


def _table(parts: Sequence[_Part], names: Sequence[str], where: pl.Expr | None) -> pa.Table:
    import pyarrow as pa

    if where is not None:
        return _selected(parts, names, where)
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # Arrow reads without the interpreter's lock
        tables = list(pool.map(functools.partial(_read, names=names), parts))
    return pa.concat_tables([_schema_of(names).empty_table(), *tables]).unify_dictionaries()


def element_tables(
    folder: CorpusFolder,
    doc_ids: Sequence[str] | None = None,
    *,
    columns: Sequence[str] | None = None,
    where: pl.Expr | None = None,
) -> Iterator[pa.Table]:
    """As :func:`element_table`, some parts of the cache at a time: who needs the first lines reads no more."""
    names = list(columns) if columns is not None else cache_schema().names
    parts = _parts(folder, doc_ids)
    if where is None:
        tables = (_read(part, names) for part in parts)
    else:
        tables = (_selected(some, names, where) for some in _growing(parts))
    yield from (table for table in tables if len(table))


def main_texts(folder: CorpusFolder, doc_ids: Sequence[str] | None = None) -> Iterator[tuple[str, str]]:
    """doc_id and main text of the last versions, a block a line; documents without elements are left out."""
    from corpuskit.interruptible import polars as pl

    said = pl.when(pl.col("main") & (pl.col("text") != "")).then(pl.col("text")).alias("text")
    given: set[str] = set()
    for left in range(_TRIES, -1, -1):
        try:
            for part in _parts(folder, doc_ids):
                lines = _scan([part]).select("doc_id", said)
                with whole(part.path):
                    found = lines.group_by("doc_id", maintain_order=True).agg(pl.col("text").str.join("\n")).collect()
                for doc_id, text in zip(
                    found["doc_id"].cast(pl.String).to_list(), found["text"].to_list(), strict=True
                ):
                    if doc_id not in given:
                        given.add(doc_id)
                        yield doc_id, text
        except FileNotFoundError:  # another process has removed a document of that part meanwhile
            if not left:
                raise
        else:
            return


def _growing(parts: Sequence[_Part]) -> Iterator[Sequence[_Part]]:
    """Few rows, then more and more: what is found first comes early, and several parts are read at once."""
    if parts:
        yield [replace(parts[0], rows=(0, _FIRST_ROWS))]
        yield [replace(parts[0], rows=(_FIRST_ROWS, None))]
    start, count = 1, 2
    while start < len(parts):
        yield parts[start : start + count]
        start, count = start + count, min(2 * count, _PARTS_AT_ONCE)


def _read(part: _Part, names: Sequence[str]) -> pa.Table:
    import pyarrow.parquet as pq

    if part.documents is not None:
        return _selected([part], names)
    with whole(part.path):
        table = pq.ParquetFile(part.path).read(names)
    if not table.schema.equals(_schema_of(names)):
        raise CorpusError(f"elements/{part.path.name} is damaged (other columns): remove it, it is made again")
    return table


@contextlib.contextmanager
def whole(*parts: Path) -> Iterator[None]:
    """While parts of the cache are read: says which one is damaged and what to do.

    Raises:
        CorpusError: one cannot be read.
        FileNotFoundError: one has gone.
    """
    try:
        yield
    except (FileNotFoundError, CorpusError):
        raise
    except Exception as error:  # Arrow and Polars have many
        import pyarrow.parquet as pq

        from corpuskit.interruptible import polars as pl

        for part in parts:
            try:
                pq.ParquetFile(part).read()
                pl.read_parquet(part, glob=False, hive_partitioning=False)  # it refuses some of what Arrow reads
            except FileNotFoundError:
                raise
            except Exception as reason:
                raise CorpusError(
                    f"elements/{part.name} is damaged ({str(reason).strip()[:200]}): remove it, it is made again"
                ) from error
        raise


def _selected(parts: Sequence[_Part], names: Sequence[str], where: pl.Expr | None = None) -> pa.Table:
    """Some of the rows, in order.

    Polars decodes of the other columns only the rows that are left; reading whole parts, Arrow is as fast and needs no
    second form of the strings (``benchmarks/frames_read.py``, 2026-11-22).
    """
    from corpuskit.interruptible import polars as pl

    if not parts:
        return _schema_of(names).empty_table()
    rows = _scan(parts) if where is None else _scan(parts).filter(where)
    with whole(*(part.path for part in parts)):
        found = rows.select(names).collect().to_arrow(compat_level=pl.CompatLevel.oldest())
        return found.cast(_schema_of(names))


def _scan(parts: Sequence[_Part]) -> pl.LazyFrame:
    """The rows of parts that are to be looked at."""
    from corpuskit.interruptible import polars as pl

    frames = []
    for part in parts:
        frame = pl.scan_parquet(part.path, glob=False, hive_partitioning=False)  # a corpus may stand in any folder
        if part.rows is not None:
            frame = frame.slice(*part.rows)
        if part.documents is not None:
            frame = frame.filter(pl.col("doc_id").is_in(sorted(part.documents)))
        frames.append(frame)
    return pl.concat(frames)


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


def forget_elements(connection: sqlite3.Connection, doc_id: str, version: int) -> None:
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
    present = set(folder.elements.names("*.parquet"))
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
    folder.elements.make()
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
        tables.append(with_derived(table, doc_id, lang))
    part = f"part-{secrets.token_hex(8)}.parquet"
    if tables:
        whole = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
        with elements.replacing(part) as file:
            pq.write_table(whole, file, compression="zstd", row_group_size=1 << 18)
    return part, done, failed


def with_derived(table: pa.Table, doc_id: str, lang: str | None) -> pa.Table:
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
