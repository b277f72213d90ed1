"""Removal of documents from all files in vectors/."""

from __future__ import annotations

from collections.abc import Sequence

from corpuskit.store import CorpusFolder
from corpuskit.vectors import kept_topics, layout, making

__all__ = ["remove_documents"]


def remove_documents(folder: CorpusFolder, doc_ids: Sequence[str]) -> None:
    """Remove documents from vectors, topics and layouts, so nothing derived from them remains on disk.

    The LSA space of the corpus is deleted, since it contains words of the documents. It is rebuilt on the next use.

    Args:
        folder: The corpus.
        doc_ids: The documents.
    """
    removed = set(doc_ids)
    for name in making.names(folder):
        subfolder = making.vectors_folder(folder, name)
        layout.remove_documents(subfolder, removed)
        kept_topics.remove_documents(subfolder, removed)
        making.remove_documents(folder, name, removed)
