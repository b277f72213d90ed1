"""Audit of the last model of a corpus: asks for labels by document, stores them apart from training, saves the claim."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, Literal

from corpuskit.errors import RelevanceError
from corpuskit.hooks import hook
from corpuskit.labels import corpus_labels, hold_labels, is_machine, training_labels
from corpuskit.relevance.audit import Audit
from corpuskit.relevance.corpus_model import CorpusModel
from corpuskit.relevance.corpus_training import decide_documents, scoring_texts
from corpuskit.relevance.model import AuditRecord, RelevanceModel
from corpuskit.relevance.recall_estimate import RecallEstimate, estimate_recall
from corpuskit.store import CorpusFolder
from corpuskit.store.formatting import pluralize
from corpuskit.store.labels import WITHDRAWN

if TYPE_CHECKING:
    import pandas as pd

_LABELS: Final = frozenset({"relevant", "other"})
_AUDIT_KEY: Final = "audit"  # in the catalog: version, precision and confidence of the last audit
_EARLIER_NAMES: Final = {
    "labels_given": "n_labels",
    "missed": "recall_estimate",
    "most": "max_labels",
    "take_back": "withdraw",
    "wanted": "next_ids",
    "wanted_below": "next_ids_below",
}


def aims(folder: CorpusFolder, model: CorpusModel) -> tuple[float, float]:
    """Return precision and confidence of the running audit of a model, of its claim, or the defaults."""
    try:
        version, precision, confidence = json.loads(folder.catalog.meta(_AUDIT_KEY) or "")
        if version == model.version:
            return float(precision), float(confidence)
    except (TypeError, ValueError, RecursionError):  # no audit yet, or another program wrote the entry
        pass
    claim = model.document.audit
    return (claim.precision, claim.confidence) if claim else (0.95, 0.9)


class CorpusAudit:
    """Audit of the last model of a corpus on its unlabelled documents.

    Call :meth:`next` for documents and pass their labels to :meth:`add` until ``next`` returns none. The claim is then saved
    with the model, and the documents are decided by it. The labels are stored in the corpus with the origin ``audit`` and are
    never used for training. A new training needs a new audit. An interrupted audit resumes when it is started with the same
    arguments, unless documents were added.

    Example:
        >>> audit = corpus.audit(precision=0.95)                                   # doctest: +SKIP
        >>> while len(batch := audit.next()):                                      # doctest: +SKIP
        ...     audit.add(ask(batch), by="me")
        >>> audit                                                                  # doctest: +SKIP
    """

    def __init__(
        self,
        folder: CorpusFolder,
        model: CorpusModel,
        *,
        precision: float = 0.95,
        confidence: float = 0.9,
        seed: int = 0,
        label: Literal["relevant", "other"] = "relevant",
    ) -> None:
        self._folder = folder
        self._model = model
        self._seed = seed
        self._note = f"audit of {model.version}" + ("" if label == "relevant" else f": {label}")
        with hold_labels(folder):
            asked = self._read()
            by_name = {label.target for label in corpus_labels(folder, "document")}
            labelled = training_labels(folder).keys() - by_name  # trained on by the label of their host
        labelled |= by_name - asked
        if asked:
            # Labels added during or after an audit do not change its pool.
            labelled -= by_name - folder.labels.targets_before(self._note)
        texts = {doc_id: text for doc_id, text in scoring_texts(folder).items() if doc_id not in labelled}
        if not texts:
            raise RelevanceError("all documents are labelled: an audit needs unlabelled documents")
        self._doc_ids = list(texts)
        self._audit = Audit(
            model.document, list(texts.values()), precision=precision, confidence=confidence, seed=seed, label=label
        )
        self._positions = {doc_id: position for position, doc_id in enumerate(self._doc_ids)}
        self._is_saved = False
        self._replay()

    def _read(self) -> set[str]:
        """Read the labels of this audit and return their documents. Documents with tied labels are asked again."""
        with hold_labels(self._folder) as snapshot:
            rows = snapshot.by_people["document"]
            asked = {row.target for row in rows if row.origin == "audit" and row.note == self._note}
            labels = {label.target: label.label for label in snapshot.labels("document")}
        self._labels = {target: labels[target] or "" for target in asked if labels[target] in _LABELS}
        return asked

    @property
    def model(self) -> CorpusModel:
        """The audited model, with its claim after the end of the audit."""
        return self._model

    @property
    def audited_label(self) -> Literal["relevant", "other"]:
        """The audited label."""
        return self._audit.label

    @property
    def n_labels(self) -> int:
        """Number of labels of the audit."""
        return len(self._audit.labels)

    @property
    def max_labels(self) -> int:
        """Maximum number of labels that the audit asks for."""
        return self._audit.max_labels

    @property
    def threshold(self) -> float | None:
        """Certified score: scores from it on are relevant, or up to it other. None before the end or without a claim."""
        return self._audit.threshold

    @property
    def is_done(self) -> bool:
        """Whether the audit has all labels it needs."""
        return self._audit.is_done

    def next(self) -> pd.DataFrame:
        """Return the documents to label next. Empty when the audit is done.

        Columns doc_id, uri, title (str). Scores are left out, so that they do not influence the labels.
        """
        return self._frame(self.next_ids())

    def next_ids(self) -> list[str]:
        """Return the ids of the documents to label next, see :meth:`next`."""
        self._replay()
        doc_ids = [self._doc_ids[i] for i in self._audit.next()]
        if doc_ids:
            self._store_aims()
        else:
            self._save()
        return doc_ids

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the value of an attribute by its earlier name."""
            if name in _EARLIER_NAMES:
                return getattr(self, _EARLIER_NAMES[name])
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _store_aims(self) -> None:
        """Store precision and confidence, for a later call without these arguments."""
        stored = json.dumps([self._model.version, self._audit.precision, self._audit.confidence])
        if self._folder.catalog.meta(_AUDIT_KEY) != stored:
            self._folder.catalog.set_meta(_AUDIT_KEY, stored)

    def _replay(self) -> None:
        """Add stored labels, as long as the audit asks for their documents."""
        while known := [i for i in self._audit.next() if self._doc_ids[i] in self._labels]:
            self._audit.add(known, [self._labels[self._doc_ids[i]] for i in known])

    def _frame(self, doc_ids: Sequence[str]) -> pd.DataFrame:
        import pandas as pd

        known = {row["doc_id"]: row for row in self._folder.catalog.rows("SELECT doc_id, uri, title FROM current")}
        rows = [(doc_id, known[doc_id]["uri"], known[doc_id]["title"] or "") for doc_id in doc_ids if doc_id in known]
        return pd.DataFrame(rows, columns=["doc_id", "uri", "title"]).astype("str")

    def next_below(self, n: int = 60) -> pd.DataFrame:
        """Return a random sample of documents below the threshold to label. It estimates recall, see :attr:`recall_estimate`.

        Columns as in :meth:`next`. Empty without a claim, after ``n`` labels, and in an audit of ``other``.
        """
        return self._frame(self.next_ids_below(n))

    @property
    def below(self) -> int:
        """Number of documents below the threshold that the audit itself did not ask for."""
        return len(self._drawn())

    def next_ids_below(self, n: int = 60) -> list[str]:
        """Return the ids of the documents, see :meth:`next_below`."""
        if self.threshold is None or not self.is_done:
            return []
        return [doc_id for doc_id in self._drawn()[:n] if doc_id not in self._labels]

    def _drawn(self) -> list[str]:
        """Return the documents below the threshold that the audit has not asked for, in random order."""
        import numpy as np

        threshold, known = self.threshold, self._audit.labels
        if threshold is None or self.audited_label == "other":
            return []
        below = [self._doc_ids[i] for i in np.flatnonzero(self._audit.score < threshold).tolist() if i not in known]
        # Ordered by hash, so that the order does not change if a document is labelled elsewhere or removed.
        return sorted(below, key=lambda doc_id: hashlib.sha256(f"{self._seed} {doc_id}".encode()).digest())

    @property
    def recall_estimate(self) -> RecallEstimate | None:
        """Relevant documents below the threshold, estimated from the labels so far. None without a claim or such labels.

        The number is exact if the audit itself asked for all documents below the threshold.
        """
        if self.threshold is None or not self.is_done or self.audited_label == "other":
            return None
        drawn = self._drawn()
        # Documents labelled out of order do not belong to the random sample, so it ends at the first one without a label.
        sample = list(takewhile(lambda doc_id: doc_id in self._labels, drawn))
        if drawn and not sample:
            return None
        labels, score, threshold = self._audit.labels, self._audit.score, self.threshold
        above = [i for i in range(len(score)) if score[i] >= threshold]
        chance = [labels[i] for i in self._audit.sampled if score[i] >= threshold]
        known_above, known_below = (
            sum(is_relevant for i, is_relevant in labels.items() if (score[i] >= threshold) == side)
            for side in (True, False)
        )
        relevant = sum(self._labels[doc_id] == "relevant" for doc_id in sample)
        # The labels of the sample are known. The number among the rest is estimated from it.
        return estimate_recall(
            (known_above, sum(i not in labels for i in above), sum(chance), len(chance)),
            (known_below + relevant, len(drawn) - len(sample), relevant, len(sample)),
            documents=len(score) - len(above),
        )

    def add(self, labels: Mapping[str, str], *, by: str) -> None:
        """Add labels, ``relevant`` or ``other``, of requested documents.

        Raises:
            RelevanceError: A label is unknown, a document was not requested, or the annotator is a machine. No label is stored.
        """
        if is_machine(by):
            raise RelevanceError(f"labels by {by!r}: audits need people; expected a name without the prefix machine:")
        self._store_aims()
        below = set(self.next_ids_below(len(self._doc_ids)))
        asked = {self._doc_ids[i]: i for i in self._audit.next()} | dict.fromkeys(below, -1)
        wrong = [doc_id for doc_id, label in labels.items() if doc_id not in asked or label not in _LABELS]
        if wrong:
            raise RelevanceError(
                f"document {wrong[0]!r}: found label {labels[wrong[0]]!r}, expected relevant or other for a document "
                "returned by next()"
            )
        self._folder.labels.add(
            ((doc_id, "document", label) for doc_id, label in labels.items()), by=by, note=self._note, origin="audit"
        )
        if below:
            self._labels |= labels
            return
        self._audit.add([asked[doc_id] for doc_id in labels], list(labels.values()))
        if self._audit.is_done:
            self._save()

    def withdraw(self, doc_id: str, *, by: str) -> None:
        """Withdraw a label of this audit. The audit continues with the other labels, and its claim is void until then."""
        self._folder.labels.add([(doc_id, "document", WITHDRAWN)], by=by, note=self._note, origin="audit")
        self._read()
        if doc_id in self._positions and self._positions[doc_id] not in self._audit.labels:
            return  # it is below the threshold
        self._audit.restart()
        if self._is_saved:
            self._is_saved = False
            self._store(dataclasses.replace(self._model.document, audit=self._other_claim()))

    def label(self, *, by: str | None = None, question: str = "Is this document relevant?") -> Any:
        """Return the audit as a widget with one key per label, without scores. It ends with the claim and the recall.

        Args:
            by: Annotator. None: name of the user.
            question: Question about each document.

        Raises:
            MissingExtraError: The extra ``notebook`` is not installed.
        """
        return hook("CorpusAudit.label")(self._folder, self, by=by, question=question)

    def _save(self) -> None:
        """Save the claim with the model and decide the documents by it."""
        if self._is_saved:
            return
        self._is_saved = True
        record, other = self._audit.record(), self._other_claim()
        if other is not None and (other.precision, other.confidence) == (record.precision, record.confidence):
            bounds = (record, other) if self.audited_label == "relevant" else (other, record)
            record = dataclasses.replace(
                record, threshold=bounds[0].threshold, other_threshold=bounds[1].other_threshold
            )
        self._store(self._model.document.with_audit(record))

    def _other_claim(self) -> AuditRecord | None:
        """Return the claim about the other label, if the model has one."""
        claim = self._model.document.audit
        if claim is None:
            return None
        if self.audited_label == "relevant":
            return None if claim.other_threshold is None else dataclasses.replace(claim, threshold=None)
        return None if claim.threshold is None else dataclasses.replace(claim, other_threshold=None)

    def _store(self, document: RelevanceModel) -> None:
        self._model = dataclasses.replace(self._model, document=document)
        name = self._folder.catalog.value("SELECT folder FROM models WHERE version = ?", (self._model.version,))
        if name is not None:
            self._model.save(self._folder.models.subfolder(name))
        decide_documents(self._folder, self._model)

    def __repr__(self) -> str:
        count = len(self._audit.labels)
        if not self._audit.is_done:
            return (
                f"Audit of {self._model.version}: {pluralize(count, 'label')} given, {len(self._audit.next())} wanted now\n"
                f"  to claim a precision of {self._audit.precision:.0%}: at most {pluralize(self.max_labels - count, 'label')} more\n"
                f"  asked: {self._audit.status()}"
            )
        text = f"Audit of {self._model.version} with {pluralize(count, 'label')}: {self._model.document.summary}"
        if (estimate := self.recall_estimate) is not None:
            text += f"\n  {estimate!r}"
        elif self.threshold is not None and self.audited_label == "relevant":
            text += "\n  recall is unknown: .label() or .next_below() asks for a sample from below the threshold"
        elif self.threshold is None:
            text += f"\n  asked: {self._audit.status()}\n  label more and train again, or audit for a lower precision"
        return text
