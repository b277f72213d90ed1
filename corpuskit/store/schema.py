"""Schema of catalog.sqlite: tables, migrations and the comparison with the expected schema."""

from __future__ import annotations

import contextlib
import functools
import re
import sqlite3
import struct
from typing import Final

from corpuskit.errors import CorpusError, CorpusVersionError

VERSION: Final = 9
DOCUMENTS_STATE: Final = "documents_state"  # keys in meta
ELEMENTS_STATE: Final = "elements_state"

_TABLES: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- One row per version of a document. status: fetched (original stored, not yet extracted), extracted, failed, removed.
CREATE TABLE documents (
    doc_id TEXT NOT NULL, version INTEGER NOT NULL, uri TEXT NOT NULL, host TEXT NOT NULL, title TEXT,
    media_type TEXT NOT NULL, charset TEXT, lang TEXT, words INTEGER, main_words INTEGER, elements INTEGER,
    timestamp TEXT, fetched TEXT NOT NULL, status TEXT NOT NULL,
    path TEXT NOT NULL,                 -- below documents/, without .nlp.txt
    original TEXT NOT NULL,             -- below originals/
    original_offset INTEGER, original_length INTEGER,   -- of the record in a WARC file
    content_hash TEXT NOT NULL,         -- SHA-256 of the original bytes
    text_hash INTEGER,                  -- of the main text without white space and case; equal texts are duplicates
    origin TEXT,                        -- hash of the directory it was added from
    unique_share REAL,                  -- share of its text that was new to the corpus
    etag TEXT, last_modified TEXT, source TEXT, extractor TEXT,
    metadata TEXT,                      -- metadata of the source, as JSON
    payload_digest TEXT,                -- of its WARC record; later records may refer to it instead of repeating the content
    PRIMARY KEY (doc_id, version)
);
CREATE UNIQUE INDEX documents_path ON documents (path COLLATE NOCASE);
CREATE INDEX documents_status ON documents (status) WHERE status = 'fetched';
CREATE INDEX documents_content ON documents (content_hash);
CREATE INDEX documents_payload ON documents (payload_digest) WHERE payload_digest IS NOT NULL;

-- The last extracted version of each document.
CREATE VIEW current AS SELECT * FROM documents d WHERE status = 'extracted' AND version =
    (SELECT max(version) FROM documents l WHERE l.doc_id = d.doc_id AND l.status = 'extracted');

-- Part of elements/ that contains a document. Missing parts are rebuilt.
CREATE TABLE element_cache (
    doc_id TEXT NOT NULL, version INTEGER NOT NULL, part TEXT NOT NULL, PRIMARY KEY (doc_id, version)
) WITHOUT ROWID;

CREATE TABLE scores (
    doc_id TEXT PRIMARY KEY, model TEXT NOT NULL, relevance REAL NOT NULL, decision TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE failures (
    uri TEXT NOT NULL, stage TEXT NOT NULL, error TEXT NOT NULL, message TEXT NOT NULL, "when" TEXT NOT NULL,
    tries INTEGER NOT NULL, PRIMARY KEY (uri, stage)
) WITHOUT ROWID;

CREATE TABLE tombstones (doc_id TEXT PRIMARY KEY, uri TEXT NOT NULL, reason TEXT NOT NULL, "when" TEXT NOT NULL)
    WITHOUT ROWID;

CREATE TABLE requests (
    id INTEGER PRIMARY KEY, job INTEGER, clock TEXT NOT NULL, url TEXT NOT NULL, status_code INTEGER,
    response_ms INTEGER, download_ms INTEGER, bytes INTEGER, unique_share REAL, depth INTEGER, parent TEXT,
    redirected_from TEXT, retries INTEGER, retry_after_s REAL, error TEXT, robots TEXT
);

-- state: queued, fetched, failed, refused; reason_code: what reason_refused says in words
-- kind: page, seed, or listing: a sitemap or feed that a site names
CREATE TABLE frontier (
    n INTEGER PRIMARY KEY,              -- in order of discovery: rows are appended
    id INTEGER NOT NULL UNIQUE,         -- the first 63 bits of SHA-256 of the URL
    url TEXT NOT NULL, host TEXT NOT NULL, depth INTEGER NOT NULL, parent TEXT, anchor TEXT, context TEXT,
    parent_score REAL, priority REAL NOT NULL, state TEXT NOT NULL, why TEXT, reason_refused TEXT,
    tries INTEGER NOT NULL DEFAULT 0, not_before REAL NOT NULL DEFAULT 0,
    redirected_from TEXT, redirects INTEGER NOT NULL DEFAULT 0,
    kind TEXT NOT NULL DEFAULT 'page', reason_code TEXT NOT NULL DEFAULT ''
);
CREATE INDEX frontier_queue ON frontier (host, priority DESC, n) WHERE state = 'queued';
CREATE INDEX frontier_refused ON frontier (reason_refused) WHERE state = 'refused';

-- 63-bit hashes of known texts.
CREATE TABLE texts (hash INTEGER PRIMARY KEY) WITHOUT ROWID;

-- Known URLs that a page links to: their ids in the frontier as little-endian 64-bit integers.
CREATE TABLE outlinks (source INTEGER PRIMARY KEY, targets BLOB NOT NULL);

-- Counts of links that were not added to the frontier: not fetchable, or marked nofollow.
CREATE TABLE refusals (host TEXT NOT NULL, reason TEXT NOT NULL, links INTEGER NOT NULL, PRIMARY KEY (host, reason))
    WITHOUT ROWID;

CREATE TABLE hosts (
    host TEXT PRIMARY KEY, robots TEXT, robots_status TEXT, robots_fetched REAL, crawl_delay REAL,
    sitemaps TEXT, sitemaps_fetched REAL, next_allowed REAL NOT NULL DEFAULT 0, verdict TEXT NOT NULL DEFAULT 'none', why TEXT,
    failures INTEGER NOT NULL DEFAULT 0,    -- consecutive responses "busy" or time-outs
    trouble TEXT NOT NULL DEFAULT ''        -- reason why it cannot be reached
) WITHOUT ROWID;

CREATE TABLE jobs (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, started TEXT NOT NULL, ended TEXT, options TEXT NOT NULL,
    reason TEXT, pages INTEGER
);

CREATE TABLE models (
    version TEXT PRIMARY KEY, created TEXT NOT NULL, folder TEXT NOT NULL, labels INTEGER NOT NULL, summary TEXT NOT NULL
) WITHOUT ROWID;

-- Index of labels/*.jsonl, which are authoritative.
CREATE TABLE labels (
    id INTEGER PRIMARY KEY, target TEXT NOT NULL, kind TEXT NOT NULL, label TEXT NOT NULL, by TEXT NOT NULL, note TEXT,
    "when" TEXT NOT NULL, version INTEGER, superseded INTEGER NOT NULL DEFAULT 0,
    origin TEXT NOT NULL DEFAULT 'single'   -- single, group, audit
);
CREATE INDEX labels_target ON labels (target, by);
"""


def _state_triggers(key: str, *tables: str) -> str:
    """Return statements that set a key of meta to a new random value whenever one of the tables changes.

    Derived data that record this value are up to date while it is unchanged. A counter could return to an earlier value
    when a backup is restored.
    """
    return f"INSERT OR REPLACE INTO meta VALUES ('{key}', hex(randomblob(16)));" + "".join(
        f"CREATE TRIGGER {table}_{event.lower()} AFTER {event} ON {table} BEGIN "
        f"UPDATE meta SET value = hex(randomblob(16)) WHERE key = '{key}'; END;"
        for table in tables
        for event in ("INSERT", "UPDATE", "DELETE")
    )


# Document metadata as JSON. Missing rows are restored from documents/.
_METADATA: Final = """
CREATE TABLE IF NOT EXISTS said (
    doc_id TEXT NOT NULL, version INTEGER NOT NULL, said TEXT NOT NULL, PRIMARY KEY (doc_id, version)
) WITHOUT ROWID;
"""
# Objects of earlier versions that a migration removes or changes.
_EARLIER_TABLES: Final = """
CREATE TABLE links (target INTEGER NOT NULL, source INTEGER NOT NULL, PRIMARY KEY (target, source)) WITHOUT ROWID;
CREATE TABLE hosts (
    host TEXT PRIMARY KEY, robots TEXT, robots_status TEXT, robots_fetched REAL, crawl_delay REAL,
    sitemaps TEXT, sitemaps_fetched REAL, next_allowed REAL NOT NULL DEFAULT 0, verdict TEXT NOT NULL DEFAULT 'none', why TEXT
) WITHOUT ROWID;
CREATE TABLE frontier (
    n INTEGER PRIMARY KEY, id INTEGER NOT NULL UNIQUE, url TEXT NOT NULL, host TEXT NOT NULL, depth INTEGER NOT NULL,
    parent TEXT, anchor TEXT, context TEXT, parent_score REAL, priority REAL NOT NULL, state TEXT NOT NULL, why TEXT,
    reason_refused TEXT, tries INTEGER NOT NULL DEFAULT 0, not_before REAL NOT NULL DEFAULT 0,
    redirected_from TEXT, redirects INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE documents (
    doc_id TEXT NOT NULL, version INTEGER NOT NULL, uri TEXT NOT NULL, host TEXT NOT NULL, title TEXT,
    media_type TEXT NOT NULL, charset TEXT, lang TEXT, words INTEGER, main_words INTEGER, elements INTEGER,
    timestamp TEXT, fetched TEXT NOT NULL, status TEXT NOT NULL, path TEXT NOT NULL, original TEXT NOT NULL,
    original_offset INTEGER, original_length INTEGER, content_hash TEXT NOT NULL, text_hash INTEGER, origin TEXT,
    unique_share REAL, etag TEXT, last_modified TEXT, source TEXT, extractor TEXT, metadata TEXT,
    PRIMARY KEY (doc_id, version)
);
CREATE INDEX documents_payload ON documents (json_extract(metadata, '$.payload_digest'))
    WHERE json_extract(metadata, '$.payload_digest') IS NOT NULL;
CREATE TABLE labels (
    id INTEGER PRIMARY KEY, target TEXT NOT NULL, kind TEXT NOT NULL, label TEXT NOT NULL, by TEXT NOT NULL, note TEXT,
    "when" TEXT NOT NULL, version INTEGER, superseded INTEGER NOT NULL DEFAULT 0
);
"""
_DOCUMENT_TRIGGERS: Final = _state_triggers(DOCUMENTS_STATE, "documents", "scores")
_ELEMENT_TRIGGERS: Final = _state_triggers(ELEMENTS_STATE, "element_cache")

FRONTIER_STATE: Final = """
UPDATE frontier SET kind = iif(parent IS NULL, 'seed', 'listing') WHERE depth = 0;
UPDATE frontier SET reason_code = CASE
    WHEN state = 'fetched' THEN CASE
        WHEN reason_refused = 'empty page' THEN 'empty'
        WHEN reason_refused LIKE 'sitemap or feed%' THEN 'listing'
        ELSE '' END
    WHEN state <> 'refused' THEN ''
    WHEN reason_refused = 'robots.txt' THEN 'robots'
    WHEN reason_refused LIKE 'private address %' OR reason_refused LIKE '% has the private address %'
        OR reason_refused LIKE 'local name %' THEN 'private'
    WHEN reason_refused = 'language other, by its URL' THEN 'url_language'
    WHEN reason_refused LIKE 'language%' THEN 'language'
    WHEN reason_refused LIKE 'scope%' THEN 'scope'
    WHEN reason_refused LIKE 'not included%' THEN 'not_included'
    WHEN reason_refused LIKE 'excluded%' THEN 'excluded'
    WHEN reason_refused LIKE 'depth%' THEN 'depth'
    WHEN reason_refused LIKE 'trap%' THEN 'trap'
    WHEN reason_refused LIKE 'held%' THEN 'held'
    WHEN reason_refused LIKE '% by its name' THEN 'media_type'
    ELSE '' END
WHERE reason_refused IS NOT NULL;
"""
"""Kinds of URLs, which catalogs before version 9 encoded in depth and parent, and codes of reasons, which they stored as text."""

# From version N to N + 1: statements to run.
_MIGRATIONS: Final[dict[int, str]] = {
    1: """
CREATE TABLE outlinks (source INTEGER PRIMARY KEY, targets BLOB NOT NULL);
INSERT INTO outlinks SELECT source, pack_ids(target) FROM links GROUP BY source;
DROP TABLE links;
CREATE TABLE refusals (host TEXT NOT NULL, reason TEXT NOT NULL, links INTEGER NOT NULL, PRIMARY KEY (host, reason))
    WITHOUT ROWID;
""",
    2: _DOCUMENT_TRIGGERS,
    3: _ELEMENT_TRIGGERS,
    4: """
ALTER TABLE hosts ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN trouble TEXT NOT NULL DEFAULT '';
""",
    # Indexes cannot use JSON functions with an untrusted schema.
    5: """
DROP INDEX IF EXISTS documents_payload;
ALTER TABLE documents ADD COLUMN payload_digest TEXT;
UPDATE documents SET payload_digest = json_extract(metadata, '$.payload_digest')
    WHERE metadata LIKE '%payload_digest%' AND json_valid(metadata);
CREATE INDEX documents_payload ON documents (payload_digest) WHERE payload_digest IS NOT NULL;
""",
    6: _METADATA,
    # The labels are indexed again: their notes determine the origin.
    7: """
ALTER TABLE labels ADD COLUMN origin TEXT NOT NULL DEFAULT 'single';
DELETE FROM labels;
DELETE FROM meta WHERE key = 'label files';
""",
    8: f"""
ALTER TABLE frontier ADD COLUMN kind TEXT NOT NULL DEFAULT 'page';
ALTER TABLE frontier ADD COLUMN reason_code TEXT NOT NULL DEFAULT '';
{FRONTIER_STATE}
""",
}


class _PackIds:
    """Aggregate function pack_ids: encodes integers as in ``outlinks.targets``."""

    def __init__(self) -> None:
        self._ids: list[int] = []

    def step(self, value: int, /) -> None:
        self._ids.append(value)

    def finalize(self) -> bytes:
        return struct.pack(f"<{len(self._ids)}q", *self._ids)


def prepare(connection: sqlite3.Connection) -> None:
    """Create the tables of an empty catalog, or migrate an earlier version.

    Raises:
        CorpusVersionError: The catalog was created by a newer version of corpuskit.
        CorpusError: The database is not a catalog of corpuskit or has unexpected objects.
    """
    try:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version == VERSION and _is_current(_master_rows(connection)):
            return
        objects = _objects(connection)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the second: invalid names in the error message
        raise CorpusError(f"catalog.sqlite is damaged or not an SQLite file: {error}; try: corpuskit repair") from error
    if version > VERSION:
        raise CorpusVersionError(
            f"the schema version of this corpus is {version}, this corpuskit supports up to {VERSION}: upgrade corpuskit"
        )
    if version == 0 and objects:
        raise CorpusError(
            "catalog.sqlite has tables, but not the schema version of corpuskit: corpuskit repair rebuilds it"
        )
    if version < VERSION:
        _check_objects(objects, _expected_objects() | _optional_objects() | _objects_created_by(_EARLIER_TABLES))
        connection.create_aggregate("pack_ids", 1, _PackIds)  # type: ignore[arg-type]
        scripts = (
            [_TABLES, _METADATA, _DOCUMENT_TRIGGERS, _ELEMENT_TRIGGERS]
            if not version
            else [_MIGRATIONS[n] for n in range(version, VERSION)]
        )
        try:
            connection.executescript(f"BEGIN IMMEDIATE; {' '.join(scripts)} PRAGMA user_version = {VERSION}; COMMIT;")
        except sqlite3.OperationalError as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            # If the version is current, another process has migrated the catalog.
            if int(connection.execute("PRAGMA user_version").fetchone()[0]) != VERSION:
                raise CorpusError(
                    f"catalog.sqlite does not have the tables of its schema version {version} ({error}): "
                    "corpuskit repair rebuilds it"
                ) from error
        objects = _objects(connection)
    _check_objects(objects, _expected_objects() | _optional_objects())
    if missing := sorted(name for _, name, _ in _expected_objects() - objects):
        raise CorpusError(f"catalog.sqlite has no valid {missing[0]}: corpuskit repair rebuilds it")


SchemaObjects = frozenset[tuple[str, str, tuple[str, ...]]]
"""Type, name and statement of the objects in a catalog."""

_TOKEN: Final = re.compile(
    r"""(?P<gap>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))|(?P<token>'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|.)""", re.DOTALL
)


def _objects(connection: sqlite3.Connection) -> SchemaObjects:
    """Return the objects of a catalog, without the indexes that SQLite creates for keys."""
    return _parse_objects(_master_rows(connection))


def _master_rows(connection: sqlite3.Connection) -> tuple[tuple[object, object, object], ...]:
    cursor = connection.cursor()
    cursor.row_factory = None
    return tuple(cursor.execute("SELECT type, name, sql FROM sqlite_master"))


@functools.lru_cache(32)
def _is_current(rows: tuple[tuple[object, object, object], ...]) -> bool:
    """Return whether no object is missing or unexpected. Cached, since the same rows occur at each opening."""
    return _expected_objects() <= _parse_objects(rows) <= _expected_objects() | _optional_objects()


@functools.lru_cache(32)
def _parse_objects(rows: tuple[tuple[object, object, object], ...]) -> SchemaObjects:
    return frozenset(
        (str(kind), str(name), _tokens(str(sql)))
        for kind, name, sql in rows
        if sql is not None or not str(name).startswith("sqlite_autoindex_")
    )


@functools.lru_cache(256)
def _tokens(sql: str) -> tuple[str, ...]:
    """Return the tokens of a statement without comments and white space."""
    return tuple(match["token"] for match in _TOKEN.finditer(sql) if match["token"])


def _objects_created_by(*scripts: str) -> SchemaObjects:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript("; ".join(scripts))
        return _objects(connection)


@functools.cache
def _expected_objects() -> SchemaObjects:
    return _objects_created_by(_TABLES, _METADATA, _DOCUMENT_TRIGGERS, _ELEMENT_TRIGGERS)


@functools.cache
def _optional_objects() -> SchemaObjects:
    """Return the objects that SQLite creates for ANALYZE."""
    return _objects_created_by("CREATE TABLE x (y)", "ANALYZE") - _objects_created_by("CREATE TABLE x (y)")


def _check_objects(objects: SchemaObjects, expected: SchemaObjects) -> None:
    for type_name, name, _ in sorted(objects - expected):
        raise CorpusError(
            f"catalog.sqlite has an unexpected {type_name} {name[:80]!r}, which could run code in queries: it was not opened; "
            "corpuskit repair rebuilds the catalog without it"
        )
