"""The audit with single keys: cards without scores, progress towards a claim, at the end the claim and what it misses."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import traitlets

from corpuskit.errors import RelevanceError
from corpuskit.labels import sample
from corpuskit.relevance.active_learning import Question
from corpuskit.relevance.corpus_audit import CorpusAudit
from corpuskit.store import CorpusFolder
from corpuskit.widgets.cards import PREFETCH, Cards
from corpuskit.widgets.labeler import a_person
from corpuskit.widgets.labeling import card_of

KEYS: Final[Mapping[str, str]] = {"j": "relevant", "f": "other"}
BELOW: Final = 60
"""Documents below the threshold in the sample, to estimate recall."""


class AuditLabeler(Cards):
    """Audit of one document after another. Run the cell again to continue an interrupted audit.

    Args:
        folder: the corpus.
        audit: what asks.
        by: Name of the annotator. Default: the name of the user.
        question: Question shown above the document.
    """

    progress: Any = traitlets.Dict().tag(sync=True)

    def __init__(self, folder: CorpusFolder, audit: CorpusAudit, *, by: str | None = None, question: str) -> None:
        self._audit = audit
        self._by = a_person(by)
        self._auditing = threading.RLock()
        self._given_out: set[str] = set()
        self._labels_of: dict[tuple[str, int], str] = {}
        self._counts: Counter[str] = Counter()
        # The base class keeps the corpus only afterwards, and the first cards need it.
        cards = [card_of(folder, item, None) for item in self._take(PREFETCH)]
        super().__init__(folder, KEYS, question=question, is_audit=True, progress=self._progress(), cards=cards)

    def summary(self) -> str:
        """Return the progress of the audit, or its claim."""
        return repr(self._audit)

    def _progress(self) -> dict[str, Any]:
        audit = self._audit
        with self._auditing:
            is_done = audit.is_done
            missed = audit.recall_estimate
            left = len(audit.next_ids_below(BELOW)) if is_done else 0
            can_miss = audit.threshold is not None and audit.audited_label == "relevant"
            return {
                "given": audit.n_labels, "most": audit.max_labels, "done": is_done,
                "claim": _claim(audit) if is_done else "",
                "below": {"left": left, "of": min(BELOW, audit.below)} if can_miss else None,
                "missed": repr(missed) if missed is not None and not left else "",
            }  # fmt: skip

    def _card(self, item: Question, *, opened: bool = False) -> dict[str, Any]:
        # Without the model: marked words would reveal its score.
        return card_of(self._folder, item, None, opened=opened)

    def _take(self, n: int) -> list[Question]:
        with self._auditing:
            requested = self._audit.next_ids() or self._audit.next_ids_below(BELOW)
            # Not in the order of scores, which would reveal them.
            free = [doc_id for doc_id in sample(requested, len(requested)) if doc_id not in self._given_out][:n]
            self._given_out.update(free)
        return [Question(doc_id, "", None) for doc_id in free]

    def _on_more(self, message: dict[str, Any]) -> None:
        cards = [self._card(item) for item in self._take(min(int(message["n"]), PREFETCH))]
        self.send({"op": "cards", "cards": cards, "end": not cards and self._is_over()})

    def _is_over(self) -> bool:
        with self._auditing:
            return self._audit.is_done and not self._audit.next_ids_below(BELOW)

    def _save_one(self, message: dict[str, Any], doc_id: str, label: str) -> None:
        with self._auditing:
            requested = set(self._audit.next_ids() or self._audit.next_ids_below(BELOW))
            if doc_id not in requested:
                # The document was shown before an undo that changed the sample.
                self.send(
                    {"op": "error", "of": "stale", "message": "The audit does not ask for this document any more."}
                )
                return
            self._audit.add({doc_id: label}, by=self._by)
            self._labels_of[str(message["page"]), int(message["seq"])] = doc_id
            self._counts[label] += 1
            if len(requested) > 1:
                return
        # What is asked next was not known before this label.
        cards = [self._card(item) for item in self._take(PREFETCH)]
        self.send({"op": "cards", "cards": cards, "end": not cards and self._is_over()})

    def _take_back(self, message: dict[str, Any]) -> None:
        doc_id = self._labels_of.pop((str(message["page"]), int(message["of"])), None)
        if doc_id is None:
            raise RelevanceError("this label was not given here")
        with self._auditing:
            self._audit.withdraw(doc_id, by=self._by)
            self._given_out = {doc_id}
        cards = [self._card(item) for item in [Question(doc_id, "", None), *self._take(PREFETCH - 1)]]
        self.send({"op": "again", "cards": cards})

    def _saved_details(self) -> dict[str, Any]:
        return {"counts": dict(self._counts), "audit": self._progress()}


def _claim(audit: CorpusAudit) -> str:
    """Return the claim supported by the present labels."""
    record = audit.model.document.audit
    if record is None or audit.threshold is None:
        return (
            f"Nothing can be claimed with {audit.n_labels} labels: the model is not good enough. "
            "Label more with corpus.label(), train again, and audit the new model."
        )
    region = f"from {audit.threshold:.3f} on" if audit.audited_label == "relevant" else f"up to {audit.threshold:.3f}"
    return (
        f"At least {record.precision:.0%} of the documents with a score {region} are {audit.audited_label} "
        f"(confidence {record.confidence:.0%}, {record.labels} labels). They are decided: documents().decision."
    )
