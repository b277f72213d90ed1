"""Figures about models and labels, on plain data; charts are drawn elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.relevance.counts import Floats
from corpuskit.relevance.model import RelevanceModel
from corpuskit.relevance.space import Space
from corpuskit.relevance.training import train


@dataclass(frozen=True, slots=True)
class Curve:
    """Precision and recall at every threshold, highest first.

    Attributes:
        threshold: the score from which on a text is called relevant.
        precision: the share of these that are relevant.
        recall: the share of the relevant ones that are among these.
        average_precision: the mean of precision over the steps of recall.
    """

    threshold: Floats
    precision: Floats
    recall: Floats
    average_precision: float


def curve(scores: Sequence[float], relevant: Sequence[bool]) -> Curve:
    """Return precision and recall over all thresholds; equal scores make one step.

    Args:
        scores: The scores.
        relevant: Whether each is relevant.

    Raises:
        RelevanceError: nothing is relevant.
    """
    from sklearn.metrics import average_precision_score, precision_recall_curve

    score, truth = np.asarray(scores, float), np.asarray(relevant, bool)
    if not truth.any():
        raise RelevanceError(f"found no relevant one among {len(truth)}, expected at least one")
    precision, recall, threshold = precision_recall_curve(truth, score)
    # Highest threshold first, without the point of no threshold.
    return Curve(threshold[::-1], precision[-2::-1], recall[-2::-1], float(average_precision_score(truth, score)))


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often model and analyst agree: each field is a number of texts, named decision_label."""

    relevant_relevant: int
    relevant_other: int
    unknown_relevant: int
    unknown_other: int
    other_relevant: int
    other_other: int


def confusion(decisions: Sequence[str], labels: Sequence[str]) -> Confusion:
    """Count decisions of a model (relevant, unknown, other) against an analyst's labels (relevant, other).

    Args:
        decisions: What the model said.
        labels: What the analyst said.
    """
    if len(decisions) != len(labels):
        raise RelevanceError(f"found {len(decisions)} decisions and {len(labels)} labels, expected as many of each")
    pairs = list(zip(decisions, labels, strict=True))
    return Confusion(*(pairs.count((d, y)) for d in ("relevant", "unknown", "other") for y in ("relevant", "other")))


def mistakes(scores: Sequence[float], labels: Sequence[str]) -> list[tuple[int, float]]:
    """Return positions where model and analyst disagree, the most certain of the model first: the list to look at again.

    Each with how far the score is on the wrong side of one half. A label that turns out to be wrong is replaced.

    Args:
        scores: P(relevant) by the model.
        labels: What the analyst said.
    """
    found = [
        (position, abs(score - 0.5))
        for position, (score, label) in enumerate(zip(scores, labels, strict=True))
        if (label == "relevant" and score < 0.5) or (label == "other" and score >= 0.5)
    ]
    return sorted(found, key=lambda pair: (-round(pair[1], 6), pair[0]))


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """Average precision against the number of labels, each point the mean over held-out parts.

    Attributes:
        labels: how many labels a model had.
        average_precision: what it reached on labels it had not seen.
        gain: what 50 more labels would bring, from the curve's slope over the logarithm; never negative.
    """

    labels: tuple[int, ...]
    average_precision: tuple[float, ...]
    gain: float


def learning_curve(
    texts: Sequence[str], labels: Sequence[str], *, space: Space, parts: int = 4, seed: int = 0
) -> LearningCurve:
    """Train on growing shares of the labels and score the rest.

    Args:
        texts: The labelled texts.
        labels: Their labels.
        space: The space they are learnt in.
        parts: Number of points of the curve.
        seed: Of the shares.

    Raises:
        RelevanceError: there are too few labels to hold any back.
    """
    kept = [(text, label) for text, label in zip(texts, labels, strict=True) if label in ("relevant", "other")]
    truth = np.array([label == "relevant" for _, label in kept], bool)
    if min(truth.sum(), (~truth).sum()) < 2 * parts:
        raise RelevanceError(
            f"found {truth.sum()} relevant and {(~truth).sum()} other labels, expected at least {2 * parts} of each"
        )
    order = np.random.RandomState(seed).permutation(len(kept))
    place = np.empty(len(kept), np.int64)
    for side in (True, False):  # every part gets its share of both classes
        members = order[truth[order] == side]
        place[members] = np.arange(len(members)) % parts
    shares = (0.25, 0.5, 1.0)
    points: list[tuple[int, float]] = []
    for share in shares:
        sizes, reached = [], []
        for part in range(parts):
            train_on = [i for i in order if place[i] != part]
            some = _first(train_on, truth, share)
            held = np.flatnonzero(place == part)
            model = train([kept[i][0] for i in some], [kept[i][1] for i in some], kind=space.kind, space=space)
            reached.append(
                curve(model.score([kept[i][0] for i in held]).tolist(), truth[held].tolist()).average_precision
            )
            sizes.append(len(some))
        points.append((round(float(np.mean(sizes))), float(np.mean(reached))))
    return LearningCurve(tuple(n for n, _ in points), tuple(ap for _, ap in points), _gain(points, len(kept)))


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
    """How the scores of two sets of texts differ.

    Attributes:
        before, after: deciles of the scores, 0.1 to 0.9.
        distance: the largest difference of the two distributions (Kolmogorov-Smirnov), 0 to 1.
        unknown_before, unknown_after: mean share of tokens the model does not know.
    """

    before: tuple[float, ...]
    after: tuple[float, ...]
    distance: float
    unknown_before: float
    unknown_after: float


def drift(model: RelevanceModel, before: Sequence[str], after: Sequence[str]) -> Drift:
    """Compare two crawls: a model audited on the first may not fit the second.

    Args:
        model: The model.
        before: Texts of the first crawl.
        after: Texts of the second one.
    """
    from scipy.stats import ks_2samp

    if not len(before) or not len(after):
        raise RelevanceError("found no texts on one side, expected some on both")
    first, second = model.score(before), model.score(after)
    tenths = np.arange(1, 10) / 10
    return Drift(
        tuple(np.quantile(first, tenths).tolist()),
        tuple(np.quantile(second, tenths).tolist()),
        float(ks_2samp(first, second, method="asymp").statistic),
        float(model.unknown_share(before).mean()),
        float(model.unknown_share(after).mean()),
    )
