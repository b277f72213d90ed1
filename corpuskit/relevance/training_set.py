"""Preparation of labels for training: validation and removal of contradictions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from corpuskit.errors import RelevanceError

LABELS = ("relevant", "other", "unsure")
_MIN_PER_CLASS = 2


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Labels that can be trained on.

    Attributes:
        texts: Texts labelled relevant or other, in the original order.
        relevant: Label of each text.
        contradicted: Positions in the input of equal texts with different labels. They are left out.
        unsure: Number of labels ``unsure``.
    """

    texts: tuple[str, ...]
    relevant: tuple[bool, ...]
    contradicted: tuple[int, ...]
    unsure: int


def prepare_labels(texts: Sequence[str], labels: Sequence[str], *, positive: str = "relevant") -> TrainingSet:
    """Validate labels and remove contradictions and ``unsure``.

    Args:
        texts: One text per label.
        labels: ``relevant``, ``other`` or ``unsure``. With another `positive`: any names, one class against the rest.
        positive: The positive class.

    Raises:
        RelevanceError: Lengths differ, a label is unknown, or fewer than two texts of a class remain.
    """
    if isinstance(texts, str) or isinstance(labels, str):
        raise RelevanceError("found one string, expected a list of texts and a list of labels")
    if len(texts) != len(labels):
        raise RelevanceError(f"found {len(texts)} texts and {len(labels)} labels, expected the same number")
    for position, (text, label) in enumerate(zip(texts, labels, strict=True)):
        if not isinstance(text, str):
            raise RelevanceError(f"found {type(text).__name__} as text {position}, expected a string")
        if positive == "relevant" and label not in LABELS:
            raise RelevanceError(f"found the label {label!r} at {position}, expected one of {', '.join(LABELS)}")
    classes: dict[str, set[bool]] = {}
    for text, label in zip(texts, labels, strict=True):
        if label != "unsure":
            classes.setdefault(text.strip(), set()).add(label == positive)
    pairs, contradicted, unsure = [], [], 0
    for position, (text, label) in enumerate(zip(texts, labels, strict=True)):
        if label == "unsure":
            unsure += 1
        elif len(classes[text.strip()]) == 2:
            contradicted.append(position)
        else:
            pairs.append((text, label == positive))
    _check(sum(label for _, label in pairs), len(pairs), positive, len(contradicted))
    return TrainingSet(tuple(t for t, _ in pairs), tuple(y for _, y in pairs), tuple(contradicted), unsure)


def _check(relevant: int, total: int, positive: str, contradicted: int) -> None:
    if relevant >= _MIN_PER_CLASS and total - relevant >= _MIN_PER_CLASS:
        return
    hint = f" ({contradicted} labels contradict each other on the same text and were left out)" if contradicted else ""
    raise RelevanceError(
        f"found {relevant} labels {positive!r} and {total - relevant} others{hint}, "
        f"expected at least {_MIN_PER_CLASS} of each; label more documents, 10 with 3 relevant ones are a start"
    )


def label_hash(texts: Sequence[str], labels: Sequence[str]) -> str:
    """Return a hash of 16 hexadecimal digits of texts and labels, independent of their order."""
    lines = sorted(f"{label}\t{text}" for text, label in zip(texts, labels, strict=True))
    return hashlib.sha256("\x00".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:16]
