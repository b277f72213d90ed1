"""Preparation of labels for training: checks, and removal of contradictions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from corpuskit.errors import RelevanceError

LABELS = ("relevant", "other", "unsure")
_LEAST = 2


@dataclass(frozen=True, slots=True)
class Examples:
    """What is left to train from.

    Attributes:
        texts: labelled relevant or other, in the order given.
        relevant: the label of each.
        contradicted: positions in the input whose text was also given the other label; none of them is used.
        unsure: how many labels said neither.
    """

    texts: tuple[str, ...]
    relevant: tuple[bool, ...]
    contradicted: tuple[int, ...]
    unsure: int


def examples(texts: Sequence[str], labels: Sequence[str], *, positive: str = "relevant") -> Examples:
    """Check labels and drop those that say nothing.

    Args:
        texts: one text a label.
        labels: ``relevant``, ``other`` or ``unsure``; with another `positive`, any names: that one against the rest.
        positive: the label to find.

    Raises:
        RelevanceError: lengths differ, a label is unknown, or fewer than two texts of a class are left.
    """
    if isinstance(texts, str) or isinstance(labels, str):
        raise RelevanceError("found one string, expected a list of texts and a list of labels")
    if len(texts) != len(labels):
        raise RelevanceError(f"found {len(texts)} texts and {len(labels)} labels, expected as many of each")
    for position, (text, label) in enumerate(zip(texts, labels, strict=True)):
        if not isinstance(text, str):
            raise RelevanceError(f"found {type(text).__name__} as text {position}, expected a string")
        if positive == "relevant" and label not in LABELS:
            raise RelevanceError(f"found the label {label!r} at {position}, expected one of {', '.join(LABELS)}")
    said: dict[str, set[bool]] = {}
    for text, label in zip(texts, labels, strict=True):
        if label != "unsure":
            said.setdefault(text.strip(), set()).add(label == positive)
    kept, contradicted, unsure = [], [], 0
    for position, (text, label) in enumerate(zip(texts, labels, strict=True)):
        if label == "unsure":
            unsure += 1
        elif len(said[text.strip()]) == 2:
            contradicted.append(position)
        else:
            kept.append((text, label == positive))
    _check(sum(label for _, label in kept), len(kept), positive, len(contradicted))
    return Examples(tuple(t for t, _ in kept), tuple(y for _, y in kept), tuple(contradicted), unsure)


def _check(relevant: int, total: int, positive: str, contradicted: int) -> None:
    if relevant >= _LEAST and total - relevant >= _LEAST:
        return
    more = f" ({contradicted} labels contradict each other on the same text and were left out)" if contradicted else ""
    raise RelevanceError(
        f"found {relevant} labels {positive!r} and {total - relevant} others{more}, "
        f"expected at least {_LEAST} of each; label a few more, 10 with 3 relevant ones are a start"
    )


def label_hash(texts: Sequence[str], labels: Sequence[str]) -> str:
    """Sixteen hexadecimal digits that change with any text or label, not with their order."""
    lines = sorted(f"{label}\t{text}" for text, label in zip(texts, labels, strict=True))
    return hashlib.sha256("\x00".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:16]
