"""A catalogue that this machine has not opened before is looked through once; that it was, the user's own folder knows."""

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

_REMEMBERED_FROM: Final = (
    1_000_000  # bytes; a smaller catalogue is looked through at each opening, in some milliseconds
)
_IDENTITY: Final = "identity"  # key in meta
_STEPS_A_BYTE: Final = 100  # of SQLite's machine; what is whole takes one or two
_EVERY: Final = 1_000_000  # steps
_LAST_VERSION: Final = 2**31 - 1  # frames have 32 bits for it


def validate_once(connection: sqlite3.Connection, file: Path) -> None:
    """Look through a catalogue from elsewhere: its pages, and that its columns hold what they are for.

    The tables were compared before. A page that stands in its own tree would keep a query busy for ever.

    Raises:
        CorpusError: it is damaged, or made to keep one busy.
    """
    status = file.stat()
    if status.st_size < _REMEMBERED_FROM:
        _look_through(connection)
        return
    key = [str(file), status.st_dev, status.st_ino]
    known = (*key, _identity(connection))
    if known in _LOOKED_THROUGH:
        return
    if (memory := _memory()) is None:
        _look_through(connection)
    else:
        name = hashlib.sha256(str(file).encode("utf-8", "surrogateescape")).hexdigest()[:32] + ".json"
        if _remembered(memory, name) == list(known):
            _LOOKED_THROUGH.add(known)
            return
        _look_through(connection)
        with contextlib.suppress(OSError, CorpusError, sqlite3.Error):  # a folder or corpus that is only read
            if not _identity(connection):
                connection.execute("INSERT OR REPLACE INTO meta VALUES (?, hex(randomblob(16)))", (_IDENTITY,))
            memory.mkdir()
            memory.write(name, json.dumps([*key, _identity(connection)]).encode())


_LOOKED_THROUGH: Final[set[tuple[object, ...]]] = set()  # in this process


def _identity(connection: sqlite3.Connection) -> str:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (_IDENTITY,)).fetchone()
    return "" if row is None else str(row[0])


def _memory() -> SafeFolder | None:
    """Where the user's programs keep what they know; None where there is no such place."""
    if sys.platform == "win32":
        place = os.environ.get("LOCALAPPDATA")
    else:
        place = os.environ.get("XDG_STATE_HOME")
        if not place:
            with contextlib.suppress(RuntimeError):
                place = str(Path.home() / ".local" / "state")
    if not place:
        return None
    with contextlib.suppress(OSError):
        folder = Path(place) / "corpuskit" / "looked-through"
        folder.mkdir(parents=True, exist_ok=True)
        return SafeFolder(folder)
    return None


def _remembered(memory: SafeFolder, name: str) -> object:
    with contextlib.suppress(OSError, ValueError, CorpusError):
        return json.loads(memory.read(name, 100_000))
    return None


def _look_through(connection: sqlite3.Connection) -> None:
    with step_limit(connection):
        try:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            wrong = None if found != "ok" else _wrong_kind(connection)
        except sqlite3.DatabaseError as error:
            found, wrong = str(error), None
    if found != "ok":
        raise CorpusError(f"catalog.sqlite is damaged ({found}): corpuskit repair makes it again from the other files")
    if wrong is not None:
        raise CorpusError(
            f"catalog.sqlite holds in {wrong} what does not belong there: corpuskit repair makes it again"
        )


def _wrong_kind(connection: sqlite3.Connection) -> str | None:
    """A column that holds bytes where a text belongs, or a text where a number does."""
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        if str(table).startswith("sqlite_"):
            continue
        columns = [(str(row[1]), str(row[2])) for row in connection.execute(f'PRAGMA table_info("{table}")')]
        kinds = _WRONG | (
            {"INTEGER": "'text', 'blob'"} if table == "requests" else {}
        )  # other crawlers' logs are there too
        wrong = " OR ".join(f'typeof("{name}") IN ({kinds[kind]})' for name, kind in columns if kind in kinds)
        if ("version", "INTEGER") in columns:
            wrong += f' OR "version" > {_LAST_VERSION}'
        if connection.execute(f'SELECT 1 FROM "{table}" WHERE {wrong} LIMIT 1').fetchone() is not None:
            return str(table)
    return None


_WRONG: Final = {
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
    """Ends what takes more steps than any whole catalogue of this size needs, however fast or busy the machine is."""
    left = 100 + _STEPS_A_BYTE * _size(connection) // _EVERY

    def one_more() -> int:
        nonlocal left
        left -= 1
        return left < 0

    connection.set_progress_handler(one_more, _EVERY)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)
