"""What a corpus is asked about its words in numbers: the part of class Corpus that counts in the token index."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from corpuskit.corpus.base import OpenCorpus
from corpuskit.document.frames import in_types

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.views.frequency import Frequency

logger = logging.getLogger(__name__)


class CorpusWords(OpenCorpus):
    """Collocates, key words, frequencies and layers of a :class:`corpuskit.corpus.Corpus`."""

    def clusters(  # noqa: PLR0913 (all are named)
        self,
        query: str,
        *,
        sizes: tuple[int, int] = (2, 4),
        position: str = "any",
        min_count: int = 2,
        docs: Any = None,
        main: bool = True,
        copies: bool = False,
        attribute: str = "lower",
        syntax: str | None = None,
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return runs of words in which a match stands, of several lengths, the most frequent first.

        Args:
            query: A query as :meth:`kwic` takes it.
            sizes: The fewest and the most words of a run.
            position: Where the match stands: ``left`` (the run begins with it), ``right`` (it ends with it) or ``any``.
            min_count: Leave out rarer runs.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            main: Look only in the main content.
            copies: Look in exact copies of documents too.
            attribute: What is counted: ``lower`` (words in lower case), ``word``, or a layer such as ``lemma``.
            syntax: ``cql``, ``simple`` or ``wildcards`` (``insur*``). None: by the query's first character, see :meth:`kwic`.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns cluster (str), words, count, documents (Int64), per_million (float64, of all words).

        Raises:
            ConfigurationError: The query cannot be read, the sizes or the position are wrong, or ``docs`` has no documents.
            UnknownDocumentError: A document of ``docs`` is not in the corpus.

        Example:
            >>> corpus.clusters("excess", sizes=(2, 3))[["cluster", "count"]].head(2)
                  cluster  count
            0  the excess     11
            1   excess is      5
        """
        from corpuskit.views.word_lists import clusters

        self._tell_hints(query, syntax=syntax)
        found = clusters(
            self._tokens(docs, main=main, copies=copies),
            query,
            sizes=sizes,
            position=position,
            min_count=min_count,
            attribute=attribute,
            syntax=syntax,
        )
        return in_types(found, arrow)

    def collocates(  # noqa: PLR0913 (all are named)
        self,
        query: str,
        *,
        window: int = 5,
        min_count: int = 3,
        sort: str = "log_dice",
        docs: Any = None,
        main: bool = True,
        copies: bool = False,
        attribute: str = "lower",
        syntax: str | None = None,
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return the words that stand near matches more often than chance would have it.

        Surface co-occurrence as in Evert (2008): a token counts once if it is at most ``window`` words from a match in the same
        element, however many matches are near. Expected is R1 C1 / N: R1 the tokens in windows, C1 the word's count, N all tokens,
        those of the matches left out.

        Args:
            query: A query as :meth:`kwic` takes it.
            window: Number of words on each side, at most 10,000.
            min_count: Leave out words that are near less often.
            sort: ``log_dice``, ``mi``, ``log_likelihood``, ``t`` or ``count``.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            main: Look only in the main content.
            copies: Look in exact copies of documents too.
            attribute: What is counted: ``lower`` (words in lower case), ``word``, or a layer such as ``lemma``.
            syntax: ``cql``, ``simple`` or ``wildcards`` (``insur*``). None: by the query's first character, see :meth:`kwic`.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns word (str), count (near a match), left, right (on that side), total (in all) (Int64); expected, log_dice, mi,
            log_likelihood (G2, negative where there are fewer than expected), t (float64). ``attrs["matches"]`` is the number of
            matches.

        Raises:
            ConfigurationError: The query cannot be read, ``window``, ``attribute`` or ``sort`` is wrong, or ``docs`` has no documents.
            UnknownDocumentError: A document of ``docs`` is not in the corpus.

        Example:
            >>> corpus.collocates("excess", min_count=2, sort="mi")["word"].head(3).tolist()
            ['compulsory', 'voluntary', 'examples']
        """
        from corpuskit.views.collocation import collocates

        self._tell_hints(query, syntax=syntax)
        chosen = self._tokens(docs, main=main, copies=copies)
        return in_types(
            collocates(
                chosen, query, window=window, min_count=min_count, sort=sort, attribute=attribute, syntax=syntax
            ),
            arrow,
        )

    def keywords(  # noqa: PLR0913 (all are named)
        self,
        docs: Any = None,
        reference: Any = None,
        *,
        min_count: int = 3,
        sort: str = "log_likelihood",
        main: bool = True,
        copies: bool = False,
        attribute: str = "lower",
        stop_words: Sequence[str] = (),
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return the words that some documents have more of than a reference.

        Args:
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: those
                labelled relevant, or else scored at least 0.5.
            reference: Other documents, another Corpus, or counts (word → count). None: all documents except ``docs`` and their
                copies.
            min_count: Leave out words that are rarer in the documents.
            sort: ``log_likelihood``, ``log_ratio`` or ``simple_maths``.
            main: Look only in the main content.
            copies: Look in exact copies of documents too.
            attribute: What is counted: ``lower`` (words in lower case), ``word``, or a layer such as ``lemma``.
            stop_words: Words that are not listed. They count for the sizes.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns word (str), count, reference_count, documents (those of ``docs`` that have the word) (Int64); per_million,
            reference_per_million, log_likelihood (negative where the reference has more), log_ratio (1: twice as frequent, 2: four
            times), simple_maths (float64).

        Raises:
            ConfigurationError: One of the two has no words, or ``sort`` is wrong.
            UnknownDocumentError: A document is not in the corpus.

        Example:
            >>> corpus.keywords(corpus.documents().query("host == 'cooking-blog.example'"))["word"].head(3).tolist()
            ['grams', 'butter', 'add']
        """
        from corpuskit.views import choosing, collocation, frames

        target = frames.relevant_ids(self._folder) if docs is None else choosing.doc_ids_of(self._folder, docs) or []
        if isinstance(reference, CorpusWords):
            other: Any = reference._tokens(None, main=main, copies=copies)
        elif isinstance(reference, Mapping):
            other = reference
        elif reference is None:
            ids = choosing.others(self._folder, target, copies=copies)
            other = choosing.chosen(self._folder, ids, main=main, copies=copies)
        else:
            other = self._tokens(reference, main=main, copies=copies)
        chosen = choosing.chosen(self._folder, target, main=main, copies=copies)
        return in_types(
            collocation.keywords(
                chosen, other, min_count=min_count, sort=sort, attribute=attribute, stop_words=stop_words
            ),
            arrow,
        )

    def dispersion(
        self,
        *queries: str,
        docs: Any = None,
        main: bool = True,
        copies: bool = False,
        syntax: str | None = None,
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return how evenly matches are spread over the documents, one row a query.

        Args:
            queries: Queries as :meth:`kwic` takes them.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            main: Look only in the main content.
            copies: Look in exact copies of documents too.
            syntax: ``cql``, ``simple`` or ``wildcards`` (``insur*``). None: by the query's first character, see :meth:`kwic`.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns pattern (str), count, documents (with a match), parts (all documents) (Int64); dp (Gries 2008), dp_norm (Lijffijt
            and Gries 2012) (float64), 0 for as even as the documents' sizes, towards 1 for in one small document.

        Raises:
            ConfigurationError: A query cannot be read, or ``docs`` has no documents.
            UnknownDocumentError: A document of ``docs`` is not in the corpus.

        Example:
            >>> corpus.dispersion("excess", "premiums?")[["pattern", "count", "documents"]]
                 pattern  count  documents
            0     excess     29         15
            1  premiums?     23         15
        """
        from corpuskit.views.word_lists import dispersion

        self._tell_hints(*queries, syntax=syntax)
        return in_types(dispersion(self._tokens(docs, main=main, copies=copies), queries, syntax=syntax), arrow)

    def ngrams(  # noqa: PLR0913 (all are named)
        self,
        n: int = 2,
        *,
        pattern: str | None = None,
        min_count: int = 2,
        docs: Any = None,
        main: bool = True,
        copies: bool = False,
        attribute: str = "lower",
        syntax: str | None = None,
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return runs of ``n`` words of one element, the most frequent first.

        Args:
            n: Number of words, 1 to 10.
            pattern: A query as :meth:`kwic` takes it: only runs in which a whole match stands.
            min_count: Leave out rarer runs.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            main: Look only in the main content.
            copies: Look in exact copies of documents too.
            attribute: What is counted: ``lower`` (words in lower case), ``word``, or a layer such as ``lemma``.
            syntax: ``cql``, ``simple`` or ``wildcards`` (``insur*``). None: by the query's first character, see :meth:`kwic`.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns ngram (str), count, documents (Int64), per_million (float64, of all words).

        Raises:
            ConfigurationError: ``n`` is out of range, the query cannot be read, or ``docs`` has no documents.
            UnknownDocumentError: A document of ``docs`` is not in the corpus.

        Example:
            >>> corpus.ngrams(2, pattern="excess")[["ngram", "count"]].head(2)
                    ngram  count
            0  the excess     11
            1   excess is      5
        """
        from corpuskit.views.word_lists import ngrams

        chosen = self._tokens(docs, main=main, copies=copies)
        return in_types(
            ngrams(chosen, n, min_count=min_count, query=pattern, attribute=attribute, syntax=syntax), arrow
        )

    def wordlist(
        self,
        *,
        min_count: int = 1,
        docs: Any = None,
        main: bool = True,
        copies: bool = False,
        attribute: str = "lower",
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return the words, the most frequent first.

        Args:
            min_count: Leave out rarer words.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            main: Look only in the main content.
            copies: Look in exact copies of documents too.
            attribute: What is counted: ``lower`` (words in lower case), ``word``, or a layer such as ``lemma``.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns word (str), count, documents (Int64), per_million (float64).

        Raises:
            ConfigurationError: There is no such layer, or ``docs`` has no documents.
            UnknownDocumentError: A document of ``docs`` is not in the corpus.

        Example:
            >>> corpus.wordlist()[["word", "count", "documents"]].head(2)
              word  count  documents
            0  the    842         48
            1    a    397         56
        """
        from corpuskit.views.word_lists import wordlist

        chosen = self._tokens(docs, main=main, copies=copies)
        return in_types(wordlist(chosen, min_count=min_count, attribute=attribute), arrow)

    def sketch(
        self,
        word: str,
        *,
        min_count: int = 2,
        docs: Any = None,
        main: bool = True,
        copies: bool = False,
        attribute: str = "lemma",
        pos: str = "pos",
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Return a word sketch: what stands in which grammatical relation to a word, the most typical first.

        Args:
            word: The word, or the value of another attribute.
            min_count: Leave out words that stand so less often.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            main: Look only in the main content.
            copies: Look in exact copies of documents too.
            attribute: What ``word`` is and what is counted: ``lemma``, ``lower`` or ``word``.
            pos: Layer of parts of speech, with the tags of Universal Dependencies.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns relation, word (str), count, total (of the word in all) (Int64), log_dice (float64, Rychlý 2008), query (str,
            finds the lines).

        Raises:
            ConfigurationError: There is no such layer: :meth:`annotate` makes one.
            MissingExtraError: The extra ``text``, which splits sentences, is not installed.
            UnknownDocumentError: A document of ``docs`` is not in the corpus.

        Example:
            >>> corpus.annotate("spacy:en_core_web_sm")             # doctest: +SKIP
            >>> corpus.sketch("claim").head(3)                      # doctest: +SKIP
        """
        from corpuskit.views.sketch import sketch

        chosen = self._tokens(docs, main=main, copies=copies)
        return in_types(sketch(chosen, word, min_count=min_count, attribute=attribute, pos=pos), arrow)

    def frequency(
        self,
        query: str,
        by: str | Mapping[str, Any] = "host",
        *,
        docs: Any = None,
        main: bool = True,
        copies: bool = False,
        syntax: str | None = None,
    ) -> Frequency:
        """Return how frequent matches are in groups of documents, with confidence intervals.

        Args:
            query: A query as :meth:`kwic` takes it.
            by: A column of :meth:`documents` such as ``host`` or ``lang``, or ``year``; or a mapping of names to documents, such as
                ``{"ours": "my sub-corpus", "others": others}``.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            main: Look only in the main content.
            copies: Look in exact copies of documents too.
            syntax: ``cql``, ``simple`` or ``wildcards`` (``insur*``). None: by the query's first character, see :meth:`kwic`.

        Returns:
            A :class:`corpuskit.views.frequency.Frequency`: ``.frame`` for pandas, ``.chart()`` for a picture.

        Raises:
            ConfigurationError: There is no such column, the query cannot be read, or ``docs`` has no documents.
            UnknownDocumentError: A document of ``docs`` is not in the corpus.

        Example:
            >>> corpus.frequency("franchise|excess", by="lang").frame.iloc[:, :2]
              lang  count
            0   fr     19
            1   en     29
        """
        from corpuskit.views.frequency import frequency

        self._tell_hints(query, syntax=syntax)
        return frequency(self._folder, self._tokens(docs, main=main, copies=copies), query, by, syntax=syntax)

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

        What has a value keeps it; a stopped call keeps what it has done. New documents get their lemmas by themselves; for other
        layers call again.

        Args:
            name: Name of the layer. ``lemma`` needs no function: simplemma finds it in the language of each document.
                ``spacy:MODEL``: the layers lemma, pos, tag, dep and ent, as far as the model has them, of documents in its language.
                ``conllu:PATH`` and ``vert:PATH``: layers from a file that a tagger wrote, of documents named in it by doc_id or URI
                as the exports ``conllu`` and ``vert`` name them; a document with other words is a row of :meth:`failures`.
            function: Takes the words of a sentence, returns a value for each.
            columns: ``vert``: names of the file's columns, such as ``["word", "tag", "lemma"]``. ``conllu``: keys of its column MISC
                that become layers too.
            replace: Make values anew where there are some.
            progress: Show a progress bar.

        Returns:
            The number of tokens that were given a value.

        Raises:
            ConfigurationError: The name is taken, the function returns another number of values, or there is no such model, or no
                document of the corpus in the file.
            MissingExtraError: The extra ``lemma``, ``spacy``, or for a function ``text``, is not installed.

        Example:
            >>> tokens = corpus.annotate("initial", lambda words: [word[:1] for word in words], progress=False)
            >>> len(corpus.kwic('[initial="Z"]')) == len(corpus.kwic('"Z.*"'))
            True
        """
        from corpuskit.tokens import annotate

        return annotate(self._folder, name, function, columns=columns, replace=replace, progress=progress)
