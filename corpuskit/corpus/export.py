"""Pre-processing, and what leaves a corpus: documents in formats of the field, a classifier."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from corpuskit.corpus.base import OpenCorpus
from corpuskit.errors import ConfigurationError
from corpuskit.given import given_target

if TYPE_CHECKING:
    from corpuskit.export import ExportReport
    from corpuskit.preprocessing import Preprocessing, Step
    from corpuskit.relevance import Student


class CorpusExport(OpenCorpus):
    """Pre-processing, and what leaves a corpus: documents in formats of the field, a classifier."""

    def preprocess(
        self, steps: Sequence[Step | str] | Step | str, *, docs: Any = None, progress: bool = True
    ) -> Preprocessing:  # fmt: skip
        """Run steps that add columns, and filters that decide what to keep. The corpus stays as it is.

        Steps see the main text, one block a line. Results are kept in the corpus folder: a second run computes only what is new,
        and a stopped one goes on. A document on which a step fails is dropped and is a row of :meth:`failures`.

        Args:
            steps: Steps of ``corpuskit.preprocessing``, or their names, as ``["language", keep("detected_lang",
                among=["en"])]``. One alone needs no list.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            progress: Show a progress bar for each step.

        Returns:
            A :class:`corpuskit.preprocessing.Preprocessing`: ``.frame`` has one row a document with the columns of the steps, keep
            (bool) and reason (str); :meth:`export` takes it as ``docs``.

        Raises:
            ConfigurationError: A step or column is unknown, or two steps add the same column.
            UnknownDocumentError: A document of ``docs`` is not in the corpus.

        Example:
            >>> from corpuskit.preprocessing import keep
            >>> result = corpus.preprocess(["language", keep("detected_lang", among=["fr"])], progress=False)
            >>> int(result.frame["keep"].sum())
            25
        """
        from corpuskit.preprocessing import preprocess

        return preprocess(self._folder, steps, doc_ids=self._ids(docs), progress=progress)

    def export(
        self,
        out: str | os.PathLike[str],
        *,
        docs: Any = None,
        format: str | Sequence[str] = "nlp.txt",
        progress: bool = False,
        **options: Any,
    ) -> ExportReport:
        """Export documents in formats of the field, with a dataset card. The same corpus gives the same bytes.

        The folder appears when everything is written. A document that cannot be read or written is a row of :meth:`failures`; the
        others are exported.

        Args:
            out: A new or empty folder, or that of an earlier export, which is replaced.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. Of a
                DataFrame with a column ``keep``, those whose ``keep`` is not False; what :meth:`preprocess` returned: those it kept,
                and the card names its steps. None: all.
            format: One or several of ``corpuskit.export.format_names()``.
            progress: Show a progress bar.
            options: Those of :class:`corpuskit.export.ExportOptions`, such as ``only_licensed=["CC-*"]``.

        Returns:
            A :class:`corpuskit.export.ExportReport`: documents, words and files written, and what was left out.

        Raises:
            ExportError: A format is unknown, or the folder holds other things.
            ConfigurationError: An option is unknown, or there is nothing to export.
            UnknownDocumentError: A document of ``docs`` is not in the corpus.

        Example:
            >>> corpus.export("for-training", docs=corpus.documents().query("lang == 'fr'"), format=["jsonl", "parquet"])
            25 documents, 8 files, ... MB in for-training
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
        doc_ids = self._ids(docs)
        if doc_ids == [] or not len(self):
            why = "no document is left by these options" if len(self) else "the corpus is empty"
            raise ConfigurationError(f"nothing to export: {why}")
        return export(
            self._folder, Path(out), doc_ids=doc_ids, formats=formats, options=chosen, record=record,
            progress=progress,
        )  # fmt: skip

    def export_fasttext(
        self, path: str | os.PathLike[str], *, kind: Literal["document", "url"] = "document", seed: int = 0
    ) -> Student:
        """Export a fastText classifier that has learned the last model's verdicts, for programs that read ``.bin`` files.

        :func:`corpuskit.relevance.to_fasttext` prepares texts for it. Audit before: then its threshold is the certified one.

        Args:
            path: File to write; an existing one is replaced.
            kind: Model to learn from: that of documents or that of URLs.
            seed: The same corpus and seed give the same classifier.

        Returns:
            A :class:`corpuskit.relevance.Student`: its size, and how far it agrees with the model.

        Raises:
            RelevanceError: There is no model of this kind, or it finds nothing relevant, or nothing else.
            SourceError: The path is a folder.
            MissingExtraError: fastText is not installed.

        Example:
            >>> student = corpus.export_fasttext("insurance.bin")
        """
        from corpuskit.relevance.learning import corpus_to_fasttext

        return corpus_to_fasttext(self._folder, given_target(path), kind=kind, seed=seed)

    def export_seeds(self, path: str | os.PathLike[str]) -> int:
        """Write the seeds and the approved sources, one URL a line, for another crawl.

        Args:
            path: File to write; an existing one is replaced.

        Returns:
            The number of URLs written.

        Raises:
            SourceError: The path is a folder.

        Example:
            >>> corpus.export_seeds("seeds.txt")
            3
        """
        from corpuskit.crawl import write_seeds

        return write_seeds(self._folder.catalog, given_target(path))

    def export_queue(self, path: str | os.PathLike[str]) -> int:
        """Write the queued URLs, the best first, for StormCrawler or Nutch.

        Each line holds a URL and ``key=value`` pairs (``depth``, ``priority``) after tabs: the format of StormCrawler's
        ``FileSpout`` and of Nutch's injector.

        Args:
            path: File to write; an existing one is replaced.

        Returns:
            The number of URLs written.

        Raises:
            SourceError: The path is a folder.

        Example:
            >>> corpus.export_queue("queue.txt")
            31
        """
        from corpuskit.store.queue_file import write_queue

        return write_queue(self._folder, given_target(path))

    def write_seeds(self, path: str | os.PathLike[str]) -> int:
        """Write the queued URLs: the earlier name of :meth:`export_queue`.

        Args:
            path: File to write; an existing one is replaced.

        Returns:
            The number of URLs written.

        Example:
            >>> corpus.write_seeds("queue.txt")
            31
        """
        return self.export_queue(path)

    def export_requests(self, path: str | os.PathLike[str]) -> int:
        """Write ``requests.log.csv`` with the columns of the Language Resource Extractor.

        Args:
            path: File to write; an existing one is replaced.

        Returns:
            The number of rows written.

        Raises:
            SourceError: The path is a folder.

        Example:
            >>> corpus.export_requests("requests.log.csv")
            65
        """
        from corpuskit.crawl import write_requests

        return write_requests(self._folder.catalog, given_target(path))
