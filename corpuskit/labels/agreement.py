"""How far annotators agree: Cohen's kappa of each two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_MOST: Final = 50  # pairs of annotators


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two annotators on the documents that both labelled.

    Attributes:
        by: the two.
        documents: how many both labelled.
        agreed: how many of them got the same label.
        kappa: Cohen's kappa (Cohen 1960): agreement beyond chance, 1 at most; None where only one label was given, for
            which chance agrees always.
    """

    by: tuple[str, str]
    documents: int
    agreed: int
    kappa: float | None


def kappa(counts: Mapping[tuple[str, str], int]) -> float | None:
    """Cohen's kappa from how often one annotator gave the first label where the other gave the second.

    Example:
        >>> kappa({("a", "a"): 1, ("a", "b"): 1, ("b", "b"): 2})
        0.5
    """
    size = sum(counts.values())
    first, second = Counter[str](), Counter[str]()
    for (one, two), count in counts.items():
        first[one] += count
        second[two] += count
    observed = sum(count for (one, two), count in counts.items() if one == two)
    # In whole numbers up to the last division, so that perfect agreement is 1 exactly.
    chance = sum(first[label] * second[label] for label in first)
    if chance == size * size:
        return None
    return (observed * size - chance) / (size * size - chance)


def agreements(counts: Mapping[tuple[str, str], Mapping[tuple[str, str], int]]) -> list[Agreement]:
    """The agreement of each two annotators with documents in common, those with most documents first.

    Args:
        counts: the two annotators → (label of the first, of the second) → how many documents.
    """
    found = [
        Agreement(by, sum(of.values()), sum(n for (one, two), n in of.items() if one == two), kappa(of))
        for by, of in counts.items()
    ]
    return sorted(found, key=lambda a: (-a.documents, a.by))[:_MOST]
