"""Planning of document versions and the share of new text."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from corpuskit.store.catalog import Catalog
from corpuskit.store.paths import version_path

State = Literal["new", "changed", "unchanged", "removed"]


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a document.

    Attributes:
        number: 1-based number.
        path: Path below ``documents/``, without suffix.
        content_hash: SHA-256 of the original.
        status: Status in the catalog: fetched, extracted, failed or removed.
    """

    number: int
    path: str
    content_hash: str
    status: str = "fetched"


class VersionPlanner:
    """Planner of document versions. It takes planned versions into account that are not in the catalog yet.

    Args:
        catalog: The catalog of the corpus.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._last: dict[str, Version] = {}
        self._paths: set[str] = set()

    def plan(self, doc_id: str, uri: str, content_hash: str) -> tuple[State, Version | None]:
        """Return the state of new content and its version.

        Unchanged content has the existing version; content of a removed document has None.
        """
        if self._catalog.value("SELECT 1 FROM tombstones WHERE doc_id = ?", (doc_id,)):
            return "removed", None
        last = self._last.get(doc_id) or self._last_version(doc_id)
        if last is not None and last.content_hash == content_hash:
            return "unchanged", last
        path = version_path(uri, doc_id, None if last is None else (last.number, last.path), self._is_taken)
        version = Version(1 if last is None else last.number + 1, path, content_hash)
        self._last[doc_id] = version
        self._paths.add(path.casefold())
        return "new" if last is None else "changed", version

    def _last_version(self, doc_id: str) -> Version | None:
        row = self._catalog.connection.execute(
            "SELECT version, path, content_hash, status FROM documents WHERE doc_id = ? ORDER BY version DESC LIMIT 1",
            (doc_id,),
        ).fetchone()
        return None if row is None else Version(*row)

    def _is_taken(self, path: str) -> bool:
        return path.casefold() in self._paths or self._catalog.has_document_at(path)


def share_of_new_text(connection: sqlite3.Connection, texts: Iterable[tuple[int, int]]) -> float:
    """Record text hashes and return the share of characters in texts that are new to the corpus.

    Args:
        connection: The catalog, in a transaction.
        texts: Hash and number of characters of each text.
    """
    new = total = 0
    for text, length in texts:
        total += length
        new += length * connection.execute("INSERT OR IGNORE INTO texts (hash) VALUES (?)", (text,)).rowcount
    return new / max(total, 1)
