"""Opening of SQLite files in a corpus folder: no file outside is read, no code in the schema is run."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path
from typing import Any, Final

from corpuskit.errors import CorpusError
from corpuskit.safe_folder import SafeFolder

CATALOG: Final = "catalog.sqlite"
_COMPANION_SUFFIXES: Final = ("-wal", "-shm", "-journal")
# Last eight bytes of a rollback journal with the name of a super-journal, https://sqlite.org/fileformat2.html
_SUPER_JOURNAL_MAGIC: Final = bytes.fromhex("d9d505f920a163d7")


def connect(
    folder: SafeFolder, name: str, *, read_only: bool = False, trusted_schema: bool = False, **options: Any
) -> sqlite3.Connection:
    """Open an SQLite file in autocommit mode. It is created if it does not exist.

    Functions with side effects are not run for triggers, views and checks in the file.

    Args:
        folder: The directory.
        name: Name of the file.
        read_only: Write nothing, including companion files.
        trusted_schema: Allow such functions, for callers that read only the schema and then disable them.
        options: Options of :func:`sqlite3.connect`.

    Raises:
        CorpusError: The file or one of SQLite's companion files is a link or not a regular file, or the journal names
            another file, which SQLite would delete.
        sqlite3.Error: The file cannot be opened.
    """
    status = None
    for suffix in ("", *_COMPANION_SUFFIXES):
        if (status := folder.stat(name + suffix)) is not None and not stat.S_ISREG(status.st_mode):
            raise CorpusError(f"{name + suffix} is a directory, expected a file: remove it")
    if status is not None and _names_super_journal(folder, f"{name}-journal"):  # status of the journal, the last suffix
        raise CorpusError(
            f"{name}-journal names another file that SQLite would delete; corpuskit does not write such journals: remove it"
        )
    path = os.path.join(folder.path, name)  # noqa: PTH118 - checked above
    database = f"{Path(path).as_uri()}?mode=ro" if read_only else path
    options = {"isolation_level": None, "check_same_thread": False, **options}
    connection: sqlite3.Connection = sqlite3.connect(database, uri=read_only, **options)
    try:
        if not trusted_schema:
            connection.execute("PRAGMA trusted_schema = OFF")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _names_super_journal(folder: SafeFolder, journal: str) -> bool:
    try:
        with folder.open(journal) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - len(_SUPER_JOURNAL_MAGIC), 0))
            return file.read() == _SUPER_JOURNAL_MAGIC
    except FileNotFoundError:  # another process has just ended its transaction
        return False
