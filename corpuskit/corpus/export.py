"""Pre-processing, export and removal of documents, and repair of a corpus."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpuskit.corpus.base import OpenCorpus
from corpuskit.errors import ConfigurationError

if TYPE_CHECKING:
    from corpuskit.export import ExportReport
    from corpuskit.preprocessing import Preprocessing, Step
    from corpuskit.store.repair import RepairReport


class CorpusExport(OpenCorpus):
    """Pre-processing, export and removal of documents, and repair of a corpus."""

    def preprocess(
        self, steps: Sequence[Step | str] | Step | str, *, docs: Any = None, progress: bool = True
    ) -> Preprocessing:  # fmt: skip
        """Run steps that add columns, and filters that select documents. The corpus does not change.

        Steps receive the main text, one block per line. Results are stored in the corpus folder: a second run computes only
        new documents, and an interrupted run continues. If a step fails on a document, it is dropped and becomes a row of
        :meth:`failures`.

        Args:
            steps: Steps of ``corpuskit.preprocessing``, or their names, as ``["language", keep("detected_lang",
                among=["en"])]``. A single step does not need a list.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None: all.
            progress: Show a progress bar for each step.

        Returns:
            A :class:`corpuskit.preprocessing.Preprocessing`: ``.frame`` has one row per document with the columns of the steps, keep
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
        """Export documents in the formats of other tools, with a dataset card. The same corpus gives the same bytes.

        The folder appears when everything is written. A document that cannot be read or written is a row of :meth:`failures`; the
        others are exported.

        Args:
            out: A new or empty folder, or that of an earlier export, which is replaced.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. A
                DataFrame with a column ``keep`` selects its rows, except where ``keep`` is False. A result of
                :meth:`preprocess` selects the documents it kept, and the card names its steps. None: all.
            format: One or several of ``corpuskit.export.format_names()``.
            progress: Show a progress bar.
            options: Options of :class:`corpuskit.export.ExportOptions`, such as ``only_licensed=["CC-*"]``.

        Returns:
            A :class:`corpuskit.export.ExportReport`: documents, words and files written, and skipped documents.

        Raises:
            ExportError: A format is unknown, or the folder has other content.
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

    def remove(self, docs: Any, *, reason: str) -> int:
        """Remove documents permanently: text, original, vectors, index entries and results of steps. They are never added again.

        Args:
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus.
            reason: Reason of the removal, stored with their URIs.

        Returns:
            The number of documents removed.

        Raises:
            UnknownDocumentError: A document is not in the corpus. None is removed.
            ConfigurationError: ``reason`` is empty.

        Example:
            >>> corpus.remove(["baking-course.docx", "tram-noise-report.pdf"], reason="off topic")
            2
        """
        from corpuskit.hooks import hooks
        from corpuskit.preprocessing import step_results
        from corpuskit.store.removal import remove_documents

        doc_ids = self._ids(docs) or []
        for remove_derived in hooks("remove documents"):
            remove_derived(self._folder, doc_ids)
        step_results.remove_documents(self._folder.root.subfolder(step_results.FOLDER), doc_ids)
        return remove_documents(self._folder, doc_ids, reason)

    @staticmethod
    def repair(path: str | os.PathLike[str]) -> RepairReport:
        """Rebuild the catalog of a damaged corpus from its other files. The corpus must not be open elsewhere.

        Args:
            path: Folder of the corpus.

        Returns:
            A :class:`corpuskit.store.repair.RepairReport`: the rows found, rebuilt and lost.

        Raises:
            CorpusError: ``path`` is not a corpus.
            CorpusBusyError: A crawl runs.

        Example:
            >>> path = corpus.path
            >>> corpus.close()
            >>> repaired = type(corpus).repair(path)
        """
        from corpuskit.store.repair import repair

        return repair(Path(path))
