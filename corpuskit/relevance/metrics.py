"""Metrics of models and labels: precision-recall curve, confusion, mistakes, learning curve, drift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.relevance.model import RelevanceModel
from corpuskit.relevance.token_counts import Floats
from corpuskit.relevance.training import train
from corpuskit.relevance.vector_space import VectorSpace


@dataclass(frozen=True, slots=True)
class Curve:
    """Precision-recall curve, highest threshold first.

    Attributes:
        threshold: Minimum score of the texts classified as relevant.
        precision: Share of these that are relevant.
        recall: Share of the relevant texts among these.
        average_precision: Mean of precision over the steps of recall.
    """

    threshold: Floats
    precision: Floats
    recall: Floats
    average_precision: float


def curve(scores: Sequence[float], relevant: Sequence[bool]) -> Curve:
    """Return precision and recall for all thresholds. Equal scores are one step.

    Args:
        scores: The scores.
        relevant: Whether each is relevant.

    Raises:
        RelevanceError: No text is relevant.
    """
    from sklearn.metrics import average_precision_score, precision_recall_curve

    score, truth = np.asarray(scores, float), np.asarray(relevant, bool)
    if not truth.any():
        raise RelevanceError(f"none of {len(truth)} texts is relevant, expected at least one")
    precision, recall, threshold = precision_recall_curve(truth, score)
    # Highest threshold first, without the final point of scikit-learn, which has no threshold.
    return Curve(threshold[::-1], precision[-2::-1], recall[-2::-1], float(average_precision_score(truth, score)))


@dataclass(frozen=True, slots=True)
class Confusion:
    """Confusion matrix of a model and an analyst. Each field is a number of texts, named decision_label."""

    relevant_relevant: int
    relevant_other: int
    unknown_relevant: int
    unknown_other: int
    other_relevant: int
    other_other: int


def confusion(decisions: Sequence[str], labels: Sequence[str]) -> Confusion:
    """Count decisions of a model (relevant, unknown, other) by labels of an analyst (relevant, other).

    Args:
        decisions: Decisions of the model.
        labels: Labels of the analyst.
    """
    if len(decisions) != len(labels):
        raise RelevanceError(f"found {len(decisions)} decisions and {len(labels)} labels, expected the same number")
    pairs = list(zip(decisions, labels, strict=True))
    return Confusion(*(pairs.count((d, y)) for d in ("relevant", "unknown", "other") for y in ("relevant", "other")))


def mistakes(scores: Sequence[float], labels: Sequence[str]) -> list[tuple[int, float]]:
    """Return the positions at which model and analyst disagree, the most certain of the model first.

    Each has the distance of its score from one half. The list helps to find wrong labels.

    Args:
        scores: P(relevant) by the model.
        labels: Labels of the analyst.
    """
    disagreements = [
        (position, abs(score - 0.5))
        for position, (score, label) in enumerate(zip(scores, labels, strict=True))
        if (label == "relevant" and score < 0.5) or (label == "other" and score >= 0.5)
    ]
    return sorted(disagreements, key=lambda pair: (-round(pair[1], 6), pair[0]))


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """Average precision by number of labels. Each point is the mean over held-out folds.

    Attributes:
        labels: Number of training labels.
        average_precision: Average precision on held-out labels.
        gain: Predicted gain of 50 more labels, from the slope over the logarithm. Never negative.
    """

    labels: tuple[int, ...]
    average_precision: tuple[float, ...]
    gain: float


def learning_curve(
    texts: Sequence[str], labels: Sequence[str], *, space: VectorSpace, parts: int = 4, seed: int = 0
) -> LearningCurve:
    """Train on growing shares of the labels and score the rest.

    Args:
        texts: Labelled texts.
        labels: Their labels.
        space: Vector space of the corpus.
        parts: Number of folds.
        seed: Seed of the folds.

    Raises:
        RelevanceError: There are too few labels for cross-validation.
    """
    examples = [(text, label) for text, label in zip(texts, labels, strict=True) if label in ("relevant", "other")]
    truth = np.array([label == "relevant" for _, label in examples], bool)
    if min(truth.sum(), (~truth).sum()) < 2 * parts:
        raise RelevanceError(
            f"found {truth.sum()} relevant and {(~truth).sum()} other labels, expected at least {2 * parts} of each"
        )
    order = np.random.RandomState(seed).permutation(len(examples))
    fold = np.empty(len(examples), np.int64)
    for side in (True, False):  # stratified by class
        members = order[truth[order] == side]
        fold[members] = np.arange(len(members)) % parts
    shares = (0.25, 0.5, 1.0)
    points: list[tuple[int, float]] = []
    for share in shares:
        sizes, precisions = [], []
        for part in range(parts):
            train_on = [i for i in order if fold[i] != part]
            subset = _first(train_on, truth, share)
            held = np.flatnonzero(fold == part)
            model = train(
                [examples[i][0] for i in subset], [examples[i][1] for i in subset], kind=space.kind, space=space
            )
            scores = model.score([examples[i][0] for i in held]).tolist()
            precisions.append(curve(scores, truth[held].tolist()).average_precision)
            sizes.append(len(subset))
        points.append((round(float(np.mean(sizes))), float(np.mean(precisions))))
    return LearningCurve(tuple(n for n, _ in points), tuple(ap for _, ap in points), _gain(points, len(examples)))


def _first(order: Sequence[int], truth: np.ndarray, share: float) -> list[int]:
    sides = [[i for i in order if truth[i] == side] for side in (True, False)]
    return [i for side in sides for i in side[: max(2, round(share * len(side)))]]


def _gain(points: Sequence[tuple[int, float]], labels: int) -> float:
    x = np.log([n for n, _ in points])
    y = np.array([ap for _, ap in points])
    slope = np.polyfit(x, y, 1)[0]
    return float(np.clip(slope * np.log((labels + 50) / labels), 0.0, 1.0 - y[-1]))


@dataclass(frozen=True, slots=True)
class Drift:
    """Difference between the scores of two sets of texts.

    Attributes:
        before, after: Deciles of the scores, 0.1 to 0.9.
        distance: Kolmogorov-Smirnov distance of the distributions, 0 to 1.
        unknown_before, unknown_after: Mean share of tokens that the model does not know.
    """

    before: tuple[float, ...]
    after: tuple[float, ...]
    distance: float
    unknown_before: float
    unknown_after: float


def drift(model: RelevanceModel, before: Sequence[str], after: Sequence[str]) -> Drift:
    """Compare the scores of two crawls. An audit on the first may not hold for the second.

    Args:
        model: The model.
        before: Texts of the first crawl.
        after: Texts of the second crawl.
    """
    from scipy.stats import ks_2samp

    if not len(before) or not len(after):
        raise RelevanceError("found no texts on one side, expected texts on both")
    first, second = model.score(before), model.score(after)
    tenths = np.arange(1, 10) / 10
    return Drift(
        tuple(np.quantile(first, tenths).tolist()),
        tuple(np.quantile(second, tenths).tolist()),
        float(ks_2samp(first, second, method="asymp").statistic),
        float(model.unknown_share(before).mean()),
        float(model.unknown_share(after).mean()),
    )
