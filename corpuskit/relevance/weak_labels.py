"""Weak supervision: training with labels by machines, weighted by their agreement with labels by people.

Labels by a machine train a separate model. Its logits are mixed into those of the model of labels by people. The weight is
chosen by cross-validation on labels by people. It can be zero and is at most about a third. Sources in which the machine
mostly contradicts people are left out. So a poor machine does no harm, and a biased one still helps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.labels import MachineAgreement, agreement_with_people
from corpuskit.relevance.cross_validation import cross_val_logits
from corpuskit.relevance.metrics import curve
from corpuskit.relevance.model import RelevanceModel
from corpuskit.relevance.token_counts import Floats
from corpuskit.relevance.training import fit_host_prior, space_of, train
from corpuskit.relevance.vector_space import Kind, VectorSpace, comparable

# Chosen on four tasks with six simulated machines each (benchmarks/machine_labels.py): above 0.35, biased machines cost up to
# 0.05 of average precision; a maximum of 0.25 gains 0.01 less.
_WEIGHTS: Final = (0.0, 0.1, 0.25, 0.35)
_PARTS: Final = 5
_MAX_ERROR_RATE: Final = 0.4  # in a source; above it the labels of the machine in this source are left out
_PRIOR_LABELS: Final = 2.0  # imaginary labels per source, with the error rate of all sources
_SCALE_TEXTS: Final = 2_000  # texts used to compare the scales of two models


@dataclass(frozen=True, slots=True)
class MachineWeight:
    """Weight of a machine's labels in a model.

    Attributes:
        by: The machine.
        labels: Number of its labels in the training.
        weight: Share of its model in the logit, 0 to 0.35.
        left_out: Sources left out because the machine mostly contradicts people there.
        trust: Agreement with people, without these sources.
        without, together: Cross-validated average precision on labels by people, without and with the machine. None if
            there are too few labels for cross-validation.
    """

    by: str
    labels: int
    weight: float
    left_out: tuple[str, ...]
    trust: MachineAgreement
    without: float | None
    together: float | None

    def __repr__(self) -> str:
        text = f"{self.by}: {self.labels:,} labels count for {self.weight:.2f} of the model"
        if self.without is not None and self.together is not None:
            text += f"; average precision {self.without:.3f} without, {self.together:.3f} with them, on held-out labels"
        if not self.weight and (self.labels or self.left_out):
            text += f"; not trusted ({self.trust!r})"
        elif not self.weight:
            text += f"; it labelled nothing that people have not ({self.trust!r})"
        if self.left_out:
            names = ", ".join(source or "files" for source in self.left_out[:3])
            text += f"; left out, since people disagree there: {names}{', ...' if len(self.left_out) > 3 else ''}"
        return text


def train_with_machines(  # noqa: PLR0913 - the arguments of train, and three more
    people: Mapping[str, str],
    machines: Mapping[str, Mapping[str, str]],
    texts: Mapping[str, str],
    *,
    sources: Mapping[str, str] | None = None,
    groups: Mapping[str, Hashable] | None = None,
    weights: Mapping[str, float] | None = None,
    pool: Sequence[str] | None = None,
    space: VectorSpace | None = None,
    kind: Kind = "document",
    seed: int = 0,
) -> tuple[RelevanceModel, tuple[MachineWeight, ...]]:
    """Train on labels by people, and on labels by machines as far as they help.

    Args:
        people: Key → ``relevant`` or ``other``.
        machines: Machine → key → label. Labels of keys with a label by people measure the machine and are not trained on.
        texts: Key → text or URL.
        sources: Key → source, for example a host. None: unknown.
        groups: Key → group of duplicates, never split in cross-validation. None: no duplicates.
        weights: Key → weight of the example if it is not 1. Such labels do not measure machines.
        pool, space, kind, seed: See :func:`corpuskit.relevance.train`.

    Returns:
        The model, and the weights, most trusted machines first. If all weights are zero, the model is the one without
        machines.

    Raises:
        RelevanceError: No model can be trained from the labels by people.
    """
    keys = sorted(people)
    labels = [people[key] for key in keys]
    contents = [texts[key] for key in keys]
    if space is None:
        space = space_of(contents, pool, kind, seed)
    origins = None if sources is None else [sources.get(key) or key for key in keys]
    counts = [weights.get(key, 1.0) for key in keys] if weights else None
    model = train(contents, labels, kind=kind, space=space, seed=seed, groups=origins, weights=counts)
    if not machines:
        return model, ()
    if weights:
        people = {key: label for key, label in people.items() if key not in weights}
        keys = sorted(people)
        labels, contents = [people[key] for key in keys], [texts[key] for key in keys]
    group_of = None if groups is None else [groups.get(key, key) for key in keys]
    parts = min(_PARTS, labels.count("relevant"), labels.count("other"))
    held, _ = cross_val_logits(contents, labels, space=space, groups=group_of, parts=parts, seed=seed)
    candidates = []
    for by, of_machine in sorted(machines.items()):
        excluded = _contradicted(of_machine, people, sources or {})
        usable = {
            key: label for key, label in of_machine.items() if key in texts and (sources or {}).get(key) not in excluded
        }
        candidates.append((agreement_with_people(by, usable, people), usable, excluded))
    candidates.sort(key=lambda item: (-(item[0].low if item[0].low is not None else -1.0), item[0].by))
    results: list[MachineWeight] = []
    for agreement, usable, excluded in candidates:
        own = {key: label for key, label in usable.items() if key not in people and key not in (weights or {})}
        trial = _trial(model, held, own, texts, contents, labels, space)
        is_trusted = agreement.low is not None and agreement.low > 0.0
        if trial is not None and is_trusted and trial.weight:
            model, held = _mixed(model, trial, space, contents), trial.held
        weight, without, together = 0.0, None, None
        if trial is not None:
            weight, without, together = trial.weight, trial.without, trial.together
            if not is_trusted:
                weight, together = 0.0, without
        results.append(
            MachineWeight(agreement.by, len(own), weight, tuple(sorted(excluded)), agreement, without, together)
        )
    return model, tuple(results)


def _contradicted(labels: Mapping[str, str], people: Mapping[str, str], sources: Mapping[str, str]) -> set[str]:
    """Return the sources in which the machine mostly contradicts people."""
    total, wrong = Counter[str](), Counter[str]()
    all_wrong = both = 0
    for key, label in labels.items():
        if key in people:
            is_wrong = label != people[key]
            both, all_wrong = both + 1, all_wrong + is_wrong
            if key in sources:
                total[sources[key]] += 1
                wrong[sources[key]] += is_wrong
    prior = (all_wrong + 1) / (both + 2)
    return {
        name
        for name, n in total.items()
        if (wrong[name] + _PRIOR_LABELS * prior) / (n + _PRIOR_LABELS) > _MAX_ERROR_RATE
    }


@dataclass(frozen=True, slots=True)
class _Trial:
    """Result of mixing a machine's model into the current model.

    Attributes:
        model: Model of the machine's labels.
        scale: Factor that brings its logits to the scale of the current model.
        weight: The best weight.
        held: Cross-validated logits of the texts labelled by people, with this weight.
        without, together: Average precision without and with the machine.
    """

    model: RelevanceModel
    scale: float
    weight: float
    held: Floats
    without: float
    together: float


def _trial(
    model: RelevanceModel,
    held: Floats,
    own: Mapping[str, str],
    texts: Mapping[str, str],
    contents: Sequence[str],
    labels: Sequence[str],
    space: VectorSpace,
) -> _Trial | None:
    """Find the best weight of a machine's labels. Return None if cross-validation or training is impossible."""
    known = np.flatnonzero(~np.isnan(held))
    truth = [labels[i] == "relevant" for i in known.tolist()]
    if not any(truth):
        return None
    keys = sorted(own)
    try:
        other = train([texts[key] for key in keys], [own[key] for key in keys], kind=space.kind, space=space)
    except RelevanceError:
        return None
    subset = [texts[key] for key in keys[:: max(1, len(keys) // _SCALE_TEXTS)]]
    scale = float(model.logits(subset).std() / max(float(other.logits(subset).std()), 1e-9))
    # Labels by people count more: a few labels of the machine must not outvote them.
    max_share = len(keys) / (len(keys) + len(contents))
    machine_logits = scale * other.logits(contents)
    results = []
    for weight in _WEIGHTS:
        share = max_share * weight
        mixed = (1.0 - share) * held + share * machine_logits
        results.append((curve(comparable(mixed[known]).tolist(), truth).average_precision, share, mixed))
    best = max(results, key=lambda result: result[:2])
    return _Trial(other, scale, best[1], best[2], results[0][0], best[0])


def _mixed(model: RelevanceModel, trial: _Trial, space: VectorSpace, people: Sequence[str]) -> RelevanceModel:
    """Return one model with the weighted logits of both. This is exact, because both are linear in the same tokens."""
    own, share = 1.0 - trial.weight, trial.weight * trial.scale
    tables = tuple(
        replace(
            first,
            weight=(own * first.weight + share * second.weight).astype(np.float32),
            bias=own * first.bias + share * second.bias,
            lsa=None
            if first.lsa is None or second.lsa is None
            else replace(first.lsa, weight=own * first.lsa.weight + share * second.lsa.weight),
        )
        for first, second in zip(model.tables, trial.model.tables, strict=True)
    )
    return replace(
        model, tables=tables, host_prior=fit_host_prior(tables, space, people) if space.kind == "url" else None
    )
