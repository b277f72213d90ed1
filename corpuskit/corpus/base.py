"""An open corpus folder: its documents by name, in order, and its end."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Self

from corpuskit.corpus.accessor import check_arguments
from corpuskit.document import NLPTextDocument
from corpuskit.store import CorpusFolder
from corpuskit.store.document_lookup import find_doc_id
from corpuskit.validation import check_path


class OpenCorpus:
    """Base of class Corpus: the open corpus folder and its documents."""

    def __init_subclass__(cls) -> None:
        """Check the arguments of each public method when it is called."""
        check_arguments(cls, "Corpus")

    def __init__(self, path: str | os.PathLike[str], *, trust: bool = False) -> None:
        self._folder = CorpusFolder(check_path(path), trust=trust)

    @property
    def path(self) -> str:
        """The folder."""
        return str(self._folder.path)

    def __getitem__(self, doc_id: str) -> NLPTextDocument:
        """Return the document with this id, this URI, or this file name if only one has it.

        Raises:
            UnknownDocumentError: There is none, or several; the message names the nearest.

        Example:
            >>> corpus["claims-handbook.docx"].title
            'Handbook for household claims'
        """
        return self._folder.document(find_doc_id(self._folder, doc_id))

    def _ids(self, docs: Any) -> list[str] | None:
        """Return the ids of the selected documents, possibly none. All of them exist."""
        from corpuskit.views.doc_selection import meant

        return meant(self._folder, docs)

    def __iter__(self) -> Iterator[NLPTextDocument]:
        """Iterate over the documents, by host and URI, reading one at a time."""
        for row in self._folder.catalog.rows("SELECT doc_id FROM current ORDER BY host, uri"):
            yield self._folder.document(row["doc_id"])

    def __len__(self) -> int:
        return int(self._folder.catalog.value("SELECT count(*) FROM current"))

    def __contains__(self, doc_id: object) -> bool:
        """Return whether a document has this id or URI."""
        catalog = self._folder.catalog
        return any(
            catalog.value(f"SELECT 1 FROM current WHERE {column} = ?", (doc_id,)) is not None
            for column in ("doc_id", "uri")
        )

    def close(self) -> None:
        """Close the corpus. It cannot be used afterwards; ``with`` closes it at its end.

        Example:
            >>> import corpuskit as ck
            >>> with ck.open("demo") as corpus:
            ...     len(corpus)
            73
        """
        self._folder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        from corpuskit.views.summary import summary

        return summary(self._folder)
