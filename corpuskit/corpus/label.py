"""Labels of people and machines, the models trained on them, and audits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from corpuskit.corpus.base import OpenCorpus
from corpuskit.document.dataframes import convert_dtypes

if TYPE_CHECKING:
    import pandas as pd

    from corpuskit.relevance import CorpusModel
    from corpuskit.relevance.corpus_audit import CorpusAudit
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
        return self._folder.update_description(description, seeds)

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
        """Return the labelling widget: one key per label, written to disk before it is confirmed.

        Args:
            docs: Documents to label, in this order: a DataFrame or Series with ``doc_id``, ids, URIs or file names, or the name of a
                sub-corpus. Documents that ``by`` has labelled are skipped unless annotators are tied
                on them, and so are duplicates of the same main text. None: ties first, then some documents that every annotator
                labels, then those that improve the model most, see ``corpus.labelling.next_to_label()``.
            keys: Key → label. Default: j relevant, f other, space unsure.
            by: Name of the annotator. Default: the name of the user.
            question: Question to show.
            overlap: Share of the documents that every annotator labels, to measure agreement. Default: 0.1.
            show_scores: Show the model's score before you label, which may influence you. p toggles it.

        Raises:
            UnknownDocumentError: A document of ``docs`` is not in the corpus.
            ConfigurationError: ``by`` is empty, or names a machine.
            MissingExtraError: The extra ``notebook`` is not installed.

        Example:
            >>> labeller = corpus.label(by="anna", question="Is this about home insurance?")
        """
        from corpuskit.hooks import hooks
        from corpuskit.widgets.labeler import Labeler

        similar_documents = next(hooks("similar documents"), None)
        return Labeler(
            self._folder,
            self._ids(docs),
            keys=keys,
            by=by,
            question=question,
            overlap=overlap,
            show_scores=show_scores,
            similar=similar_documents(self._folder) if similar_documents else None,
        )

    def set_labels(
        self,
        labels: Mapping[str, str],
        *,
        by: str,
        kind: Literal["document", "url", "host"] = "document",
        note: str | None = None,
        origin: Literal["single", "group"] = "single",
        new_class: bool = False,
    ) -> int:
        """Label documents, URLs or hosts. The labels are on disk when this returns.

        Args:
            labels: Target → ``relevant``, ``other``, ``unsure``, ``withdrawn`` (withdraws your label), or a custom class
                that is in use. A document is named by its id, its URI or a unique file name.
            by: Person or rule that assigns the labels.
            kind: Kind of the targets.
            note: Reason to store with the labels.
            origin: ``single``: each document was read. ``group``: all were labelled at once, for example by a
                search. n such documents weigh as much as √n single ones in training, and a single label takes precedence.
            new_class: Allow labels that are not in use yet; by default they are rejected as typing errors.

        Returns:
            The number of labels stored.

        Raises:
            UnknownDocumentError: A document is not in the corpus. None is labelled.
            ConfigurationError: A label is not in use (the message names the nearest), or a document is named twice with different
                labels. None is labelled.

        Example:
            >>> corpus.set_labels({"claims-handbook.docx": "relevant", "baking-course.docx": "other"}, by="anna")
            2
        """
        from corpuskit.labels import check_label_names, resolve_documents

        labels = dict(labels)  # of a Series too
        check_label_names(self._folder, labels.values(), new_class=new_class)
        versions: dict[str, int] = {}
        if kind == "document":
            labels, versions = resolve_documents(self._folder, labels)
        return self._folder.labels.add(
            ((target, kind, label) for target, label in labels.items()),
            by=by,
            note=note,
            versions=versions,
            origin=origin,
        )

    def labels(self, *, arrow: bool = False) -> pd.DataFrame:
        """Return one row a label ever given, in order.

        Args:
            arrow: Return columns of pandas' ArrowDtype.

        Returns:
            Columns target (doc_id, URL or host), kind (document, url or host), label, by, note (str); when (datetime64, UTC);
            version (Int32, of the document); superseded (bool, whether the same person has labelled the target again); origin (str: ``single``, ``group``: given
            to many documents at once, ``audit``: certifies a model and is not trained on).

        Example:
            >>> corpus.labels()["label"].value_counts().to_dict()
            {'other': 12, 'relevant': 10}
        """
        from corpuskit.views import frames

        return convert_dtypes(frames.labels(self._folder), arrow)

    def train(self, *, positive: str = "relevant", seed: int = 0) -> CorpusModel:
        """Train a model of documents and a model of URLs on the labels, and score all documents.

        Args:
            positive: Label to find. With custom classes, this one against the rest.
            seed: Seed; the same labels and seed give the same model.

        Returns:
            A :class:`corpuskit.relevance.CorpusModel` with ``.document`` and ``.url``; :meth:`crawl` takes it as ``steer``.

        Raises:
            RelevanceError: The labels do not suffice; the message names the missing ones.

        Example:
            >>> model = corpus.train()
            >>> corpus.documents().sort_values("relevance")["title"].iloc[-1]
            'Your household policy in ten minutes'
        """
        from corpuskit.relevance.corpus_training import train_corpus

        return train_corpus(self._folder, positive=positive, seed=seed)

    def model(self) -> CorpusModel | None:
        """Return the model trained last, or None before the first.

        Example:
            >>> corpus.model()
            CorpusModel model-0001
              documents: 10 relevant and 12 other labels, ...; not certified: audit it before trusting a threshold
              URLs: 8 relevant and 10 other labels, ...; not certified: audit it before trusting a threshold
        """
        from corpuskit.relevance.corpus_training import last_model

        return last_model(self._folder)

    def audit(
        self,
        *,
        precision: float | None = None,
        confidence: float | None = None,
        seed: int = 0,
        label: Literal["relevant", "other"] = "relevant",
    ) -> CorpusAudit:
        """Start or continue an audit of the last model.

        An audit asks for labels of documents drawn at random above the threshold, until "relevant" can be claimed to hold with this
        precision and confidence.

        Args:
            precision: Share of relevant documents to claim. None: the value of this model's unfinished audit, or 0.95. Another
                value replaces the claim.
            confidence: Confidence of the claim. None: the value of the unfinished audit, or 0.9.
            seed: Seed of the samples.
            label: ``other`` audits the low end of the ranking: documents with a score up to the threshold are then decided to
                be other. Claims for both labels hold together if precision and confidence are equal; otherwise the later one
                replaces the earlier.

        Returns:
            A :class:`corpuskit.relevance.corpus_audit.CorpusAudit`: ``.label()`` is the widget; ``.next()`` and ``.add(labels)`` work
            without it.

        Raises:
            RelevanceError: There is no model, no document left to audit, or the seed is negative.

        Example:
            >>> audit = corpus.audit(precision=0.9)
            >>> print(audit)
            Audit of model-0001: 0 labels given, 20 wanted now
              to claim a precision of 90%: at most 51 labels more
              asked: each from the highest score down
        """
        from corpuskit.errors import RelevanceError
        from corpuskit.relevance.corpus_audit import CorpusAudit, aims

        if seed < 0:
            raise RelevanceError(f"seed={seed}: expected 0 or more")
        if label not in {"relevant", "other"}:
            raise RelevanceError(f"label={label!r}: expected relevant or other")
        model = self.model()
        if model is None:
            raise RelevanceError("the corpus has no model to audit: train one first, as with corpuskit train")
        usual = aims(self._folder, model)
        return CorpusAudit(
            self._folder, model, precision=usual[0] if precision is None else precision,
            confidence=usual[1] if confidence is None else confidence, seed=seed, label=label,
        )  # fmt: skip
