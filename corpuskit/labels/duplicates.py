"""Groups of documents with the same main text. A group is one question and one training example."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cached_property

from corpuskit.store import CorpusFolder


class DuplicateGroups:
    """Groups of documents with the same main text.

    Args:
        folder: The corpus folder.

    Attributes:
        doc_ids: All documents, by host and URI.
        hosts: doc_id → host, in the same order.
        uris: doc_id → URI, in the same order.
    """

    def __init__(self, folder: CorpusFolder) -> None:
        rows = folder.catalog.tuples("SELECT doc_id, text_hash, host, uri FROM current ORDER BY host, uri")
        self.doc_ids: list[str] = [doc_id for doc_id, _, _, _ in rows]
        self.hosts: dict[str, str] = {doc_id: host for doc_id, _, host, _ in rows}
        self.uris: dict[str, str] = {doc_id: uri for doc_id, _, _, uri in rows}
        self._group: dict[str, Hashable] = {doc_id: doc_id if text is None else text for doc_id, text, _, _ in rows}

    @cached_property
    def _first(self) -> dict[Hashable, tuple[int, str, str]]:
        first: dict[Hashable, tuple[int, str, str]] = {}
        for doc_id, uri in self.uris.items():
            group, rank = self._group[doc_id], (len(uri), uri, doc_id)
            first[group] = min(rank, first.get(group, rank))
        return first

    def key(self, doc_id: str) -> Hashable:
        """Return the key of the group of a document. An unknown document is its own group.

        Args:
            doc_id: The document.
        """
        return self._group.get(doc_id, doc_id)

    def keys(self, doc_ids: Iterable[str]) -> set[Hashable]:
        """Return the keys of the groups of the documents.

        Args:
            doc_ids: The documents.
        """
        return {self.key(doc_id) for doc_id in doc_ids}

    def is_representative(self, doc_id: str) -> bool:
        """Return whether a document has the shortest URI of its group, as in the column ``duplicate_of``.

        Args:
            doc_id: The document.
        """
        return self._first[self.key(doc_id)][2] == doc_id

    def deduplicate(self, doc_ids: Iterable[str], exclude: Iterable[Hashable] = ()) -> list[str]:
        """Return the first document of each group.

        Args:
            doc_ids: The documents.
            exclude: Keys of groups to leave out.
        """
        seen, unique = set(exclude), []
        for doc_id in doc_ids:
            if (group := self.key(doc_id)) not in seen:
                seen.add(group)
                unique.append(doc_id)
        return unique
