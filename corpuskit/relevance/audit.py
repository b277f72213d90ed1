"""Audit of a model: a score threshold with a statistical guarantee, or None.

The first 40 labels are spread over the top of the ranking. They locate the score at which precision drops below the target.
If the region above has few texts, they are labelled from the top, up to the budget of 140 labels, provided that this covers
at least half of the region. Precision is then known, not estimated, and the claim ends with the last label. If the region
is large, a uniform sample of it is put to a fixed-sequence test. Starting with the 45 highest scores, each longer prefix
must have few enough errors: a region of insufficient precision would have so few with a probability of at most
1 - confidence. The first failure ends the test. Labels of an audit must not be used for training, and a new training voids
the audit.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.relevance.model import AuditRecord, RelevanceModel
from corpuskit.relevance.recall_estimate import clopper_pearson
from corpuskit.relevance.token_counts import Floats, Ints

_BUDGET = 140
_PILOT_SIZE = 40
_BATCH = 20
_MIN_REGION = 10
_EARLIER_NAMES = {"most": "max_labels", "so_far": "status"}


class Audit:
    """Audit of a model. It asks for labels, then states a threshold or None.

    Args:
        model: The model.
        pool_texts: Texts that the model was not trained on.
        precision: Minimum share of texts above the threshold with the audited label.
        confidence: Probability that the claim holds.
        seed: Seed of the samples.
        label: The audited label.

    Example:
        >>> from corpuskit.relevance import train
        >>> texts = [f"sea fish {i}" for i in range(150)] + [f"tax law {i}" for i in range(300)]
        >>> model = train(texts[:3] + texts[-3:], ["relevant"] * 3 + ["other"] * 3, pool=texts)
        >>> audit = Audit(model, texts)
        >>> while batch := audit.next():
        ...     audit.add(batch, ["relevant" if "fish" in texts[i] else "other" for i in batch])
        >>> audit.threshold is not None
        True
    """

    def __init__(
        self,
        model: RelevanceModel,
        pool_texts: Sequence[str],
        *,
        precision: float = 0.95,
        confidence: float = 0.9,
        seed: int = 0,
        label: Literal["relevant", "other"] = "relevant",
    ) -> None:
        """Start an audit of `model` on texts that it was not trained on.

        Args:
            model: The model. Its scores are computed now.
            pool_texts: Texts that the claim is about.
            precision: Minimum share of `label` in the claimed region.
            confidence: Probability that a claim based on a sample holds.
            seed: Seed of the samples.
            label: ``other`` audits the low end of the ranking: scores up to the threshold are then other.
        """
        if not (0.5 <= precision < 1.0 and 0.5 <= confidence < 1.0):
            raise RelevanceError(f"found precision={precision}, confidence={confidence}, expected 0.5 <= both < 1")
        self.model = model.fingerprint
        self.precision = precision
        self.confidence = confidence
        self.label = label
        self._sign = 1.0 if label == "relevant" else -1.0
        self.score: Floats = model.score(pool_texts)
        """Score of each text by the model."""
        self._score = self._sign * self.score
        self._order: Ints = np.argsort(-self._score, kind="stable")
        self._rank: Ints = np.argsort(self._order)
        self._seed = seed
        self.restart()
        self._top = int(np.clip((self._score >= 0.5 * self._sign).sum(), self.max_labels, len(self.score)))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the value of an attribute by its earlier name."""
            if name in _EARLIER_NAMES:
                return getattr(self, _EARLIER_NAMES[name])
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def restart(self) -> None:
        """Discard all labels. The same labels lead to the same questions again."""
        self._labels: dict[int, bool] = {}
        self._pending: list[int] = []
        self._random = np.random.RandomState(self._seed)
        self._stage: Literal["pilot", "prefix", "sample", "done"] = "pilot"
        self._sampled: list[int] = []
        self._drawn_from = 0
        self._claim: float | None = None

    # ---------------------------------------------------------------- the protocol

    def next(self) -> list[int]:
        """Return positions in the pool to label next. Repeated calls return the same ones. Empty when the audit is done."""
        if not self._pending:
            self._pending = self._plan()
        return list(self._pending)

    def add(self, indices: Sequence[int], labels: Sequence[str]) -> None:
        """Add the labels of positions returned by `next`. ``unsure`` counts against the claim.

        Args:
            indices: Positions in the pool.
            labels: Their labels: relevant, other or unsure.

        Raises:
            RelevanceError: A position was not returned by `next`, or a label is unknown.
        """
        if len(indices) != len(labels):
            raise RelevanceError(f"found {len(indices)} positions and {len(labels)} labels, expected the same number")
        open_ = set(self._pending)
        for position, label in zip(indices, labels, strict=True):
            if int(position) not in open_:
                raise RelevanceError(f"found a label for position {position}, expected a position returned by next()")
            if label not in ("relevant", "other", "unsure"):
                raise RelevanceError(f"found the label {label!r}, expected relevant, other or unsure")
        for position, label in zip(indices, labels, strict=True):
            self._labels[int(position)] = label == self.label
        self._pending = [position for position in self._pending if position not in self._labels]
        if not self._pending:
            self._advance()

    @property
    def threshold(self) -> float | None:
        """The certified score. None if labels are missing or no claim is possible."""
        return None if self._claim is None else self._sign * self._claim

    @property
    def is_done(self) -> bool:
        """Whether the audit has all labels it needs."""
        return not self.next()

    @property
    def max_labels(self) -> int:
        """Maximum number of labels that the audit asks for."""
        return min(_BUDGET, len(self._order))

    @property
    def sampled(self) -> list[int]:
        """Positions sampled at random from the claimed region. Empty if the region was labelled from the top."""
        return list(self._sampled)

    def status(self) -> str:
        """Return the sampling so far and its results as a sentence, with the Clopper-Pearson interval of the precision."""
        if self._sampled:
            sampling = (
                f"{len(self._sampled):,} drawn at random from the {self._drawn_from:,} next to the highest scores"
            )
            labels = [self._labels[position] for position in self._sampled if position in self._labels]
        elif self._stage == "pilot" and self._top > _BUDGET:
            sampling = f"{_PILOT_SIZE} spread over the {self._top:,} highest scores"
            labels = list(self._labels.values())
        else:
            labels = self._from_the_top()
            share = f": {sum(labels):,} of {len(labels):,} are {self.label}, which is exact" if labels else ""
            return f"each from the highest score down{share}"
        if not labels:
            return sampling
        low, high = clopper_pearson(sum(labels), len(labels), level=self.confidence)
        return (
            f"{sampling}: {sum(labels):,} of {len(labels):,} are {self.label}, a precision from {low:.0%} to {high:.0%} "
            f"(confidence {self.confidence:.0%})"
        )

    @property
    def labels(self) -> dict[int, bool]:
        """Position → whether it has the audited label. Not to be used for training."""
        return dict(self._labels)

    def record(self) -> AuditRecord:
        """Return the result, for `RelevanceModel.with_audit`."""
        above = self.threshold if self.label == "relevant" else None
        below = self.threshold if self.label == "other" else None
        return AuditRecord(
            self.model, above, self.precision, self.confidence, len(self._labels), below, len(self._score)
        )

    def _from_the_top(self) -> list[bool]:
        """Return the labels from the highest score down to the first text without one."""
        return [self._labels[i] for i in takewhile(self._labels.__contains__, self._order.tolist())]

    # ---------------------------------------------------------------- questions

    def _plan(self) -> list[int]:
        remaining = self.max_labels - len(self._labels)
        if self._stage == "done" or remaining <= 0:
            return []
        if self._stage == "pilot":
            if self._top <= _BUDGET:
                self._stage = "prefix"
            else:
                ranks = np.unique(
                    np.floor(
                        (np.arange(_PILOT_SIZE) + self._random.uniform(size=_PILOT_SIZE)) * self._top / _PILOT_SIZE
                    )
                )
                return [int(self._order[int(rank)]) for rank in ranks]
        if self._stage == "sample":
            return self._sampled
        missing = [int(i) for i in self._order if int(i) not in self._labels]
        return missing[: min(_BATCH, remaining)]

    def _advance(self) -> None:
        if self._stage == "pilot":
            size = self._region()
            remaining = _BUDGET - len(self._labels)
            missing = [rank for rank, position in enumerate(self._order) if int(position) not in self._labels]
            reach = missing[remaining] if remaining < len(missing) else len(self._order)
            if 2 * reach >= size:  # exact knowledge of half of the region is worth more than an estimate for all of it
                self._stage = "prefix"
            else:
                self._stage = "sample"
                free = np.array([int(i) for i in self._order[:size] if int(i) not in self._labels])
                drawn = self._random.permutation(len(free))[: _BUDGET - len(self._labels)]
                self._sampled = sorted(int(free[i]) for i in drawn)
                self._drawn_from = len(free)
        elif self._stage == "sample":
            self._claim = self._test()
            self._stage = "done"
        elif self._stage == "prefix":
            self._claim, is_hopeless = self._prefix()
            if is_hopeless:
                self._stage = "done"

    def _region(self) -> int:
        """Return the number of top texts with a probability of at least 0.9 each, by Platt scaling of the labels so far."""
        from scipy.special import expit, logit

        known = np.array(sorted(self._labels), np.int64)
        logits = self._sign * logit(np.clip(self.score, 1e-9, 1.0 - 1e-9))
        slope, start = _platt(logits[known], np.array([self._labels[int(i)] for i in known]))
        chance = expit(slope * logits[self._order] + start)
        below = np.flatnonzero(chance[: self._top] < min(0.9, self.precision))
        return int(below[0]) if len(below) else self._top  # no label is below that rank

    # ---------------------------------------------------------------- claims

    def _prefix(self) -> tuple[float | None, bool]:
        """Return the lowest score of a labelled prefix with sufficient precision, and whether more labels are useless."""
        labels = self._from_the_top()
        counts = np.cumsum(labels)
        claim = None
        for size in range(len(labels), _MIN_REGION - 1, -1):
            ties = size < len(self._order) and self._score[self._order[size]] == self._score[self._order[size - 1]]
            if not ties and counts[size - 1] >= self.precision * size:
                claim = float(self._score[self._order[size - 1]])
                break
        good = int(counts[-1]) if labels else 0
        remaining = self.max_labels - len(self._labels)
        is_hopeless = good + remaining < self.precision * (len(labels) + remaining) or remaining <= 0
        return claim, is_hopeless

    def _test(self) -> float | None:
        """Run the fixed-sequence test on the sample, highest scores first. Return the claimed score, or None."""
        from scipy.stats import binom

        ranked = sorted(self._sampled, key=lambda position: self._rank[position])
        right = np.cumsum([self._labels[position] for position in ranked])
        size = int(np.ceil(np.log(1.0 - self.confidence) / np.log(self.precision)))
        claim = None
        while size <= len(ranked):
            errors = size - int(right[size - 1])
            if binom.cdf(errors, size, 1.0 - self.precision) > 1.0 - self.confidence:
                break
            claim = float(self._score[ranked[size - 1]])
            size = max(size + 1, int(np.ceil(size * 1.15))) if size < len(ranked) else size + 1
            size = len(ranked) if size > len(ranked) and claim != float(self._score[ranked[-1]]) else size
        return claim


def _platt(logit: Floats, labels: np.ndarray) -> tuple[float, float]:
    """Return slope and intercept of Platt scaling with smoothed targets (Platt 1999)."""
    from sklearn.linear_model import LogisticRegression

    if len(logit) == 0:
        return 0.0, 0.0
    right, wrong = int(labels.sum()), int((~labels).sum())
    target = np.where(labels, (right + 1.0) / (right + 2.0), 1.0 / (wrong + 2.0))
    mean, spread = float(logit.mean()), float(logit.std()) + 1e-9
    features = np.column_stack([(logit - mean) / spread, np.ones_like(logit)])
    # Each text occurs once with each class, weighted by its smoothed target.
    fitted = LogisticRegression(C=1e3, fit_intercept=False, solver="newton-cholesky", tol=1e-12)
    truth, share = np.repeat([True, False], len(labels)), np.concatenate([target, 1.0 - target])
    weight = fitted.fit(np.vstack([features, features]), truth, sample_weight=share).coef_[0]
    if weight[0] <= 0:
        return 0.0, float(weight[1])
    return float(weight[0] / spread), float(weight[1] - weight[0] * mean / spread)
