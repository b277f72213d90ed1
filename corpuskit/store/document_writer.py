"""Writing of document rows: the version that new content becomes, the row itself, and the share of text that is new."""

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
    """Version of a document.

    Attributes:
        number: 1 for the first.
        path: Below ``documents/``, without suffix.
        content_hash: SHA-256 of the original.
        status: As in the catalog: fetched, extracted, failed or removed.
    """

    number: int
    path: str
    content_hash: str
    status: str = "fetched"


class VersionPlanner:
    """Decides which version of a document new content becomes, also after versions that are not yet in the catalog.

    Args:
        catalog: The corpus.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._last: dict[str, Version] = {}
        self._paths: set[str] = set()

    def plan(self, doc_id: str, uri: str, content_hash: str) -> tuple[State, Version | None]:
        """Return what the content is to the corpus, and its version.

        The version of content that is unchanged is the one that has it; that of a removed document is None.
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
    """Record texts and return the share of their characters that the corpus did not have.

    Args:
        connection: The catalog, in a transaction.
        texts: Hash and number of characters of each text.
    """
    new = whole = 0
    for text, length in texts:
        whole += length
        new += length * connection.execute("INSERT OR IGNORE INTO texts (hash) VALUES (?)", (text,)).rowcount
    return new / max(whole, 1)
