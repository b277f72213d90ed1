"""Answers that were paid for, by what was asked: nothing is asked twice, also after a kill."""

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


class Answers:
    """The answers of a corpus, in a file of their own; safe to use from several threads and processes.

    Args:
        corpus: its folder, as ``CorpusFolder.root``.

    Raises:
        CorpusError: the file cannot be opened.
    """

    def __init__(self, corpus: SafeFolder) -> None:
        self._lock = threading.Lock()
        try:
            corpus.mkdir(FOLDER)
            self._connection = connect(corpus.subfolder(FOLDER), _FILE, timeout=60)
            objects = self._connection.execute("SELECT type, name FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
            if set(objects) - {("table", "answers")}:
                raise CorpusError(
                    f"{FOLDER}/{_FILE} holds more than answers; it is a cache: remove it to go on without"
                )
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")  # what was paid for survives a power cut
            self._connection.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise CorpusError(
                f"{FOLDER}/{_FILE} cannot be opened: {error}; it is a cache: remove it to go on without"
            ) from error

    def get(self, asked: str) -> tuple[str, str] | None:
        """Label and reason; None where this was not asked yet."""
        with self._lock:
            row = self._connection.execute("SELECT label, reason FROM answers WHERE asked = ?", (asked,)).fetchone()
        return None if row is None else (str(row[0]), str(row[1]))

    def put(self, asked: str, label: str, reason: str, tokens: int) -> None:
        """Keeps an answer; it is on the disk when this comes back."""
        with self._lock:
            self._connection.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", (asked, label, reason, tokens, now())
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._lock:
            self._connection.close()
