"""Copying of the readable rows of a damaged catalog."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from collections.abc import Iterator
from typing import Any, Final

from corpuskit.errors import CorpusBusyError
from corpuskit.safe_folder import SafeFolder
from corpuskit.store.catalog import Catalog, clean
from corpuskit.store.catalog_validation import step_limit
from corpuskit.store.database import CATALOG, connect
from corpuskit.store.file_errors import processes_using
from corpuskit.store.repair.report import INTERNAL_TABLES, ROW_NAMES, RepairReport
from corpuskit.store.schema import FRONTIER_STATE

# Rebuilt from the files they index. All other tables are copied as far as they are readable.
_REBUILT_TABLES: Final = frozenset({"documents", "labels", "element_cache", "meta"})
# Entries of users in meta that exist in no file, by key or prefix (ending in a space), and their names.
_USER_META: Final = {
    "sub-corpus ": "sub-corpora", "query ": "saved queries", "layers": "layers", "preprocess": "preprocessing",
    "audit": "audits", "export ": "exports", "merged shard ": "merged shards",
}  # fmt: skip


@contextlib.contextmanager
def open_damaged_catalog(folder: SafeFolder) -> Iterator[sqlite3.Connection | None]:
    """Open the existing catalog, damaged or not, and yield the connection, or None without a catalog.

    Raises:
        CorpusBusyError: Other processes use the catalog.
    """
    if not folder.exists(CATALOG):
        yield None
        return
    connection = connect(folder, CATALOG, timeout=5)
    connection.execute("PRAGMA trusted_schema = ON")  # see Catalog; only tables without generated columns are read
    connection.row_factory = sqlite3.Row
    try:
        # Fails while other processes have it open: they would write to the old catalog, and their changes would be lost.
        connection.execute("PRAGMA journal_mode = DELETE")
    except (
        sqlite3.Error,
        UnicodeDecodeError,
    ) as error:  # UnicodeDecodeError: the error message contains an invalid name
        if "locked" in str(error):
            connection.close()
            users = processes_using(folder / CATALOG)
            raise CorpusBusyError(
                f"other processes have this corpus open ({users}): close it there, then repair"
            ) from error
    try:
        yield connection
    finally:
        connection.close()


def salvage(old: sqlite3.Connection | None, catalog: Catalog, report: RepairReport) -> dict[str, dict[str, Any]]:
    """Copy the readable rows. Return the rows of documents by their path."""
    if old is None:
        report.lost.append(
            "there was no catalog: scores, crawls, failures, the request log, the list of removed documents, sub-corpora "
            "and saved queries"
        )
        return {}
    damaged = []
    tables = [row[0] for row in catalog.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    documents: dict[str, dict[str, Any]] = {}
    for table in tables:
        types = {str(row[1]): str(row[2]) for row in catalog.rows(f'PRAGMA table_info("{table}")')}
        rows, is_complete = _read_table(old, table)
        if not is_complete:
            damaged.append(table)
        rows = [row for row in rows if _has_column_types(row, types)]
        if table == "documents":
            documents = {str(row["path"]): _migrate_row(row, types) for row in rows}
            continue
        if table == "meta":
            _copy_meta(rows, catalog, report)
            continue
        if table in _REBUILT_TABLES:
            continue
        shared = [name for name in types if rows and name in rows[0]]
        count = 0
        with catalog.transaction() as connection:
            for row in rows:
                with contextlib.suppress(sqlite3.Error):  # a row that violates a constraint is damaged
                    count += connection.execute(
                        f'INSERT OR IGNORE INTO "{table}" ({", ".join(map(_quoted, shared))}) '
                        f"VALUES ({', '.join('?' * len(shared))})",
                        [row[name] for name in shared],
                    ).rowcount
        if table == "frontier" and "reason_code" not in shared:
            catalog.connection.executescript(FRONTIER_STATE)
        report.rows[table] = count
    advice = {"scores": "run corpuskit train", "tombstones": "removed documents may be added again",
            "frontier": "crawl the seeds again"}  # fmt: skip
    report.lost += [
        f"{INTERNAL_TABLES.get(table) or ROW_NAMES.get(table, ('', table))[1]}, in the damaged part of the old catalog"
        + (f": {advice[table]}" if table in advice else "")
        for table in damaged
        if table not in _REBUILT_TABLES or table == "meta"
    ]
    return documents


def _copy_meta(rows: list[dict[str, Any]], catalog: Catalog, report: RepairReport) -> None:
    for key, value in ((str(row["key"]), str(row["value"])) for row in rows):
        prefix = next((s for s in _USER_META if key == s or (s.endswith(" ") and key.startswith(s))), None)
        if prefix is None:
            continue
        name = _USER_META[prefix]
        # The value of a merged shard is a hash, not JSON.
        if prefix != "merged shard " and not _is_valid_meta(key, value):
            entry = repr(clean(key.removeprefix(prefix))) if prefix.endswith(" ") else ""
            report.lost.append(f"{name} {entry}".rstrip() + ": the entry in the old catalog cannot be read")
            continue
        catalog.set_meta(key, value)
        report.rows[name] = report.rows.get(name, 0) + 1


def _is_valid_meta(key: str, value: str) -> bool:
    with contextlib.suppress(ValueError, RecursionError, AttributeError, KeyError, TypeError):
        content = json.loads(value)
        return key != "layers" or all(isinstance(makers, list) for makers in content["layers"].values())
    return False


def _read_table(old: sqlite3.Connection, table: str) -> tuple[list[dict[str, Any]], bool]:
    """Return the rows before and after damaged pages, and whether these are all rows."""
    try:
        columns = old.execute(f'PRAGMA table_xinfo("{table}")').fetchall()
        keys = [row[1] for row in columns if row[5]] or ["rowid"]
        statements = old.execute("SELECT sql FROM sqlite_master WHERE name = ? AND type = 'table'", (table,)).fetchall()
    except (sqlite3.Error, UnicodeDecodeError):
        return [], False
    # Views, virtual tables and generated columns would run code from an untrusted source.
    if (
        len(statements) != 1
        or not re.match(r"create\s+table\b", str(statements[0][0]), re.IGNORECASE)
        or any(c[6] for c in columns)
    ):
        return [], False
    with step_limit(old):
        return _read_rows(old, table, keys)


def _read_rows(old: sqlite3.Connection, table: str, keys: list[str]) -> tuple[list[dict[str, Any]], bool]:
    rows: dict[Any, dict[str, Any]] = {}
    is_complete = True
    for direction in ("ASC", "DESC"):
        order = ", ".join(f"{_quoted(key)} {direction}" for key in keys)
        try:
            for row in old.execute(f'SELECT * FROM "{table}" NOT INDEXED ORDER BY {order}'):
                rows[tuple(row[key] if key != "rowid" else tuple(row) for key in keys)] = dict(row)
            if is_complete:
                break
        except (sqlite3.Error, OverflowError, UnicodeDecodeError):
            is_complete = False
    if not is_complete:  # sorting needs all rows; an unsorted scan stops at the damaged page
        with contextlib.suppress(sqlite3.Error, UnicodeDecodeError):
            for row in old.execute(f'SELECT * FROM "{table}" NOT INDEXED'):
                rows.setdefault(tuple(row[key] if key != "rowid" else tuple(row) for key in keys), dict(row))
    return list(rows.values()), is_complete


def _has_column_types(row: dict[str, Any], types: dict[str, str]) -> bool:
    """Return whether the values have the types of their columns."""
    numbers = {"INTEGER", "REAL"}
    return not any(
        isinstance(
            row.get(name), bytes if declared == "TEXT" else (str, bytes) if declared in numbers else (str, int, float)
        )
        for name, declared in types.items()
    )


def _migrate_row(row: dict[str, Any], types: dict[str, str]) -> dict[str, Any]:
    """Return a row of documents with the columns of the current schema."""
    row = {name: row[name] for name in types if name in row}
    if "payload_digest" not in row:
        with contextlib.suppress(ValueError, TypeError, KeyError, RecursionError):
            row["payload_digest"] = str(json.loads(row["metadata"])["payload_digest"])
    return row


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
