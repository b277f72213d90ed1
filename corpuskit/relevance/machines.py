"""Labels of machines in training, as far as people's labels show that they help.

A machine's labels train a model of their own. What people's labels are for is left to people: the machine's model is mixed
into theirs by a weight that is chosen on people's labels, each scored by a model that has not seen it. Zero is among the
weights, and none is above about a third; sources in which the machine mostly contradicts people are left out. So a poor
machine costs nothing, and a biased one teaches what it can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.labels import MachineAgreement, agreement_with_people
from corpuskit.relevance.counts import Floats
from corpuskit.relevance.holding_out import held_out_logits
from corpuskit.relevance.model import RelevanceModel
from corpuskit.relevance.report import curve
from corpuskit.relevance.space import Kind, Space, comparable
from corpuskit.relevance.training import places_of, space_of, train

# Chosen on four tasks with six simulated machines each (benchmarks/machine_labels.py): above .35, biased machines cost
# up to .05 of average precision; .25 alone brings .01 less.
_WEIGHTS: Final = (0.0, 0.1, 0.25, 0.35)
_PARTS: Final = 5
_WRONG: Final = 0.4  # the share of labels in a source from which on the machine says nothing about it
_IMAGINED: Final = 2.0  # labels that a source begins with, as often wrong as all
_SCALED_ON: Final = 2_000  # texts


@dataclass(frozen=True, slots=True)
class MachineWeight:
    """What a machine's labels count in a model.

    Attributes:
        by: the machine.
        labels: how many of its labels were trained on.
        weight: its model's share in the logit, 0 to 0.35.
        left_out: the sources whose labels were not trained on, since the machine mostly contradicts people there.
        trust: the machine against people, these sources left out.
        without, together: average precision on people's labels, each held out, without it and with it; None where there are
            too few labels to hold any back.
    """

    by: str
    labels: int
    weight: float
    left_out: tuple[str, ...]
    trust: MachineAgreement
    without: float | None
    together: float | None

    def __repr__(self) -> str:
        told = f"{self.by}: {self.labels:,} labels count for {self.weight:.2f} of the model"
        if self.without is not None and self.together is not None:
            told += (
                f"; average precision {self.without:.3f} without, {self.together:.3f} with them, on labels held back"
            )
        if not self.weight and (self.labels or self.left_out):
            told += f"; not trusted ({self.trust!r})"
        elif not self.weight:
            told += f"; it labelled nothing that people have not ({self.trust!r})"
        if self.left_out:
            some = ", ".join(source or "files" for source in self.left_out[:3])
            told += f"; left out, since people disagree there: {some}{', ...' if len(self.left_out) > 3 else ''}"
        return told


def train_with_machines(  # noqa: PLR0913 - what a training takes, and three columns
    people: Mapping[str, str],
    machines: Mapping[str, Mapping[str, str]],
    texts: Mapping[str, str],
    *,
    sources: Mapping[str, str] | None = None,
    groups: Mapping[str, Hashable] | None = None,
    weights: Mapping[str, float] | None = None,
    pool: Sequence[str] | None = None,
    space: Space | None = None,
    kind: Kind = "document",
    seed: int = 0,
) -> tuple[RelevanceModel, tuple[MachineWeight, ...]]:
    """Train on people's labels, and on machines' as far as these help.

    Args:
        people: key → ``relevant`` or ``other``.
        machines: machine → key → the same; labels of keys that people have labelled measure it and are not trained on.
        texts: key → text or URL.
        sources: key → where it is from, as a host; None: from anywhere.
        groups: key → what it has in common with its copies, which are held out together; None: there are no copies.
        weights: key → what the example counts, if not 1; such labels measure no machine.
        pool, space, kind, seed: as of :func:`corpuskit.relevance.train`.

    Returns:
        The model, the same as without machines where no weight is above zero; and the weights, those most trusted first.

    Raises:
        RelevanceError: no model can be trained from people's labels.
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
    members = None if groups is None else [groups.get(key, key) for key in keys]
    parts = min(_PARTS, labels.count("relevant"), labels.count("other"))
    held, _ = held_out_logits(contents, labels, space=space, groups=members, parts=parts, seed=seed)
    found = []
    for by, said in sorted(machines.items()):
        lost = _contradicted(said, people, sources or {})
        kept = {key: label for key, label in said.items() if key in texts and (sources or {}).get(key) not in lost}
        found.append((agreement_with_people(by, kept, people), kept, lost))
    found.sort(key=lambda one: (-(one[0].low if one[0].low is not None else -1.0), one[0].by))
    told: list[MachineWeight] = []
    for trust, kept, lost in found:
        own = {key: label for key, label in kept.items() if key not in people and key not in (weights or {})}
        trial = _trial(model, held, own, texts, contents, labels, space)
        is_trusted = trust.low is not None and trust.low > 0.0
        if trial is not None and is_trusted and trial.weight:
            model, held = _mixed(model, trial, space, contents), trial.held
        weight, without, together = 0.0, None, None
        if trial is not None:
            weight, without, together = trial.weight, trial.without, trial.together
            if not is_trusted:
                weight, together = 0.0, without
        told.append(MachineWeight(trust.by, len(own), weight, tuple(sorted(lost)), trust, without, together))
    return model, tuple(told)


def _contradicted(said: Mapping[str, str], people: Mapping[str, str], sources: Mapping[str, str]) -> set[str]:
    """The sources in which the machine says mostly what people do not."""
    total, wrong = Counter[str](), Counter[str]()
    all_wrong = both = 0
    for key, label in said.items():
        if key in people:
            is_wrong = label != people[key]
            both, all_wrong = both + 1, all_wrong + is_wrong
            if key in sources:
                total[sources[key]] += 1
                wrong[sources[key]] += is_wrong
    usual = (all_wrong + 1) / (both + 2)
    return {name for name, n in total.items() if (wrong[name] + _IMAGINED * usual) / (n + _IMAGINED) > _WRONG}


@dataclass(frozen=True, slots=True)
class _Trial:
    """A machine's model beside the one so far.

    Attributes:
        model: the machine's.
        scale: what its logits are multiplied by, to be as large as those of the model so far.
        weight: the best of the weights.
        held: the logits of people's texts with this weight, each held out.
        without, together: average precision without and with it.
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
    space: Space,
) -> _Trial | None:
    """The best weight of a machine's labels; None where nothing can be held out or trained."""
    known = np.flatnonzero(~np.isnan(held))
    truth = [labels[i] == "relevant" for i in known.tolist()]
    if not any(truth):
        return None
    keys = sorted(own)
    try:
        other = train([texts[key] for key in keys], [own[key] for key in keys], kind=space.kind, space=space)
    except RelevanceError:
        return None
    some = [texts[key] for key in keys[:: max(1, len(keys) // _SCALED_ON)]]
    scale = float(model.logits(some).std() / max(float(other.logits(some).std()), 1e-9))
    # Labels of people count more: few of the machine's cannot outvote them.
    room = len(keys) / (len(keys) + len(contents))
    said = scale * other.logits(contents)
    tried = []
    for weight in _WEIGHTS:
        share = room * weight
        mixed = (1.0 - share) * held + share * said
        tried.append((curve(comparable(mixed[known]).tolist(), truth).average_precision, share, mixed))
    best = max(tried, key=lambda one: one[:2])
    return _Trial(other, scale, best[1], best[2], tried[0][0], best[0])


def _mixed(model: RelevanceModel, trial: _Trial, space: Space, people: Sequence[str]) -> RelevanceModel:
    """One model whose logits are those of both by their weights: all is linear in the same tokens."""
    own, share = 1.0 - trial.weight, trial.weight * trial.scale
    tables = tuple(
        replace(
            first,
            weight=(own * first.weight + share * second.weight).astype(np.float32),
            bias=own * first.bias + share * second.bias,
            meaning=None
            if first.meaning is None or second.meaning is None
            else replace(first.meaning, weight=own * first.meaning.weight + share * second.meaning.weight),
        )
        for first, second in zip(model.tables, trial.model.tables, strict=True)
    )
    return replace(model, tables=tables, places=places_of(tables, space, people) if space.kind == "url" else None)
