"""The accessor ``corpus.labelling``: questions, annotators and reports about labels and models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from corpuskit.corpus.accessor import CorpusAccessor
from corpuskit.document.dataframes import convert_dtypes
from corpuskit.validation import check_output_file

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.annotators import Annotator, Budget, PrelabelReport
    from corpuskit.labels import LabelImport, LabelsReport
    from corpuskit.relevance import DistilledModel
    from corpuskit.views.relevance_report import RelevanceReport


class LabellingAccessor(CorpusAccessor, attribute="labelling"):
    """Questions, annotators and reports about labels and models."""

    def next_to_label(
        self, n: int = 10, *, by: str | None = None, overlap: float | None = None, arrow: bool = False
    ) -> pd.DataFrame:
        """Return the documents to label next: those that improve the model most, each with the reason of its selection.

        Ties between annotators come first, then a few documents that every annotator labels, then some on which a machine and
        the model disagree. Three in four of the unlabelled ones come from the sources that a crawl would fetch most from next.
        The others are diverse documents with the most uncertain scores, and one random document. Without a model, documents
        come from regions of the corpus without labels, two of three near the seed words of ``corpus.describe()``.

        Args:
            n: Number of documents.
            by: Annotator who will label. None: any.
            overlap: Share of the documents that every annotator labels. Default: 0.1.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns doc_id, uri, reason (disagreement, for everyone, machine and model disagree, new source, uncertain, certain,
            random, seed words or new region), title, host (str), relevance (float64).

        Raises:
            RelevanceError: The stored model cannot be read.

        Example:
            >>> questions = corpus.labelling.next_to_label(3)
            >>> questions["reason"].tolist()
            ['new source', 'uncertain', 'new source']
        """
        from corpuskit.crawl.model_ranking import stakes
        from corpuskit.relevance.active_learning import next_to_label

        return convert_dtypes(
            next_to_label(self._folder, n, by=by, overlap=overlap, stakes=stakes(self._folder)), arrow
        )

    def import_labels(
        self, file: str | os.PathLike[str], *, by: str, new_class: bool = False, label: str | None = None
    ) -> LabelImport:
        """Import labels from a CSV file with the columns target (doc_id, URI or file name) and label.

        Args:
            file: CSV file. With ``label`` a list: one URL a line, or id, URL and time separated by tabs.
            by: Person or rule that gave the labels.
            new_class: Allow labels that are not in use yet.
            label: Label of everything in the file.

        Returns:
            The number of labels taken (``.taken``) and the targets that are not in the corpus (``.unknown``).

        Raises:
            ConfigurationError: The file cannot be read, lacks a column, or has a label that is not in use.

        Example:
            >>> from pathlib import Path
            >>> _ = Path("labels.csv").write_text("target,label\\nclaims-handbook.docx,relevant\\nnobody.pdf,other\\n")
            >>> corpus.labelling.import_labels("labels.csv", by="anna")
            1 label taken, 1 not in the corpus: nobody.pdf
        """
        from corpuskit.labels import import_labels

        return import_labels(self._folder, Path(file), by=by, new_class=new_class, label=label)

    def labels_report(self) -> LabelsReport:
        """Return a report on the labels: number per annotator, agreement and disagreements.

        Returns:
            A :class:`corpuskit.labels.LabelsReport`; a notebook shows its tables.

        Example:
            >>> print(corpus.labelling.labels_report())
            Labels of documents: 12 other, 10 relevant; rule: majority
              demo analyst: 22 documents
        """
        from corpuskit.labels import labels_report

        return labels_report(self._folder)

    def disagreements(self, *, arrow: bool = False) -> pd.DataFrame:
        """Return the documents on which people differ and no adjudicator has decided, ties first.

        ``corpus.label(corpus.labelling.disagreements(), by="...")`` settles them.

        Args:
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns doc_id, uri, title, label (that of the corpus; missing in a tie), said (label of each annotator) (str); annotators
            (Int32); agreement (float64).

        Example:
            >>> corpus.set_labels({"avis-de-sinistre.docx": "other"}, by="anna")
            1
            >>> corpus.labelling.disagreements()["said"].tolist()
            ['anna: other; demo analyst: relevant']
        """
        from corpuskit.labels import disagreements

        return convert_dtypes(disagreements(self._folder), arrow)

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
        """Have a machine label documents, as ``machine:NAME``: apart from people, and trusted only as far as measured.

        Args:
            annotator: A :class:`corpuskit.annotators.ChatAnnotator`, or a function that takes a list of texts and returns a label,
                or a (label, reason), for each.
            docs: Documents: a DataFrame or Series with ``doc_id``, a mask, ids, URIs or file names, or the name of a sub-corpus. None:
                those that people have labelled, which measures the machine, then others at random.
            budget: A :class:`corpuskit.annotators.Budget` of this call, or a number of requests. None: no limit.
            name: Name that signs the labels. Default: the annotator's.
            again: Ask also for documents it has labelled already.
            progress: Show a progress bar.

        Returns:
            A :class:`corpuskit.annotators.PrelabelReport`: labels, failures, requests, and agreement with people.

        Raises:
            ConfigurationError: A name, budget or label is wrong, or the server refuses every request.
            CorpusBusyError: Another call runs on this corpus.
            UnknownDocumentError: A document of ``docs`` is not in the corpus.
            MissingExtraError: The extra ``annotate`` is not installed.
            KeyboardInterrupt: Stopped. Answers are stored; the same call resumes.

        Example:
            >>> def by_word(texts):
            ...     return ["relevant" if "insur" in text or "assur" in text else "other" for text in texts]
            >>> report = corpus.labelling.prelabel(by_word, progress=False)
            >>> corpus.labels()["by"].unique().tolist()
            ['demo analyst', 'machine:by_word']
        """
        from corpuskit.annotators import prelabel
        from corpuskit.views.doc_selection import meant

        report = prelabel(
            self._folder,
            annotator,
            meant(self._folder, docs),
            budget=budget,
            name=name,
            relabel=again,
            progress=progress,
        )
        if report.is_interrupted:
            raise KeyboardInterrupt(repr(report))
        return report

    def relevance_report(self, *, seed: int = 0) -> RelevanceReport:
        """Return a report on the last model: its quality, its errors and the expected effect of more labels.

        Args:
            seed: Seed of the folds.

        Returns:
            A :class:`corpuskit.views.relevance_report.RelevanceReport`; a notebook shows its tables and charts.

        Raises:
            RelevanceError: There is no model yet, or the seed is negative.

        Example:
            >>> print(corpus.labelling.relevance_report())
            Report on model-0001: 12 other, 10 relevant
              average precision 0.9... on labels held back
              ...
        """
        from corpuskit.errors import RelevanceError
        from corpuskit.views.relevance_report import relevance_report

        if seed < 0:
            raise RelevanceError(f"seed={seed}: expected 0 or more")
        return relevance_report(self._folder, seed=seed)

    def export_fasttext(
        self, path: str | os.PathLike[str], *, kind: Literal["document", "url"] = "document", seed: int = 0
    ) -> DistilledModel:
        """Export a fastText classifier trained on the last model's decisions, for programs that read ``.bin`` files.

        :func:`corpuskit.relevance.to_fasttext` prepares texts for it. If the model was audited, the classifier uses the certified threshold.

        Args:
            path: File to write; an existing one is replaced.
            kind: Model to learn from: that of documents or that of URLs.
            seed: Seed; the same corpus and seed give the same classifier.

        Returns:
            A :class:`corpuskit.relevance.DistilledModel`: its size and its agreement with the model.

        Raises:
            RelevanceError: There is no model of this kind, or all documents get the same decision.
            SourceError: The path is a folder.
            MissingExtraError: fastText is not installed.

        Example:
            >>> student = corpus.labelling.export_fasttext("insurance.bin")
        """
        from corpuskit.relevance.corpus_training import corpus_to_fasttext

        return corpus_to_fasttext(self._folder, check_output_file(path), kind=kind, seed=seed)
