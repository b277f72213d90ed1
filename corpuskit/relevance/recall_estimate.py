"""Recall of a threshold: the number of relevant documents below it, estimated from a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_LEVEL: Final = 0.975  # of each of two intervals, so that both hold together with 0.95


@dataclass(frozen=True, slots=True)
class RecallEstimate:
    """Estimated recall of a threshold among the documents of an audit.

    Attributes:
        documents: Number of documents below the threshold.
        sampled: Number of labelled documents in the random sample of them.
        relevant: Number of relevant documents in the sample.
        missed, low, high: Estimated number of relevant documents below the threshold, with its interval.
        recall, recall_low, recall_high: Estimated share of all relevant documents that is above the threshold, with its
            interval. Both intervals hold together with a confidence of at least 95 %. None if the estimate has no relevant
            documents.
        known: Number of relevant documents below the threshold that are labelled but not in the sample.
    """

    documents: int
    sampled: int
    relevant: int
    missed: float
    low: float
    high: float
    recall: float | None
    recall_low: float | None
    recall_high: float | None
    known: int = 0

    def __repr__(self) -> str:
        text = f"about {self.missed:,.0f} relevant documents are missed ({self.low:,.0f} to {self.high:,.0f})"
        if self.recall is not None:
            text += f": recall {self.recall:.2f} ({self.recall_low:.2f} to {self.recall_high:.2f})"
        if not self.sampled:
            return f"{text}; all {self.documents:,} below the threshold are labelled"
        text += f"; {self.relevant} of {self.sampled} drawn from {self.documents:,} below the threshold are relevant"
        return text + (f", {self.known} more were labelled earlier" if self.known else "")


def clopper_pearson(relevant: int, drawn: int, *, level: float = _LEVEL) -> tuple[float, float]:
    """Return the exact confidence interval of a proportion (Clopper and Pearson 1934), (0, 1) for an empty sample.

    Args:
        relevant: Number of sampled items with the property.
        drawn: Size of the sample.
        level: Minimum probability that the interval covers the proportion.

    Example:
        >>> [round(float(end), 4) for end in clopper_pearson(0, 10)]
        [0.0, 0.3548]
    """
    from scipy.stats import binomtest

    if not drawn:
        return 0.0, 1.0
    interval = binomtest(relevant, drawn).proportion_ci(level, "exact")
    return float(interval.low), float(interval.high)


def estimate_recall(
    above: tuple[int, int, int, int], below: tuple[int, int, int, int], *, documents: int
) -> RecallEstimate:
    """Estimate recall from the labels on both sides of a threshold.

    Args:
        above: Number of relevant labelled documents above the threshold, number of unlabelled documents there, number of
            relevant documents in a random sample of that side, and size of the sample.
        below: The same below the threshold.
        documents: Number of documents below the threshold.
    """
    hits, hits_low, hits_high = _count(*above)
    missed, low, high = _count(*below)
    total = hits + missed
    return RecallEstimate(
        documents, below[3], below[2], missed, low, high,
        hits / total if total else None,
        hits_low / (hits_low + high) if hits_low + high else 1.0 if total else None,
        hits_high / (hits_high + low) if total else None, below[0] - below[2],
    )  # fmt: skip


def _count(known: int, unknown: int, relevant: int, drawn: int) -> tuple[float, float, float]:
    """Return the number of relevant documents with its interval: the known ones, plus an estimate for the unlabelled ones."""
    if not unknown:
        return float(known), float(known), float(known)
    low, high = clopper_pearson(relevant, drawn)
    share = relevant / drawn if drawn else (low + high) / 2.0
    return known + unknown * share, known + unknown * low, known + unknown * high
