"""Integrity check of catalogs that are opened for the first time on this machine.

The result is recorded in the user's state directory, outside of the corpus.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from corpuskit.errors import CorpusError
from corpuskit.safe_folder import SafeFolder

# Bytes. Smaller catalogs are validated each time, which takes a few milliseconds.
_MIN_RECORDED_SIZE: Final = 1_000_000
_IDENTITY_KEY: Final = "identity"  # key in meta
_STEPS_PER_BYTE: Final = 100  # of the SQLite virtual machine; an undamaged catalog needs one or two
_STEP_INTERVAL: Final = 1_000_000  # steps
_MAX_VERSION: Final = 2**31 - 1  # versions are int32 in DataFrames


def validate_once(connection: sqlite3.Connection, file: Path) -> None:
    """Check the pages of a catalog from another machine and the types of its columns.

    Its schema has been checked before. A page that refers to itself would keep a query running forever.

    Raises:
        CorpusError: The catalog is damaged or manipulated.
    """
    status = file.stat()
    if status.st_size < _MIN_RECORDED_SIZE:
        _validate(connection)
        return
    file_key = [str(file), status.st_dev, status.st_ino]
    key = (*file_key, _identity(connection))
    if key in _VALIDATED:
        return
    if (state_dir := _state_dir()) is None:
        _validate(connection)
    else:
        name = hashlib.sha256(str(file).encode("utf-8", "surrogateescape")).hexdigest()[:32] + ".json"
        if _recorded_key(state_dir, name) == list(key):
            _VALIDATED.add(key)
            return
        _validate(connection)
        with contextlib.suppress(OSError, CorpusError, sqlite3.Error):  # a read-only directory or corpus
            if not _identity(connection):
                connection.execute("INSERT OR REPLACE INTO meta VALUES (?, hex(randomblob(16)))", (_IDENTITY_KEY,))
            state_dir.mkdir()
            state_dir.write(name, json.dumps([*file_key, _identity(connection)]).encode())


_VALIDATED: Final[set[tuple[object, ...]]] = set()  # keys of catalogs validated by this process


def _identity(connection: sqlite3.Connection) -> str:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (_IDENTITY_KEY,)).fetchone()
    return "" if row is None else str(row[0])


def _state_dir() -> SafeFolder | None:
    """Return the directory for application state of the user, or None if the system has no such directory."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    else:
        base = os.environ.get("XDG_STATE_HOME")
        if not base:
            with contextlib.suppress(RuntimeError):
                base = str(Path.home() / ".local" / "state")
    if not base:
        return None
    with contextlib.suppress(OSError):
        folder = Path(base) / "corpuskit" / "looked-through"
        folder.mkdir(parents=True, exist_ok=True)
        return SafeFolder(folder)
    return None


def _recorded_key(state_dir: SafeFolder, name: str) -> object:
    with contextlib.suppress(OSError, ValueError, CorpusError):
        return json.loads(state_dir.read(name, 100_000))
    return None


def _validate(connection: sqlite3.Connection) -> None:
    with step_limit(connection):
        try:
            (result,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            table = None if result != "ok" else _find_wrong_type(connection)
        except sqlite3.DatabaseError as error:
            result, table = str(error), None
    if result != "ok":
        raise CorpusError(f"catalog.sqlite is damaged ({result}): corpuskit repair rebuilds it from the other files")
    if table is not None:
        raise CorpusError(
            f"catalog.sqlite has values of a wrong type in the table {table}: corpuskit repair rebuilds it"
        )


def _find_wrong_type(connection: sqlite3.Connection) -> str | None:
    """Return the first table with bytes in a text column or text in a numeric column, or None."""
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        if str(table).startswith("sqlite_"):
            continue
        columns = [(str(row[1]), str(row[2])) for row in connection.execute(f'PRAGMA table_info("{table}")')]
        wrong_types = _WRONG_TYPES | (
            {"INTEGER": "'text', 'blob'"} if table == "requests" else {}
        )  # imported from logs of other crawlers
        condition = " OR ".join(
            f'typeof("{name}") IN ({wrong_types[declared]})' for name, declared in columns if declared in wrong_types
        )
        if ("version", "INTEGER") in columns:
            condition += f' OR "version" > {_MAX_VERSION}'
        if connection.execute(f'SELECT 1 FROM "{table}" WHERE {condition} LIMIT 1').fetchone() is not None:
            return str(table)
    return None


_WRONG_TYPES: Final = {
    "TEXT": "'blob'",
    "INTEGER": "'text', 'blob', 'real'",
    "REAL": "'text', 'blob'",
    "BLOB": "'text', 'integer', 'real'",
}


def _size(connection: sqlite3.Connection) -> int:
    (pages,), (size,) = (connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    return int(pages) * int(size)


@contextlib.contextmanager
def step_limit(connection: sqlite3.Connection) -> Iterator[None]:
    """Abort queries that take more steps than possible on an undamaged catalog of this size.

    Steps do not depend on the speed of the machine.
    """
    intervals_left = 100 + _STEPS_PER_BYTE * _size(connection) // _STEP_INTERVAL

    def count_interval() -> int:
        nonlocal intervals_left
        intervals_left -= 1
        return intervals_left < 0

    connection.set_progress_handler(count_interval, _STEP_INTERVAL)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)
