"""Where words stand in a corpus: the part of class Corpus that shows them in their context."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from corpuskit.corpus.base import OpenCorpus
from corpuskit.document.frames import in_types

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.views.concordance import Concordance

logger = logging.getLogger(__name__)


class CorpusConcordance(OpenCorpus):
    """Lines of concordances, saved queries and places of words of a :class:`corpuskit.corpus.Corpus`."""

    def kwic(  # noqa: PLR0913 (all are named)
        self,
        query: str,
        *,
        window: int = 8,
        sort: str | None = None,
        docs: Any = None,
        limit: int | None = None,
        main: bool = True,
        copies: bool = False,
        syntax: str | None = None,
        sample: int | None = None,
        seed: int = 0,
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return key words in context: one row a place where the query matches.

        The same query finds the same places in all methods that take one. A simple query is regular expressions for whole words,
        case-insensitive, with blanks between them. A query that begins with one of ``[ " ( <`` is CQL, as in the Corpus Workbench
        and Sketch Engine. The words around a match cross the borders of blocks, which ``¶`` marks, but leave neither the document
        nor the selection.

        Args:
            query: Such as ``premiums?``, ``access control``, ``[lemma="insure"] []{0,3} "risk"``.
            window: Number of words on each side, at most 10,000.
            sort: Words to sort by, such as ``"1R"`` or ``"2L 1L"``; ``"0"`` is the match itself. None: reading order.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            limit: Return only the first lines, in reading order. None: all.
            main: Look only in the main content.
            copies: Look in exact copies of documents too.
            syntax: ``cql``, ``simple``, ``wildcards`` (``insur*``), or ``text``: one regular expression for the running text, across
                words and punctuation. None: by the first character.
            sample: Draw at most so many of the lines at random. None: all.
            seed: The same lines and seed give the same sample.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns doc_id (str), element_id (int32), left, match, right, title, uri (str). ``attrs["copies_left_out"]`` is the
            number of exact copies left out; with ``sample``, ``attrs["sample_of"]`` is the number of lines it was drawn from.

        Raises:
            ConfigurationError: The query or ``sort`` cannot be read, a number is out of range, a pattern takes too long, or ``docs``
                has no documents.
            UnknownDocumentError: A document of ``docs`` is not in the corpus.

        Example:
            >>> lines = corpus.kwic("excess", docs="claims-handbook.docx", window=3)
            >>> lines[["left", "match", "right"]].head(2)
                              left   match                      right
            0     today less age ¶  excess  ¶ Clothing ¶ price today,
            1  second-hand price ¶  excess       ¶ Building ¶ cost of
        """
        from corpuskit.views.concordance import kwic

        self._tell_hints(query, syntax=syntax)
        chosen = self._tokens(docs, main=main, copies=copies)
        found = kwic(
            self._folder, chosen, query, window=window, sort=sort, limit=limit, syntax=syntax, sample=sample, seed=seed
        )
        return in_types(found, arrow)

    def concordance(  # noqa: PLR0913 (all are named)
        self,
        query: str,
        *,
        window: int = 8,
        sort: str | None = None,
        docs: Any = None,
        main: bool = True,
        copies: bool = False,
        syntax: str | None = None,
        sample: int | None = None,
        seed: int = 0,
    ) -> Concordance:
        """Return a concordance: key words in context with the matches aligned.

        Args:
            query: A query as :meth:`kwic` takes it.
            window: Number of words on each side, at most 10,000.
            sort: Words to sort by, see :meth:`kwic`.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            main: Look only in the main content.
            copies: Look in exact copies of documents too.
            syntax: See :meth:`kwic`.
            sample: Draw at most so many of the lines at random. None: all.
            seed: The same lines and seed give the same sample.

        Returns:
            A :class:`corpuskit.views.concordance.Concordance`: ``.frame`` is what :meth:`kwic` returns, ``.view()`` the widget.

        Raises:
            ConfigurationError: The query or ``sort`` cannot be read, a number is out of range, or ``docs`` has no documents.
            UnknownDocumentError: A document of ``docs`` is not in the corpus.

        Example:
            >>> len(corpus.concordance("excess").frame) == len(corpus.kwic("excess"))
            True
        """
        from corpuskit.views.concordance import concordance

        scope = self._scope(docs, main=main, copies=copies)

        def view() -> Any:
            from corpuskit.views.saved_queries import SavedQuery
            from corpuskit.widgets.concordance import ConcordanceView

            asked = SavedQuery("", query, sort or "", "", sample or 0, seed)
            return ConcordanceView(scope, asked, window=window, syntax=syntax)

        return concordance(
            self._folder,
            scope.selection(),
            query,
            view,
            window=window,
            sort=sort,
            syntax=syntax,
            sample=sample,
            seed=seed,
        )

    def explore(
        self,
        query: str = "",
        *,
        window: int = 8,
        sort: str | None = None,
        docs: Any = None,
        main: bool = True,
        copies: bool = False,
    ) -> Any:
        """Return one widget for one query: concordance, collocates, clusters, key words, plot, word list.

        Each row leads to the lines, and each line to its document.

        Args:
            query: A query as :meth:`kwic` takes it. Empty: begin with the word list.
            window: Number of words on each side, at most 10,000.
            sort: Words to sort by, see :meth:`kwic`.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            main: Look only in the main content.
            copies: Look in exact copies of documents too.

        Raises:
            ConfigurationError: The query or ``sort`` cannot be read, or ``docs`` has no documents.
            MissingExtraError: The extra ``notebook`` is not installed.

        Example:
            >>> explorer = corpus.explore("excess")
        """
        from corpuskit.views.saved_queries import SavedQuery
        from corpuskit.widgets.explore import Explorer

        scope = self._scope(docs, main=main, copies=copies)
        return Explorer(scope, SavedQuery("", query, sort or ""), window=window)

    def save_query(
        self, name: str, query: str, *, sort: str = "", subcorpus: str = "", sample: int = 0, seed: int = 0
    ) -> None:
        """Save a query with the corpus, for the widgets. An earlier one of this name is replaced.

        Args:
            name: Name of the query.
            query: A query as :meth:`kwic` takes it.
            sort: Words to sort its lines by, see :meth:`kwic`. Empty: reading order.
            subcorpus: Name of a sub-corpus to look in. Empty: all documents.
            sample: Draw at most so many lines at random. 0: all.
            seed: Seed of the sample.

        Raises:
            ConfigurationError: The name is empty, the query or ``sort`` cannot be read, or the corpus has no such layer.

        Example:
            >>> corpus.save_query("money", '"premiums?|excess"', sort="1R")
            >>> corpus.queries()[["name", "query"]].values.tolist()
            [['money', '"premiums?|excess"']]
        """
        from corpuskit.tokens import check_query, open_index, parse_query
        from corpuskit.views import frames, saved_queries
        from corpuskit.views.lines import sort_places

        parsed = parse_query(query)
        check_query(open_index(self._folder), parsed)
        sort_places(sort or None)
        if subcorpus:
            frames.subcorpus(self._folder, subcorpus)
        if parsed.hint:
            logger.warning("query %r is kept as it is; %s", name, parsed.hint)
        saved = saved_queries.SavedQuery(name.strip(), query, sort, subcorpus, sample, seed)
        saved_queries.save_query(self._folder, saved)

    def forget_query(self, name: str) -> None:
        """Delete a saved query.

        Args:
            name: Name of the query.

        Raises:
            ConfigurationError: There is no query of this name.

        Example:
            >>> corpus.save_query("money", "premiums?")
            >>> corpus.forget_query("money")
            >>> len(corpus.queries())
            0
        """
        from corpuskit.views import saved_queries

        saved_queries.forget_query(self._folder, name)

    def queries(self, *, arrow: bool = False) -> pd.DataFrame:
        """Return the saved queries, by name.

        Args:
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns name, query, sort, subcorpus (str); sample, seed (Int64).

        Example:
            >>> corpus.save_query("money", "premiums?")
            >>> corpus.queries()["query"].tolist()
            ['premiums?']
        """
        from corpuskit.views.saved_queries import queries_frame

        return in_types(queries_frame(self._folder), arrow)

    def occurrences(
        self,
        *queries: str,
        docs: Any = None,
        main: bool = True,
        copies: bool = False,
        syntax: str | None = None,
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return where matches stand in the corpus, for a dispersion plot.

        Args:
            queries: Queries as :meth:`kwic` takes them.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            main: Look only in the main content.
            copies: Look in exact copies of documents too.
            syntax: ``cql``, ``simple`` or ``wildcards`` (``insur*``). None: by the query's first character, see :meth:`kwic`.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns pattern, doc_id, word (the match, in lower case) (str); element_id (int32); place (float64, share of all tokens
            that stand before it); title, uri (str).

        Raises:
            ConfigurationError: A query cannot be read, or ``docs`` has no documents.
            UnknownDocumentError: A document of ``docs`` is not in the corpus.

        Example:
            >>> len(corpus.occurrences("excess")) == len(corpus.kwic("excess"))
            True
        """
        from corpuskit.views.word_lists import occurrences

        self._tell_hints(*queries, syntax=syntax)
        return in_types(
            occurrences(self._folder, self._tokens(docs, main=main, copies=copies), queries, syntax=syntax), arrow
        )
