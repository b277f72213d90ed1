"""catalog.sqlite: one connection a thread, short transactions, readers beside a writer."""

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
    """Says what went wrong with the disk in an error of ours."""

    file = Path()

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        try:
            return super().execute(sql, parameters)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise _explained(error, self.file) from error

    def executescript(self, sql_script: str, /) -> sqlite3.Cursor:
        try:
            return super().executescript(sql_script)
        except sqlite3.DatabaseError as error:
            raise _explained(error, self.file) from error

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> sqlite3.Cursor:
        try:
            return super().executemany(sql, parameters)
        except sqlite3.DatabaseError as error:
            raise _explained(error, self.file) from error


def _explained(error: sqlite3.DatabaseError | UnicodeDecodeError, file: Path) -> Exception:
    text = str(error)
    if isinstance(error, UnicodeDecodeError):  # of a message about a name
        text = "malformed: a name in it is no text"
    if "malformed" in text or "not a database" in text:
        return CorpusError(f"catalog.sqlite is damaged ({text}): corpuskit repair makes it again from the other files")
    if "disk is full" in text or "disk I/O" in text:
        return CorpusError(f"the disk is full or failing ({text}): free some space and run the same again")
    if "readonly" in text or "unable to open" in text:
        return CorpusError(
            f"the corpus cannot be written ({text}), and reading writes too (caches, what was looked through): copy "
            f"{file.parent} to where you may write, or change its permissions"
        )
    if "locked" in text:
        return CorpusBusyError(
            f"another process holds the catalogue for more than a minute ({processes_using(file) or 'which one is not known'}): run the same again"
        )
    if "decode to UTF-8" in text or "JSON" in text:
        return CorpusError(f"catalog.sqlite holds what is no text ({text}): corpuskit repair makes it again")
    return error


class Catalog:
    """The state of a corpus. Safe to use from several threads and processes at once.

    Args:
        path: its file, in the corpus folder.
        trust: links of the folder are followed, and what the file holds is not looked through first.

    Raises:
        CorpusError: it is damaged, or holds what corpuskit does not make.
        CorpusVersionError: a newer corpuskit made it.
    """

    def __init__(self, path: Path, *, trust: bool = False) -> None:
        self._path = path
        self._folder = SafeFolder(path.parent, follow=trust)
        self._local = threading.local()
        self._connections: list[tuple[threading.Thread, sqlite3.Connection]] = []
        self._lock = threading.Lock()
        self._is_compared = False
        try:
            schema.prepare(self.connection)
            self.connection.execute("PRAGMA trusted_schema = OFF")
            self._is_compared = True
            if not trust:
                catalog_validation.validate_once(self.connection, path)
        except BaseException:
            self.close()
            raise

    @property
    def connection(self) -> sqlite3.Connection:
        """This thread's connection, in autocommit mode."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connect()
            self._local.connection = connection
            with self._lock:
                ended = [known for thread, known in self._connections if not thread.is_alive()]
                self._connections = [known for known in self._connections if known[0].is_alive()]
                self._connections.append((threading.current_thread(), connection))
            for known in ended:  # each crawl has threads of its own
                known.close()
        return connection

    def _connect(self) -> sqlite3.Connection:
        try:
            # Until it is compared nothing of it runs; an index of version 5 could not be read otherwise.
            connection = connect(
                self._folder, self._path.name, trusted_schema=not self._is_compared, timeout=60, factory=_Connection
            )
            connection.file = self._path  # type: ignore[attr-defined]
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA journal_mode = WAL")
            # A power cut may lose the last transactions but never damages the file; see flush().
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA cache_size = -65536")
            connection.execute("PRAGMA wal_autocheckpoint = 8000")  # pages; fewer checkpoints of the same pages
        except sqlite3.DatabaseError as error:
            hint = "; corpuskit repair makes it again" if "database" in str(error) else ""
            raise CorpusError(f"{self._path.name} cannot be opened: {error}{hint}") from error
        return connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction that takes the write lock at its start; nested ones join the outer."""
        connection = self.connection
        if connection.in_transaction:
            yield connection
            return
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            with contextlib.suppress(sqlite3.OperationalError):  # a full disk has ended it by itself
                connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """One state of the catalogue for several queries, whatever others write meanwhile; nested ones join the outer."""
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
        """All rows of a query."""
        try:
            return self.connection.execute(sql, parameters).fetchall()
        except sqlite3.DatabaseError as error:  # a damaged page shows when it is reached
            raise _explained(error, self._path) from error

    def tuples(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query as plain tuples: a third of the time of :meth:`rows` where they are many."""
        try:
            cursor = self.connection.cursor()
            cursor.row_factory = None
            return cursor.execute(sql, parameters).fetchall()
        except sqlite3.DatabaseError as error:
            raise _explained(error, self._path) from error

    def value(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """The first column of the first row; None without rows."""
        try:
            row = self.connection.execute(sql, parameters).fetchone()
        except sqlite3.DatabaseError as error:
            raise _explained(error, self._path) from error
        return None if row is None else row[0]

    def frame(self, sql: str, parameters: Sequence[Any] = ()) -> pd.DataFrame:
        """A query as a DataFrame; columns without values are of dtype object."""
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
            row: Values by column; a name that cannot be a column is left out.
            conflict: What SQLite does if the row violates a constraint.
        """
        names = [name for name in row if name.isidentifier()]
        columns, marks = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
        sql = f"INSERT OR {conflict} INTO {table} ({columns}) VALUES ({marks})"
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
        """Whether a document stands at a path below documents/, without regard to case."""
        return self.value("SELECT 1 FROM documents WHERE path = ? COLLATE NOCASE", (path,)) is not None

    def flush(self) -> None:
        """Makes all committed transactions survive a power cut."""
        self.connection.execute("PRAGMA synchronous = FULL")
        with self.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('flushed', ?)", (now(),))
        self.connection.execute("PRAGMA synchronous = NORMAL")

    def meta(self, key: str) -> str | None:
        """A property of the catalogue."""
        value: str | None = self.value("SELECT value FROM meta WHERE key = ?", (key,))
        return value

    def set_meta(self, key: str, value: str) -> None:
        """Sets a property of the catalogue."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def add_failure(self, uri: str, stage: str, error: BaseException, *, tries: int = 1) -> None:
        """Records a failure; the same one again counts up its tries."""
        self.connection.execute(
            'INSERT INTO failures (uri, stage, error, message, "when", tries) VALUES (?, ?, ?, ?, ?, ?) '
            "ON CONFLICT (uri, stage) DO UPDATE SET error = excluded.error, message = excluded.message, "
            '"when" = excluded."when", tries = tries + excluded.tries',
            (clean(uri), stage, type(error).__name__, clean(str(error))[:2000], now(), tries),
        )

    def clear_failure(self, uri: str, stages: Iterable[str]) -> None:
        """Forgets failures that a later try has mended."""
        self.connection.executemany(
            "DELETE FROM failures WHERE uri = ? AND stage = ?", [(clean(uri), stage) for stage in stages]
        )

    def invalidate_score(self, doc_id: str, text_hash: int | None) -> None:
        """Delete the score of a document whose text changes to one with this hash: the next training or crawl scores it."""
        last = self.connection.execute(
            "SELECT text_hash FROM documents WHERE doc_id = ? AND text_hash IS NOT NULL ORDER BY version DESC LIMIT 1",
            (doc_id,),
        ).fetchone()
        if last is not None and last[0] != text_hash:
            self.connection.execute("DELETE FROM scores WHERE doc_id = ?", (doc_id,))

    def close(self) -> None:
        """Closes the connections of all threads."""
        with self._lock:
            for _, connection in self._connections:
                connection.close()
            self._connections.clear()
        self._local = threading.local()


def now() -> str:
    """The time as the catalogue writes it: UTC, ISO 8601, microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def clean(text: str) -> str:
    """Text that SQLite takes: lone surrogates and NUL characters become U+FFFD."""
    return (
        text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")
        if not text.isascii() or "\x00" in text
        else text
    )
