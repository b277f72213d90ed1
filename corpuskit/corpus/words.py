"""What a corpus is asked about its words: the part of class Corpus that hands over to the token index and its views."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from corpuskit.corpus.base import OpenCorpus
from corpuskit.document.frames import in_types

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.tokens import Selection
    from corpuskit.views.choosing import Scope
    from corpuskit.views.concordance import Concordance
    from corpuskit.views.frequency import Frequency


class CorpusWords(OpenCorpus):
    """Concordance, collocates, key words, frequencies and layers of a :class:`corpuskit.corpus.Corpus`."""

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
        """Key words in context; see :func:`corpuskit.views.concordance.kwic`.

        The same query finds the same places in all methods that take one: regular expressions for whole words, without regard
        to case, with blanks between them; or CQL, which begins with one of ``[ " ( <``.

        Args:
            query: such as ``premiums?``, ``access control``, ``[lemma="insure"] []{0,3} "risk"``.
            window: words on each side.
            sort: ``"1R"``, ``"2L 1L"``, ``"0"``; None: in reading order.
            docs: documents: a DataFrame, ids, URIs, the name of a sub-corpus; None for all.
            limit: only the first so many.
            main: only in the main content.
            copies: in exact copies of documents too.
            syntax: cql, simple, wildcards (``insur*``), or text: one regular expression for the running text.
            sample: at most so many of the lines, drawn at random.
            seed: same lines and seed, same sample.

        Raises:
            ConfigurationError: the query or ``sort`` cannot be read, or ``docs`` has no documents.
            UnknownDocumentError: ``docs`` names one that is not in the corpus.
        """
        from corpuskit.views.concordance import kwic

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
        """Key words in context, the matches aligned; ``.frame`` for pandas, ``.view()`` for the widget.

        Arguments are those of :meth:`kwic`.
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
        """Concordance, collocates, clusters, key words, plot and word list of one query, as a widget.

        Each row leads to the lines, and each line to its document. Arguments are those of :meth:`kwic`; without a query the
        word list is shown, to begin with one of its words.
        """
        from corpuskit.views.saved_queries import SavedQuery
        from corpuskit.widgets.explore import Explorer

        scope = self._scope(docs, main=main, copies=copies)
        return Explorer(scope, SavedQuery("", query, sort or ""), window=window)

    def save_query(
        self, name: str, query: str, *, sort: str = "", subcorpus: str = "", sample: int = 0, seed: int = 0
    ) -> None:
        """Keeps a query with the corpus, for the widgets; an earlier one of this name is replaced.

        Args:
            name: what it is called.
            query: as :meth:`kwic` takes it.
            sort: by which words its lines are sorted; empty: as they stand.
            subcorpus: only in this sub-corpus; empty: in all documents.
            sample: at most so many lines, drawn at random; 0: all.
            seed: of the sample.

        Raises:
            ConfigurationError: the name is empty, or the query or sort cannot be read.
        """
        from corpuskit.tokens import parse_query
        from corpuskit.views import frames, saved_queries
        from corpuskit.views.lines import sort_places

        parse_query(query)
        sort_places(sort or None)
        if subcorpus:
            frames.subcorpus(self._folder, subcorpus)
        saved = saved_queries.SavedQuery(name.strip(), query, sort, subcorpus, sample, seed)
        saved_queries.save_query(self._folder, saved)

    def forget_query(self, name: str) -> None:
        """Forgets a saved query.

        Raises:
            ConfigurationError: there is none of this name.
        """
        from corpuskit.views import saved_queries

        saved_queries.forget_query(self._folder, name)

    def queries(self, *, arrow: bool = False) -> pd.DataFrame:
        """The saved queries, by name: columns name, query, sort, subcorpus (str), sample, seed (Int64)."""
        from corpuskit.views.saved_queries import queries_frame

        return in_types(queries_frame(self._folder), arrow)

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
        """Runs of words in which matches stand; see :func:`corpuskit.views.word_lists.clusters`, and :meth:`kwic`."""
        from corpuskit.views.word_lists import clusters

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
        """Words that stand near matches of a query; see :func:`corpuskit.views.collocation.collocates`, and :meth:`kwic`."""
        from corpuskit.views.collocation import collocates

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
        """Words that documents have more of than a reference; see :func:`corpuskit.views.collocation.keywords`.

        Args:
            docs: the documents; None: those labelled relevant, else scored at least 0.5.
            reference: other documents, another Corpus, or counts (word → count); None: all documents but ``docs``, and
                but their copies.
            min_count: words that are rarer in the documents are left out.
            sort: log_likelihood, log_ratio or simple_maths.
            main: only words of the main content.
            copies: exact copies count too.
            attribute: lower, word, or a layer such as lemma.
            stop_words: words that are not listed.

        Raises:
            ConfigurationError: one of the two has no words.
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
        """How evenly matches are spread over documents; see :func:`corpuskit.views.word_lists.dispersion`, and :meth:`kwic`."""
        from corpuskit.views.word_lists import dispersion

        return in_types(dispersion(self._tokens(docs, main=main, copies=copies), queries, syntax=syntax), arrow)

    def occurrences(
        self,
        *queries: str,
        docs: Any = None,
        main: bool = True,
        copies: bool = False,
        syntax: str | None = None,
        arrow: bool = False,
    ) -> pd.DataFrame:
        """Where matches stand, for a dispersion plot; see :func:`corpuskit.views.word_lists.occurrences`, and :meth:`kwic`."""
        from corpuskit.views.word_lists import occurrences

        return in_types(
            occurrences(self._folder, self._tokens(docs, main=main, copies=copies), queries, syntax=syntax), arrow
        )

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
        """Runs of n words, most frequent first; see :func:`corpuskit.views.word_lists.ngrams`.

        With ``pattern``, a query as :meth:`kwic` takes it, those in which a match stands.
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
        """The words, most frequent first; see :func:`corpuskit.views.word_lists.wordlist`."""
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
        """What stands in which relation to a word, by parts of speech; see :func:`corpuskit.views.sketch.sketch`.

        Raises:
            ConfigurationError: there is no layer of parts of speech: :meth:`annotate` makes one.
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
        """How frequent matches are in groups of documents, with intervals; ``.frame`` for pandas, ``.chart()`` for a picture.

        Args:
            query: as :meth:`kwic` takes it.
            by: a column of :meth:`documents` such as ``host`` or ``lang``, or ``year``; or names and the documents of each:
                ``{"ours": "my sub-corpus", "others": others}``.
            docs: only in these documents.
            main: only in the main content.
            copies: in exact copies of documents too.
            syntax: as for :meth:`kwic`.

        Raises:
            ConfigurationError: there is no such column, or the query cannot be read.
        """
        from corpuskit.views.frequency import frequency

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
        """Gives each token a value in a layer, to query (``[lemma="go"]``) and to count (``attribute="lemma"``).

        What has a value is left as it is; stopped, it keeps what it has. New documents get lemmas by themselves if simplemma
        made them; call again for other layers.

        Args:
            name: ``lemma`` needs no function: it is found by simplemma in the language of each document. ``spacy:MODEL``: what
                spaCy says of documents in the language of the model, in layers lemma, pos, tag, dep and ent, those of them that
                it has. ``conllu:PATH``, ``vert:PATH``: layers from a file that a tagger wrote, of documents named in it by
                doc_id or URI as the exports ``conllu`` and ``vert`` do; a document with other words is in ``failures()``.
            function: the words of a sentence → a value for each.
            columns: ``vert``: names of the file's columns, such as ``["word", "tag", "lemma"]``; ``conllu``: keys of its
                column MISC that are to be layers too.
            replace: makes values anew where there are some.
            progress: shows a bar.

        Returns:
            How many tokens were given a value now.

        Raises:
            ConfigurationError: the name is taken, the function gives another number of values, or there is no such model, or
                no document of the corpus in the file.
            MissingExtraError: the extra ``lemma``, ``spacy``, or for a function ``text``, is not installed.
        """
        from corpuskit.tokens import annotate

        return annotate(self._folder, name, function, columns=columns, replace=replace, progress=progress)

    def _tokens(self, docs: Any, *, main: bool, copies: bool) -> Selection:
        return self._scope(docs, main=main, copies=copies).selection()

    def _scope(self, docs: Any, *, main: bool, copies: bool) -> Scope:
        from corpuskit.views import choosing

        return choosing.Scope(self._folder, choosing.doc_ids_of(self._folder, docs), main, copies)
