"""Certifies a corpus' model: asks for labels by document, keeps them apart from training, and saves the claim."""

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
from corpuskit.relevance.learning import decide_documents, scoring_texts
from corpuskit.relevance.missed import Missed, estimate
from corpuskit.relevance.model import AuditRecord, RelevanceModel
from corpuskit.store import CorpusFolder
from corpuskit.store.labels import WITHDRAWN
from corpuskit.store.telling import counted

if TYPE_CHECKING:
    import pandas as pd

_LABELS: Final = frozenset({"relevant", "other"})
_BEGUN: Final = "audit"  # in the catalogue: the model audited last, with what precision and confidence


def aims(folder: CorpusFolder, model: CorpusModel) -> tuple[float, float]:
    """Return the precision and confidence that a model's audit was begun with, or those of its claim; else the usual ones."""
    try:
        version, precision, confidence = json.loads(folder.catalog.meta(_BEGUN) or "")
        if version == model.version:
            return float(precision), float(confidence)
    except (TypeError, ValueError, RecursionError):  # none was begun, or a stranger wrote it
        pass
    claim = model.document.audit
    return (claim.precision, claim.confidence) if claim else (0.95, 0.9)


class CorpusAudit:
    """An audit of a corpus' last model on the documents that nobody has labelled.

    Ask for documents with :meth:`next`, give their labels to :meth:`add`, until ``next`` gives none; the claim is then
    saved with the model, and the documents are decided by it. The labels are kept in the corpus, marked as the audit's,
    and never trained on; a new training needs a new audit. An audit that was broken off goes on where it stood when it is
    started again with the same arguments, as long as no documents came in between.

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
            labelled = training_labels(folder).keys() - by_name  # what a rule for a host has taught the model
        labelled |= by_name - asked
        if asked:
            # Who labels on while an audit runs, or after it, does not change what it is about.
            labelled -= by_name - folder.labels.targets_before(self._note)
        texts = {doc_id: text for doc_id, text in scoring_texts(folder).items() if doc_id not in labelled}
        if not texts:
            raise RelevanceError("all documents are labelled already: there is nothing left to audit on")
        self._doc_ids = list(texts)
        self._audit = Audit(
            model.document, list(texts.values()), precision=precision, confidence=confidence, seed=seed, label=label
        )
        self._positions = {doc_id: position for position, doc_id in enumerate(self._doc_ids)}
        self._is_saved = False
        self._replay()

    def _read(self) -> set[str]:
        """Read the labels given to this audit and return their documents; a tie of two annotators is asked again."""
        with hold_labels(self._folder) as snapshot:
            rows = snapshot.by_people["document"]
            asked = {row.target for row in rows if row.origin == "audit" and row.note == self._note}
            labels = {label.target: label.label for label in snapshot.labels("document")}
        self._given = {target: labels[target] or "" for target in asked if labels[target] in _LABELS}
        return asked

    @property
    def model(self) -> CorpusModel:
        """What is audited; with its claim, once there is one."""
        return self._model

    @property
    def audited_label(self) -> Literal["relevant", "other"]:
        """The label that the claim is about."""
        return self._audit.label

    @property
    def labels_given(self) -> int:
        """How many labels the audit has."""
        return len(self._audit.labels)

    @property
    def most(self) -> int:
        """How many labels it asks for at most."""
        return self._audit.most

    @property
    def threshold(self) -> float | None:
        """Scores from here on are relevant, or up to here other; None before the end, and where nothing can be claimed."""
        return self._audit.threshold

    @property
    def is_done(self) -> bool:
        """No more labels are wanted."""
        return self._audit.is_done

    def next(self) -> pd.DataFrame:
        """Return the documents to label now; empty when the audit is over.

        Columns doc_id, uri, title (str). They come without scores, so that these do not sway the judge.
        """
        return self._frame(self.wanted())

    def wanted(self) -> list[str]:
        """Return the same documents, only their ids."""
        self._replay()
        found = [self._doc_ids[i] for i in self._audit.next()]
        if found:
            self._begin()
        else:
            self._save()
        return found

    def _begin(self) -> None:
        """Keeps what is to be claimed, for a call that goes on without saying it."""
        begun = json.dumps([self._model.version, self._audit.precision, self._audit.confidence])
        if self._folder.catalog.meta(_BEGUN) != begun:
            self._folder.catalog.set_meta(_BEGUN, begun)

    def _replay(self) -> None:
        """Takes what was answered before, as far as it is asked for."""
        while known_already := [i for i in self._audit.next() if self._doc_ids[i] in self._given]:
            self._audit.add(known_already, [self._given[self._doc_ids[i]] for i in known_already])

    def _frame(self, doc_ids: Sequence[str]) -> pd.DataFrame:
        import pandas as pd

        known = {row["doc_id"]: row for row in self._folder.catalog.rows("SELECT doc_id, uri, title FROM current")}
        rows = [(doc_id, known[doc_id]["uri"], known[doc_id]["title"] or "") for doc_id in doc_ids if doc_id in known]
        return pd.DataFrame(rows, columns=["doc_id", "uri", "title"]).astype("str")

    def next_below(self, n: int = 60) -> pd.DataFrame:
        """Return documents below the threshold to label now, drawn at random: they tell what it misses, see :attr:`missed`.

        Empty before the claim, without one, once ``n`` have a label, and in an audit of ``other``. Columns as of :meth:`next`.
        """
        return self._frame(self.wanted_below(n))

    @property
    def below(self) -> int:
        """How many documents are below the threshold that the audit itself did not ask for."""
        return len(self._drawn())

    def wanted_below(self, n: int = 60) -> list[str]:
        """Return the same documents, only their ids."""
        if self.threshold is None or not self.is_done:
            return []
        return [doc_id for doc_id in self._drawn()[:n] if doc_id not in self._given]

    def _drawn(self) -> list[str]:
        """Documents below the threshold that the audit has not asked for, in an order drawn at random."""
        import numpy as np

        threshold, known = self.threshold, self._audit.labels
        if threshold is None or self.audited_label == "other":
            return []
        below = [self._doc_ids[i] for i in np.flatnonzero(self._audit.score < threshold).tolist() if i not in known]
        # By a hash of each: the order of the others stays when one is labelled elsewhere or removed.
        return sorted(below, key=lambda doc_id: hashlib.sha256(f"{self._seed} {doc_id}".encode()).digest())

    @property
    def missed(self) -> Missed | None:
        """What the threshold misses, by the labels from below it so far; None without a claim or such labels.

        Where the audit itself asked for all that is below, nothing is left to estimate.
        """
        if self.threshold is None or not self.is_done or self.audited_label == "other":
            return None
        drawn = self._drawn()
        # The drawn ones in their order, up to the first without a label: what was labelled out of turn is no sample.
        sample = list(takewhile(lambda doc_id: doc_id in self._given, drawn))
        if drawn and not sample:
            return None
        said, score, threshold = self._audit.labels, self._audit.score, self.threshold
        above = [i for i in range(len(score)) if score[i] >= threshold]
        chance = [said[i] for i in self._audit.sampled if score[i] >= threshold]
        known_above, known_below = (
            sum(is_relevant for i, is_relevant in said.items() if (score[i] >= threshold) == side)
            for side in (True, False)
        )
        relevant = sum(self._given[doc_id] == "relevant" for doc_id in sample)
        # Of those drawn each is known now; the others are as many as the sample says.
        return estimate(
            (known_above, sum(i not in said for i in above), sum(chance), len(chance)),
            (known_below + relevant, len(drawn) - len(sample), relevant, len(sample)),
            documents=len(score) - len(above),
        )

    def add(self, labels: Mapping[str, str], *, by: str) -> None:
        """Give labels, ``relevant`` or ``other``, to documents that were asked for.

        Raises:
            RelevanceError: another label, a document that was not asked for, or a machine's label; then none is kept.
        """
        if is_machine(by):
            raise RelevanceError(
                f"labels by {by!r}: an audit is a person's; expected a name that does not begin with machine:"
            )
        self._begin()
        below = set(self.wanted_below(len(self._doc_ids)))
        asked = {self._doc_ids[i]: i for i in self._audit.next()} | dict.fromkeys(below, -1)
        wrong = [doc_id for doc_id, label in labels.items() if doc_id not in asked or label not in _LABELS]
        if wrong:
            raise RelevanceError(
                f"document {wrong[0]!r}: found label {labels[wrong[0]]!r}, expected relevant or other for a document that "
                "next() gave"
            )
        self._folder.labels.add(
            ((doc_id, "document", label) for doc_id, label in labels.items()), by=by, note=self._note, origin="audit"
        )
        if below:
            self._given |= labels
            return
        self._audit.add([asked[doc_id] for doc_id in labels], list(labels.values()))
        if self._audit.is_done:
            self._save()

    def take_back(self, doc_id: str, *, by: str) -> None:
        """Withdraw a label that was given to this audit; it goes on from the others, and its claim is void until then."""
        self._folder.labels.add([(doc_id, "document", WITHDRAWN)], by=by, note=self._note, origin="audit")
        self._read()
        if doc_id in self._positions and self._positions[doc_id] not in self._audit.labels:
            return  # one of those below the threshold
        self._audit.restart()
        if self._is_saved:
            self._is_saved = False
            self._keep(dataclasses.replace(self._model.document, audit=self._other_claim()))

    def label(self, *, by: str | None = None, question: str = "Is this document relevant?") -> Any:
        """Return the audit as a widget: a key for each label, without scores; at the end the claim, and what it misses.

        Args:
            by: whose labels these are; default: the user's name.
            question: what is asked.

        Raises:
            MissingExtraError: the extra ``notebook`` is not installed.
        """
        return hook("CorpusAudit.label")(self._folder, self, by=by, question=question)

    def _save(self) -> None:
        """Writes the claim into the model's folder and decides the documents by it."""
        if self._is_saved:
            return
        self._is_saved = True
        record, other = self._audit.record(), self._other_claim()
        if other is not None and (other.precision, other.confidence) == (record.precision, record.confidence):
            bounds = (record, other) if self.audited_label == "relevant" else (other, record)
            record = dataclasses.replace(
                record, threshold=bounds[0].threshold, other_threshold=bounds[1].other_threshold
            )
        self._keep(self._model.document.certified(record))

    def _other_claim(self) -> AuditRecord | None:
        """Return the claim about the other label, if the model has one."""
        known = self._model.document.audit
        if known is None:
            return None
        if self.audited_label == "relevant":
            return None if known.other_threshold is None else dataclasses.replace(known, threshold=None)
        return None if known.threshold is None else dataclasses.replace(known, other_threshold=None)

    def _keep(self, document: RelevanceModel) -> None:
        self._model = dataclasses.replace(self._model, document=document)
        name = self._folder.catalog.value("SELECT folder FROM models WHERE version = ?", (self._model.version,))
        if name is not None:
            self._model.save(self._folder.models.within(name))
        decide_documents(self._folder, self._model)

    def __repr__(self) -> str:
        given = len(self._audit.labels)
        if not self._audit.is_done:
            return (
                f"Audit of {self._model.version}: {counted(given, 'label')} given, {len(self._audit.next())} wanted now\n"
                f"  to claim a precision of {self._audit.precision:.0%}: at most {counted(self.most - given, 'label')} more\n"
                f"  asked: {self._audit.so_far()}"
            )
        told = f"Audit of {self._model.version} with {counted(given, 'label')}: {self._model.document.summary}"
        if (missed := self.missed) is not None:
            told += f"\n  {missed!r}"
        elif self.threshold is not None and self.audited_label == "relevant":
            told += (
                "\n  what the threshold misses is not known: .label() or .next_below() asks for a sample from below it"
            )
        elif self.threshold is None:
            told += f"\n  asked: {self._audit.so_far()}\n  label more and train again, or audit for a lower precision"
        return told
