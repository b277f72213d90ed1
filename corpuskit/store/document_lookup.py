"""Lookup of documents by id, URI, file name, DataFrame rows or a mask."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from corpuskit.errors import ConfigurationError, UnknownDocumentError
from corpuskit.store.folder import CorpusFolder

if TYPE_CHECKING:
    import pandas as pd

_MAX_COMPARED: Final = 20_000  # URIs compared with an unknown name
_MAX_SUGGESTIONS: Final = 3
_MAX_SINGLE_LOOKUPS: Final = 20  # for more names all URIs are read at once


def find_doc_id(folder: CorpusFolder, name: str) -> str:
    """Return the id of a document.

    Args:
        folder: The corpus.
        name: Id or URI of the document, or the last parts of its URI, such as a file name, if they are unique.

    Raises:
        UnknownDocumentError: No document or several documents match. The message suggests similar URIs.
    """
    if not isinstance(name, str):
        raise TypeError(f"found {name!r}, expected the id, URI or file name of a document, as a str")
    catalog = folder.catalog
    if catalog.value("SELECT 1 FROM documents WHERE doc_id = ? LIMIT 1", (name,)) is not None:
        return name  # with any status: the caller reports what is wrong with it
    doc_id = catalog.value("SELECT doc_id FROM current WHERE uri = ?", (name,))
    if doc_id is not None:
        return str(doc_id)
    ending = "/" + name.strip("/")
    rows = catalog.tuples(
        "SELECT doc_id, uri FROM current WHERE substr(uri, -length(?1)) = ?1 ORDER BY uri LIMIT 3", (ending,)
    )
    if len(rows) == 1:
        return str(rows[0][0])
    if rows:
        raise UnknownDocumentError(
            f"several documents end in {name!r}, for example {rows[0][1]} and {rows[1][1]}: pass the full URI of one"
        )
    uris = [uri for (uri,) in catalog.tuples("SELECT uri FROM current ORDER BY uri LIMIT ?", (_MAX_COMPARED,))]
    uri_by_file_name = {uri.rstrip("/").rpartition("/")[2]: uri for uri in uris}
    similar = difflib.get_close_matches(name, uris, _MAX_SUGGESTIONS) or [
        uri_by_file_name[file_name]
        for file_name in difflib.get_close_matches(
            name.rstrip("/").rpartition("/")[2], uri_by_file_name, _MAX_SUGGESTIONS
        )
    ]
    raise UnknownDocumentError(f"no document {name[:200]!r}" + (f"; similar: {', '.join(similar)}" if similar else ""))


def find_doc_ids(folder: CorpusFolder, names: Collection[str]) -> dict[str, str]:
    """Return the id of each document by its name. Faster than :func:`find_doc_id` for many names.

    Args:
        folder: The corpus.
        names: As for :func:`find_doc_id`.

    Raises:
        UnknownDocumentError: A name matches no document or several.
    """
    if len(names) <= _MAX_SINGLE_LOOKUPS:
        return {name: find_doc_id(folder, name) for name in names}
    rows = folder.catalog.tuples("SELECT doc_id, uri FROM current")
    ids, id_by_uri = {doc_id for doc_id, _ in rows}, {uri: doc_id for doc_id, uri in rows}
    return {name: name if name in ids else id_by_uri.get(name) or find_doc_id(folder, name) for name in names}


def document_names(folder: CorpusFolder, docs: Any) -> list[str]:
    """Return the names of documents in a selection, without duplicates: ids, URIs or file names.

    Args:
        folder: The corpus.
        docs: A DataFrame or Series with ``doc_id``, a list of names, one name, or a boolean mask with one value per row
            of ``documents()``.

    Raises:
        ConfigurationError: A mask has another number of rows.
        TypeError: The selection has another type.
    """
    if isinstance(docs, str):
        return [docs]
    if hasattr(docs, "columns"):
        if "doc_id" not in docs.columns:
            columns = ", ".join(map(str, docs.columns))
            raise TypeError(f"a DataFrame of documents needs a column doc_id; this one has {columns[:300]}")
        docs = docs["doc_id"]
    if not isinstance(docs, Iterable) or isinstance(docs, bytes | Mapping):
        expected = "a DataFrame, Series, mask, list of ids, name or None"
        raise TypeError(f"documents as a {type(docs).__name__}: expected {expected}")
    names = docs if hasattr(docs, "dtype") else list(docs)
    return _ids_of_mask(folder, names) if _is_mask(names) else list(dict.fromkeys(map(str, names)))


def _is_mask(values: Any) -> bool:
    if hasattr(values, "dtype"):
        return str(values.dtype) in {"bool", "boolean", "bool[pyarrow]"}
    return bool(values) and all(isinstance(value, bool) for value in values)


def _ids_of_mask(folder: CorpusFolder, mask: Any) -> list[str]:
    """Return the ids of the selected rows of documents(). A mask from a sorted frame is aligned by its index."""
    import pandas as pd

    ids = [doc_id for (doc_id,) in folder.catalog.tuples("SELECT doc_id FROM current ORDER BY host, uri")]
    selected = mask if isinstance(mask, pd.Series) else pd.Series(mask)
    if len(selected) != len(ids) or set(selected.index) != set(range(len(ids))):
        raise ConfigurationError(
            f"docs: a mask of {len(selected):,} rows does not fit the {len(ids):,} rows of documents(): pass the rows "
            "instead, docs=frame[mask]"
        )
    return [ids[row] for row in selected.index[selected.fillna(False).astype(bool)]]


def add_titles(folder: CorpusFolder, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with the columns title and uri (str) after its column doc_id."""
    names = folder.catalog.frame("SELECT doc_id, title, uri FROM current").set_index("doc_id")
    columns = names.reindex(frame["doc_id"]).astype("str")
    position = list(frame.columns).index("doc_id") + 1
    result = frame.drop(columns=["title", "uri"], errors="ignore")
    for offset, name in enumerate(("title", "uri")):
        result.insert(position + offset, name, columns[name].to_numpy())
    return result.astype({"title": "str", "uri": "str"})


__all__ = ["add_titles", "document_names", "find_doc_id", "find_doc_ids"]
