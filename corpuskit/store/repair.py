"""Makes a catalogue again from what it is an index of: documents/, originals/, labels/ and models/."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from corpuskit.document import NLPTextDocument, from_nlptext
from corpuskit.errors import CorpusBusyError, CorpusError, CorpusKitError
from corpuskit.safe_folder import MOST_BYTES, SafeFolder, parts_of
from corpuskit.sources.nlptext import NLPTEXT_TYPE
from corpuskit.store.catalog import Catalog, clean
from corpuskit.store.database import CATALOG, connect
from corpuskit.store.documents import TEXT_SUFFIX, read_document
from corpuskit.store.first_look import limited
from corpuskit.store.folder import CRAWL_LOCK, CorpusFolder, only_one
from corpuskit.store.packs import Pack, pack_files
from corpuskit.store.telling import counted, who_has_open
from corpuskit.text import count_words, text_hash

_NEW: Final = "catalog.sqlite.repaired"
_VERSION = re.compile(r"\.v([1-9][0-9]{0,6})(~[0-9a-f]{16}\.v[0-9]+)?\Z")
# Made anew from the files they are an index of; all other tables are copied as far as they can be read.
_MADE_ANEW: Final = frozenset({"documents", "labels", "element_cache", "meta"})
# What people have made and no file knows: keys of meta, whole or as far as the space, and what it is called.
_KEPT_META: Final = {
    "sub-corpus ": "sub-corpora", "query ": "saved queries", "layers": "layers", "preprocess": "preprocessing",
    "audit": "audits", "export ": "exports", "merged shard ": "merged shards",
}  # fmt: skip
# Tables of which people know nothing, which a report does not name, and what is lost with them.
_INNER: Final = {
    "texts": "which texts were met before", "outlinks": "links between documents",
    "said": "what documents say of themselves", "refusals": "how many links were refused",
}  # fmt: skip
# What people call the rows of the other tables, and what is kept in meta: one, several.
_WORDS: Final = {
    "scores": ("score", "scores"), "failures": ("failure", "failures"), "requests": ("request", "requests"),
    "tombstones": ("removed document", "removed documents"), "frontier": ("known URL", "known URLs"),
    "hosts": ("host", "hosts"), "jobs": ("crawl", "crawls"), "models": ("model", "models"),
    "sub-corpora": ("sub-corpus", "sub-corpora"), "saved queries": ("saved query", "saved queries"),
    "layers": ("set of layers", "sets of layers"), "preprocessing": ("run of preprocessing", "runs of preprocessing"),
    "audits": ("audit", "audits"), "exports": ("export", "exports"), "merged shards": ("merged shard", "merged shards"),
    "meta": ("", "sub-corpora and saved queries"),
}  # fmt: skip
_BATCH: Final = 500


@dataclass(slots=True)
class Repaired:
    """What a repair did.

    Attributes:
        documents: rows made from documents/, those of the old catalogue that fit among them.
        pending: originals without a document: ``Corpus.extract_pending`` or the next crawl extracts them.
        rows: table, and what is in the table meta as sub-corpora and saved queries → rows copied from the old catalogue.
        requests: URLs of the frontier that were made from the web archives.
        lost: what could not be made again, a sentence each.
        old: where the old catalogue is kept; None where there was none.
    """

    documents: int = 0
    pending: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    requests: int = 0
    lost: list[str] = field(default_factory=list)
    old: str | None = None

    def __repr__(self) -> str:
        hint = " (extract_pending() extracts them)" if self.pending else ""
        lines = [f"{counted(self.documents, 'document')}, {self.pending:,} pending{hint}"]
        words = {name: _WORDS.get(name, (name, name)) for name in self.rows if name not in _INNER}
        if kept := ", ".join(f"{count:,} {words[name][count != 1]}" for name, count in self.rows.items()
                             if count and name in words):  # fmt: skip
            lines.append(f"kept of the old catalogue: {kept}")
        if self.requests:
            lines.append(f"made from the web archives: {counted(self.requests, 'known URL')}")
        return "\n".join([*lines, *(f"lost: {line}" for line in self.lost)])


def repair(path: Path) -> Repaired:
    """Makes the catalogue of a corpus again; the old one is kept beside it under another name.

    A row of the old catalogue is taken where it can be read and fits its document. The rest of a row comes from the
    document itself, which names its URI, times, media type and the hash of its original. The frontier comes from the old
    catalogue, else from the requests in the web archives: what was fetched is known then, what was queued is not.

    Raises:
        CorpusError: there is no corpus folder; a file of it cannot be written.
        CorpusBusyError: a crawl runs.
    """
    folder = SafeFolder(path.resolve())
    if not any(folder.has(name) for name in ("corpus.toml", CATALOG, "documents", "labels")):
        raise CorpusError(f"{path} is no corpus: there is no corpus.toml, catalogue, documents/ or labels/")
    with only_one(folder, CRAWL_LOCK, "crawl or repair"):
        return _repair(folder)


def _repair(inside: SafeFolder) -> Repaired:
    report = Repaired()
    for suffix in ("", "-wal", "-shm", "-journal"):
        inside.remove(_NEW + suffix)
    catalog = Catalog(inside / _NEW)
    try:
        with _old_catalog(inside) as old:
            known = _salvage(old, catalog, report)
        originals = _Originals(inside.within("originals"))
        _documents(inside.within("documents"), catalog, originals, known, report)
        _frontier(catalog, originals, report)
        _models(inside.within("models"), catalog, report)
        catalog.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        catalog.close()
    report.old = _swap(inside)
    folder = CorpusFolder(inside.path)  # reads the labels
    try:
        _elements(folder, report)
        folder.catalog.flush()
    finally:
        folder.close()
    return report


def _swap(folder: SafeFolder) -> str | None:
    """The new catalogue takes the place of the old one, which is kept."""
    name = None
    if folder.has(CATALOG):
        number = 1
        while folder.has(f"{CATALOG}.damaged-{number}"):
            number += 1
        name = f"{CATALOG}.damaged-{number}"
        for suffix in ("-wal", "-shm", "-journal", ""):  # the log belongs to the file; a new file must not get it
            with contextlib.suppress(FileNotFoundError):
                folder.rename(CATALOG + suffix, name + suffix)
    folder.rename(_NEW, CATALOG)
    for suffix in ("-wal", "-shm"):
        folder.remove(_NEW + suffix)
    return name


# -- the old catalogue -------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _old_catalog(folder: SafeFolder) -> Iterator[sqlite3.Connection | None]:
    if not folder.has(CATALOG):
        yield None
        return
    connection = connect(folder, CATALOG, timeout=5)
    connection.execute("PRAGMA trusted_schema = ON")  # see Catalog; only tables are read, none that computes a column
    connection.row_factory = sqlite3.Row
    try:
        # It leaves the mode of many users only when it has one. Who has it open would write into the old one, which is lost.
        connection.execute("PRAGMA journal_mode = DELETE")
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the second: a message about a name that is no text
        if "locked" in str(error):
            connection.close()
            who = who_has_open(folder / CATALOG)
            raise CorpusBusyError(f"others have this corpus open ({who}): close it there, then repair") from error
    try:
        yield connection
    finally:
        connection.close()


def _salvage(old: sqlite3.Connection | None, catalog: Catalog, report: Repaired) -> dict[str, dict[str, Any]]:
    """Copies what can be read; returns the rows of documents by their path."""
    if old is None:
        report.lost.append(
            "there was no catalogue: scores, crawls, failures, the log of requests, which documents were removed, "
            "sub-corpora and saved queries are gone"
        )
        return {}
    damaged = []
    tables = [row[0] for row in catalog.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    known: dict[str, dict[str, Any]] = {}
    for table in tables:
        kinds = {str(row[1]): str(row[2]) for row in catalog.rows(f'PRAGMA table_info("{table}")')}
        rows, whole = _read_table(old, table)
        if not whole:
            damaged.append(table)
        rows = [row for row in rows if _fits(row, kinds)]
        if table == "documents":
            known = {str(row["path"]): _of_today(row, kinds) for row in rows}
            continue
        if table == "meta":
            _keep_meta(rows, catalog, report)
            continue
        if table in _MADE_ANEW:
            continue
        shared = [name for name in kinds if rows and name in rows[0]]
        count = 0
        with catalog.transaction() as connection:
            for row in rows:
                with contextlib.suppress(sqlite3.Error):  # a row that breaks a rule of its table is damaged
                    count += connection.execute(
                        f'INSERT OR IGNORE INTO "{table}" ({", ".join(map(_quoted, shared))}) '
                        f"VALUES ({', '.join('?' * len(shared))})",
                        [row[name] for name in shared],
                    ).rowcount
        report.rows[table] = count
    what = {"scores": "run corpuskit train", "tombstones": "what was removed may be added again",
            "frontier": "crawl the seeds again"}  # fmt: skip
    report.lost += [
        f"{_INNER.get(table) or _WORDS.get(table, ('', table))[1]}, as far as the old catalogue was damaged there"
        + (f": {what[table]}" if table in what else "")
        for table in damaged
        if table not in _MADE_ANEW or table == "meta"
    ]
    return known


def _keep_meta(rows: list[dict[str, Any]], catalog: Catalog, report: Repaired) -> None:
    for key, value in ((str(row["key"]), str(row["value"])) for row in rows):
        start = next((s for s in _KEPT_META if key == s or (s.endswith(" ") and key.startswith(s))), None)
        if start is None:
            continue
        what = _KEPT_META[start]
        if start != "merged shard " and not _is_whole(key, value):  # of those the value is a hash
            name = repr(clean(key.removeprefix(start))) if start.endswith(" ") else ""
            report.lost.append(f"{what} {name}".rstrip() + ": what the catalogue held cannot be read")
            continue
        catalog.set_meta(key, value)
        report.rows[what] = report.rows.get(what, 0) + 1


def _is_whole(key: str, value: str) -> bool:
    with contextlib.suppress(ValueError, RecursionError, AttributeError, KeyError, TypeError):
        found = json.loads(value)
        return key != "layers" or all(isinstance(makers, list) for makers in found["layers"].values())
    return False


def _read_table(old: sqlite3.Connection, table: str) -> tuple[list[dict[str, Any]], bool]:
    """The rows that can be read, from the beginning up to a damaged page and from the end down to it; whether all."""
    try:
        columns = old.execute(f'PRAGMA table_xinfo("{table}")').fetchall()
        keys = [row[1] for row in columns if row[5]] or ["rowid"]
        made = old.execute("SELECT sql FROM sqlite_master WHERE name = ? AND type = 'table'", (table,)).fetchall()
    except (sqlite3.Error, UnicodeDecodeError):
        return [], False
    # A view or virtual table in the place of a table, or a column that is computed, would run what somebody wrote.
    if (
        len(made) != 1
        or not re.match(r"create\s+table\b", str(made[0][0]), re.IGNORECASE)
        or any(c[6] for c in columns)
    ):
        return [], False
    with limited(old):
        return _rows_of(old, table, keys)


def _rows_of(old: sqlite3.Connection, table: str, keys: list[str]) -> tuple[list[dict[str, Any]], bool]:
    rows: dict[Any, dict[str, Any]] = {}
    whole = True
    for direction in ("ASC", "DESC"):
        order = ", ".join(f"{_quoted(key)} {direction}" for key in keys)
        try:
            for row in old.execute(f'SELECT * FROM "{table}" NOT INDEXED ORDER BY {order}'):
                rows[tuple(row[key] if key != "rowid" else tuple(row) for key in keys)] = dict(row)
            if whole:
                break
        except (sqlite3.Error, OverflowError, UnicodeDecodeError):
            whole = False
    if not whole:  # sorting needs all rows; a plain scan stops at the damage only
        with contextlib.suppress(sqlite3.Error, UnicodeDecodeError):
            for row in old.execute(f'SELECT * FROM "{table}" NOT INDEXED'):
                rows.setdefault(tuple(row[key] if key != "rowid" else tuple(row) for key in keys), dict(row))
    return list(rows.values()), whole


def _fits(row: dict[str, Any], kinds: dict[str, str]) -> bool:
    """Its values are of the kinds of their columns."""
    numbers = {"INTEGER", "REAL"}
    return not any(
        isinstance(row.get(name), bytes if kind == "TEXT" else (str, bytes) if kind in numbers else (str, int, float))
        for name, kind in kinds.items()
    )


def _of_today(row: dict[str, Any], kinds: dict[str, str]) -> dict[str, Any]:
    """A row of documents in today's columns."""
    row = {name: row[name] for name in kinds if name in row}
    if "payload_digest" not in row:
        with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
            row["payload_digest"] = str(json.loads(row["metadata"])["payload_digest"])
    return row


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# -- originals ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Kept:
    """An original: where it is, and what its record says."""

    file: str
    offset: int | None
    length: int | None
    uri: str | None = None
    date: str | None = None
    media_type: str | None = None
    status: int | None = None


class _Originals:
    """What is kept below originals/, by the hash of its content."""

    def __init__(self, folder: SafeFolder) -> None:
        self.by_hash: dict[str, list[_Kept]] = {}
        self.requested: dict[str, _Kept] = {}
        self.texts: dict[str, tuple[str, _Kept]] = {}  # URI → hash and place of a .nlp.txt that brought it
        self.damaged: list[str] = []
        for name in folder.names("*.warc.gz"):
            self._read_warc(folder, name)
        for directory in folder.folders():
            for name in folder.within(directory).names() if directory.endswith(".d") else ():
                # In an artifact directory the original has the directory's name, or a version's without its number.
                if directory.removesuffix(".d").endswith(name):
                    kept = _Kept(f"{directory}/{name}", None, None)
                    with folder.open(kept.file) as file:
                        digest = _digest(file)
                    self._add(digest, kept)
                    if name.endswith(TEXT_SUFFIX) and (uri := _own_uri(folder, kept.file)):
                        self.texts[uri] = digest, kept

    def _add(self, digest: str, kept: _Kept) -> None:
        self.by_hash.setdefault(digest, []).append(kept)

    def _read_warc(self, folder: SafeFolder, name: str) -> None:
        from fastwarc.warc import ArchiveIterator, WarcRecordType

        waiting: tuple[str, _Kept] | None = None
        size = 0
        try:
            with folder.open(name) as stream:
                size = os.fstat(stream.fileno()).st_size
                for record in ArchiveIterator(stream, record_types=WarcRecordType.any_type, parse_http=True):
                    # A place spans a response and its request, which follows it.
                    if record.record_type == WarcRecordType.request:
                        continue
                    if waiting is not None:
                        self._add(waiting[0], _ended(waiting[1], record.stream_pos))
                        waiting = None
                    if record.record_type != WarcRecordType.response:
                        continue
                    kept = self._response(name, record)
                    self.requested[kept.uri or ""] = kept
                    waiting = _digest(record.reader), kept
        except (OSError, ValueError, EOFError) as error:
            self.damaged.append(f"originals/{name} cannot be read to its end: {error}")
            waiting = None
        if waiting is not None:
            self._add(waiting[0], _ended(waiting[1], size))

    @staticmethod
    def _response(name: str, record: Any) -> _Kept:
        date = record.record_date or datetime.fromtimestamp(0, UTC)
        return _Kept(
            file=name,
            offset=record.stream_pos,
            length=None,
            uri=(record.headers.get("WARC-Target-URI") or "").strip("<> "),
            date=date.astimezone(UTC).isoformat(),
            media_type=(record.http_content_type or "").lower() or None,
            status=record.http_headers.status_code if record.http_headers else None,
        )

    def added_text(self, uri: str) -> tuple[str, _Kept] | None:
        """The hash and place of the ``.nlp.txt`` that a document was added as; its metadata tell of an older original."""
        return self.texts.get(uri)

    def take(self, digest: str, uri: str) -> _Kept | None:
        """The original of a document: the one of its URI, else any of its content."""
        found = self.by_hash.get(digest, [])
        return next((kept for kept in found if kept.uri == uri), found[0] if found else None)


def _digest(reader: Any) -> str:
    digest, size = hashlib.sha256(), 0
    while block := reader.read(1 << 20):
        digest.update(block)
        size += len(block)
        if size > MOST_BYTES:
            raise ValueError(f"a record has more than {MOST_BYTES:,} bytes unpacked")
    return digest.hexdigest()


def _own_uri(folder: SafeFolder, name: str) -> str:
    """The URI of a ``.nlp.txt``; empty where it is not known."""
    try:
        uri = from_nlptext(folder.read(name), strict=False).uri
    except CorpusKitError:
        return ""
    return "" if uri == "?" else uri


def _ended(kept: _Kept, end: int) -> _Kept:
    from dataclasses import replace

    return replace(kept, length=end - (kept.offset or 0))


# -- documents ---------------------------------------------------------------------------------------------------------


def _documents(
    documents: SafeFolder, catalog: Catalog, originals: _Originals, known: dict[str, dict[str, Any]], report: Repaired
) -> None:
    used: set[tuple[str, int | None]] = set()
    without_original = 0
    unread: dict[str, str] = {}
    removed = {row[0] for row in catalog.rows("SELECT doc_id FROM tombstones")}
    for paths in _batched(_paths(documents)):
        rows = []
        for name in paths:
            try:
                document = read_document(documents, name, strict=False)
            except (CorpusKitError, OSError) as error:
                unread[name] = str(error)
                continue
            row = _row(name, document, originals, known.get(name))
            if row["doc_id"] in removed:
                continue
            used.add((row["original"], row["original_offset"]))
            without_original += not row["original"] and row["source"] not in {"warc", "parquet"}
            rows.append((row, [text_hash(text) for text in document.text_strings()]))
        with catalog.transaction() as connection:
            for row, texts in rows:
                report.documents += _insert(connection, row)
                connection.executemany("INSERT OR IGNORE INTO texts (hash) VALUES (?)", [(text,) for text in texts])
    # What was fetched and not extracted, or failed.
    for row in known.values():
        if row["status"] in {"fetched", "failed", "removed"} and _is_sound(row):
            used.add((row["original"], row["original_offset"]))
            with catalog.transaction() as connection:
                report.pending += _insert(connection, row) and row["status"] == "fetched"
    _again(catalog, originals, known, used, unread, report)
    report.lost += [f"documents/{name}{TEXT_SUFFIX}: {message}" for name, message in unread.items()]
    _pending(catalog, originals, used, removed, report)
    if without_original:
        report.lost.append(
            f"the originals of {counted(without_original, 'document')}: nothing in originals/ has their hash"
        )
    report.lost += originals.damaged


def _again(
    catalog: Catalog, originals: _Originals, known: dict[str, dict[str, Any]], used: set[tuple[str, int | None]],
    unread: dict[str, str], report: Repaired,
) -> None:  # fmt: skip
    """Documents the old catalogue knew whose text is gone or damaged are extracted again where their original is there."""
    gone = []
    for name, row in known.items():
        if row["status"] != "extracted" or not _is_sound(row):
            continue
        here = any(kept.file == row["original"] for kept in originals.by_hash.get(row["content_hash"], []))
        with catalog.transaction() as connection:
            if here and _insert(connection, {**row, "status": "fetched", "extractor": None}):
                used.add((row["original"], row["original_offset"]))
                unread.pop(name, None)
                report.pending += 1
            elif not here and name not in unread and not catalog.has_document_at(name):
                gone.append(name)
    if gone:
        report.lost.append(f"the texts and the originals of {counted(len(gone), 'document')}, such as {gone[0]}")


def _pending(
    catalog: Catalog, originals: _Originals, used: set[tuple[str, int | None]], removed: set[str], report: Repaired
) -> None:
    """Originals of the web that no document was made from are extracted again; of files the URI is not known."""
    from corpuskit.store.paths import document_path, with_suffix

    unnamed = []
    for digest, places in originals.by_hash.items():
        for kept in places:
            if (kept.file, kept.offset) in used:
                continue
            if kept.uri is None:
                unnamed.append(kept.file)
                continue
            if kept.status != 200 or "://" not in kept.uri:
                continue
            doc_id = _document_id(kept.uri)
            if doc_id in removed:
                continue
            version = 1 + int(
                catalog.value("SELECT coalesce(max(version), 0) FROM documents WHERE doc_id = ?", (doc_id,))
            )
            name = document_path(kept.uri) + (f".v{version}" if version > 1 else "")
            if catalog.value("SELECT 1 FROM documents WHERE path = ? COLLATE NOCASE", (name,)):
                name = with_suffix(name, f"{doc_id}.v{version}")
            row = {
                "doc_id": doc_id, "version": version, "uri": kept.uri, "host": urlsplit(kept.uri).netloc.lower(),
                "media_type": (kept.media_type or "text/html").partition(";")[0].strip(), "fetched": kept.date,
                "status": "fetched", "path": name, "original": kept.file, "original_offset": kept.offset,
                "original_length": kept.length, "content_hash": digest, "source": "web",
            }  # fmt: skip
            with catalog.transaction() as connection:
                report.pending += _insert(connection, row)
    if unnamed:
        report.lost.append(
            f"where {counted(len(unnamed), 'file')} in originals/ came from, without a document, such as {unnamed[0]}: "
            "add them again"
        )


def _paths(documents: SafeFolder) -> Iterator[str]:
    """The paths of all documents, of files and in packs, the newest of each first."""
    seen: set[str] = set()
    for file in sorted(documents.walk(TEXT_SUFFIX)):
        name = file.removesuffix(TEXT_SUFFIX)
        seen.add(name)
        yield name
    for pack in pack_files(documents):
        with contextlib.suppress(CorpusError), Pack(pack) as opened:
            for name in opened.paths():
                if name not in seen:
                    seen.add(name)
                    yield name


def _batched(paths: Iterator[str]) -> Iterator[list[str]]:
    import itertools

    while batch := list(itertools.islice(paths, _BATCH)):
        yield batch


def _row(path: str, document: NLPTextDocument, originals: _Originals, old: dict[str, Any] | None) -> dict[str, Any]:
    """A row of the catalogue: the old one where it fits the document, else made from it."""
    metadata = document.metadata
    digest = metadata.get("original_sha256", "")
    if old is not None and _is_sound(old) and old["uri"] == document.uri and old["content_hash"] == digest:
        return {**old, "status": "extracted"}
    uri = document.uri
    match = _VERSION.search(path)
    kept = originals.take(digest, uri)
    media_type = metadata.get("media_type", "text/html")
    if kept is None and (added := originals.added_text(uri)) is not None:
        (digest, kept), media_type = added, NLPTEXT_TYPE
        if old is not None and _is_sound(old) and old["uri"] == uri and old["original"] == kept.file:
            return {**old, "status": "extracted"}
    main = document.to_text(main=True)
    timestamp = document.timestamp
    if timestamp is not None:
        timestamp = timestamp.replace(tzinfo=UTC) if timestamp.tzinfo is None else timestamp.astimezone(UTC)
    fetched = metadata.get("fetched") or (timestamp or datetime.fromtimestamp(0, UTC)).isoformat()
    return {
        "doc_id": _document_id(uri), "version": int(match[1]) if match else 1, "uri": uri,
        "host": urlsplit(uri).netloc.rpartition("@")[2].lower() if "://" in uri else "", "title": clean(document.title),
        "media_type": media_type, "lang": metadata.get("language"),
        "words": count_words(document.to_text()), "main_words": count_words(main), "elements": len(document.table),
        "timestamp": (timestamp.isoformat() if timestamp else fetched), "fetched": fetched, "status": "extracted",
        "path": path, "original": kept.file if kept else "", "original_offset": kept.offset if kept else None,
        "original_length": kept.length if kept else None, "content_hash": digest,
        "text_hash": text_hash(main) if main else None, "last_modified": metadata.get("last_modified"),
        "source": metadata.get("source"), "extractor": metadata.get("extractor"),
    }  # fmt: skip


def _is_sound(row: dict[str, Any]) -> bool:
    """A row whose page was not damaged: its parts agree."""
    texts = ("doc_id", "uri", "host", "media_type", "fetched", "status", "path", "original", "content_hash")
    return (
        all(isinstance(row.get(name), str) for name in texts)
        and isinstance(row.get("version"), int)
        and row["doc_id"] == _document_id(row["uri"])
        and all(row.get(name) is None or row[name] >= 0 for name in ("original_offset", "original_length"))
        and re.fullmatch(r"[0-9a-f]{64}", row["content_hash"]) is not None
        and all(_stays(row[name]) for name in ("path", "original"))
    )


def _stays(name: str) -> bool:
    with contextlib.suppress(CorpusError):
        parts_of(name)
        return True
    return False


def _insert(connection: sqlite3.Connection, row: dict[str, Any]) -> int:
    names = [name for name in row if name.isidentifier()]
    return connection.execute(
        f"INSERT OR IGNORE INTO documents ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
        [row[name] for name in names],
    ).rowcount


def _document_id(uri: str) -> str:
    return hashlib.sha256(uri.encode("utf-8", "replace")).hexdigest()[:16]


# -- frontier, models, elements ----------------------------------------------------------------------------------------


def _frontier(catalog: Catalog, originals: _Originals, report: Repaired) -> None:
    """URLs of the web archives that the frontier does not know were fetched."""
    from corpuskit.sources.web.urls import host_of, url_key

    with catalog.transaction() as connection:
        for url in originals.requested:
            if not url.startswith(("http://", "https://")):
                continue
            key = int.from_bytes(hashlib.sha256(url_key(url).encode("utf-8", "replace")).digest()[:8], "big") >> 1
            report.requests += connection.execute(
                "INSERT OR IGNORE INTO frontier (id, url, host, depth, priority, state, why) "
                "VALUES (?, ?, ?, 0, 0, 'fetched', 'repaired from a web archive')",
                (key, url, host_of(url)),
            ).rowcount
    if report.requests:
        report.lost.append("URLs that were queued and not fetched, and depths: name the seeds again to crawl on")


def _models(folder: SafeFolder, catalog: Catalog, report: Repaired) -> None:
    known = {row[0] for row in catalog.rows("SELECT folder FROM models")}
    found = set(folder.folders())
    missing = sorted(name for name in found if not any(name in row for row in known))
    if missing:
        report.lost.append(
            f"what was known of {counted(len(missing), 'model')}, such as models/{missing[0]}: run corpuskit train"
        )


def _elements(folder: CorpusFolder, report: Repaired) -> None:
    from corpuskit.store import element_cache

    for name in folder.elements.names("*.parquet"):
        folder.elements.remove(name)
    element_cache.update(folder)
    unread = Counter(row["stage"] for row in folder.catalog.rows("SELECT stage FROM failures WHERE stage = 'read'"))
    if unread["read"]:
        report.lost.append(f"{counted(unread['read'], 'resource')} could not be read: corpuskit failures lists them")
