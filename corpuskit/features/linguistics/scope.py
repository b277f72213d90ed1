"""Selection of documents and tokens for the methods of ``corpus.text``."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from corpuskit.corpus.accessor import CorpusAccessor
from corpuskit.store import CorpusFolder, document_rows
from corpuskit.tokens import TokenIndex, TokenSelection, open_index, parse_query, select
from corpuskit.tokens.result_cache import cached_by_owner
from corpuskit.views import frames, subcorpora
from corpuskit.views.doc_selection import at_least_one, doc_ids_of, meant

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TokenScope:
    """Options that select tokens. Each call of a method uses the present state of the corpus.

    Attributes:
        folder: The corpus.
        doc_ids: Documents. None: all.
        main: Select only the main content.
        copies: Include exact copies of documents.
    """

    folder: CorpusFolder
    doc_ids: Sequence[str] | None = None
    main: bool = True
    copies: bool = False

    def selection(self, subcorpus: str = "") -> TokenSelection:
        """Return the tokens, optionally only those in a sub-corpus.

        Raises:
            ConfigurationError: There is no such sub-corpus, or it has none of the documents.
        """
        return select_tokens(self.folder, self._ids(subcorpus), main=self.main, copies=self.copies)

    def rest(self, doc_ids: Sequence[str], subcorpus: str = "") -> TokenSelection:
        """Return the tokens of all documents except these."""
        ids = complement_ids(self.folder, doc_ids, copies=self.copies)
        within = self._ids(subcorpus)
        if within is not None:
            known = set(within)
            ids = [doc_id for doc_id in ids if doc_id in known]
        return select_tokens(self.folder, ids, main=self.main, copies=self.copies)

    def _ids(self, subcorpus: str) -> Sequence[str] | None:
        if not subcorpus:
            return self.doc_ids
        ids = list(subcorpora.subcorpus(self.folder, subcorpus)["doc_id"])
        if self.doc_ids is not None:
            known = set(self.doc_ids)
            ids = [doc_id for doc_id in ids if doc_id in known]
        return at_least_one(ids, f"the sub-corpus {subcorpus!r} has none of the selected documents")


def select_tokens(
    folder: CorpusFolder, doc_ids: Sequence[str] | None = None, *, main: bool = True, copies: bool = False
) -> TokenSelection:
    """Return the tokens of documents.

    Args:
        folder: The corpus.
        doc_ids: Documents. None: all.
        main: Select only the main content.
        copies: Include documents with the same main text as another document.
    """
    index = open_index(folder)
    return select(index, doc_ids, main=main, duplicate_of=None if copies else duplicate_originals(index, folder))


@cached_by_owner
def duplicate_originals(index: TokenIndex, folder: CorpusFolder) -> Mapping[str, str]:
    """Return the document that each exact duplicate is a copy of."""
    return document_rows.duplicate_ids(folder)


def complement_ids(folder: CorpusFolder, doc_ids: Sequence[str], *, copies: bool = False) -> list[str]:
    """Return all documents except these and, without ``copies``, except their exact copies."""
    of = {} if copies else duplicate_originals(open_index(folder), folder)
    texts = {of.get(doc_id, doc_id) for doc_id in doc_ids}
    return [doc_id for doc_id in frames.other_ids(folder, doc_ids) if of.get(doc_id, doc_id) not in texts]


@cached_by_owner
def document_table(index: TokenIndex, folder: CorpusFolder, number: int) -> pa.Table:
    """Return doc_id, title, uri and host of the documents of an index part, in its order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = document_rows.title_rows(folder)
    ids = index.parts[number].documents.column("doc_id").cast(pa.large_string())
    rows_of_ids = pc.index_in(ids, value_set=rows["doc_id"].combine_chunks()).combine_chunks()
    return rows.take(rows_of_ids).set_column(0, "doc_id", ids)


def with_provenance(frame: pd.DataFrame, selection: TokenSelection) -> pd.DataFrame:
    """Return the frame with the options of the selection in ``attrs``."""
    frame.attrs["main"] = selection.main
    frame.attrs["copies_left_out"] = selection.copies
    return frame


def duplicates_note(selection: TokenSelection) -> str:
    """Return a note on omitted copies, empty without such copies."""
    if not selection.copies:
        return ""
    return f"{selection.copies:,} exact {'copy' if selection.copies == 1 else 'copies'} left out, include_duplicates=True (--copies) counts them"


class ScopedAccessor(CorpusAccessor, attribute="text"):
    """Documents and tokens that the methods of ``corpus.text`` look at.

    Args:
        folder: The corpus directory.
        docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
        main_only: Look only in the main content.
        include_duplicates: Look in exact copies of documents too.
    """

    def __init__(
        self, folder: CorpusFolder, docs: Any = None, *, main_only: bool = True, include_duplicates: bool = False
    ) -> None:
        super().__init__(folder)
        self._docs, self._main_only, self._include_duplicates = docs, main_only, include_duplicates

    def __call__(self, docs: Any = None, *, main_only: bool = True, include_duplicates: bool = False) -> Self:
        """Return the same methods for a part of the corpus.

        Args:
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus.
                None: all.
            main_only: Look only in the main content.
            include_duplicates: Look in exact copies of documents too.

        Example:
            >>> len(corpus.text(docs="claims-handbook.docx").kwic("excess"))
            5
        """
        return type(self)(self._folder, docs, main_only=main_only, include_duplicates=include_duplicates)

    def earlier(self, name: str) -> Callable[..., Any]:
        """Return a method as ``Corpus`` had it, with the arguments ``docs``, ``main`` and ``copies``.

        Args:
            name: Name of the method.
        """
        method = getattr(self, name)

        @functools.wraps(method)
        def call(*args: Any, docs: Any = None, main: bool = True, copies: bool = False, **named: Any) -> Any:
            if name == "keywords":
                documents = [docs, named.pop("reference", None)]
                documents[: len(args)] = args
                (docs, named["reference"]), args = documents, ()
            scoped = self(docs, main_only=main, include_duplicates=copies)
            return getattr(scoped, name)(*args, **named)

        return call

    def _scope(self) -> TokenScope:
        doc_ids = doc_ids_of(self._folder, self._docs)
        return TokenScope(self._folder, doc_ids, self._main_only, self._include_duplicates)

    def _selection(self) -> TokenSelection:
        return self._scope().selection()

    def _doc_ids(self) -> list[str] | None:
        return meant(self._folder, self._docs)

    def _log_hints(self, *queries: str, syntax: str | None) -> None:
        """Log hints at unintended queries. A table of counts has no column for them."""
        for query in queries if syntax != "text" else ():
            if hint := parse_query(query, syntax).hint:
                _LOG.warning("%s", hint)
