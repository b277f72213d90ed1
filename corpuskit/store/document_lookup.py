"""Documents by what people call them: id, URI, or the end of a URI that only one has; rows of a frame, a mask."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from corpuskit.errors import ConfigurationError, UnknownDocumentError
from corpuskit.store.folder import CorpusFolder

if TYPE_CHECKING:
    import pandas as pd

_LOOKED_AT: Final = 20_000  # URIs that are compared with an unknown name
_LIKE: Final = 3
_FEW: Final = 20  # names that are looked up one by one


def find_doc_id(folder: CorpusFolder, name: str) -> str:
    """Return the id of the document that is meant.

    Args:
        folder: the corpus.
        name: its id, its URI, or the last parts of its URI, such as a file name, if no other document ends so.

    Raises:
        UnknownDocumentError: there is none, or several end so; the message names the nearest.
    """
    if not isinstance(name, str):
        raise TypeError(f"found {name!r}, expected the id, URI or file name of a document, as a str")
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


def find_doc_ids(folder: CorpusFolder, names: Collection[str]) -> dict[str, str]:
    """Return the id of each document that is meant, by its name; many at once.

    Args:
        folder: the corpus.
        names: as :func:`find_doc_id` takes them.

    Raises:
        UnknownDocumentError: one of them means no document, or several.
    """
    if len(names) <= _FEW:
        return {name: find_doc_id(folder, name) for name in names}
    rows = folder.catalog.tuples("SELECT doc_id, uri FROM current")
    ids, of_uri = {doc_id for doc_id, _ in rows}, {uri: doc_id for doc_id, uri in rows}
    return {name: name if name in ids else of_uri.get(name) or find_doc_id(folder, name) for name in names}


def document_names(folder: CorpusFolder, docs: Any) -> list[str]:
    """Return what documents are called in a frame, a column, a mask, a list, or by one name; none twice.

    Args:
        folder: The corpus.
        docs: A DataFrame or Series with ``doc_id``, a list of ids, URIs or file names, one of them, or a mask: a truth value for
            each row of ``documents()``.

    Raises:
        ConfigurationError: A mask has another number of rows.
        TypeError: It is none of these.
    """
    if isinstance(docs, str):
        return [docs]
    if hasattr(docs, "columns"):
        if "doc_id" not in docs.columns:
            there = ", ".join(map(str, docs.columns))
            raise TypeError(f"a DataFrame of documents needs a column doc_id; this one has {there[:300]}")
        docs = docs["doc_id"]
    if not isinstance(docs, Iterable) or isinstance(docs, bytes | Mapping):
        kinds = "a DataFrame, Series, mask, list of ids, name or None"
        raise TypeError(f"documents as a {type(docs).__name__}: expected {kinds}")
    names = docs if hasattr(docs, "dtype") else list(docs)
    return _of_mask(folder, names) if _is_mask(names) else list(dict.fromkeys(map(str, names)))


def _is_mask(values: Any) -> bool:
    if hasattr(values, "dtype"):
        return str(values.dtype) in {"bool", "boolean", "bool[pyarrow]"}
    return bool(values) and all(isinstance(value, bool) for value in values)


def _of_mask(folder: CorpusFolder, mask: Any) -> list[str]:
    """The ids of the rows of documents() that a mask chooses; that of a sorted frame goes by its index."""
    import pandas as pd

    ids = [doc_id for (doc_id,) in folder.catalog.tuples("SELECT doc_id FROM current ORDER BY host, uri")]
    chosen = mask if isinstance(mask, pd.Series) else pd.Series(mask)
    if len(chosen) != len(ids) or set(chosen.index) != set(range(len(ids))):
        raise ConfigurationError(
            f"docs: a mask of {len(chosen):,} rows does not fit the {len(ids):,} rows of documents(); give the rows "
            "themselves: docs=frame[mask]"
        )
    return [ids[row] for row in chosen.index[chosen.fillna(False).astype(bool)]]


def add_titles(folder: CorpusFolder, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with the columns title and uri (str) after its column doc_id."""
    names = folder.catalog.frame("SELECT doc_id, title, uri FROM current").set_index("doc_id")
    found = names.reindex(frame["doc_id"]).astype("str")
    at = list(frame.columns).index("doc_id") + 1
    named = frame.drop(columns=["title", "uri"], errors="ignore")
    for place, name in enumerate(("title", "uri")):
        named.insert(at + place, name, found[name].to_numpy())
    return named.astype({"title": "str", "uri": "str"})


__all__ = ["add_titles", "document_names", "find_doc_id", "find_doc_ids"]
