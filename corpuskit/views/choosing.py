"""Which documents and tokens a view is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpuskit.errors import ConfigurationError, UnknownDocumentError
from corpuskit.store import CorpusFolder, document_names, document_rows
from corpuskit.tokens import Selection, TokenIndex, open_index, select
from corpuskit.views import frames

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look, again and again: the tokens are those of the corpus as it is then.

    Attributes:
        folder: the corpus.
        doc_ids: only these documents; None for all.
        main: only the main content.
        copies: in exact copies of documents too.
    """

    folder: CorpusFolder
    doc_ids: Sequence[str] | None = None
    main: bool = True
    copies: bool = False

    def selection(self, subcorpus: str = "") -> Selection:
        """The tokens, or those of them that are in a sub-corpus.

        Raises:
            ConfigurationError: there is no such sub-corpus, or it has no documents here.
        """
        return chosen(self.folder, self._ids(subcorpus), main=self.main, copies=self.copies)

    def rest(self, doc_ids: Sequence[str], subcorpus: str = "") -> Selection:
        """All but some documents."""
        ids = others(self.folder, doc_ids, copies=self.copies)
        within = self._ids(subcorpus)
        if within is not None:
            known = set(within)
            ids = [doc_id for doc_id in ids if doc_id in known]
        return chosen(self.folder, ids, main=self.main, copies=self.copies)

    def _ids(self, subcorpus: str) -> Sequence[str] | None:
        if not subcorpus:
            return self.doc_ids
        ids = list(frames.subcorpus(self.folder, subcorpus)["doc_id"])
        if self.doc_ids is not None:
            known = set(self.doc_ids)
            ids = [doc_id for doc_id in ids if doc_id in known]
        return _some(ids, f"the sub-corpus {subcorpus!r} has none of these documents")


def chosen(
    folder: CorpusFolder, doc_ids: Sequence[str] | None = None, *, main: bool = True, copies: bool = False
) -> Selection:
    """The tokens of some documents, each exact copy of a text once.

    Args:
        folder: the corpus.
        doc_ids: only these documents; None for all.
        main: only the main content.
        copies: keeps documents whose main text another one has too.
    """
    index = open_index(folder)
    return select(index, doc_ids, main=main, duplicate_of=None if copies else duplicates(folder, index))


def duplicates(folder: CorpusFolder, index: TokenIndex) -> Mapping[str, str]:
    """Of each exact copy the document that it is one of."""
    if "duplicate_of" not in index.cache:
        index.cache["duplicate_of"] = document_rows.duplicates(folder)
    found: Mapping[str, str] = index.cache["duplicate_of"]
    return found


def others(folder: CorpusFolder, doc_ids: Sequence[str], *, copies: bool = False) -> list[str]:
    """All documents but these; without ``copies``, but the exact copies of these too."""
    of = {} if copies else duplicates(folder, open_index(folder))
    texts = {of.get(doc_id, doc_id) for doc_id in doc_ids}
    return [doc_id for doc_id in frames.other_ids(folder, doc_ids) if of.get(doc_id, doc_id) not in texts]


def described(folder: CorpusFolder, index: TokenIndex, number: int) -> pa.Table:
    """doc_id, title, uri and host of the documents of a part, in its order."""
    key = "described", number
    if key not in index.cache:
        import pyarrow as pa
        import pyarrow.compute as pc

        rows = document_rows.names(folder)
        ids = index.parts[number].documents.column("doc_id").cast(pa.large_string())
        places = pc.index_in(ids, value_set=rows["doc_id"].combine_chunks()).combine_chunks()
        index.cache[key] = rows.take(places).set_column(0, "doc_id", ids)
    found: pa.Table = index.cache[key]
    return found


def noted(frame: pd.DataFrame, selection: Selection) -> pd.DataFrame:
    """The frame with a note of what was left out, in ``attrs``."""
    frame.attrs["main"] = selection.main
    frame.attrs["copies_left_out"] = selection.copies
    return frame


def told(selection: Selection) -> str:
    """What was left out, in words."""
    if not selection.copies:
        return ""
    return (
        f"{selection.copies:,} exact {'copy' if selection.copies == 1 else 'copies'} left out, copies=True keeps them"
    )


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
        return _some(ids, f"docs: the sub-corpus {docs.strip()!r} has no documents any more")
    return _some(ids, "docs: found no documents in it; leave it out for all")


def meant(folder: CorpusFolder, docs: Any) -> list[str] | None:
    """Return the ids of the documents meant; None for all.

    Args:
        folder: The corpus.
        docs: None for all; a DataFrame or Series with ``doc_id``; a mask, that is a truth value for each row of ``documents()``;
            ids, URIs or file names; the name of a sub-corpus.

    Raises:
        ConfigurationError: A mask does not fit.
        UnknownDocumentError: One is not in the corpus; the message names the nearest.
        TypeError: It is none of these.
    """
    if docs is None:
        return None
    if isinstance(docs, str) and docs.strip() in frames.subcorpora(folder):
        return list(frames.subcorpus(folder, docs)["doc_id"])
    names = document_names.names_in(folder, docs)
    try:
        return list(dict.fromkeys(document_names.doc_ids_of(folder, names).values()))
    except UnknownDocumentError as error:
        there = ", ".join(map(repr, frames.subcorpora(folder)))
        raise UnknownDocumentError(f"docs: {error}" + (f"; sub-corpora: {there}" if there else "")) from None


def _some(ids: list[str], problem: str) -> list[str]:
    if not ids:
        raise ConfigurationError(problem)
    return ids
