"""What can be read of a damaged catalogue."""

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

# Made anew from the files they are an index of; all other tables are copied as far as they can be read.
_MADE_ANEW: Final = frozenset({"documents", "labels", "element_cache", "meta"})
# What people have made and no file knows: keys of meta, whole or as far as the space, and what it is called.
_KEPT_META: Final = {
    "sub-corpus ": "sub-corpora", "query ": "saved queries", "layers": "layers", "preprocess": "preprocessing",
    "audit": "audits", "export ": "exports", "merged shard ": "merged shards",
}  # fmt: skip


@contextlib.contextmanager
def open_damaged_catalog(folder: SafeFolder) -> Iterator[sqlite3.Connection | None]:
    """Open the catalogue that is there, damaged or not; None where there is none.

    Raises:
        CorpusBusyError: others have it open.
    """
    if not folder.exists(CATALOG):
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
            who = processes_using(folder / CATALOG)
            raise CorpusBusyError(f"others have this corpus open ({who}): close it there, then repair") from error
    try:
        yield connection
    finally:
        connection.close()


def salvage(old: sqlite3.Connection | None, catalog: Catalog, report: RepairReport) -> dict[str, dict[str, Any]]:
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
        f"{INTERNAL_TABLES.get(table) or ROW_NAMES.get(table, ('', table))[1]}, as far as the old catalogue was damaged there"
        + (f": {what[table]}" if table in what else "")
        for table in damaged
        if table not in _MADE_ANEW or table == "meta"
    ]
    return known


def _keep_meta(rows: list[dict[str, Any]], catalog: Catalog, report: RepairReport) -> None:
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
    with step_limit(old):
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
