"""How far annotators agree: Cohen's kappa of each two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

_MOST: Final = 12  # annotators that are compared: those with most labels


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


def kappa(pairs: Iterable[tuple[str, str]]) -> float | None:
    """Cohen's kappa of two annotators' labels for the same things.

    Example:
        >>> kappa([("a", "a"), ("a", "b"), ("b", "b"), ("b", "b")])
        0.5
    """
    counts = Counter(pairs)
    size = sum(counts.values())
    if not size:
        return None
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


def agreements(labels: Mapping[str, Mapping[str, str]]) -> list[Agreement]:
    """The agreement of each two annotators with documents in common.

    Args:
        labels: annotator → document → label.
    """
    busiest = sorted(labels, key=lambda by: (-len(labels[by]), by))[:_MOST]
    found = []
    for one, two in combinations(sorted(busiest), 2):
        common = sorted(labels[one].keys() & labels[two].keys())
        if common:
            pairs = [(labels[one][doc_id], labels[two][doc_id]) for doc_id in common]
            found.append(Agreement((one, two), len(pairs), sum(a == b for a, b in pairs), kappa(pairs)))
    return found
