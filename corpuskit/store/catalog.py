"""The catalog, catalog.sqlite: one connection per thread, short transactions, concurrent readers."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from corpuskit.errors import CorpusBusyError, CorpusError
from corpuskit.safe_folder import SafeFolder
from corpuskit.store import catalog_validation, schema
from corpuskit.store.database import connect
from corpuskit.store.file_errors import processes_using

if TYPE_CHECKING:
    import pandas as pd


class _Connection(sqlite3.Connection):
    """Connection that raises errors of the disk and of damaged files as CorpusError."""

    file = Path()

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        try:
            return super().execute(sql, parameters)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise _corpus_error(error, self.file) from error

    def executescript(self, sql_script: str, /) -> sqlite3.Cursor:
        try:
            return super().executescript(sql_script)
        except sqlite3.DatabaseError as error:
            raise _corpus_error(error, self.file) from error

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        try:
            return super().executemany(sql, parameters)
        except sqlite3.DatabaseError as error:
            raise _corpus_error(error, self.file) from error


def _corpus_error(error: sqlite3.DatabaseError | UnicodeDecodeError, file: Path) -> Exception:
    text = str(error)
    if isinstance(error, UnicodeDecodeError):  # raised for an error message with an invalid name
        text = "malformed: it contains an invalid name"
    if "malformed" in text or "not a database" in text:
        return CorpusError(f"catalog.sqlite is damaged ({text}): corpuskit repair rebuilds it from the other files")
    if "disk is full" in text or "disk I/O" in text:
        return CorpusError(f"the disk is full or failing ({text}): free some space and try again")
    if "readonly" in text or "unable to open" in text:
        return CorpusError(
            f"the corpus is read-only ({text}), but reading it also writes caches: copy {file.parent} to a writable "
            "directory or change its permissions"
        )
    if "locked" in text:
        return CorpusBusyError(
            f"catalog.sqlite has been locked for more than a minute ({processes_using(file) or 'by an unknown process'}): "
            "try again when that process has finished"
        )
    if "decode to UTF-8" in text or "JSON" in text:
        return CorpusError(f"catalog.sqlite contains invalid text ({text}): corpuskit repair rebuilds it")
    return error


class Catalog:
    """The state of a corpus in an SQLite database. Safe for concurrent use by threads and processes.

    Args:
        path: The database file in the corpus folder.
        trust: Follow links in the folder and skip the validation of the content.

    Raises:
        CorpusError: The database is damaged or contains objects that corpuskit does not create.
        CorpusVersionError: The database was created by a newer version of corpuskit.
    """

    def __init__(self, path: Path, *, trust: bool = False) -> None:
        self._path = path
        self._folder = SafeFolder(path.parent, follow=trust)
        self._local = threading.local()
        self._connections: list[tuple[threading.Thread, sqlite3.Connection]] = []
        self._lock = threading.Lock()
        self._is_schema_checked = False
        try:
            schema.prepare(self.connection)
            self.connection.execute("PRAGMA trusted_schema = OFF")
            self._is_schema_checked = True
            if not trust:
                catalog_validation.validate_once(self.connection, path)
        except BaseException:
            self.close()
            raise

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection of this thread, in autocommit mode."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connect()
            self._local.connection = connection
            with self._lock:
                closable = [open_connection for thread, open_connection in self._connections if not thread.is_alive()]
                self._connections = [
                    open_connection for open_connection in self._connections if open_connection[0].is_alive()
                ]
                self._connections.append((threading.current_thread(), connection))
            for open_connection in closable:  # connections of ended threads: each crawl starts new ones
                open_connection.close()
        return connection

    def _connect(self) -> sqlite3.Connection:
        try:
            # Nothing in the schema runs before it is checked. An index of version 5 needs a trusted schema to be read.
            connection = connect(
                self._folder,
                self._path.name,
                trusted_schema=not self._is_schema_checked,
                timeout=60,
                factory=_Connection,
            )
            connection.file = self._path  # type: ignore[attr-defined]
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA journal_mode = WAL")
            # A power failure can lose the last transactions but does not damage the file; see flush().
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA cache_size = -65536")
            connection.execute(
                "PRAGMA wal_autocheckpoint = 8000"
            )  # pages; frequent checkpoints would rewrite the same pages
        except sqlite3.DatabaseError as error:
            hint = "; corpuskit repair rebuilds it" if "database" in str(error) else ""
            raise CorpusError(f"{self._path.name} cannot be opened: {error}{hint}") from error
        return connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run a write transaction, which takes the write lock at its start. Nested calls join the outer transaction."""
        connection = self.connection
        if connection.in_transaction:
            yield connection
            return
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            with contextlib.suppress(sqlite3.OperationalError):  # SQLite has rolled back by itself after a full disk
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Run several queries on one state of the catalog while others may write. Nested calls join the outer one."""
        connection = self.connection
        if connection.in_transaction:
            yield
            return
        connection.execute("BEGIN")
        try:
            yield
        finally:
            connection.execute("COMMIT")

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Return all rows of a query."""
        try:
            return self.connection.execute(sql, parameters).fetchall()
        except sqlite3.DatabaseError as error:  # a damaged page is noticed when it is read
            raise _corpus_error(error, self._path) from error

    def tuples(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query as tuples. For many rows this takes a third of the time of :meth:`rows`."""
        try:
            cursor = self.connection.cursor()
            cursor.row_factory = None
            return cursor.execute(sql, parameters).fetchall()
        except sqlite3.DatabaseError as error:
            raise _corpus_error(error, self._path) from error

    def value(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """Return the first column of the first row, or None if there are no rows."""
        try:
            row = self.connection.execute(sql, parameters).fetchone()
        except sqlite3.DatabaseError as error:
            raise _corpus_error(error, self._path) from error
        return None if row is None else row[0]

    def frame(self, sql: str, parameters: Sequence[Any] = ()) -> pd.DataFrame:
        """Return the rows of a query as a DataFrame. Columns without values have the dtype object."""
        import pandas as pd

        cursor = self.connection.execute(sql, parameters)
        names = [column[0] for column in cursor.description]
        return pd.DataFrame.from_records([tuple(row) for row in cursor], columns=names)

    def insert(
        self, table: str, row: Mapping[str, Any], *, conflict: Literal["ABORT", "IGNORE", "REPLACE"] = "ABORT"
    ) -> int:
        """Insert a row and return the number of rows inserted.

        Args:
            table: Name of the table.
            row: Values by column. Names that are not identifiers are skipped.
            conflict: SQLite's conflict resolution if the row violates a constraint.
        """
        names = [name for name in row if name.isidentifier()]
        columns, placeholders = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
        sql = f"INSERT OR {conflict} INTO {table} ({columns}) VALUES ({placeholders})"
        return self.connection.execute(sql, [row[name] for name in names]).rowcount

    def add_requests(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Add HTTP requests from logs of other crawlers and return the number of rows added.

        A request that the catalog already has, with the same clock and URL, is skipped.

        Args:
            rows: Values by column of ``requests()``.
        """
        added = 0
        with self.transaction() as connection:
            keys = {(row[0], row[1]) for row in connection.execute("SELECT clock, url FROM requests")}
            for row in rows:
                values = {name: clean(value) if isinstance(value, str) else value for name, value in row.items()}
                key = values["clock"], values["url"]
                if key in keys:
                    continue
                keys.add(key)
                added += self.insert("requests", values)
        return added

    def has_document_at(self, path: str) -> bool:
        """Return whether a document has this path below documents/, ignoring case."""
        return self.value("SELECT 1 FROM documents WHERE path = ? COLLATE NOCASE", (path,)) is not None

    def flush(self) -> None:
        """Sync all committed transactions to disk, so that they survive a power failure."""
        self.connection.execute("PRAGMA synchronous = FULL")
        with self.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('flushed', ?)", (now(),))
        self.connection.execute("PRAGMA synchronous = NORMAL")

    def meta(self, key: str) -> str | None:
        """Return a property of the catalog, or None."""
        value: str | None = self.value("SELECT value FROM meta WHERE key = ?", (key,))
        return value

    def set_meta(self, key: str, value: str) -> None:
        """Set a property of the catalog."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def add_failure(self, uri: str, stage: str, error: BaseException, *, tries: int = 1) -> None:
        """Record a failure. If it is recorded already, add the tries."""
        self.connection.execute(
            'INSERT INTO failures (uri, stage, error, message, "when", tries) VALUES (?, ?, ?, ?, ?, ?) '
            "ON CONFLICT (uri, stage) DO UPDATE SET error = excluded.error, message = excluded.message, "
            '"when" = excluded."when", tries = tries + excluded.tries',
            (clean(uri), stage, type(error).__name__, clean(str(error))[:2000], now(), tries),
        )

    def clear_failure(self, uri: str, stages: Iterable[str]) -> None:
        """Delete failures of stages that have succeeded since."""
        self.connection.executemany(
            "DELETE FROM failures WHERE uri = ? AND stage = ?", [(clean(uri), stage) for stage in stages]
        )

    def invalidate_score(self, doc_id: str, text_hash: int | None) -> None:
        """Delete the score of a document if its text changes. The next training or crawl computes it again."""
        last = self.connection.execute(
            "SELECT text_hash FROM documents WHERE doc_id = ? AND text_hash IS NOT NULL ORDER BY version DESC LIMIT 1",
            (doc_id,),
        ).fetchone()
        if last is not None and last[0] != text_hash:
            self.connection.execute("DELETE FROM scores WHERE doc_id = ?", (doc_id,))

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            for _, connection in self._connections:
                connection.close()
            self._connections.clear()
        self._local = threading.local()


def now() -> str:
    """Return the current time in the format of the catalog: UTC, ISO 8601, microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def clean(text: str) -> str:
    """Replace lone surrogates and NUL characters, which SQLite does not accept, by U+FFFD."""
    return (
        text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")
        if not text.isascii() or "\x00" in text
        else text
    )
