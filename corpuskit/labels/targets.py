"""What is labelled, by what people call it."""

from __future__ import annotations

from collections.abc import Mapping

from corpuskit.errors import ConfigurationError, UnknownDocumentError
from corpuskit.store import CorpusFolder
from corpuskit.store.document_names import doc_ids_of


def of_documents(folder: CorpusFolder, labels: Mapping[str, str]) -> tuple[dict[str, str], dict[str, int]]:
    """Return the label and the last version of each document that is labelled, by doc_id.

    Args:
        folder: the corpus.
        labels: label by id, URI, or a file name that only one document has.

    Raises:
        UnknownDocumentError: a name means no document of the corpus, or several.
        ConfigurationError: two names mean one document and are labelled differently.
    """
    current = dict(folder.catalog.tuples("SELECT doc_id, version FROM current"))
    found: dict[str, str] = {}
    for name, doc_id in doc_ids_of(folder, labels).items():
        if doc_id not in current:
            raise UnknownDocumentError(f"the document {name!r} is not in the corpus any more")
        if found.setdefault(doc_id, labels[name]) != labels[name]:
            raise ConfigurationError(
                f"the document {doc_id} is named twice and labelled {found[doc_id]!r} and, as {name!r}, {labels[name]!r}"
            )
    return found, {doc_id: current[doc_id] for doc_id in found}
