"""Documents with the same main text: one question, and one example."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cached_property

from corpuskit.store import CorpusFolder


class Copies:
    """Which documents of a corpus are copies of each other.

    Args:
        folder: The corpus folder.

    Attributes:
        doc_ids: all documents, by host and URI.
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
            group, place = self._group[doc_id], (len(uri), uri, doc_id)
            first[group] = min(place, first.get(group, place))
        return first

    def of(self, doc_id: str) -> Hashable:
        """Return what a document has in common with its copies; that of a document which is not there is its own.

        Args:
            doc_id: The document.
        """
        return self._group.get(doc_id, doc_id)

    def groups(self, doc_ids: Iterable[str]) -> set[Hashable]:
        """Return what some documents have in common with their copies.

        Args:
            doc_ids: The documents.
        """
        return {self.of(doc_id) for doc_id in doc_ids}

    def is_first(self, doc_id: str) -> bool:
        """Return whether a document is the one with the shortest URI of its copies, as ``duplicate_of`` has it.

        Args:
            doc_id: The document.
        """
        return self._first[self.of(doc_id)][2] == doc_id

    def once(self, doc_ids: Iterable[str], known: Iterable[Hashable] = ()) -> list[str]:
        """Return the documents without copies of earlier ones, and without those of the groups that are known.

        Args:
            doc_ids: The documents.
            known: What copies of earlier ones have in common.
        """
        seen, kept = set(known), []
        for doc_id in doc_ids:
            if (group := self.of(doc_id)) not in seen:
                seen.add(group)
                kept.append(doc_id)
        return kept
