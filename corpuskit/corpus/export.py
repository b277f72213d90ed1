"""Pre-processing, and what leaves a corpus: documents in formats of the field, a classifier."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from corpuskit.corpus.base import OpenCorpus

if TYPE_CHECKING:
    from corpuskit.export import ExportReport
    from corpuskit.preprocessing import Preprocessing, Step
    from corpuskit.relevance import Student


class CorpusExport(OpenCorpus):
    """Pre-processing, and what leaves a corpus: documents in formats of the field, a classifier."""

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
