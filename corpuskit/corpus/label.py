"""Labels of people and machines, the models trained on them, and audits."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from corpuskit.corpus.base import OpenCorpus
from corpuskit.document.frames import in_types

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.annotators import Annotator, Budget, PrelabelReport
    from corpuskit.labels import LabelImport, LabelsReport
    from corpuskit.relevance import CorpusModel
    from corpuskit.relevance.auditing import CorpusAudit
    from corpuskit.views.relevance_report import RelevanceReport
    from corpuskit.widgets.labeler import Labeler


class CorpusLabel(OpenCorpus):
    """Labels of people and machines, the models trained on them, and audits."""

    def describe(self, description: str | None = None, *, seeds: Iterable[str] | None = None) -> str:
        """Describe in corpus.toml what the corpus is about.

        Args:
            description: A sentence for people, dataset cards and machine annotators. None: leave it as it is.
            seeds: Words of the domain. Labelling begins with the documents nearest to them. None: leave them as they are.

        Returns:
            The description.

        Example:
            >>> corpus.describe("Home insurance, for private customers.", seeds=["premium", "excess", "franchise"])
            'Home insurance, for private customers.'
        """
        return self._folder.describe(description, seeds)

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
        """Return the labelling widget: one key a label, on the disk before it is acknowledged.

        Args:
            docs: Documents to ask, in this order: a DataFrame or Series with ``doc_id``, ids, URIs or file names, or the name of a
                sub-corpus. Left out are those that ``by`` has labelled (unless annotators are tied on them) and all but one of
                documents with the same main text. None: ties first, then some of those that everyone is asked, then those whose
                labels teach the model most, see :meth:`next_to_label`.
            keys: Key → label. Default: j relevant, f other, space unsure.
            by: Name of the annotator. Default: the name of the user.
            question: Question to show.
            overlap: Share of the documents that every annotator is asked, to measure agreement. Default: 0.1.
            show_scores: Show what the model thinks before you judge, which sways. p shows and hides it.

        Raises:
            UnknownDocumentError: A document of ``docs`` is not in the corpus.
            ConfigurationError: ``by`` is empty, or names a machine.
            MissingExtraError: The extra ``notebook`` is not installed.

        Example:
            >>> labeller = corpus.label(by="anna", question="Is this about home insurance?")
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

    def set_labels(
        self,
        labels: Mapping[str, str],
        *,
        by: str,
        kind: Literal["document", "url", "host"] = "document",
        note: str | None = None,
        new_class: bool = False,
    ) -> int:
        """Label documents, URLs or hosts. The labels are on the disk when this returns.

        Args:
            labels: Target → ``relevant``, ``other``, ``unsure``, ``withdrawn`` (takes your own label back), or a class of your own
                that is in use. A document is named by its id, its URI, or a file name that only one has.
            by: Person or rule that gives the labels.
            kind: What the targets are.
            note: Reason to keep with the labels.
            new_class: Allow labels that are not in use yet. Without it they are taken for typing errors.

        Returns:
            The number of labels given.

        Raises:
            UnknownDocumentError: A document is not in the corpus. None is labelled.
            ConfigurationError: A label is not in use (the message names the nearest), or a document is named twice with different
                labels. None is labelled.

        Example:
            >>> corpus.set_labels({"claims-handbook.docx": "relevant", "baking-course.docx": "other"}, by="anna")
            2
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

    def labels(self, *, arrow: bool = False) -> pd.DataFrame:
        """Return one row a label ever given, in order.

        Args:
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns target (doc_id, URL or host), kind (document, url or host), label, by, note (str); when (datetime64, UTC);
            version (Int32, of the document); superseded (bool, whether the same person has labelled the target again).

        Example:
            >>> corpus.labels()["label"].value_counts().to_dict()
            {'other': 12, 'relevant': 10}
        """
        from corpuskit.views import frames

        return in_types(frames.labels(self._folder), arrow)

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
            >>> corpus.import_labels("labels.csv", by="anna")
            1 label taken, 1 not in the corpus: nobody.pdf
        """
        from corpuskit.labels import import_labels

        return import_labels(self._folder, Path(file), by=by, new_class=new_class, label=label)

    def labels_report(self) -> LabelsReport:
        """Return who labelled how much, how far annotators agree, and what they disagree on.

        Returns:
            A :class:`corpuskit.labels.LabelsReport`; a notebook shows its tables.

        Example:
            >>> print(corpus.labels_report())
            Labels of documents: 12 other, 10 relevant; rule: majority
              demo analyst: 22 documents
        """
        from corpuskit.labels import labels_report

        return labels_report(self._folder)

    def disagreements(self, *, arrow: bool = False) -> pd.DataFrame:
        """Return the documents on which people differ and no adjudicator has decided, ties first.

        ``corpus.label(corpus.disagreements(), by="...")`` settles them.

        Args:
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns doc_id, uri, title, label (that of the corpus; missing in a tie), said (who said what) (str); annotators
            (Int32); agreement (float64).

        Example:
            >>> corpus.set_labels({"avis-de-sinistre.docx": "other"}, by="anna")
            1
            >>> corpus.disagreements()["said"].tolist()
            ['anna: other; demo analyst: relevant']
        """
        from corpuskit.labels import disagreements

        return in_types(disagreements(self._folder), arrow)

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
            MissingExtraError: The extra ``annotate`` is not installed.
            KeyboardInterrupt: Stopped. What was answered is kept, and the same call goes on.

        Example:
            >>> def by_word(texts):
            ...     return ["relevant" if "insur" in text or "assur" in text else "other" for text in texts]
            >>> report = corpus.prelabel(by_word, progress=False)
            >>> corpus.labels()["by"].unique().tolist()
            ['demo analyst', 'machine:by_word']
        """
        from corpuskit.annotators import prelabel

        report = prelabel(
            self._folder, annotator, self._ids(docs), budget=budget, name=name, again=again, progress=progress
        )
        if report.is_interrupted:
            raise KeyboardInterrupt(repr(report))
        return report

    def next_to_label(
        self, n: int = 10, *, by: str | None = None, overlap: float | None = None, arrow: bool = False
    ) -> pd.DataFrame:
        """Return the documents whose labels would teach the model most, each with the reason it is asked for.

        Ties between annotators come first, then a few that everyone is asked, then some on which a machine and the model disagree.
        Of what nobody has labelled, three in four come from the sources that a crawl would fetch most from next, the others are
        those the model is least certain of, unlike each other, and one drawn at random. Before there is a model, documents come
        from regions of the corpus without labels, two of three near the seed words of :meth:`describe`.

        Args:
            n: Number of documents.
            by: Annotator to ask. None: anybody.
            overlap: Share of the documents that every annotator is asked. Default: 0.1.
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns doc_id, uri, reason (disagreement, for everyone, machine and model disagree, new source, uncertain, certain,
            random, seed words or new region), title, host (str), relevance (float64).

        Raises:
            RelevanceError: What is kept of the last model cannot be read.

        Example:
            >>> questions = corpus.next_to_label(3)
            >>> questions["reason"].tolist()
            ['new source', 'new source', 'uncertain']
        """
        from corpuskit.crawl.steering import stakes
        from corpuskit.relevance.asking import next_to_label

        return in_types(next_to_label(self._folder, n, by=by, overlap=overlap, stakes=stakes(self._folder)), arrow)

    def train(self, *, positive: str = "relevant", seed: int = 0) -> CorpusModel:
        """Train a model of documents and a model of URLs on the labels, and score all documents.

        Args:
            positive: Label to find. With classes of your own, this one against the rest.
            seed: The same labels and seed give the same model.

        Returns:
            A :class:`corpuskit.relevance.CorpusModel` with ``.document`` and ``.url``; :meth:`crawl` takes it as ``steer``.

        Raises:
            RelevanceError: The labels do not suffice; the message tells what is missing.

        Example:
            >>> model = corpus.train()
            >>> corpus.documents().sort_values("relevance")["title"].iloc[-1]
            'Your household policy in ten minutes'
        """
        from corpuskit.relevance.learning import train_corpus

        return train_corpus(self._folder, positive=positive, seed=seed)

    def model(self) -> CorpusModel | None:
        """Return the model trained last, or None before the first.

        Example:
            >>> corpus.model()
            CorpusModel model-0001
              documents: 10 relevant and 12 other labels, ...; not certified: audit it before trusting a threshold
              URLs: 8 relevant and 10 other labels, ...; not certified: audit it before trusting a threshold
        """
        from corpuskit.relevance.learning import last_model

        return last_model(self._folder)

    def relevance_report(self, *, seed: int = 0) -> RelevanceReport:
        """Return how good the last model is, where it errs, and what more labels would bring.

        Args:
            seed: Seed of the folds.

        Returns:
            A :class:`corpuskit.views.relevance_report.RelevanceReport`; a notebook shows its tables and charts.

        Raises:
            RelevanceError: There is no model yet, or the seed is below 0.

        Example:
            >>> print(corpus.relevance_report())
            Report on model-0001: 12 other, 10 relevant
              average precision 0.9... on labels held back
              ...
        """
        from corpuskit.errors import RelevanceError
        from corpuskit.views.relevance_report import relevance_report

        if seed < 0:
            raise RelevanceError(f"seed={seed}: expected 0 or more")
        return relevance_report(self._folder, seed=seed)

    def audit(self, *, precision: float | None = None, confidence: float | None = None, seed: int = 0) -> CorpusAudit:
        """Start an audit of the last model, or go on with it.

        An audit asks for labels of documents drawn at random above the threshold, until "relevant" can be claimed to hold with this
        precision and confidence.

        Args:
            precision: Share of relevant documents to claim. None: that of this model's audit so far, or else 0.95. Another value
                replaces the claim.
            confidence: How sure the claim is to be. None: as so far, or else 0.9.
            seed: Seed of the samples.

        Returns:
            A :class:`corpuskit.relevance.auditing.CorpusAudit`: ``.label()`` is the widget, ``.next()`` and ``.add(labels)`` the way
            without one.

        Raises:
            RelevanceError: There is no model, or nothing left to audit on; or the seed is below 0.

        Example:
            >>> audit = corpus.audit(precision=0.9)
            >>> print(audit)
            Audit of model-0001: 0 labels given, 20 wanted now
              to claim a precision of 90%: at most 51 labels more
              asked: each from the highest score down
        """
        from corpuskit.errors import RelevanceError
        from corpuskit.relevance.auditing import CorpusAudit, aims

        if seed < 0:
            raise RelevanceError(f"seed={seed}: expected 0 or more")
        model = self.model()
        if model is None:
            raise RelevanceError("there is no model to audit: train one first")
        usual = aims(self._folder, model)
        return CorpusAudit(
            self._folder, model, precision=usual[0] if precision is None else precision,
            confidence=usual[1] if confidence is None else confidence, seed=seed,
        )  # fmt: skip
