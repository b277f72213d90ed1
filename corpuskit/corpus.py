"""class Corpus: the front desk. Each method hands over to one room."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias, overload

from corpuskit import engine
from corpuskit.corpus_discovery import CorpusDiscovery
from corpuskit.corpus_map import CorpusMap
from corpuskit.corpus_words import CorpusWords
from corpuskit.document import NLPTextDocument
from corpuskit.document.frames import in_types
from corpuskit.errors import SourceError
from corpuskit.ingest import IngestReport, extract_pending, ingest, known_payload
from corpuskit.sources.archives import read_file
from corpuskit.sources.files import find_files
from corpuskit.sources.request_log import is_request_log, read_request_log
from corpuskit.sources.resource import Resource
from corpuskit.store import CorpusFolder
from corpuskit.store.document_names import doc_id_of
from corpuskit.store.document_names import doc_ids_of as ids_of_names
from corpuskit.store.request_rows import add_requests
from corpuskit.store.telling import counted

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.annotators import Annotator, Budget, PrelabelReport
    from corpuskit.crawl import CrawlJob
    from corpuskit.export import ExportReport
    from corpuskit.extraction.original import Original
    from corpuskit.extraction.pdf.picture import PagePicture
    from corpuskit.labels import LabelImport, LabelsReport
    from corpuskit.preprocessing import Preprocessing, Step
    from corpuskit.relevance import CorpusModel, Student
    from corpuskit.relevance.auditing import CorpusAudit
    from corpuskit.store.check import Problem
    from corpuskit.store.repair import Repaired
    from corpuskit.views.comparison import CrawlComparison
    from corpuskit.views.relevance_report import RelevanceReport
    from corpuskit.widgets.labeler import Labeler
    from corpuskit.widgets.tree import DocumentTree


Seeds: TypeAlias = Iterable[str | os.PathLike[str]] | str | os.PathLike[str] | None
"""URLs, or text files with one a line."""


class _NotNamed:
    """Stands for an argument that was not given, where None says something."""

    def __repr__(self) -> str:
        return "<not named>"


NOT_NAMED: Final[Any] = _NotNamed()


class Corpus(CorpusWords, CorpusMap, CorpusDiscovery):
    """A corpus: a folder of documents with their originals, labels and models.

    Args:
        path: the folder; made if absent.
        trust: see :func:`corpuskit.open`.

    Example:
        >>> import corpuskit as ck
        >>> corpus = ck.open("insurance")            # doctest: +SKIP
        >>> corpus.add("reports/*.pdf")              # doctest: +SKIP
        12 new
    """

    def __init__(self, path: str | os.PathLike[str], *, trust: bool = False) -> None:
        self._folder = CorpusFolder(path, trust=trust)

    @property
    def path(self) -> str:
        """The folder."""
        return str(self._folder.path)

    def add(
        self,
        *paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        progress: bool = True,
        textworks: bool | None = None,
    ) -> IngestReport:
        """Adds files, folders and patterns of files; what is known and unchanged is left as it is.

        Archives (ZIP, tar, WARC, WACZ), mailboxes, feeds, ZIM files and dumps of wikis are opened: what they hold is
        added. A ``.nlp.txt`` keeps its own URI, date and metadata, and its marks. Of a folder of the Language Resource
        Extractor the log is taken as :meth:`requests`; a PDF of TextWorks keeps its artifacts.

        A failure is a row of :meth:`failures`; adding again tries it again.

        Args:
            paths: files, folders, patterns with ``*``, and lists of these.
            progress: shows a bar.
            textworks: writes TextWorks' ``segmentation.json`` and ``textgrid.json`` beside each PDF, also one that is
                known; that takes about six times as long. Default: ``[pdf] textworks`` of corpus.toml, false.

        Raises:
            SourceError: a path does not exist, or a pattern matches nothing.
        """
        max_bytes = self._folder.settings.extraction.max_bytes
        found = list(find_files(paths))
        logs = [file for file in found if not file.leads_out and is_request_log(file.path)]

        def known(digest: str) -> tuple[bytes, str, str | None] | None:
            return known_payload(self._folder, digest)

        def resources() -> Iterator[Resource | tuple[str, Exception]]:
            for file in found:
                if file in logs:
                    continue
                is_empty = True
                try:
                    for item in read_file(file, max_bytes=max_bytes, known=known):
                        is_empty = False
                        yield item
                except Exception as error:  # whatever a damaged file does to a reader, the others are read
                    is_empty = False
                    yield file.uri, error
                if is_empty:
                    yield file.uri, SourceError(f"{file.uri}: nothing in it that has a text")

        report = ingest(self._folder, resources(), progress=progress, textworks=textworks)
        for log in logs:
            unread: list[str] = []
            report.counts["requests"] += add_requests(self._folder.catalog, read_request_log(log.path, unread))
            if unread:
                told = (
                    f"{log.uri}: {counted(len(unread), 'line')} without a clock or an address, the first: {unread[0]}"
                )
                self._folder.catalog.add_failure(log.uri, "read", SourceError(told))
                report.counts["failed"] += 1
        return report

    def drop_textworks(self) -> int:
        """Removes the artifacts that corpuskit has written beside PDF files, which it could make again; gives their bytes.

        Those of other programs stay.
        """
        from corpuskit.extraction.pdf.textworks import drop_artifacts

        return drop_artifacts(self._folder.originals)

    def add_wikipedia(
        self,
        *articles: str,
        lang: str = "en",
        depth: int = 0,
        pages: int | None = 200,
        host: str | None = None,
        progress: bool = True,
    ) -> IngestReport:
        """Adds articles of Wikipedia, or of another wiki of MediaWiki.

        Missing pages and disambiguations are rows of :meth:`failures`; redirects are followed.

        Args:
            articles: titles, URLs, or categories as ``Category:Insurance``.
            lang: language of the Wikipedia.
            depth: steps further: pages that an article links to, sub-categories of a category.
            pages: at most so many articles; None for all.
            host: another wiki, such as ``www.wiki.example``.
            progress: shows a bar.

        Raises:
            MissingExtraError: the extra ``wikipedia`` is not installed.
        """
        from corpuskit.sources.web.client import user_agent
        from corpuskit.sources.wikipedia import WikiOptions, read_articles

        options = WikiOptions(lang=lang, host=host, user_agent=user_agent(self._folder.settings.crawl.contact))
        max_bytes = self._folder.settings.extraction.max_bytes
        found = read_articles(articles, options, depth=depth, pages=pages, max_bytes=max_bytes)
        return ingest(self._folder, found, progress=progress)

    def documents(self, docs: Any = None, *, versions: bool = False, arrow: bool = False) -> pd.DataFrame:
        """One row a document; see :func:`corpuskit.views.frames.documents`. ``arrow``: with columns of ArrowDtype.

        The last column is topic (Int32): that of :meth:`topics`, once they were asked for; missing for documents that came since.
        """
        from corpuskit.vectors import topic_column
        from corpuskit.views import frames

        found = frames.documents(self._folder, self._ids(docs), versions=versions)
        found["topic"] = topic_column(self._folder, found["doc_id"].tolist())
        return in_types(found, arrow)

    def elements(
        self,
        docs: Any = None,
        *,
        text: bool = True,
        arrow: bool = False,
        languages: bool = False,
        frequencies: bool = False,
        formatting: bool = False,
    ) -> pd.DataFrame:
        """One row an element; see :func:`corpuskit.views.frames.elements`."""
        from corpuskit.views import frames

        more = {"languages": languages, "frequencies": frequencies, "formatting": formatting}
        return frames.elements(self._folder, self._ids(docs), text=text, arrow=arrow, **more)

    def find(self, pattern: str | None = None, *, docs: Any = None, **conditions: Any) -> pd.DataFrame:
        """The elements whose text matches, of a type, role, language or length; see :func:`corpuskit.views.search.find`.

        Example: ``corpus.find("premium", types="TextBlock", lang=["en", "?"], min_words=5)``.
        """
        from corpuskit.views import search

        return search.find(self._folder, pattern, doc_ids=self._ids(docs), **conditions)

    def requests(self, *, arrow: bool = False) -> pd.DataFrame:
        """One row a request of the crawls; see :func:`corpuskit.views.frames.requests`."""
        from corpuskit.views import frames

        return in_types(frames.requests(self._folder), arrow)

    def frontier(self, *states: str, arrow: bool = False) -> pd.DataFrame:
        """One row a known URL; see :func:`corpuskit.views.frames.frontier`."""
        from corpuskit.views import frames

        return in_types(frames.frontier(self._folder, states), arrow)

    def sources(self, *, candidates: bool = False, arrow: bool = False) -> pd.DataFrame:
        """One row a host; see :func:`corpuskit.views.frames.sources`."""
        from corpuskit.views import frames

        return in_types(frames.sources(self._folder, candidates=candidates), arrow)

    def labels(self, *, arrow: bool = False) -> pd.DataFrame:
        """One row a label; see :func:`corpuskit.views.frames.labels`."""
        from corpuskit.views import frames

        return in_types(frames.labels(self._folder), arrow)

    def failures(self, *, arrow: bool = False) -> pd.DataFrame:
        """One row a failure; see :func:`corpuskit.views.frames.failures`."""
        from corpuskit.views import frames

        return in_types(frames.failures(self._folder), arrow)

    def vocabulary(
        self, *, known: Any = None, min_count: int = 1, docs: Any = None, tags: Any = None, arrow: bool = False
    ) -> pd.DataFrame:
        """The words of the main content with hints at names and unknown words; see :func:`corpuskit.text.vocabulary`.

        Args:
            known: the words of a dictionary, in lower case.
            min_count: rarer words are left out.
            docs: only these documents; None for all.
            tags: name of a dictionary → word → its tags, such as ``corpuskit.text.read_tags`` reads.
            arrow: with Arrow types.
        """
        from corpuskit.preprocessing.reports import vocabulary

        found = self._ids(docs)
        return in_types(vocabulary(self._folder, known=known, min_count=min_count, tags=tags, doc_ids=found), arrow)

    def charset(self, *, by_site: bool = False, docs: Any = None, arrow: bool = False) -> pd.DataFrame:
        """The characters of the main content, with names and counts; see :func:`corpuskit.text.charset`."""
        from corpuskit.preprocessing.reports import charset

        return in_types(charset(self._folder, by_site=by_site, doc_ids=self._ids(docs)), arrow)

    def browse(self) -> Any:
        """The documents as a widget: filter them, see the query as code, open one as a tree, find more like it."""
        from corpuskit.widgets.browser import CorpusBrowser

        return CorpusBrowser(self._folder)

    def sample(self, n: int, *, seed: int = 0, docs: Any = None, arrow: bool = False) -> pd.DataFrame:
        """``n`` documents at random, the same ones for the same seed; see :func:`corpuskit.views.frames.sample`."""
        from corpuskit.views import frames

        return in_types(frames.sample(self._folder, n, seed=seed, doc_ids=self._ids(docs)), arrow)

    def save_subcorpus(self, name: str, docs: Any) -> int:
        """Gives documents a name; gives how many they are. An earlier list of this name is replaced."""
        from corpuskit.views import frames

        return frames.save_subcorpus(self._folder, name, self._ids(docs) or [])

    def subcorpus(self, name: str, *, arrow: bool = False) -> pd.DataFrame:
        """The documents of a name, as :meth:`documents` gives them.

        Raises:
            ConfigurationError: there is no such name.
        """
        from corpuskit.views import frames

        return in_types(frames.subcorpus(self._folder, name), arrow)

    def subcorpora(self) -> dict[str, int]:
        """The names given to documents, and how many each has."""
        from corpuskit.views import frames

        return frames.subcorpora(self._folder)

    def remove(self, docs: Any, *, reason: str) -> int:
        """Removes documents for good: text, original, cache and index. They are not taken in again.

        Raises:
            UnknownDocumentError: a doc_id is not in the corpus; then none is removed.
        """
        from corpuskit import tokens, vectors
        from corpuskit.store.removal import remove_documents

        gone = self._ids(docs) or []
        tokens.forget(self._folder, gone)  # the index is a cache: if the rest fails, it is made again
        removed = remove_documents(self._folder, gone, reason)
        vectors.forget(self._folder, gone)  # last: vectors of a model may be dear
        return removed

    def backup(self, path: str | os.PathLike[str]) -> int:
        """Copies the corpus into a new folder, also while it is crawled; gives the bytes.

        Raises:
            CorpusError: the folder exists.
        """
        from corpuskit.store.backup import backup

        return backup(self._folder, Path(path))

    def set_labels(
        self,
        labels: Mapping[str, str],
        *,
        by: str,
        kind: Literal["document", "url", "host"] = "document",
        note: str | None = None,
        new_class: bool = False,
    ) -> int:
        """Labels documents, URLs or hosts; gives how many. They are on the disk when this comes back.

        Args:
            labels: target → ``relevant``, ``other``, ``unsure``, ``withdrawn`` (your own label is taken back), or a
                class of your own that is in use. A document goes by its id, its URI, or a file name that only one has.
            by: who or which rule says so.
            kind: what the targets are.
            note: why.
            new_class: labels that are not in use yet are meant, and no slips of the pen.

        Raises:
            UnknownDocumentError: a document is not in the corpus; then none is saved.
            ConfigurationError: a label that is not in use; the message names the nearest. Or one document is named twice
                and labelled differently. None is saved.
        """
        from corpuskit.labels import check_names, of_documents

        labels = dict(labels)  # of a Series too
        check_names(self._folder, labels.values(), new_class=new_class)
        versions: dict[str, int] = {}
        if kind == "document":
            labels, versions = of_documents(self._folder, labels)
        return self._folder.labels.add(
            ((target, kind, label) for target, label in labels.items()), by=by, note=note, versions=versions
        )

    def label(
        self,
        docs: Any = None,
        *,
        keys: Mapping[str, str] | None = None,
        by: str | None = None,
        question: str = "Is this document relevant?",
        overlap: float | None = None,
        show_scores: bool = False,
    ) -> Labeler:
        """The labelling widget: a key for each label, on the disk before it is acknowledged.

        Args:
            docs: ask these, in this order, but those that ``by`` has labelled already, unless annotators are tied on them;
                and one of copies (documents with the same main text);
                None: ties, some of the share that everyone is asked, then those whose labels teach most of what nobody has
                labelled.
            keys: key → label; default j relevant, f other, space unsure.
            by: whose labels these are; default: the user's name.
            question: what is asked.
            overlap: the share of the documents that every annotator is asked, so that it shows how they agree; default 0.1.
            show_scores: show what the model thinks before you judge, which sways; p shows and hides it.

        Raises:
            UnknownDocumentError: one of ``docs`` is not in the corpus.
            ConfigurationError: ``by`` is empty, or a machine.
            MissingExtraError: the extra ``notebook`` is not installed.
        """
        from corpuskit.widgets.labeler import Labeler
        from corpuskit.widgets.likeness import similar_documents

        return Labeler(
            self._folder,
            self._ids(docs),
            keys=keys,
            by=by,
            question=question,
            overlap=overlap,
            show_scores=show_scores,
            similar=similar_documents(self._folder),
        )

    def prelabel(
        self,
        annotator: Annotator,
        docs: Any = None,
        *,
        budget: Budget | int | None = 1_000,
        name: str | None = None,
        again: bool = False,
        progress: bool = True,
    ) -> PrelabelReport:
        """Has a machine label documents, as ``machine:NAME``: apart from people, trusted only as far as measured.

        Args:
            annotator: a :class:`corpuskit.annotators.ChatAnnotator`, or a function of texts that gives a label, or (label,
                reason), for each.
            docs: these; None: those that people have labelled, which measures the machine, then others at random.
            budget: a :class:`corpuskit.annotators.Budget` of this call, or how many requests; None: no limit.
            name: signs the labels; default: the annotator's.
            again: ask also what it has labelled already.
            progress: shows a bar.

        Raises:
            ConfigurationError: a wrong name, budget or label, or the server refuses every request.
            CorpusBusyError: another call runs on this corpus.
            MissingExtraError: the extra ``annotate`` is not installed.
            KeyboardInterrupt: stopped; what was answered is kept, and the same call goes on.
        """
        from corpuskit.annotators import prelabel

        report = prelabel(
            self._folder, annotator, self._ids(docs), budget=budget, name=name, again=again, progress=progress
        )
        if report.is_interrupted:
            raise KeyboardInterrupt(repr(report))
        return report

    def view(self, doc_id: str, *, reveal: int | None = None) -> DocumentTree:
        """A document as a tree, with its place in the original; j and f label it.

        Args:
            doc_id: which document, by id, URI or file name.
            reveal: the element_id to open at.

        Raises:
            UnknownDocumentError: there is none.
        """
        from corpuskit.widgets.documents import document_tree

        return document_tree(self._folder, doc_id_of(self._folder, doc_id), reveal=reveal)

    def labels_report(self) -> LabelsReport:
        """Who labelled how much, how far annotators agree, and what they disagree on; see :class:`corpuskit.labels.LabelsReport`."""
        from corpuskit.labels import labels_report

        return labels_report(self._folder)

    def disagreements(self, *, arrow: bool = False) -> pd.DataFrame:
        """The documents on which annotators differ, ties first; ``label(corpus.disagreements(), by=...)`` settles them.

        See :func:`corpuskit.labels.disagreements`.
        """
        from corpuskit.labels import disagreements

        return in_types(disagreements(self._folder), arrow)

    def import_labels(
        self, file: str | os.PathLike[str], *, by: str, new_class: bool = False, label: str | None = None
    ) -> LabelImport:
        """Takes labels from a CSV file with columns target (doc_id, URI or file name) and label.

        With ``label`` the file lists what has this one label: a URL a line, or tab-separated as id, URL, time.

        Gives how many were taken, and the targets that are not in the corpus.

        Raises:
            ConfigurationError: the file cannot be read, lacks a column, or has a label that is not in use and
                ``new_class`` does not say that it is meant.
        """
        from corpuskit.labels import import_labels

        return import_labels(self._folder, Path(file), by=by, new_class=new_class, label=label)

    @overload
    def crawl(self, seeds: Seeds = None, *, plan: Literal[True, "links"], **more: Any) -> pd.DataFrame: ...

    @overload
    def crawl(self, seeds: Seeds = None, *, plan: Literal[False] = False, **more: Any) -> CrawlJob: ...

    def crawl(  # noqa: PLR0913 - the public signature
        self,
        seeds: Seeds = None,
        *,
        pages: int | None = None,
        scope: str | None = NOT_NAMED,
        resume: bool = False,
        steer: Any = NOT_NAMED,
        proxy: str | None = NOT_NAMED,
        delay: float | None = NOT_NAMED,
        allow_private: bool | None = NOT_NAMED,
        plan: bool | str = False,
        restart: bool = False,
        **more: Any,
    ) -> CrawlJob | pd.DataFrame:
        """Starts a crawl in the background and returns at once.

        Args:
            seeds: URLs to begin with; a path is a text file with one a line. With ``resume`` they are added.
            pages: at most so many more fetches.
            scope: ``domain``, ``host``, ``path`` or ``web``: how far from the seeds; default from corpus.toml.
            resume: goes on with the frontier of earlier crawls, and with what was named for the last one: its options but
                ``pages``, ``minutes``, ``retry_failed``, secrets (``headers``, ``cookies``, ``netrc``, ``proxy``) and what opens
                doors here (``allow_private``, ``render``), and the newest model where one steered. What this call names comes first; None takes an option back.
                ``CrawlJob.resumed`` tells all that.
            steer: a model or a function that says what to fetch first; the whole frontier is scored by it.
            proxy: URL of an HTTP proxy.
            delay: seconds between two requests to one host; default from corpus.toml. A Crawl-delay is always kept.
            allow_private: hosts with private addresses may be fetched; those of ``seeds`` may without it.
            plan: fetches no page; gives what would be fetched, see :func:`corpuskit.crawl.planning.plan_crawl`. ``"links"``
                reads the seeds, and gives also what they link to; nothing is kept.
            restart: as ``resume``, and all that was fetched or failed is asked for again; what did not change stays as it is,
                and nothing that was collected is removed.
            more: ``preset="nlptextdoc"``, exclude, include, languages, retry_failed, connections, max_depth, host_pages, minutes, max_errors, max_megabytes,
                contact, headers, cookies, netrc, render, extract and others; see :class:`corpuskit.crawl.CrawlOptions`.

        Raises:
            ConfigurationError: a wrong option, or nothing to crawl.
            CorpusBusyError: another crawl runs on this corpus.
        """
        from corpuskit.crawl import choose, first_urls, plan_crawl, start_crawl

        if restart:
            resume, more = True, {"refresh": True, "retry_failed": True, **more}
        perhaps = {"scope": scope, "steer": steer, "proxy": proxy, "delay": delay, "allow_private": allow_private}
        named = {name: value for name, value in perhaps.items() if value is not NOT_NAMED}
        urls = [seeds] if isinstance(seeds, (str, os.PathLike)) else list(seeds or [])
        choices = choose(self._folder, {"pages": pages, **named, **more}, resume=resume, has_seeds=bool(urls))
        if hasattr(choices.steer, "document"):
            from corpuskit.relevance.learning import score_documents

            score_documents(self._folder, choices.steer)
        if plan:
            return plan_crawl(self._folder, first_urls(self._folder, urls, resume=resume), choices, kind=plan)
        return start_crawl(self._folder, urls, choices, resume=resume)

    def crawl_report(self, *, arrow: bool = False) -> pd.DataFrame:
        """One row a site: what its requests came to; see :func:`corpuskit.crawl.report.site_report`."""
        from corpuskit.crawl import site_report

        return in_types(site_report(self._folder.catalog), arrow)

    def set_source(self, host: str, verdict: str, *, why: str | None = None) -> None:
        """Says what you think of a source; crawls follow it, a running one by ``CrawlJob.judge``.

        Args:
            host: as in :meth:`sources`, with its port if it has one.
            verdict: ``approve``: fetched, also out of scope, and never held back by a model; ``boost``: before all others;
                ``hold``: not fetched; ``none``: no verdict.
            why: kept with it.

        Raises:
            ConfigurationError: no such verdict.
        """
        from corpuskit.crawl import set_verdict

        set_verdict(self._folder.catalog, host, verdict, why)

    def export_seeds(self, path: str | os.PathLike[str]) -> int:
        """Writes seeds and approved sources, one URL a line, for another crawl; gives how many."""
        from corpuskit.crawl import write_seeds

        return write_seeds(self._folder.catalog, Path(path))

    def export_requests(self, path: str | os.PathLike[str]) -> int:
        """Writes ``requests.log.csv`` with the columns of the Language Resource Extractor; gives how many rows."""
        from corpuskit.crawl import write_requests

        return write_requests(self._folder.catalog, Path(path))

    def describe(self, description: str | None = None, *, seeds: Iterable[str] | None = None) -> str:
        """Says in corpus.toml what the corpus is about; gives its description.

        Args:
            description: for people, and for dataset cards.
            seeds: words of the domain; labelling begins with the documents nearest to them.
        """
        return self._folder.describe(description, seeds)

    def train(self, *, positive: str = "relevant", seed: int = 0) -> CorpusModel:
        """Trains models of documents and URLs on the labels, and scores all documents.

        Args:
            positive: the label to find; with classes of your own, that one against the rest.
            seed: same labels and seed, same model.

        Raises:
            RelevanceError: the labels do not suffice.
        """
        from corpuskit.relevance.learning import train_corpus

        return train_corpus(self._folder, positive=positive, seed=seed)

    def export_fasttext(
        self, path: str | os.PathLike[str], *, kind: Literal["document", "url"] = "document", seed: int = 0
    ) -> Student:
        """Writes a fastText classifier that learned the last model's verdicts, for programs that read ``.bin`` files.

        Gives its size and how far it agrees with the model; how texts are prepared for it says
        :func:`corpuskit.relevance.to_fasttext`. Audit before: then its border is the certified threshold.

        Args:
            path: the file; an existing one is replaced.
            kind: the model to learn from, that of documents or that of URLs.
            seed: same corpus and seed, same classifier.

        Raises:
            RelevanceError: there is no model of this kind, or it finds nothing relevant, or nothing else.
            MissingExtraError: fastText is not installed.
        """
        from corpuskit.relevance.learning import corpus_to_fasttext

        return corpus_to_fasttext(self._folder, Path(path), kind=kind, seed=seed)

    def relevance_report(self, *, seed: int = 0) -> RelevanceReport:
        """How good the last model is, where it errs and what more labels would bring.

        Raises:
            RelevanceError: there is no model yet.
        """
        from corpuskit.views.relevance_report import relevance_report

        return relevance_report(self._folder, seed=seed)

    def compare(self, *crawls: CrawlJob | int) -> CrawlComparison:
        """Crawls side by side: harvest rate before and after; ``.table``, ``.pages``, ``.chart()``.

        Args:
            crawls: crawl jobs or their numbers; none for all.

        Raises:
            ConfigurationError: a crawl left no page in this corpus.
        """
        from corpuskit.views.comparison import compare_crawls

        return compare_crawls(self._folder, *crawls)

    def next_to_label(
        self, n: int = 10, *, by: str | None = None, overlap: float | None = None, arrow: bool = False
    ) -> pd.DataFrame:
        """Documents whose labels teach most; see :func:`corpuskit.relevance.learning.next_to_label`.

        Args:
            n: how many.
            by: who is to be asked; None: anybody.
            overlap: the share of the documents that every annotator is asked; default 0.1.
        """
        from corpuskit.crawl.steering import stakes
        from corpuskit.relevance.learning import next_to_label

        return in_types(next_to_label(self._folder, n, by=by, overlap=overlap, stakes=stakes(self._folder)), arrow)

    def audit(self, *, precision: float | None = None, confidence: float | None = None, seed: int = 0) -> CorpusAudit:
        """Start an audit of the last model, or go on with it; see :class:`corpuskit.relevance.auditing.CorpusAudit`.

        Args:
            precision: the share of relevant documents to claim; None: that of this model's audit so far, else 0.95.
                Another one replaces the claim.
            confidence: how sure the claim is to be; None: as so far, else 0.9.
            seed: of the samples.

        Raises:
            RelevanceError: there is no model, or nothing left to audit on.
        """
        from corpuskit.errors import RelevanceError
        from corpuskit.relevance.auditing import CorpusAudit, aims

        model = self.model()
        if model is None:
            raise RelevanceError("there is no model to audit: train one first")
        usual = aims(self._folder, model)
        return CorpusAudit(
            self._folder, model, precision=usual[0] if precision is None else precision,
            confidence=usual[1] if confidence is None else confidence, seed=seed,
        )  # fmt: skip

    def model(self) -> CorpusModel | None:
        """The model trained last; None before the first."""
        from corpuskit.relevance.learning import last_model

        return last_model(self._folder)

    def export(
        self,
        out: str | os.PathLike[str],
        *,
        docs: Any = None,
        format: str | Sequence[str] = "nlp.txt",
        progress: bool = False,
        **options: Any,
    ) -> ExportReport:
        """Writes documents in formats of the field, with a dataset card; see :func:`corpuskit.export.export`.

        Args:
            out: a new or empty folder, or that of an earlier export, which is replaced.
            docs: which documents; of a DataFrame with a column ``keep`` those whose ``keep`` is not False; what
                :meth:`preprocess` gave: those it kept, its steps stand in the card.
            format: one or several of ``corpuskit.export.format_names()``.
            progress: shows a bar.
            options: those of :class:`corpuskit.export.ExportOptions`, such as ``only_licensed=["CC-*"]``.

        Raises:
            ExportError: an unknown format, or a folder that holds other things.
            ConfigurationError: an unknown option.
            UnknownDocumentError: a document is not in the corpus.
        """
        from corpuskit.export import export, make_options

        record = getattr(docs, "record", None)
        if record is not None:
            docs = docs.frame
        if hasattr(docs, "columns") and "keep" in docs.columns:
            if record is None and "reason" in docs.columns:
                record = self._folder.catalog.meta("preprocess")
            docs = docs[docs["keep"].astype("boolean").fillna(True).to_numpy(dtype=bool)]
        formats = [format] if isinstance(format, str) else list(format)
        chosen = make_options(**options)
        return export(
            self._folder, Path(out), doc_ids=self._ids(docs), formats=formats, options=chosen, record=record,
            progress=progress,
        )  # fmt: skip

    def preprocess(
        self, steps: Sequence[Step | str] | Step | str, *, docs: Any = None, progress: bool = True
    ) -> Preprocessing:  # fmt: skip
        """Runs steps that add columns, and filters that say what to keep; see :func:`corpuskit.preprocessing.preprocess`.

        The result's ``.frame`` can be given to :meth:`export` as ``docs``. Results are kept: a second run computes what is new.

        Args:
            steps: of :mod:`corpuskit.preprocessing`, or their names, as ``["language", keep("detected_lang", among=["en"])]``.
            docs: only these documents; None for all.
            progress: shows a bar for each step.

        Raises:
            ConfigurationError: an unknown step or column.
            UnknownDocumentError: a document is not in the corpus.
        """
        from corpuskit.preprocessing import preprocess

        return preprocess(self._folder, steps, doc_ids=self._ids(docs), progress=progress)

    def original(self, doc_id: str) -> Original:
        """What a document was extracted from, which opens in the library that its users know.

        Example:
            >>> original = corpus.original(doc_id)                                       # doctest: +SKIP
            >>> original.pdfplumber().pages[0].to_image().debug_tablefinder()            # doctest: +SKIP
            >>> [comment.text for comment in corpus.original(word_id).docx().comments]   # doctest: +SKIP

        Raises:
            UnknownDocumentError: there is no such document.
            CorpusError: its original is missing or damaged.
        """
        from corpuskit.extraction.original import Original

        doc_id = doc_id_of(self._folder, doc_id)
        content = self._folder.original(doc_id)
        row = self._folder.catalog.rows(
            "SELECT uri, host, media_type, charset, original, original_offset FROM documents WHERE doc_id = ? "
            "ORDER BY version DESC LIMIT 1",
            (doc_id,),
        )[0]
        path = self._folder.originals / row["original"] if row["original_offset"] is None else None
        options = self._folder.settings.extraction_for(row["host"])
        return Original(
            content, row["media_type"], row["uri"], charset=row["charset"], path=path, options=options
        )  # fmt: skip

    def page(self, doc_id: str, number: int) -> PagePicture:
        """A picture of a page of a PDF document with the boxes of its blocks, coloured by role; the first page is 1.

        Raises:
            UnknownDocumentError: there is no such document.
            ExtractionError: it is no PDF, or has no such page.
        """
        from corpuskit.extraction.pdf.picture import page_picture

        # In a worker: a hostile PDF can end the process that draws it.
        return engine.call(page_picture, self._folder.original(doc_id_of(self._folder, doc_id)), number)

    def check(self, *, progress: bool = False) -> list[Problem]:
        """What in the folder is damaged or missing; see :func:`corpuskit.store.check.check`."""
        from corpuskit import vectors
        from corpuskit.store.check import check

        return [*check(self._folder, progress=progress), *vectors.check(self._folder)]

    def write_seeds(self, path: str | os.PathLike[str]) -> int:
        """Writes the queued URLs for StormCrawler or Nutch; see :func:`corpuskit.store.seed_list.write_seeds`."""
        from corpuskit.store.seed_list import write_seeds

        return write_seeds(self._folder, Path(path))

    def pack(self) -> int:
        """Puts documents into packs, many in a file, for copying and for file systems that dislike many files.

        Gives how many. All works as before; see :func:`corpuskit.store.packing.pack`.

        Raises:
            CorpusBusyError: another process packs or unpacks.
        """
        from corpuskit.store.packing import pack

        return pack(self._folder)

    def unpack(self) -> int:
        """Writes packed documents as files again; gives how many.

        Raises:
            CorpusBusyError: another process packs or unpacks.
        """
        from corpuskit.store.packing import unpack

        return unpack(self._folder)

    @staticmethod
    def repair(path: str | os.PathLike[str]) -> Repaired:
        """Makes the catalogue of a damaged corpus again from its files; see :func:`corpuskit.store.repair.repair`.

        Nobody may have the corpus open.

        Raises:
            CorpusError: there is no corpus folder.
            CorpusBusyError: a crawl runs.
        """
        from corpuskit.store.repair import repair

        return repair(Path(path))

    def extract_pending(self) -> int:
        """Extracts what a killed process had fetched and not extracted; gives how many documents."""
        return extract_pending(self._folder)

    def __getitem__(self, doc_id: str) -> NLPTextDocument:
        """The document with this id, this URI, or this file name if only one has it.

        Example:
            >>> corpus["reports/2024.pdf"]                                               # doctest: +SKIP

        Raises:
            UnknownDocumentError: there is none, or several; the message names the nearest.
        """
        return self._folder.document(doc_id_of(self._folder, doc_id))

    def _ids(self, docs: Any) -> list[str] | None:
        """The ids of the documents meant, each of which is there: by id, URI, file name or the name of a sub-corpus."""
        from corpuskit.views import frames

        if isinstance(docs, str) and docs in frames.subcorpora(self._folder):
            docs = frames.subcorpus(self._folder, docs)
        names = doc_ids_of(docs)
        return None if names is None else list(dict.fromkeys(ids_of_names(self._folder, names).values()))

    def __iter__(self) -> Iterator[NLPTextDocument]:
        """All documents, by host and URI, read one at a time."""
        for row in self._folder.catalog.rows("SELECT doc_id FROM current ORDER BY host, uri"):
            yield self._folder.document(row["doc_id"])

    def __len__(self) -> int:
        return int(self._folder.catalog.value("SELECT count(*) FROM current"))

    def __contains__(self, doc_id: object) -> bool:
        """Whether there is a document with this id or URI."""
        catalog = self._folder.catalog
        return any(
            catalog.value(f"SELECT 1 FROM current WHERE {column} = ?", (doc_id,)) is not None
            for column in ("doc_id", "uri")
        )

    def close(self) -> None:
        """Closes the catalogue; the corpus cannot be used afterwards. ``with`` does so at its end."""
        self._folder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        from corpuskit.views.summary import summary

        return summary(self._folder)


def doc_ids_of(docs: Any) -> list[str] | None:
    """The ids in a DataFrame or Series with doc_id, a list of ids, one id, or None for all.

    Raises:
        TypeError: none of these.
    """
    if docs is None:
        return None
    if isinstance(docs, str):
        return [docs]
    if hasattr(docs, "columns"):
        if "doc_id" not in docs.columns:
            raise TypeError("a DataFrame of documents needs a column doc_id")
        docs = docs["doc_id"]
    if isinstance(docs, (Sequence, Iterable)):
        return list(dict.fromkeys(str(doc_id) for doc_id in docs))
    raise TypeError(f"documents as a {type(docs).__name__}: expected a DataFrame, Series, list of ids or None")
