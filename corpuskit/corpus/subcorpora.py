"""The accessor ``corpus.subcorpora``: lists of documents under a name, as a mapping."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

from corpuskit.corpus.accessor import CorpusAccessor
from corpuskit.document.dataframes import convert_dtypes
from corpuskit.views import subcorpora
from corpuskit.views.doc_selection import meant

if TYPE_CHECKING:
    import pandas as pd


class SubcorporaAccessor(CorpusAccessor, MutableMapping[str, "pd.DataFrame"], attribute="subcorpora"):
    """Lists of documents under a name, which any ``docs=`` takes.

    Example:
        >>> corpus.subcorpora["handbook"] = ["claims-handbook.docx"]
        >>> corpus.subcorpora["handbook"]["title"].tolist()
        ['Handbook for household claims']
        >>> corpus.subcorpora()
        {'handbook': 1}
        >>> del corpus.subcorpora["handbook"]
    """

    def __call__(self) -> dict[str, int]:
        """Return the names of the sub-corpora with their number of documents."""
        return subcorpora.subcorpora(self._folder)

    def save(self, name: str, docs: Any) -> int:
        """Save a list of documents under a name, which any ``docs=`` takes. An earlier list of this name is replaced.

        Args:
            name: Name of the sub-corpus.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus.

        Returns:
            The number of documents.

        Raises:
            UnknownDocumentError: A document is not in the corpus.

        Example:
            >>> documents = corpus.documents()
            >>> corpus.subcorpora.save("french", documents[documents["lang"] == "fr"])
            25
            >>> len(corpus.text(docs="french").kwic("franchise"))
            19
        """
        return subcorpora.save_subcorpus(self._folder, name, meant(self._folder, docs) or [])

    def documents(self, name: str, *, arrow: bool = False) -> pd.DataFrame:
        """Return the documents of a sub-corpus.

        Args:
            name: Name of the sub-corpus.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            The columns of ``corpus.documents()``.

        Raises:
            ConfigurationError: No sub-corpus has this name.

        Example:
            >>> corpus.subcorpora.save("files", ["claims-handbook.docx", "household-policy-booklet.pdf"])
            2
            >>> corpus.subcorpora.documents("files")["title"].tolist()
            ['Handbook for household claims', 'Your household policy in ten minutes']
        """
        return convert_dtypes(subcorpora.subcorpus(self._folder, name), arrow)

    def __getitem__(self, name: str) -> pd.DataFrame:
        return subcorpora.subcorpus(self._folder, name)

    def __setitem__(self, name: str, docs: Any) -> None:
        self.save(name, docs)

    def __delitem__(self, name: str) -> None:
        subcorpora.delete_subcorpus(self._folder, name)

    def __iter__(self) -> Iterator[str]:
        return iter(subcorpora.subcorpora(self._folder))

    def __len__(self) -> int:
        return len(subcorpora.subcorpora(self._folder))

    def __repr__(self) -> str:
        return repr(subcorpora.subcorpora(self._folder))
