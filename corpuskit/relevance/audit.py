"""The audit: a threshold with a claim that holds, or no claim.

First 40 labels, spread over the top of the ranking, tell where precision falls under the target. Where the texts above
that point are few, they are labelled from the top on as far as the budget of 140 goes, if that is at least half of
them: their precision is then known, not estimated, and the claim ends where the labels end. Where they are many, a
uniform sample of them is put to a fixed-sequence test: from its 45 highest scores on, each longer prefix must have so
few errors that a region of too low a precision would show them with a probability of at most 1 - confidence; the first
failure ends the test. Labels of an audit must not be trained on, and a new training voids it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Literal

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.relevance.counts import Floats, Ints
from corpuskit.relevance.missed import share_interval
from corpuskit.relevance.model import AuditRecord, RelevanceModel

_BUDGET = 140
_LOOK = 40
_BATCH = 20
_LEAST = 10


class Audit:
    """Asks for labels and then states a threshold, or None.

    Args:
        model: The model that is certified.
        pool_texts: Texts that nobody has trained on.
        precision: Share of texts above the threshold that have the label, at least.
        confidence: Probability that this holds.
        seed: Of the sample.
        label: The label the claim is about.

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
            model: the model; its scores are taken now.
            pool_texts: the texts that the claim is about.
            precision: the share of `label` that a region must have.
            confidence: the probability with which a claim based on a sample holds.
            seed: of the samples.
            label: ``other`` audits the low end of the ranking: a score up to the threshold is then other.
        """
        if not (0.5 <= precision < 1.0 and 0.5 <= confidence < 1.0):
            raise RelevanceError(f"found precision={precision}, confidence={confidence}, expected 0.5 <= both < 1")
        self.model = model.fingerprint
        self.precision = precision
        self.confidence = confidence
        self.label = label
        self._sign = 1.0 if label == "relevant" else -1.0
        self.score: Floats = model.score(pool_texts)
        """Score of each text, as the model gave it."""
        self._score = self._sign * self.score
        self._order: Ints = np.argsort(-self._score, kind="stable")
        self._rank: Ints = np.argsort(self._order)
        self._seed = seed
        self.restart()
        self._top = int(np.clip((self._score >= 0.5 * self._sign).sum(), self.most, len(self.score)))

    def restart(self) -> None:
        """Forget all labels; ask the same again for the same labels."""
        self._said: dict[int, bool] = {}
        self._asked: list[int] = []
        self._random = np.random.RandomState(self._seed)
        self._stage: Literal["look", "whole", "sample", "done"] = "look"
        self._sampled: list[int] = []
        self._drawn_from = 0
        self._claim: float | None = None

    # ---------------------------------------------------------------- the protocol

    def next(self) -> list[int]:
        """Return positions in the pool to label next; empty when the audit is done. Asked again, the same."""
        if not self._asked:
            self._asked = self._plan()
        return list(self._asked)

    def add(self, indices: Sequence[int], labels: Sequence[str]) -> None:
        """Take the labels of positions that `next` asked for; ``unsure`` counts against the claim.

        Args:
            indices: Positions in the pool.
            labels: Their labels: relevant, other or unsure.

        Raises:
            RelevanceError: a position was not asked for, or a label is unknown.
        """
        if len(indices) != len(labels):
            raise RelevanceError(f"found {len(indices)} positions and {len(labels)} labels, expected as many of each")
        open_ = set(self._asked)
        for position, label in zip(indices, labels, strict=True):
            if int(position) not in open_:
                raise RelevanceError(f"found a label for position {position}, expected one of those next() asked for")
            if label not in ("relevant", "other", "unsure"):
                raise RelevanceError(f"found the label {label!r}, expected relevant, other or unsure")
        for position, label in zip(indices, labels, strict=True):
            self._said[int(position)] = label == self.label
        self._asked = [position for position in self._asked if position not in self._said]
        if not self._asked:
            self._advance()

    @property
    def threshold(self) -> float | None:
        """The certified score, or None: nothing can be claimed, or labels are still missing."""
        return None if self._claim is None else self._sign * self._claim

    @property
    def is_done(self) -> bool:
        """Whether no more labels are wanted."""
        return not self.next()

    @property
    def most(self) -> int:
        """How many labels it asks for at most."""
        return min(_BUDGET, len(self._order))

    @property
    def sampled(self) -> list[int]:
        """Positions that were drawn at random from the region of the claim; empty where it was labelled from the top on."""
        return list(self._sampled)

    def so_far(self) -> str:
        """Return what was sampled and what its labels say until now, in a sentence; the interval is Clopper and Pearson's."""
        if self._sampled:
            asked = f"{len(self._sampled):,} drawn at random from the {self._drawn_from:,} next to the highest scores"
            said = [self._said[position] for position in self._sampled if position in self._said]
        elif self._stage == "look" and self._top > _BUDGET:
            asked = f"{_LOOK} spread over the {self._top:,} highest scores"
            said = list(self._said.values())
        else:
            said = self._from_the_top()
            share = f": {sum(said):,} of {len(said):,} are {self.label}, which is known, not estimated" if said else ""
            return f"each from the highest score down{share}"
        if not said:
            return asked
        low, high = share_interval(sum(said), len(said), level=self.confidence)
        return (
            f"{asked}: {sum(said):,} of {len(said):,} are {self.label}, a precision from {low:.0%} to {high:.0%} "
            f"(confidence {self.confidence:.0%})"
        )

    @property
    def labels(self) -> dict[int, bool]:
        """Position to whether it had the audited label; not to be trained on."""
        return dict(self._said)

    def record(self) -> AuditRecord:
        """Return what was found out, for `RelevanceModel.certified`."""
        above = self.threshold if self.label == "relevant" else None
        below = self.threshold if self.label == "other" else None
        return AuditRecord(self.model, above, self.precision, self.confidence, len(self._said), below, len(self._score))

    def _from_the_top(self) -> list[bool]:
        """Return the labels from the highest score down to the first text without one."""
        return [self._said[i] for i in takewhile(self._said.__contains__, self._order.tolist())]

    # ---------------------------------------------------------------- what to ask

    def _plan(self) -> list[int]:
        left = self.most - len(self._said)
        if self._stage == "done" or left <= 0:
            return []
        if self._stage == "look":
            if self._top <= _BUDGET:
                self._stage = "whole"
            else:
                ranks = np.unique(np.floor((np.arange(_LOOK) + self._random.uniform(size=_LOOK)) * self._top / _LOOK))
                return [int(self._order[int(rank)]) for rank in ranks]
        if self._stage == "sample":
            return self._sampled
        missing = [int(i) for i in self._order if int(i) not in self._said]
        return missing[: min(_BATCH, left)]

    def _advance(self) -> None:
        if self._stage == "look":
            size = self._region()
            left = _BUDGET - len(self._said)
            missing = [rank for rank, position in enumerate(self._order) if int(position) not in self._said]
            reach = missing[left] if left < len(missing) else len(self._order)
            if 2 * reach >= size:  # half of the region known for certain is worth more than a guess at all of it
                self._stage = "whole"
            else:
                self._stage = "sample"
                free = np.array([int(i) for i in self._order[:size] if int(i) not in self._said])
                drawn = self._random.permutation(len(free))[: _BUDGET - len(self._said)]
                self._sampled = sorted(int(free[i]) for i in drawn)
                self._drawn_from = len(free)
        elif self._stage == "sample":
            self._claim = self._test()
            self._stage = "done"
        elif self._stage == "whole":
            self._claim, hopeless = self._prefix()
            if hopeless:
                self._stage = "done"

    def _region(self) -> int:
        """How many texts at the top have a chance of at least 0.9 each, by Platt's method on the labels so far."""
        from scipy.special import expit, logit

        known = np.array(sorted(self._said), np.int64)
        logits = self._sign * logit(np.clip(self.score, 1e-9, 1.0 - 1e-9))
        slope, start = _platt(logits[known], np.array([self._said[int(i)] for i in known]))
        chance = expit(slope * logits[self._order] + start)
        below = np.flatnonzero(chance[: self._top] < min(0.9, self.precision))
        return int(below[0]) if len(below) else self._top  # nobody looked further down

    # ---------------------------------------------------------------- what to claim

    def _prefix(self) -> tuple[float | None, bool]:
        """The lowest score down to which every text is labelled and precise enough, and whether more is hopeless."""
        said = self._from_the_top()
        counts = np.cumsum(said)
        claim = None
        for size in range(len(said), _LEAST - 1, -1):
            ties = size < len(self._order) and self._score[self._order[size]] == self._score[self._order[size - 1]]
            if not ties and counts[size - 1] >= self.precision * size:
                claim = float(self._score[self._order[size - 1]])
                break
        good = int(counts[-1]) if said else 0
        left = self.most - len(self._said)
        hopeless = good + left < self.precision * (len(said) + left) or left <= 0
        return claim, hopeless

    def _test(self) -> float | None:
        """The fixed-sequence test on the sample, highest scores first."""
        from scipy.stats import binom

        ranked = sorted(self._sampled, key=lambda position: self._rank[position])
        right = np.cumsum([self._said[position] for position in ranked])
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


def _platt(logit: Floats, said: np.ndarray) -> tuple[float, float]:
    """Slope and start of the logistic curve through labels, with Platt's smoothed targets (Platt 1999)."""
    from sklearn.linear_model import LogisticRegression

    if len(logit) == 0:
        return 0.0, 0.0
    right, wrong = int(said.sum()), int((~said).sum())
    target = np.where(said, (right + 1.0) / (right + 2.0), 1.0 / (wrong + 2.0))
    mean, spread = float(logit.mean()), float(logit.std()) + 1e-9
    features = np.column_stack([(logit - mean) / spread, np.ones_like(logit)])
    # Each text once with each class, which counts what its smoothed target says.
    fitted = LogisticRegression(C=1e3, fit_intercept=False, solver="newton-cholesky", tol=1e-12)
    truth, share = np.repeat([True, False], len(said)), np.concatenate([target, 1.0 - target])
    weight = fitted.fit(np.vstack([features, features]), truth, sample_weight=share).coef_[0]
    if weight[0] <= 0:
        return 0.0, float(weight[1])
    return float(weight[0] / spread), float(weight[1] - weight[0] * mean / spread)
