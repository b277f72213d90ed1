"""Counts of words: collocates, key words, n-grams and frequencies."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from corpuskit.document.dataframes import convert_dtypes
from corpuskit.features.linguistics.scope import ScopedAccessor

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.features.linguistics.frequency import Frequency


class WordCounts(ScopedAccessor, attribute="text"):
    """Statistics of the words of a corpus."""

    def clusters(
        self,
        query: str,
        *,
        sizes: tuple[int, int] = (2, 4),
        position: str = "any",
        min_count: int = 2,
        attribute: str = "lower",
        syntax: str | None = None,
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return clusters: n-grams of several lengths that contain a match, the most frequent first.

        Args:
            query: A query, see :meth:`kwic`.
            sizes: Minimum and maximum number of words.
            position: Position of the match: ``left`` (at the beginning), ``right`` (at the end) or ``any``.
            min_count: Leave out rarer n-grams.
            attribute: What is counted: ``lower`` (words in lower case), ``word``, or a layer such as ``lemma``.
            syntax: ``cql``, ``simple`` or ``wildcards`` (``insur*``). None: by the query's first character, see :meth:`kwic`.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns cluster (str), words, count, documents (Int64), per_million (float64, of all words).

        Raises:
            ConfigurationError: The query cannot be read, the sizes or the position are wrong.

        Example:
            >>> corpus.text.clusters("excess", sizes=(2, 3))[["cluster", "count"]].head(2)
                  cluster  count
            0  the excess     11
            1   excess is      5
        """
        from corpuskit.features.linguistics.word_lists import clusters

        self._log_hints(query, syntax=syntax)
        runs = clusters(
            self._selection(),
            query,
            sizes=sizes,
            position=position,
            min_count=min_count,
            attribute=attribute,
            syntax=syntax,
        )
        return convert_dtypes(runs, arrow)

    def collocates(
        self,
        query: str,
        *,
        window: int = 5,
        min_count: int = 3,
        sort: str = "log_dice",
        attribute: str = "lower",
        syntax: str | None = None,
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return the collocates of a query: words that are near matches more often than expected by chance.

        Surface co-occurrence as in Evert (2008): a token counts once if it is at most ``window`` words from a match in the same
        element, regardless of the number of matches. The expected count is R1 C1 / N: R1 tokens in windows, C1 occurrences of the word,
        N tokens in all. Tokens of matches are excluded.

        Args:
            query: A query, see :meth:`kwic`.
            window: Number of words on each side, at most 10,000.
            min_count: Leave out words that are near less often.
            sort: ``log_dice``, ``mi``, ``log_likelihood``, ``t`` or ``count``.
            attribute: What is counted: ``lower`` (words in lower case), ``word``, or a layer such as ``lemma``.
            syntax: ``cql``, ``simple`` or ``wildcards`` (``insur*``). None: by the query's first character, see :meth:`kwic`.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns word (str), count (near a match), left, right (on that side), total (in all) (Int64); expected, log_dice, mi,
            log_likelihood (G2, negative if the count is below expectation), t (float64). ``attrs["matches"]`` is the number of
            matches.

        Raises:
            ConfigurationError: The query cannot be read, ``window``, ``attribute`` or ``sort`` is wrong.

        Example:
            >>> corpus.text.collocates("excess", min_count=2, sort="mi")["word"].head(3).tolist()
            ['compulsory', 'voluntary', 'examples']
        """
        from corpuskit.features.linguistics.collocation import collocates

        self._log_hints(query, syntax=syntax)
        chosen = self._selection()
        return convert_dtypes(
            collocates(
                chosen, query, window=window, min_count=min_count, sort=sort, attribute=attribute, syntax=syntax
            ),
            arrow,
        )

    def keywords(
        self,
        reference: Any = None,
        *,
        min_count: int = 3,
        sort: str = "log_likelihood",
        attribute: str = "lower",
        stop_words: Sequence[str] = (),
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return the keywords of documents: words more frequent in them than in a reference.

        The documents are those of the call ``corpus.text(docs=...)``. Without one they are those labelled relevant, or else scored
        at least 0.5.

        Args:
            reference: Other documents, another Corpus, or counts (word → count). None: all other documents, without copies of
                these.
            min_count: Leave out words that are rarer in the documents.
            sort: ``log_likelihood``, ``log_ratio`` or ``simple_maths``.
            attribute: What is counted: ``lower`` (words in lower case), ``word``, or a layer such as ``lemma``.
            stop_words: Words that are not listed. They count for the sizes.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns word (str), count, reference_count, documents (that have the word) (Int64); per_million,
            reference_per_million, log_likelihood (negative if the word is more frequent in the reference), log_ratio (1: twice as frequent, 2: four
            times), simple_maths (float64).

        Raises:
            ConfigurationError: One of the two has no words, or ``sort`` is wrong.
            UnknownDocumentError: A document is not in the corpus.

        Example:
            >>> cooking = corpus.documents().query("host == 'cooking-blog.example'")
            >>> corpus.text(docs=cooking).keywords()["word"].head(3).tolist()
            ['grams', 'butter', 'add']
        """
        from corpuskit.corpus import Corpus
        from corpuskit.features.linguistics import collocation, scope
        from corpuskit.views import doc_selection, frames

        select = functools.partial(scope.select_tokens, main=self._main_only, copies=self._include_duplicates)
        target = doc_selection.doc_ids_of(self._folder, self._docs)
        if target is None:
            target = frames.relevant_ids(self._folder)
        if isinstance(reference, Corpus):
            other: Any = select(reference._folder)
        elif isinstance(reference, Mapping):
            other = reference
        else:
            if reference is None:
                ids: list[str] | None = scope.complement_ids(self._folder, target, copies=self._include_duplicates)
            else:
                ids = doc_selection.doc_ids_of(self._folder, reference)
            other = select(self._folder, ids)
        return convert_dtypes(
            collocation.keywords(
                select(self._folder, target),
                other,
                min_count=min_count,
                sort=sort,
                attribute=attribute,
                stop_words=stop_words,
            ),
            arrow,
        )

    def dispersion(
        self,
        *queries: str,
        syntax: str | None = None,
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return the dispersion of matches over the documents, one row per query.

        Args:
            queries: Queries, see :meth:`kwic`.
            syntax: ``cql``, ``simple`` or ``wildcards`` (``insur*``). None: by the query's first character, see :meth:`kwic`.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns pattern (str), count, documents (with a match), parts (all documents) (Int64); dp (Gries 2008), dp_norm (Lijffijt
            and Gries 2012) (float64), 0 if matches are distributed in proportion to document sizes, near 1 if all are in one small document.

        Raises:
            ConfigurationError: A query cannot be read.

        Example:
            >>> corpus.text.dispersion("excess", "premiums?")[["pattern", "count", "documents"]]
                 pattern  count  documents
            0     excess     29         15
            1  premiums?     23         15
        """
        from corpuskit.features.linguistics.word_lists import dispersion

        self._log_hints(*queries, syntax=syntax)
        return convert_dtypes(dispersion(self._selection(), queries, syntax=syntax), arrow)

    def ngrams(
        self,
        n: int = 2,
        *,
        pattern: str | None = None,
        min_count: int = 2,
        attribute: str = "lower",
        syntax: str | None = None,
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return the n-grams within elements, the most frequent first.

        Args:
            n: Number of words, 1 to 10.
            pattern: A query, see :meth:`kwic`: return only n-grams that contain a complete match.
            min_count: Leave out rarer n-grams.
            attribute: What is counted: ``lower`` (words in lower case), ``word``, or a layer such as ``lemma``.
            syntax: ``cql``, ``simple`` or ``wildcards`` (``insur*``). None: by the query's first character, see :meth:`kwic`.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns ngram (str), count, documents (Int64), per_million (float64, of all words).

        Raises:
            ConfigurationError: ``n`` is out of range, the query cannot be read.

        Example:
            >>> corpus.text.ngrams(2, pattern="excess")[["ngram", "count"]].head(2)
                    ngram  count
            0  the excess     11
            1   excess is      5
        """
        from corpuskit.features.linguistics.word_lists import ngrams

        chosen = self._selection()
        return convert_dtypes(
            ngrams(chosen, n, min_count=min_count, query=pattern, attribute=attribute, syntax=syntax), arrow
        )

    def wordlist(
        self,
        *,
        min_count: int = 1,
        attribute: str = "lower",
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return the words, the most frequent first.

        Args:
            min_count: Leave out rarer words.
            attribute: What is counted: ``lower`` (words in lower case), ``word``, or a layer such as ``lemma``.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns word (str), count, documents (Int64), per_million (float64).

        Raises:
            ConfigurationError: There is no such layer.

        Example:
            >>> corpus.text.wordlist()[["word", "count", "documents"]].head(2)
              word  count  documents
            0  the    842         48
            1    a    397         56
        """
        from corpuskit.features.linguistics.word_lists import wordlist

        chosen = self._selection()
        return convert_dtypes(wordlist(chosen, min_count=min_count, attribute=attribute), arrow)

    def sketch(
        self,
        word: str,
        *,
        min_count: int = 2,
        attribute: str = "lemma",
        pos: str = "pos",
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return a word sketch: words in grammatical relations to a word, the most typical first.

        Args:
            word: The word, or the value of another attribute.
            min_count: Leave out rarer pairs of relation and word.
            attribute: What ``word`` is and what is counted: ``lemma``, ``lower`` or ``word``.
            pos: Layer of parts of speech, with the tags of Universal Dependencies.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns relation, word (str), count, total (of the word in all) (Int64), log_dice (float64, Rychlý 2008), query (str,
            finds the lines).

        Raises:
            ConfigurationError: There is no such layer: :meth:`annotate` makes one.
            MissingExtraError: The extra ``text``, which splits sentences, is not installed.

        Example:
            >>> corpus.text.annotate("spacy:en_core_web_sm")             # doctest: +SKIP
            >>> corpus.text.sketch("claim").head(3)                      # doctest: +SKIP
        """
        from corpuskit.features.linguistics.sketch import sketch

        chosen = self._selection()
        return convert_dtypes(sketch(chosen, word, min_count=min_count, attribute=attribute, pos=pos), arrow)

    def frequency(
        self,
        query: str,
        by: str | Mapping[str, Any] = "host",
        *,
        syntax: str | None = None,
    ) -> Frequency:
        """Return the relative frequency of matches per group of documents, with confidence intervals.

        Args:
            query: A query, see :meth:`kwic`.
            by: A column of ``corpus.documents()`` such as ``host`` or ``lang``, or ``year``; or a mapping of names to documents, such as
                ``{"ours": "my sub-corpus", "others": others}``.
            syntax: ``cql``, ``simple`` or ``wildcards`` (``insur*``). None: by the query's first character, see :meth:`kwic`.

        Returns:
            A :class:`corpuskit.features.linguistics.frequency.Frequency`: ``.frame`` for pandas, ``.chart()`` for a picture.

        Raises:
            ConfigurationError: There is no such column, the query cannot be read.

        Example:
            >>> corpus.text.frequency("franchise|excess", by="lang").frame.iloc[:, :2]
              lang  count
            0   fr     19
            1   en     29
        """
        from corpuskit.features.linguistics.frequency import frequency

        self._log_hints(query, syntax=syntax)
        return frequency(self._folder, self._selection(), query, by, syntax=syntax)
