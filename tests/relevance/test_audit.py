from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest

from corpuskit.errors import RelevanceError
from corpuskit.relevance import Audit, RelevanceModel, train

World = tuple[list[str], list[str]]
SEA, LAW = ["sea", "ship", "fish", "tide"], ["law", "court", "tax", "oath"]


def numbered(random: np.random.RandomState, words: list[str], number: int) -> list[str]:
    return [" ".join(random.choice(words, 5)) + f" {i}" for i in range(number)]


def run(audit: Audit, truth: list[str]) -> int:
    asked: set[int] = set()
    while batch := audit.next():
        assert not asked & set(batch)
        asked |= set(batch)
        audit.add(batch, [truth[i] for i in batch])
    return len(asked)


def test_a_clean_region_is_certified_within_the_budget(world: World, model: RelevanceModel) -> None:
    texts, labels = world
    audit = Audit(model, texts[30:])
    assert run(audit, labels[30:]) <= 140
    assert audit.threshold is not None
    above = np.array(labels[30:])[model.score(texts[30:]) >= audit.threshold]
    assert np.mean(above == "relevant") >= 0.95
    assert len(above) > 40


def test_nothing_is_claimed_where_nothing_is_relevant(world: World, model: RelevanceModel) -> None:
    audit = Audit(model, world[0])
    run(audit, ["other"] * len(world[0]))
    assert audit.threshold is None
    assert "nothing could be claimed" in repr(model.with_audit(audit.record()))


def test_a_large_region_is_sampled(model: RelevanceModel) -> None:
    random = np.random.RandomState(1)
    texts = [text for words in (SEA, LAW) for text in numbered(random, words, 3000)]
    truth = ["relevant"] * 3000 + ["other"] * 3000
    audit = Audit(model, texts)
    assert run(audit, truth) <= 140
    assert audit.threshold is not None
    called = model.score(texts) >= audit.threshold
    assert called[:3000].sum() > 1500
    assert called[3000:].sum() <= 0.05 * called.sum()


def test_until_it_is_done_nothing_is_claimed(world: World, model: RelevanceModel) -> None:
    audit = Audit(model, world[0])
    assert audit.next() == audit.next()
    assert audit.threshold is None


def test_labels_can_come_in_parts(world: World, model: RelevanceModel) -> None:
    texts, labels = world
    whole, parts = Audit(model, texts), Audit(model, texts)
    run(whole, labels)
    while batch := parts.next():
        parts.add(batch[:3], [labels[i] for i in batch[:3]])
    assert parts.threshold == whole.threshold


def test_labels_nobody_asked_for_are_refused(world: World, model: RelevanceModel) -> None:
    audit = Audit(model, world[0])
    batch = audit.next()
    other = next(i for i in range(len(world[0])) if i not in batch)
    for positions, labels, message in (
        ([other], ["relevant"], f"position {other}"),
        (batch[:1], ["yes"], "'yes'"),
        (batch[:3], ["relevant"] * 2, "3 positions and 2 labels"),
    ):
        with pytest.raises(RelevanceError, match=message):
            audit.add(positions, labels)
    assert audit.labels == {}


def test_a_training_voids_the_audit(world: World, model: RelevanceModel) -> None:
    texts, labels = world
    audit = Audit(model, texts)
    run(audit, labels)
    certified = model.with_audit(audit.record())
    assert certified.threshold == audit.threshold
    assert set(certified.decide(texts)) == {"relevant", "unknown"}
    again = train(texts[:60], labels[:60], pool=texts)
    assert again.threshold is None
    with pytest.raises(RelevanceError, match="voids an audit"):
        again.with_audit(audit.record())


def test_the_low_end_is_audited_upside_down(world: World, model: RelevanceModel) -> None:
    texts, labels = world
    audit = Audit(model, texts, label="other")
    run(audit, labels)
    assert audit.threshold is not None
    decisions = np.array(model.with_audit(audit.record()).decide(texts))
    assert np.mean(np.array(labels)[decisions == "other"] == "other") >= 0.95


def test_an_empty_pool_and_a_small_one_are_audited(model: RelevanceModel) -> None:
    assert Audit(model, []).next() == []
    small = Audit(model, ["sea ship", "law court"])
    assert run(small, ["relevant", "other"]) == 2
    assert small.threshold is None


def test_where_all_of_the_first_labels_are_relevant_the_region_ends_where_they_end() -> None:
    random = np.random.RandomState(2)
    texts = numbered(random, SEA, 180) + numbered(random, LAW, 1500)
    truth = ["relevant"] * 180 + ["other"] * 1500
    model = train([*texts[:5], *texts[-15:]], [*truth[:5], *truth[-15:]], pool=texts)
    audit = Audit(model, texts)
    assert run(audit, truth) <= 140
    assert audit.threshold is not None
    assert (model.score(texts[:180]) >= audit.threshold).sum() >= 100


def test_an_audit_under_way_tells_what_was_sampled_and_the_interval_so_far(model: RelevanceModel) -> None:
    audit = Audit(model, numbered(np.random.RandomState(1), SEA, 1000), precision=0.9)
    assert audit.status() == "40 spread over the 1,000 highest scores"
    batch = audit.next()
    audit.add(batch[:10], ["relevant"] * 8 + ["other"] * 2)
    # Where the share is .493, 8 or more of 10 have a probability of 5 %; where it is .963, 8 or fewer have.
    assert audit.status() == (
        "40 spread over the 1,000 highest scores: 8 of 10 are relevant, a precision from 49% to 96% (confidence 90%)"
    )


def test_of_what_is_labelled_from_the_top_on_no_interval_is_told(world: World, model: RelevanceModel) -> None:
    audit = Audit(model, world[0])
    batch = audit.next()
    audit.add(batch[:4], ["relevant", "relevant", "other", "relevant"])
    assert audit.status() == ("each from the highest score down: 3 of 4 are relevant, which is exact")


class Ranking:
    """A model whose scores are given."""

    fingerprint = "of a ranking"

    def __init__(self, scores: Sequence[float]) -> None:
        self._scores = np.array(scores)

    def score(self, texts: Sequence[str]) -> np.ndarray:
        return self._scores


def ranked(scores: Sequence[float], **options: Any) -> Audit:
    return Audit(cast(RelevanceModel, Ranking(scores)), [""] * len(scores), **options)


def falling(high: float, low: float, number: int) -> list[float]:
    return np.linspace(high, low, number).tolist()


def sampled(size: int) -> Audit:
    """An audit of `size` texts of which the first 40 labels were all relevant, so that its region is all of them."""
    audit = ranked(falling(0.95, 0.9, size))
    look = audit.next()
    assert len(look) == 40
    audit.add(look, ["relevant"] * 40)
    audit.next()
    return audit


@pytest.mark.parametrize(
    "options", [{"precision": 1.0}, {"precision": 0.49}, {"confidence": 1.0}, {"confidence": 0.49}]
)
def test_a_claim_that_no_sample_can_make_is_refused(options: dict[str, float]) -> None:
    with pytest.raises(RelevanceError, match=r"expected 0\.5 <= both < 1"):
        ranked([0.9], **options)
    assert ranked([0.9], precision=0.5, confidence=0.5).precision == 0.5


@pytest.mark.parametrize(("number", "threshold"), [(9, None), (10, 0.6)])
def test_a_claim_is_made_from_ten_texts_on(number: int, threshold: float | None) -> None:
    audit = ranked(falling(0.9, 0.6, number))
    assert not audit.is_done
    run(audit, ["relevant"] * number)
    assert audit.is_done
    assert audit.threshold == (threshold and pytest.approx(threshold))


# 95 % of the 140 texts that can be labelled are 133: seven others are borne, eight are not.
@pytest.mark.parametrize(("others", "asked"), [(7, 140), (8, 20)])
def test_labels_are_asked_for_as_long_as_a_claim_is_possible(others: int, asked: int) -> None:
    scores = falling(0.9, 0.1, 200)
    audit = ranked(scores)
    assert run(audit, ["other"] * others + ["relevant"] * (200 - others)) == asked
    assert audit.threshold == (scores[139] if others == 7 else None)


# The 100 labels left reach about rank 122 of 220, more than half of them, and about rank 118 of 260, less than half.
def test_a_region_of_which_half_can_be_labelled_is_labelled_from_the_top_on() -> None:
    assert sampled(220).sampled == []
    audit = sampled(260)
    assert len(audit.sampled) == 100
    assert audit.status() == "100 drawn at random from the 220 next to the highest scores"


# The chance of each half, with Platt's targets: 31/32 and 1/12 (.97 and .53); 39/40 and 1/4 (.98 and .9025);
# 38/39 and 1/5 (.94 and .897).
@pytest.mark.parametrize(
    ("others_above", "others_below", "free"), [([], range(0, 20, 2), 280), ([], [3, 7], 560), ([5], [3, 7], 280)]
)
@pytest.mark.parametrize("label", ["relevant", "other"])
def test_the_region_ends_where_the_chance_falls_under_nine_in_ten(
    others_above: Sequence[int], others_below: Sequence[int], free: int, label: str
) -> None:
    above, below = (0.9, 0.6) if label == "relevant" else (0.1, 0.4)
    audit = ranked([above] * 300 + [below] * 300, label=label)
    look = audit.next()
    assert sum(position < 300 for position in look) == 20
    wrong = {*others_above, *(20 + i for i in others_below)}
    audit.add(look, ["unsure" if i in wrong else label for i in range(40)])
    audit.next()
    assert audit.status() == f"100 drawn at random from the {free} next to the highest scores"


def test_a_claim_ends_before_the_text_that_would_spoil_it() -> None:
    scores = falling(0.9, 0.5, 11)
    audit = ranked(scores)
    run(audit, ["relevant"] * 10 + ["other"])  # ten of eleven are 91 %
    assert audit.threshold == scores[9]


def test_texts_of_one_score_are_claimed_together_or_not_at_all() -> None:
    audit = ranked([0.9] * 20 + [0.5] * 20)
    run(audit, ["relevant"] * 22 + ["other"] * 18)
    assert audit.threshold == 0.9


def test_a_ranking_that_the_labels_contradict_ends_no_region() -> None:
    audit = ranked([0.9] * 300 + [0.6] * 300)
    # Three of the upper 20 are other, none of the lower: .86 and .97, so the score says nothing; all of it has .94.
    audit.add(audit.next(), ["other"] * 3 + ["relevant"] * 37)
    audit.next()
    assert audit.status() == "100 drawn at random from the 560 next to the highest scores"


# The test is made at 45, 52, 60, 69, 80, 92 and 100 labels; none of 45 to 76 may be wrong, of 77 to 104 one may.
@pytest.mark.parametrize(
    ("wrong", "last"), [([], 100), ([44], None), ([50], 45), ([60], 52), ([70], 100), ([70, 71], 69), ([70, 93], 92)]
)
def test_the_sequence_of_tests_ends_with_the_first_that_fails(wrong: list[int], last: int | None) -> None:
    audit = sampled(400)
    positions = audit.sampled
    audit.add(positions, ["other" if number in wrong else "relevant" for number in range(1, 101)])
    assert audit.threshold == (None if last is None else audit.score[positions[last - 1]])
