"""What a threshold misses: the relevant documents below it, estimated from a sample of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_LEVEL: Final = 0.975  # of each of two intervals, so that both hold together with .95


@dataclass(frozen=True, slots=True)
class Missed:
    """How much a threshold finds of what there is among the documents of an audit.

    Attributes:
        documents: how many have a score below the threshold.
        sampled: how many of them were drawn and labelled.
        relevant: how many of the drawn ones are relevant.
        missed, low, high: relevant documents below the threshold, estimated, and the interval.
        recall, recall_low, recall_high: the share of all relevant documents that is above the threshold, and its interval;
            they hold with a confidence of 95 % at least. None where nothing relevant is estimated.
        known: relevant documents below the threshold that are labelled and were not drawn.
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
        told = f"about {self.missed:,.0f} relevant documents are missed ({self.low:,.0f} to {self.high:,.0f})"
        if self.recall is not None:
            told += f": recall {self.recall:.2f} ({self.recall_low:.2f} to {self.recall_high:.2f})"
        if not self.sampled:
            return f"{told}; all {self.documents:,} below the threshold are labelled"
        told += f"; {self.relevant} of {self.sampled} drawn from {self.documents:,} below the threshold are relevant"
        return told + (f", {self.known} more were met on the way" if self.known else "")


def share_interval(relevant: int, drawn: int, *, level: float = _LEVEL) -> tuple[float, float]:
    """Return the interval of a share (Clopper and Pearson 1934); 0 to 1 where nothing was drawn.

    Args:
        relevant: Of those drawn, how many have the property.
        drawn: Size of the sample.
        level: Probability that the interval covers the share, at least.

    Example:
        >>> [round(float(end), 4) for end in share_interval(0, 10)]
        [0.0, 0.3548]
    """
    from scipy.stats import binomtest

    if not drawn:
        return 0.0, 1.0
    interval = binomtest(relevant, drawn).proportion_ci(level, "exact")
    return float(interval.low), float(interval.high)


def estimate(above: tuple[int, int, int, int], below: tuple[int, int, int, int], *, documents: int) -> Missed:
    """Return the estimate from what is known on both sides of a threshold.

    Args:
        above: relevant ones among all that are labelled there; how many there have no label; of a random sample of those of
            its kind: relevant ones, and all.
        below: the same.
        documents: how many are below.
    """
    found, found_low, found_high = _count(*above)
    missed, low, high = _count(*below)
    every = found + missed
    return Missed(
        documents, below[3], below[2], missed, low, high,
        found / every if every else None,
        found_low / (found_low + high) if found_low + high else 1.0 if every else None,
        found_high / (found_high + low) if every else None, below[0] - below[2],
    )  # fmt: skip


def _count(known: int, unknown: int, relevant: int, drawn: int) -> tuple[float, float, float]:
    """Relevant documents: those known, and of the unknown ones as many as the sample says."""
    if not unknown:
        return float(known), float(known), float(known)
    low, high = share_interval(relevant, drawn)
    share = relevant / drawn if drawn else (low + high) / 2.0
    return known + unknown * share, known + unknown * low, known + unknown * high
