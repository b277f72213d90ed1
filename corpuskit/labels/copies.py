"""Documents with the same main text: one question, and one example."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from corpuskit.store import CorpusFolder


class Copies:
    """Which documents of a corpus are copies of each other.

    Args:
        folder: The corpus folder.

    Attributes:
        doc_ids: all documents, by host and URI.
    """

    def __init__(self, folder: CorpusFolder) -> None:
        rows = folder.catalog.tuples("SELECT doc_id, text_hash, uri FROM current ORDER BY host, uri")
        self.doc_ids = [doc_id for doc_id, _, _ in rows]
        self._group: dict[str, Hashable] = {doc_id: doc_id if text is None else text for doc_id, text, _ in rows}
        self._first: dict[Hashable, tuple[int, str, str]] = {}
        for doc_id, _, uri in rows:
            group, place = self._group[doc_id], (len(uri), uri, doc_id)
            self._first[group] = min(place, self._first.get(group, place))

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
