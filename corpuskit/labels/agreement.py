"""Pairwise agreement of annotators: Cohen's kappa with confidence interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Final, TypeAlias

from corpuskit.labels.snapshot import current_snapshot
from corpuskit.store import CorpusFolder

if TYPE_CHECKING:
    import pandas as pd

Counts: TypeAlias = Mapping[tuple[str, str], int]
"""(label of the first annotator, label of the second) → number of documents."""
_MAX_PAIRS: Final = 50
_Z_95: Final = 1.959964  # quantile of the normal distribution for a two-sided interval of 95 %


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of two annotators on the documents that both labelled.

    Attributes:
        by: The two annotators.
        documents: Number of documents that both labelled.
        agreed: Number of these with the same label by both.
        kappa: Cohen's kappa (Cohen 1960), agreement beyond chance, at most 1. None if only one label was used: then chance
            alone explains full agreement.
        low, high: Its 95 % confidence interval, see ``kappa_interval``. None if kappa is None.
    """

    by: tuple[str, str]
    documents: int
    agreed: int
    kappa: float | None
    low: float | None
    high: float | None


def kappa(counts: Counts) -> float | None:
    """Return Cohen's kappa. None if only one label was used.

    Example:
        >>> kappa({("a", "a"): 1, ("a", "b"): 1, ("b", "b"): 2})
        0.5
    """
    size, agreed, chance = _sums(counts)
    # Integer arithmetic up to the last division, so that perfect agreement is exactly 1.
    return None if chance == size * size else (agreed * size - chance) / (size * size - chance)


def kappa_interval(counts: Counts) -> tuple[float, float] | None:
    """Return the 95 % confidence interval of Cohen's kappa. None if kappa is undefined.

    The observed agreement has the interval of Wilson (1927). Expected agreement is a constant of the table, as in Cohen
    (1960). Unlike the interval of Fleiss, Cohen and Everitt (1969), this one has a width even at full agreement.
    """
    size, agreed, chance = _sums(counts)
    if chance == size * size:
        return None
    expected = chance / size**2
    low, high = wilson_interval(agreed, size)
    return max(-1.0, (low - expected) / (1 - expected)), (high - expected) / (1 - expected)


def wilson_interval(count: int, size: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a proportion (Wilson 1927). Written out because labels do not depend on SciPy.

    Example:
        >>> [round(end, 4) for end in wilson_interval(35, 50)]
        [0.5625, 0.809]
    """
    share, square = count / size, _Z_95**2
    middle = (share + square / (2 * size)) / (1 + square / size)
    half = _Z_95 / (1 + square / size) * sqrt(share * (1 - share) / size + square / (4 * size**2))
    # The ends at 0 and 1 are exact; the formula misses them by a rounding error.
    return (middle - half if count else 0.0), (middle + half if count < size else 1.0)


def agreement_of(by: tuple[str, str], counts: Counts) -> Agreement:
    """Return the agreement of two annotators."""
    size, agreed, _ = _sums(counts)
    low, high = kappa_interval(counts) or (None, None)
    return Agreement(by, size, agreed, kappa(counts), low, high)


def agreements(folder: CorpusFolder) -> list[Agreement]:
    """Return the agreement of each pair of annotators with documents in common, most documents first.

    Args:
        folder: The corpus folder.
    """
    labels_by: dict[str, list[tuple[str, str]]] = {}
    for row in current_snapshot(folder).annotator_labels:
        if row.kind == "document":
            labels_by.setdefault(row.target, []).append((row.by, row.label))
    counts: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    for labels in labels_by.values():
        for (first_by, first), (second_by, second) in combinations(sorted(labels), 2):
            counts.setdefault((first_by, second_by), Counter())[first, second] += 1
    rows = [agreement_of(by, pair_counts) for by, pair_counts in counts.items()]
    return sorted(rows, key=lambda row: (-row.documents, row.by))[:_MAX_PAIRS]


def agreement_frame(folder: CorpusFolder) -> pd.DataFrame:
    """Return the agreement of each pair of annotators as a frame.

    Columns: first, second (str); documents, agreed (int64); kappa, low, high (float64).

    Args:
        folder: The corpus folder.
    """
    import pandas as pd

    rows = [(*a.by, a.documents, a.agreed, a.kappa, a.low, a.high) for a in agreements(folder)]
    types = {"first": "str", "second": "str", "documents": "int64", "agreed": "int64"}
    types |= dict.fromkeys(("kappa", "low", "high"), "float64")
    return pd.DataFrame(rows, columns=list(types)).astype(types)


def agreement_with_others(
    labels: Mapping[str, Mapping[str, str]], by: str, max_others: int = 3
) -> list[dict[str, object]]:
    """Return the agreement of one annotator with each other one, most documents in common first.

    Args:
        labels: Annotator → document → label.
        by: The annotator.
        max_others: Maximum number of other annotators.

    Returns:
        Dictionaries with the keys with, documents, kappa, low and high.
    """
    own = labels.get(by, {})
    rows = [
        agreement_of((name, ""), Counter((own[target], labels_of_other[target]) for target in common))
        for name, labels_of_other in labels.items()
        if name != by and (common := own.keys() & labels_of_other.keys())
    ]
    rows.sort(key=lambda row: (-row.documents, row.by))
    return [
        {"with": row.by[0], "documents": row.documents, "kappa": row.kappa, "low": row.low, "high": row.high}
        for row in rows[:max_others]
    ]


def _sums(counts: Counts) -> tuple[int, int, int]:
    """Return the number of documents, the number agreed on, and the expected number agreed on times the documents."""
    first, second = Counter[str](), Counter[str]()
    for (first_label, second_label), count in counts.items():
        first[first_label] += count
        second[second_label] += count
    agreed = sum(count for (first_label, second_label), count in counts.items() if first_label == second_label)
    return first.total(), agreed, sum(first[label] * second[label] for label in first)
