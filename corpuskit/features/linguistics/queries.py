"""The accessor ``corpus.queries``: saved queries, as a mapping of names to queries."""

from __future__ import annotations

import logging
from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING

from corpuskit.corpus.accessor import CorpusAccessor
from corpuskit.document.dataframes import convert_dtypes

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.features.linguistics.saved_queries import SavedQuery

logger = logging.getLogger(__name__)


class QueriesAccessor(CorpusAccessor, MutableMapping[str, "SavedQuery"], attribute="queries"):
    """Saved queries of a corpus, by name.

    Example:
        >>> corpus.queries["money"] = "premiums?"
        >>> corpus.queries["money"].query
        'premiums?'
        >>> del corpus.queries["money"]
    """

    def __call__(self, *, arrow: bool = False) -> pd.DataFrame:
        """Return the saved queries, by name.

        Args:
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns name, query, sort, subcorpus (str); sample, seed (Int64).

        Example:
            >>> corpus.queries["money"] = "premiums?"
            >>> corpus.queries()["query"].tolist()
            ['premiums?']
        """
        from corpuskit.features.linguistics.saved_queries import queries_frame

        return convert_dtypes(queries_frame(self._folder), arrow)

    def save(
        self, name: str, query: str, *, sort: str = "", subcorpus: str = "", sample: int = 0, seed: int = 0
    ) -> None:
        """Save a query with the corpus, for the widgets. An earlier one of this name is replaced.

        Args:
            name: Name of the query.
            query: A query as ``corpus.text.kwic()`` takes it.
            sort: Words to sort its lines by, see ``corpus.text.kwic()``. Empty: reading order.
            subcorpus: Name of a sub-corpus to look in. Empty: all documents.
            sample: Maximum number of lines, drawn at random. 0: all.
            seed: Seed of the sample.

        Raises:
            ConfigurationError: The name is empty, the query or ``sort`` cannot be read, or the corpus has no such layer.

        Example:
            >>> corpus.queries.save("money", '"premiums?|excess"', sort="1R")
            >>> corpus.queries()[["name", "query"]].values.tolist()
            [['money', '"premiums?|excess"']]
        """
        from corpuskit.features.linguistics import saved_queries
        from corpuskit.features.linguistics.lines import parse_sort
        from corpuskit.tokens import check_query, open_index, parse_query
        from corpuskit.views import subcorpora

        parsed = parse_query(query)
        check_query(open_index(self._folder), parsed)
        parse_sort(sort or None)
        if subcorpus:
            subcorpora.subcorpus(self._folder, subcorpus)
        if parsed.hint:
            logger.warning("query %r is saved unchanged; %s", name, parsed.hint)
        saved = saved_queries.SavedQuery(name.strip(), query, sort, subcorpus, sample, seed)
        saved_queries.save_query(self._folder, saved)

    def delete(self, name: str) -> None:
        """Delete a saved query.

        Args:
            name: Name of the query.

        Raises:
            ConfigurationError: There is no query of this name.

        Example:
            >>> corpus.queries["money"] = "premiums?"
            >>> corpus.queries.delete("money")
            >>> len(corpus.queries)
            0
        """
        from corpuskit.features.linguistics import saved_queries

        saved_queries.delete_query(self._folder, name)

    def __getitem__(self, name: str) -> SavedQuery:
        from corpuskit.features.linguistics.saved_queries import saved_query

        return saved_query(self._folder, name)

    def __setitem__(self, name: str, query: str | SavedQuery) -> None:
        if isinstance(query, str):
            self.save(name, query)
        else:
            self.save(
                name, query.query, sort=query.sort, subcorpus=query.subcorpus, sample=query.sample, seed=query.seed
            )

    def __delitem__(self, name: str) -> None:
        self.delete(name)

    def __iter__(self) -> Iterator[str]:
        from corpuskit.features.linguistics.saved_queries import saved_queries

        return iter([query.name for query in saved_queries(self._folder)])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(self())
