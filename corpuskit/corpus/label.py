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
        """Says in corpus.toml what the corpus is about; gives its description.

        Args:
            description: for people, and for dataset cards.
            seeds: words of the domain; labelling begins with the documents nearest to them.
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

    def labels(self, *, arrow: bool = False) -> pd.DataFrame:
        """One row a label; see :func:`corpuskit.views.frames.labels`."""
        from corpuskit.views import frames

        return in_types(frames.labels(self._folder), arrow)

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

    def model(self) -> CorpusModel | None:
        """The model trained last; None before the first."""
        from corpuskit.relevance.learning import last_model

        return last_model(self._folder)

    def relevance_report(self, *, seed: int = 0) -> RelevanceReport:
        """How good the last model is, where it errs and what more labels would bring.

        Raises:
            RelevanceError: there is no model yet.
        """
        from corpuskit.views.relevance_report import relevance_report

        return relevance_report(self._folder, seed=seed)

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
