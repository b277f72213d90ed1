"""The accessor ``corpus.text``: concordance, word lists and statistics of the words of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from corpuskit.document.dataframes import convert_dtypes
from corpuskit.features.linguistics.counts import WordCounts

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.features.linguistics.concordance import Concordance


class TextAccessor(WordCounts, attribute="text"):
    """Concordance, word lists and statistics of the words of a corpus.

    Call it to look at a part of the corpus.

    Example:
        >>> len(corpus.text.kwic("excess"))
        29
        >>> len(corpus.text(docs="claims-handbook.docx").kwic("excess"))
        5
    """

    def kwic(
        self,
        query: str,
        *,
        window: int = 8,
        sort: str | None = None,
        limit: int | None = None,
        syntax: str | None = None,
        sample: int | None = None,
        seed: int = 0,
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return key words in context: one row per match.

        A query finds the same matches in all methods with a query parameter. A simple query is regular expressions for whole words,
        case-insensitive, with blanks between them. A query that begins with one of ``[ " ( <`` is CQL, as in the Corpus Workbench
        and Sketch Engine. The words around a match cross the borders of blocks, which ``¶`` marks, but leave neither the document
        nor the selection.

        Args:
            query: Such as ``premiums?``, ``access control``, ``[lemma="insure"] []{0,3} "risk"``.
            window: Number of words on each side, at most 10,000.
            sort: Words to sort by, such as ``"1R"`` or ``"2L 1L"``; ``"0"`` is the match itself. None: reading order.
            limit: Return only the first lines, in reading order. None: all.
            syntax: ``cql``, ``simple``, ``wildcards`` (``insur*``), or ``text``: one regular expression for the running text, across
                words and punctuation. None: by the first character.
            sample: Maximum number of lines, drawn at random. None: all.
            seed: The same lines and seed give the same sample.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns doc_id (str), element_id (int32), left, match, right, title, uri (str). ``attrs["copies_left_out"]`` is the
            number of exact copies left out; with ``sample``, ``attrs["sample_of"]`` is the number of lines it was drawn from.

        Raises:
            ConfigurationError: The query or ``sort`` cannot be read, a number is out of range, a pattern takes too long.

        Example:
            >>> lines = corpus.text(docs="claims-handbook.docx").kwic("excess", window=3)
            >>> lines[["left", "match", "right"]].head(2)
                              left   match                      right
            0     today less age ¶  excess  ¶ Clothing ¶ price today,
            1  second-hand price ¶  excess       ¶ Building ¶ cost of
        """
        from corpuskit.features.linguistics.concordance import kwic

        self._log_hints(query, syntax=syntax)
        chosen = self._selection()
        lines = kwic(
            self._folder, chosen, query, window=window, sort=sort, limit=limit, syntax=syntax, sample=sample, seed=seed
        )
        return convert_dtypes(lines, arrow)

    def concordance(
        self,
        query: str,
        *,
        window: int = 8,
        sort: str | None = None,
        syntax: str | None = None,
        sample: int | None = None,
        seed: int = 0,
    ) -> Concordance:
        """Return a concordance: key words in context with the matches aligned.

        Args:
            query: A query, see :meth:`kwic`.
            window: Number of words on each side, at most 10,000.
            sort: Words to sort by, see :meth:`kwic`.
            syntax: See :meth:`kwic`.
            sample: Maximum number of lines, drawn at random. None: all.
            seed: The same lines and seed give the same sample.

        Returns:
            A :class:`corpuskit.features.linguistics.concordance.Concordance`: ``.frame`` is the result of :meth:`kwic`, ``.view()`` the widget.

        Raises:
            ConfigurationError: The query or ``sort`` cannot be read, a number is out of range.

        Example:
            >>> len(corpus.text.concordance("excess").frame) == len(corpus.text.kwic("excess"))
            True
        """
        from corpuskit.features.linguistics.concordance import concordance

        scope = self._scope()

        def view() -> Any:
            from corpuskit.features.linguistics.saved_queries import SavedQuery
            from corpuskit.features.linguistics.widgets.concordance import ConcordanceView

            query_settings = SavedQuery("", query, sort or "", "", sample or 0, seed)
            return ConcordanceView(scope, query_settings, window=window, syntax=syntax)

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
    ) -> Any:
        """Return one widget for one query: concordance, collocates, clusters, key words, plot, word list.

        Each row leads to the lines, and each line to its document.

        Args:
            query: A query, see :meth:`kwic`. Empty: begin with the word list.
            window: Number of words on each side, at most 10,000.
            sort: Words to sort by, see :meth:`kwic`.

        Raises:
            ConfigurationError: The query or ``sort`` cannot be read.
            MissingExtraError: The extra ``notebook`` is not installed.

        Example:
            >>> explorer = corpus.text.explore("excess")
        """
        from corpuskit.features.linguistics.saved_queries import SavedQuery
        from corpuskit.features.linguistics.widgets.explore import Explorer

        scope = self._scope()
        return Explorer(scope, SavedQuery("", query, sort or ""), window=window)

    def occurrences(
        self,
        *queries: str,
        syntax: str | None = None,
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return the positions of matches in the corpus, for a dispersion plot.

        Args:
            queries: Queries as :meth:`kwic` takes them.
            syntax: ``cql``, ``simple`` or ``wildcards`` (``insur*``). None: by the query's first character, see :meth:`kwic`.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns pattern, doc_id, word (the match, in lower case) (str); element_id (int32); place (float64, share of all tokens
            that precede it); title, uri (str).

        Raises:
            ConfigurationError: A query cannot be read.

        Example:
            >>> len(corpus.text.occurrences("excess")) == len(corpus.text.kwic("excess"))
            True
        """
        from corpuskit.features.linguistics.word_lists import occurrences

        self._log_hints(*queries, syntax=syntax)
        return convert_dtypes(occurrences(self._folder, self._selection(), queries, syntax=syntax), arrow)

    def annotate(
        self,
        name: str,
        function: Callable[[Sequence[str]], Sequence[str]] | None = None,
        *,
        columns: Sequence[str] | None = None,
        replace: bool = False,
        progress: bool = True,
    ) -> int:
        """Give each token a value in a layer, to query (``[lemma="go"]``) and to count (``attribute="lemma"``).

        Existing values are not changed. An interrupted call saves the values computed before. Lemmas of new documents are added
        automatically; for other layers repeat the call.

        Args:
            name: Name of the layer. ``lemma`` does not need a function: simplemma finds it in the language of each document.
                ``spacy:MODEL``: the layers lemma, pos, tag, dep and ent, as far as the model has them, of documents in its language.
                ``conllu:PATH`` and ``vert:PATH``: layers from a file that a tagger wrote, of documents named in it by doc_id or URI
                as the exports ``conllu`` and ``vert`` name them; a document with other words is a row of ``corpus.failures()``.
            function: Takes the words of a sentence, returns a value for each.
            columns: ``vert``: names of the file's columns, such as ``["word", "tag", "lemma"]``. ``conllu``: keys of its column MISC
                that become layers too.
            replace: Replace existing values.
            progress: Show a progress bar.

        Returns:
            The number of tokens that were given a value.

        Raises:
            ConfigurationError: The name is taken, the function returns another number of values, or there is no such model, or no
                document of the corpus in the file.
            MissingExtraError: The extra ``lemma``, ``spacy``, or for a function ``text``, is not installed.

        Example:
            >>> tokens = corpus.text.annotate("initial", lambda words: [word[:1] for word in words], progress=False)
            >>> len(corpus.text.kwic('[initial="Z"]')) == len(corpus.text.kwic('"Z.*"'))
            True
        """
        from corpuskit.tokens import annotate

        return annotate(self._folder, name, function, columns=columns, replace=replace, progress=progress)

    def vocabulary(
        self,
        *,
        known: Container[str] | None = None,
        min_count: int = 1,
        tags: Mapping[str, Mapping[str, Iterable[str]]] | None = None,
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return the words of the main content, with hints at names and at words that no dictionary has.

        Args:
            known: Words of a dictionary, in lower case.
            min_count: Leave out rarer words.
            tags: Name of a dictionary → word in lower case → its tags, as :func:`corpuskit.text.read_tags` reads them.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns word (str), length (characters), count, documents (int64), share (float64, of all words), capitalised (float64, share of the
            occurrences inside a sentence that begin with a capital; missing without such an occurrence), proper (bool, whether more than
            half of at least two such occurrences are capitalised; in German that holds for every noun), known (boolean, missing
            without ``known`` and ``tags``). With ``tags`` also ``NAME_tags`` for each dictionary and common_tags (str, sorted).

        Example:
            >>> words = corpus.text.vocabulary(known={"premium", "excess"}, min_count=20)
            >>> words.loc[words["known"], "word"].tolist()
            ['excess', 'premium']
        """
        from corpuskit.preprocessing.words_and_characters import vocabulary

        doc_ids = self._doc_ids()
        return convert_dtypes(
            vocabulary(self._folder, known=known, min_count=min_count, tags=tags, doc_ids=doc_ids), arrow
        )

    def charset(self, *, by_site: bool = False, arrow: bool = False) -> pd.DataFrame:
        """Return one row per character of the main content, the most frequent first.

        Args:
            by_site: Add the columns ``count HOST`` and ``per_million HOST`` for each host.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns code (int64), char, name (of Unicode), category (letter, mark, number, punctuation, symbol, separator or other),
            subcategory, block (such as ``Latin-1 Supplement``), script (str); count, documents (int64); per_million (float64, of all
            characters).

        Example:
            >>> corpus.text.charset()[["char", "name"]].head(2)
              char                  name
            0                      SPACE
            1    e  LATIN SMALL LETTER E
        """
        from corpuskit.preprocessing.words_and_characters import charset

        return convert_dtypes(charset(self._folder, by_site=by_site, doc_ids=self._doc_ids()), arrow)
