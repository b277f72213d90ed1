"""How an SQLite file in a corpus folder is opened: none of its parts leads out, nothing that it holds runs."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path
from typing import Any, Final

from corpuskit.errors import CorpusError
from corpuskit.safe_folder import SafeFolder

CATALOG: Final = "catalog.sqlite"
_BESIDE: Final = ("-wal", "-shm", "-journal")
# The last eight bytes of a rollback journal that names another file, https://sqlite.org/fileformat2.html
_NAMES_ANOTHER: Final = bytes.fromhex("d9d505f920a163d7")


def connect(
    folder: SafeFolder, name: str, *, read_only: bool = False, trusted_schema: bool = False, **options: Any
) -> sqlite3.Connection:
    """Open an SQLite file beneath a folder in autocommit mode; it is made if absent.

    Functions that could reach out are not run for what the file holds (triggers, views, checks).

    Args:
        folder: where.
        name: below it.
        read_only: nothing is written, not even beside it.
        trusted_schema: functions are run; for who looks at nothing but the schema, and turns it off then.
        options: of :func:`sqlite3.connect`.

    Raises:
        CorpusError: it, or a file that SQLite would read beside it, is a link or no regular file, or its journal names
            a file elsewhere, which SQLite would delete.
        sqlite3.Error: it cannot be opened.
    """
    found = None
    for suffix in ("", *_BESIDE):
        if (found := folder.stat(name + suffix)) is not None and not stat.S_ISREG(found.st_mode):
            raise CorpusError(f"{name + suffix} is a folder where a file belongs: remove it")
    if found is not None and _names_another(folder, f"{name}-journal"):  # the last of them
        raise CorpusError(f"{name}-journal names another file to be deleted; corpuskit writes none such: remove it")
    path = os.path.join(folder.path, name)  # noqa: PTH118 - looked at above
    place = f"{Path(path).as_uri()}?mode=ro" if read_only else path
    options = {"isolation_level": None, "check_same_thread": False, **options}
    connection: sqlite3.Connection = sqlite3.connect(place, uri=read_only, **options)
    try:
        if not trusted_schema:
            connection.execute("PRAGMA trusted_schema = OFF")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _names_another(folder: SafeFolder, journal: str) -> bool:
    try:
        with folder.open(journal) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - len(_NAMES_ANOTHER), 0))
            return file.read() == _NAMES_ANOTHER
    except FileNotFoundError:  # another process has ended its transaction meanwhile
        return False
