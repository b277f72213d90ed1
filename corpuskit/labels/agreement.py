"""How far annotators agree: Cohen's kappa of each two, with its interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Final, TypeAlias

from corpuskit.labels.snapshot import snapshot_of
from corpuskit.store import CorpusFolder

if TYPE_CHECKING:
    import pandas as pd

Counts: TypeAlias = Mapping[tuple[str, str], int]
"""(label of the first annotator, of the second) → how many documents."""
_MOST: Final = 50  # pairs of annotators
_SIGMAS: Final = 1.959964  # of the normal distribution, for 95 %


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two annotators on the documents that both labelled.

    Attributes:
        by: the two.
        documents: how many both labelled.
        agreed: how many of them got the same label.
        kappa: Cohen's kappa (Cohen 1960): agreement beyond chance, 1 at most; None where only one label was given, for
            which chance agrees always.
        low, high: its interval of 95 %, see ``kappa_interval``; None where kappa is.
    """

    by: tuple[str, str]
    documents: int
    agreed: int
    kappa: float | None
    low: float | None
    high: float | None


def kappa(counts: Counts) -> float | None:
    """Return Cohen's kappa; None where only one label was given.

    Example:
        >>> kappa({("a", "a"): 1, ("a", "b"): 1, ("b", "b"): 2})
        0.5
    """
    size, agreed, chance = _sums(counts)
    # In whole numbers up to the last division, so that perfect agreement is 1 exactly.
    return None if chance == size * size else (agreed * size - chance) / (size * size - chance)


def kappa_interval(counts: Counts) -> tuple[float, float] | None:
    """Return the interval of 95 % of Cohen's kappa; None where kappa is none.

    The share of documents agreed on has the interval of Wilson (1927), and chance is what the table says, as in Cohen
    (1960): unlike the interval of Fleiss, Cohen and Everitt (1969) it has a width where all documents were agreed on.
    """
    size, agreed, chance = _sums(counts)
    if chance == size * size:
        return None
    expected = chance / size**2
    low, high = wilson_interval(agreed, size)
    return max(-1.0, (low - expected) / (1 - expected)), (high - expected) / (1 - expected)


def wilson_interval(count: int, size: int) -> tuple[float, float]:
    """Return the interval of 95 % of a share (Wilson 1927); written out, since labels need no SciPy.

    Example:
        >>> [round(end, 4) for end in wilson_interval(35, 50)]
        [0.5625, 0.809]
    """
    share, square = count / size, _SIGMAS**2
    middle = (share + square / (2 * size)) / (1 + square / size)
    half = _SIGMAS / (1 + square / size) * sqrt(share * (1 - share) / size + square / (4 * size**2))
    # Of none and of all the ends are 0 and 1 but for rounding.
    return (middle - half if count else 0.0), (middle + half if count < size else 1.0)


def agreement_of(by: tuple[str, str], counts: Counts) -> Agreement:
    """Return the agreement of two annotators."""
    size, agreed, _ = _sums(counts)
    low, high = kappa_interval(counts) or (None, None)
    return Agreement(by, size, agreed, kappa(counts), low, high)


def agreements(folder: CorpusFolder) -> list[Agreement]:
    """Return the agreement of each two annotators with documents in common, those with most documents first.

    Args:
        folder: The corpus folder.
    """
    labels_of: dict[str, list[tuple[str, str]]] = {}
    for row in snapshot_of(folder).given:
        if row.kind == "document":
            labels_of.setdefault(row.target, []).append((row.by, row.label))
    counts: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    for labels in labels_of.values():
        for (one, first), (two, second) in combinations(sorted(labels), 2):
            counts.setdefault((one, two), Counter())[first, second] += 1
    found = [agreement_of(by, of) for by, of in counts.items()]
    return sorted(found, key=lambda a: (-a.documents, a.by))[:_MOST]


def agreement_frame(folder: CorpusFolder) -> pd.DataFrame:
    """Return the agreement of each two annotators as a frame: first, second (str), documents, agreed (int64), kappa, low, high (float64).

    Args:
        folder: The corpus folder.
    """
    import pandas as pd

    rows = [(*a.by, a.documents, a.agreed, a.kappa, a.low, a.high) for a in agreements(folder)]
    types = {"first": "str", "second": "str", "documents": "int64", "agreed": "int64"}
    types |= dict.fromkeys(("kappa", "low", "high"), "float64")
    return pd.DataFrame(rows, columns=list(types)).astype(types)


def agreement_with_others(labels: Mapping[str, Mapping[str, str]], by: str, most: int = 3) -> list[dict[str, object]]:
    """Return with, documents, kappa, low and high for one annotator and each other one, those with most documents in common first.

    Args:
        labels: Annotator → document → label.
        by: The one annotator.
        most: Number of other annotators, at most.
    """
    own = labels.get(by, {})
    found = [
        agreement_of((name, ""), Counter((own[target], others[target]) for target in common))
        for name, others in labels.items()
        if name != by and (common := own.keys() & others.keys())
    ]
    found.sort(key=lambda a: (-a.documents, a.by))
    return [
        {"with": a.by[0], "documents": a.documents, "kappa": a.kappa, "low": a.low, "high": a.high}
        for a in found[:most]
    ]


def _sums(counts: Counts) -> tuple[int, int, int]:
    """Documents, those agreed on, and those that chance agrees on times the documents."""
    first, second = Counter[str](), Counter[str]()
    for (one, two), count in counts.items():
        first[one] += count
        second[two] += count
    agreed = sum(count for (one, two), count in counts.items() if one == two)
    return first.total(), agreed, sum(first[label] * second[label] for label in first)
