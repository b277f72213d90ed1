"""Documents meant by an argument ``docs``: a DataFrame, a mask, ids, names or a sub-corpus."""

from __future__ import annotations

from typing import Any

from corpuskit.errors import ConfigurationError, UnknownDocumentError
from corpuskit.store import CorpusFolder, document_lookup
from corpuskit.views import subcorpora


def doc_ids_of(folder: CorpusFolder, docs: Any) -> list[str] | None:
    """Return the ids of the documents meant, at least one.

    Raises:
        ConfigurationError: No document is meant.
        UnknownDocumentError: One is not in the corpus.
        TypeError: It is nothing that :func:`meant` takes.
    """
    ids = meant(folder, docs)
    if ids is None:
        return None
    if isinstance(docs, str):
        return at_least_one(ids, f"docs: the sub-corpus {docs.strip()!r} has no documents any more")
    return at_least_one(ids, "docs: found no documents in it; leave it out for all")


def meant(folder: CorpusFolder, docs: Any) -> list[str] | None:
    """Return the ids of the selected documents, or None for all.

    Args:
        folder: The corpus.
        docs: None for all; a DataFrame or Series with ``doc_id``; a mask, a truth value for each row of ``documents()``;
            ids, URIs or file names; the name of a sub-corpus.

    Raises:
        ConfigurationError: A mask has another length or index.
        UnknownDocumentError: A document is not in the corpus; the message names similar ones.
        TypeError: ``docs`` has another type.
    """
    if docs is None:
        return None
    if isinstance(docs, str) and docs.strip() in subcorpora.subcorpora(folder):
        return list(subcorpora.subcorpus(folder, docs)["doc_id"])
    names = document_lookup.document_names(folder, docs)
    try:
        return list(dict.fromkeys(document_lookup.find_doc_ids(folder, names).values()))
    except UnknownDocumentError as error:
        available = ", ".join(map(repr, subcorpora.subcorpora(folder)))
        raise UnknownDocumentError(f"docs: {error}" + (f"; sub-corpora: {available}" if available else "")) from None


def at_least_one(ids: list[str], problem: str) -> list[str]:
    """Return the ids.

    Raises:
        ConfigurationError: There are none; the message is ``problem``.
    """
    if not ids:
        raise ConfigurationError(problem)
    return ids
