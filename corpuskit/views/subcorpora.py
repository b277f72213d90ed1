"""Sub-corpora: lists of documents saved under a name in the catalog."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from corpuskit.errors import ConfigurationError, CorpusError, UnknownDocumentError, UnknownNameError
from corpuskit.store import CorpusFolder
from corpuskit.store.catalog import clean
from corpuskit.views import frames

if TYPE_CHECKING:
    import pandas as pd

_SUBCORPUS: Final = "sub-corpus "


def save_subcorpus(folder: CorpusFolder, name: str, doc_ids: Sequence[str]) -> int:
    """Save a list of documents under a name, and return their number.

    Raises:
        ConfigurationError: the name is empty, or there are no documents.
        UnknownDocumentError: a doc_id is not in the corpus.
    """
    if not name.strip():
        raise ConfigurationError("a sub-corpus needs a name")
    if not doc_ids:
        raise ConfigurationError(f"the sub-corpus {name.strip()!r}: found no documents to give this name")
    known = {row["doc_id"] for row in folder.catalog.rows("SELECT doc_id FROM current")}
    unknown = [doc_id for doc_id in doc_ids if doc_id not in known]
    if unknown:
        raise UnknownDocumentError(f"no document {unknown[0]!r} ({len(unknown)} unknown in all)")
    folder.catalog.set_meta(_SUBCORPUS + clean(name.strip()), json.dumps(list(doc_ids)))
    return len(doc_ids)


def subcorpus(folder: CorpusFolder, name: str) -> pd.DataFrame:
    """Return the documents of a sub-corpus that are still in the corpus.

    Raises:
        ConfigurationError: No sub-corpus has this name.
        CorpusError: The stored value cannot be read.
    """
    stored = folder.catalog.meta(_SUBCORPUS + clean(name.strip()))
    if stored is None:
        raise UnknownNameError(f"no sub-corpus {name!r}; there are: {', '.join(subcorpora(folder)) or 'none'}")
    doc_ids = _ids_in(stored)
    if doc_ids is None:
        raise CorpusError(f"the sub-corpus {name!r} cannot be read: save it again")
    return frames.documents(folder, doc_ids)


def delete_subcorpus(folder: CorpusFolder, name: str) -> None:
    """Delete a sub-corpus; its documents stay.

    Raises:
        ConfigurationError: No sub-corpus has this name.
    """
    if name.strip() not in subcorpora(folder):
        raise UnknownNameError(f"no sub-corpus {name!r}; there are: {', '.join(subcorpora(folder)) or 'none'}")
    folder.catalog.connection.execute("DELETE FROM meta WHERE key = ?", (_SUBCORPUS + clean(name.strip()),))


def subcorpora(folder: CorpusFolder) -> dict[str, int]:
    """Return name → number of documents saved under it."""
    rows = folder.catalog.rows(
        "SELECT key, value FROM meta WHERE key >= ? AND key < ?", (_SUBCORPUS, _SUBCORPUS + "\uffff")
    )
    stored = {row["key"][len(_SUBCORPUS) :]: _ids_in(row["value"]) for row in rows}
    return {name: len(doc_ids) for name, doc_ids in stored.items() if doc_ids is not None}


def _ids_in(text: str) -> list[str] | None:
    """Return the ids of a stored sub-corpus, or None if the stored value is invalid."""
    try:
        ids = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return ids if isinstance(ids, list) and all(isinstance(doc_id, str) for doc_id in ids) else None
