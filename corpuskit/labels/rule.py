"""The rule by which the labels of several annotators become one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from corpuskit.store import LabelSettings

UNSURE: Final = "unsure"


def decide(votes: Sequence[tuple[str, str]], settings: LabelSettings) -> tuple[str | None, int, float]:
    """Return the label that counts, how many annotators there are, and the share of them who gave the most frequent one.

    The label is None in a tie.

    ``majority``: what most annotators said. ``unsure`` gives way to another label that as many gave; two other labels
    that as many gave are a tie. ``latest``: what was said last. ``adjudicator``: what the adjudicator said, and the
    majority as long as that one has said nothing.

    Args:
        votes: (annotator, label), one of each annotator, the latest last; at least one.
        settings: the rule.

    Example:
        >>> decide([("ann", "relevant"), ("bob", "other"), ("eve", "other")], LabelSettings())
        ('other', 3, 0.6666666666666666)
    """
    annotators = len(votes)
    if len({label for _, label in votes}) == 1:
        return votes[0][1], annotators, 1.0
    counts = Counter(label for _, label in votes)
    most = max(counts.values())
    agreement = most / annotators
    if settings.rule == "latest":
        return votes[-1][1], annotators, agreement
    if settings.rule == "adjudicator":
        for by, label in votes:
            if by == settings.adjudicator:
                return label, annotators, agreement
    first = [label for label, count in counts.items() if count == most]
    if len(first) > 1:
        first = [label for label in first if label != UNSURE]
    return (first[0] if len(first) == 1 else None), annotators, agreement
