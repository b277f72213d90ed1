"""The confidence of pdf_trio's service: one number for a label and its probability."""

from __future__ import annotations

from corpuskit.errors import RelevanceError

__all__ = ["decode_confidence", "encode_confidence"]


def encode_confidence(relevant: bool, probability: float) -> float:
    """Return ``0.5 + p/2`` for the positive label, ``0.5 - p/2`` for the other, where ``p`` is the label's own probability.

    Not a probability of relevance: a coin toss for (p = 0.51) is 0.755.

    Args:
        relevant: Whether it is the positive label.
        probability: The label's own probability.

    Example:
        >>> encode_confidence(True, 0.51), encode_confidence(False, 0.51)
        (0.755, 0.245)
    """
    if not 0.0 <= probability <= 1.0:
        raise RelevanceError(f"found the probability {probability!r}, expected a number from 0 to 1")
    return 0.5 + probability / 2 if relevant else 0.5 - probability / 2


def decode_confidence(confidence: float) -> tuple[bool, float]:
    """Return the label and its probability that `encode_confidence` was given; 0.5 is read as the positive label.

    Args:
        confidence: What `encode_confidence` returned.

    Example:
        >>> decode_confidence(0.25)
        (False, 0.5)
    """
    if not 0.0 <= confidence <= 1.0:
        raise RelevanceError(f"found the confidence {confidence!r}, expected a number from 0 to 1")
    return confidence >= 0.5, abs(confidence - 0.5) * 2
