from __future__ import annotations

import numpy as np
import pytest

from corpuskit.errors import RelevanceError
from corpuskit.relevance import Audit, RelevanceModel, train

World = tuple[list[str], list[str]]


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
    assert "nothing could be claimed" in repr(model.certified(audit.record()))


def test_a_large_region_is_sampled(model: RelevanceModel) -> None:
    random = np.random.RandomState(1)
    texts = [" ".join(random.choice(["sea", "ship", "fish", "tide"], 5)) + f" {i}" for i in range(3000)]
    texts += [" ".join(random.choice(["law", "court", "tax", "oath"], 5)) + f" {i}" for i in range(3000)]
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
    other = next(i for i in range(len(world[0])) if i not in audit.next())
    with pytest.raises(RelevanceError, match=f"position {other}"):
        audit.add([other], ["relevant"])
    with pytest.raises(RelevanceError, match="'yes'"):
        audit.add(audit.next()[:1], ["yes"])


def test_a_training_voids_the_audit(world: World, model: RelevanceModel) -> None:
    texts, labels = world
    audit = Audit(model, texts)
    run(audit, labels)
    certified = model.certified(audit.record())
    assert certified.threshold == audit.threshold
    assert set(certified.decide(texts)) == {"relevant", "unknown"}
    again = train(texts[:60], labels[:60], pool=texts)
    assert again.threshold is None
    with pytest.raises(RelevanceError, match="voids an audit"):
        again.certified(audit.record())


def test_the_low_end_is_audited_upside_down(world: World, model: RelevanceModel) -> None:
    texts, labels = world
    audit = Audit(model, texts, label="other")
    run(audit, labels)
    assert audit.threshold is not None
    decisions = np.array(model.certified(audit.record()).decide(texts))
    assert np.mean(np.array(labels)[decisions == "other"] == "other") >= 0.95


def test_an_empty_pool_and_a_small_one_are_audited(model: RelevanceModel) -> None:
    assert Audit(model, []).next() == []
    small = Audit(model, ["sea ship", "law court"])
    assert run(small, ["relevant", "other"]) == 2
    assert small.threshold is None


def test_where_all_of_the_first_labels_are_relevant_the_region_ends_where_they_end() -> None:
    random = np.random.RandomState(2)
    texts = [" ".join(random.choice(["sea", "ship", "fish", "tide"], 5)) + f" {i}" for i in range(180)]
    texts += [" ".join(random.choice(["law", "court", "tax", "oath"], 5)) + f" {i}" for i in range(1500)]
    truth = ["relevant"] * 180 + ["other"] * 1500
    model = train([*texts[:5], *texts[-15:]], [*truth[:5], *truth[-15:]], pool=texts)
    audit = Audit(model, texts)
    assert run(audit, truth) <= 140
    assert audit.threshold is not None
    assert (model.score(texts[:180]) >= audit.threshold).sum() >= 100


def large(model: RelevanceModel) -> Audit:
    random = np.random.RandomState(1)
    texts = [" ".join(random.choice(["sea", "ship", "fish", "tide"], 5)) + f" {i}" for i in range(1000)]
    return Audit(model, texts, precision=0.9)


def test_an_audit_under_way_tells_what_was_sampled_and_the_interval_so_far(model: RelevanceModel) -> None:
    audit = large(model)
    assert audit.so_far() == "40 spread over the 1,000 highest scores"
    batch = audit.next()
    audit.add(batch[:10], ["relevant"] * 8 + ["other"] * 2)
    # Where the share is .493, 8 or more of 10 have a probability of 5 %; where it is .963, 8 or fewer have.
    assert audit.so_far() == (
        "40 spread over the 1,000 highest scores: 8 of 10 are relevant, a precision from 49% to 96% (confidence 90%)"
    )


def test_of_what_is_labelled_from_the_top_on_no_interval_is_told(world: World, model: RelevanceModel) -> None:
    audit = Audit(model, world[0])
    batch = audit.next()
    audit.add(batch[:4], ["relevant", "relevant", "other", "relevant"])
    assert audit.so_far() == ("each from the highest score down: 3 of 4 are relevant, which is known, not estimated")
