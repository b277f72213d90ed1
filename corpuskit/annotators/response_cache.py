"""Cache of paid responses, keyed by request. No request is paid for twice, even after the process was killed."""

from __future__ import annotations

import sqlite3
import threading
from types import TracebackType
from typing import Final, Self

from corpuskit.errors import CorpusError
from corpuskit.safe_folder import SafeFolder
from corpuskit.store.catalog import now
from corpuskit.store.database import connect

FOLDER: Final = "annotations"
_FILE: Final = "answers.sqlite"
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS answers (
    asked TEXT PRIMARY KEY,     -- SHA-256 of the address and the request
    label TEXT NOT NULL, reason TEXT NOT NULL, tokens INTEGER NOT NULL, "when" TEXT NOT NULL
) WITHOUT ROWID
"""


class ResponseCache:
    """The cached responses of a corpus, in a separate SQLite file. Safe to use from several threads and processes.

    Args:
        corpus: The corpus directory, as ``CorpusFolder.inside``.

    Raises:
        CorpusError: The file cannot be opened.
    """

    def __init__(self, corpus: SafeFolder) -> None:
        self._lock = threading.Lock()
        try:
            corpus.mkdir(FOLDER)
            self._connection = connect(corpus.subfolder(FOLDER), _FILE, timeout=60)
            objects = self._connection.execute("SELECT type, name FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
            if set(objects) - {("table", "answers")}:
                raise CorpusError(
                    f"{FOLDER}/{_FILE}: expected only the table answers; the file is a cache: remove it to continue"
                )
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")  # paid responses must survive a power cut
            self._connection.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise CorpusError(
                f"{FOLDER}/{_FILE} cannot be opened: {error}; it is a cache: remove it to continue"
            ) from error

    def get(self, fingerprint: str) -> tuple[str, str] | None:
        """Return label and reason of a request, or None if it is not cached."""
        with self._lock:
            query = "SELECT label, reason FROM answers WHERE asked = ?"
            row = self._connection.execute(query, (fingerprint,)).fetchone()
        return None if row is None else (str(row[0]), str(row[1]))

    def put(self, fingerprint: str, label: str, reason: str, tokens: int) -> None:
        """Store a response. It is on disk when the call returns."""
        with self._lock:
            self._connection.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", (fingerprint, label, reason, tokens, now())
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._lock:
            self._connection.close()
