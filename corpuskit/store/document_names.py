"""Documents by what people call them: id, URI, or the end of a URI that only one has."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import Final

from corpuskit.errors import UnknownDocumentError
from corpuskit.store.folder import CorpusFolder

_LOOKED_AT: Final = 20_000  # URIs that are compared with an unknown name
_LIKE: Final = 3
_FEW: Final = 20  # names that are looked up one by one


def doc_id_of(folder: CorpusFolder, name: str) -> str:
    """Return the id of the document that is meant.

    Args:
        folder: the corpus.
        name: its id, its URI, or the last parts of its URI, such as a file name, if no other document ends so.

    Raises:
        UnknownDocumentError: there is none, or several end so; the message names the nearest.
    """
    catalog = folder.catalog
    if catalog.value("SELECT 1 FROM documents WHERE doc_id = ? LIMIT 1", (name,)) is not None:
        return name  # of whatever status: who asks tells what is wrong with it
    found = catalog.value("SELECT doc_id FROM current WHERE uri = ?", (name,))
    if found is not None:
        return str(found)
    ending = "/" + name.strip("/")
    rows = catalog.tuples(
        "SELECT doc_id, uri FROM current WHERE substr(uri, -length(?1)) = ?1 ORDER BY uri LIMIT 3", (ending,)
    )
    if len(rows) == 1:
        return str(rows[0][0])
    if rows:
        raise UnknownDocumentError(
            f"several documents end in {name!r}, among them {rows[0][1]} and {rows[1][1]}: name one"
        )
    known = [uri for (uri,) in catalog.tuples("SELECT uri FROM current ORDER BY uri LIMIT ?", (_LOOKED_AT,))]
    of_end = {uri.rstrip("/").rpartition("/")[2]: uri for uri in known}
    like = difflib.get_close_matches(name, known, _LIKE) or [
        of_end[end] for end in difflib.get_close_matches(name.rstrip("/").rpartition("/")[2], of_end, _LIKE)
    ]
    raise UnknownDocumentError(f"no document {name[:200]!r}" + (f"; the nearest: {', '.join(like)}" if like else ""))


def doc_ids_of(folder: CorpusFolder, names: Collection[str]) -> dict[str, str]:
    """Return the id of each document that is meant, by its name; many at once.

    Args:
        folder: the corpus.
        names: as :func:`doc_id_of` takes them.

    Raises:
        UnknownDocumentError: one of them means no document, or several.
    """
    if len(names) <= _FEW:
        return {name: doc_id_of(folder, name) for name in names}
    rows = folder.catalog.tuples("SELECT doc_id, uri FROM current")
    ids, of_uri = {doc_id for doc_id, _ in rows}, {uri: doc_id for doc_id, uri in rows}
    return {name: name if name in ids else of_uri.get(name) or doc_id_of(folder, name) for name in names}


__all__ = ["doc_id_of", "doc_ids_of"]
