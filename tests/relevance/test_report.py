from __future__ import annotations

import pytest

from corpuskit.errors import RelevanceError
from corpuskit.relevance import (
    RelevanceModel,
    Space,
    agreement,
    confusion,
    contradictions,
    curve,
    drift,
    learning_curve,
    mistakes,
    seen_and_unseen,
    split,
    train,
)

World = tuple[list[str], list[str]]


def test_precision_and_recall_by_hand() -> None:
    found = curve([0.9, 0.8, 0.7, 0.6], [True, False, True, False])
    assert found.precision.tolist() == pytest.approx([1, 1 / 2, 2 / 3, 1 / 2])
    assert found.recall.tolist() == [0.5, 0.5, 1.0, 1.0]
    assert found.average_precision == pytest.approx(0.5 * 1 + 0.5 * 2 / 3)
    assert curve([0.5, 0.5], [True, False]).precision.tolist() == [0.5]  # equal scores make one step
    with pytest.raises(RelevanceError, match="no relevant one among 1"):
        curve([0.5], [False])


def test_kappa_by_hand() -> None:
    # Of 50: both yes 20, both no 15, 5 and 10 differ. Observed .7, chance .5: kappa .4 (Cohen's own kind of table).
    pairs = [("relevant", "relevant")] * 20 + [("relevant", "other")] * 5
    pairs += [("other", "relevant")] * 10 + [("other", "other")] * 15
    first = {str(i): a for i, (a, _) in enumerate(pairs)}
    second = {str(i): b for i, (_, b) in enumerate(pairs)}
    assert agreement(first, second) == pytest.approx(0.4)
    with pytest.raises(RelevanceError, match="nothing that both"):
        agreement({"a": "other"}, {"b": "other"})


def test_confusion_counts_each_pair() -> None:
    found = confusion(["relevant", "relevant", "unknown", "other"], ["relevant", "other", "relevant", "other"])
    assert (found.relevant_relevant, found.relevant_other, found.unknown_relevant, found.other_other) == (1, 1, 1, 1)
    assert (found.unknown_other, found.other_relevant) == (0, 0)


def test_mistakes_are_listed_most_certain_first() -> None:
    found = mistakes([0.9, 0.1, 0.6, 0.95], ["other", "relevant", "other", "relevant"])
    assert [position for position, _ in found] == [0, 1, 2]


def test_only_last_words_contradict() -> None:
    rows = [("a", "relevant", "ann"), ("a", "other", "bob"), ("b", "relevant", "ann"), ("b", "other", "ann")]
    assert contradictions([*rows, ("c", "unsure", "ann"), ("c", "other", "bob")]) == {
        "a": {"ann": "relevant", "bob": "other"}
    }


def test_no_group_is_on_both_sides() -> None:
    groups = [f"host{i % 17}" for i in range(200)]
    train, test = split(groups, share=0.25, seed=3)
    assert not {groups[i] for i in train} & {groups[i] for i in test}
    assert sorted([*train, *test]) == list(range(200))
    assert 40 <= len(test) <= 75
    assert split(groups, share=0.25, seed=3)[1].tolist() == test.tolist()
    assert split(groups, share=0.25, seed=4)[1].tolist() != test.tolist()
    with pytest.raises(RelevanceError, match="1 group"):
        split(["a", "a"])


@pytest.mark.slow
def test_a_learning_curve_grows_and_tells_the_gain(world: World) -> None:
    texts, labels = world
    found = learning_curve(texts[:120], labels[:120], space=Space.fit(texts))
    assert found.labels == tuple(sorted(found.labels))
    assert all(0 < ap <= 1 for ap in found.average_precision)
    assert 0 <= found.gain <= 1
    with pytest.raises(RelevanceError, match="at least 8 of each"):
        learning_curve(texts[:20], labels[:20], space=Space.fit(texts))


def test_drift_tells_other_texts(world: World, model: RelevanceModel) -> None:
    same = drift(model, world[0], world[0])
    other = drift(model, world[0], ["qwrtz sea"] * 50)
    assert same.distance == 0
    assert other.distance > 0.5
    assert other.unknown_after > same.unknown_after


def test_seen_and_unseen_hosts_are_told_apart(links: World) -> None:
    urls, labels = links
    model = train(urls[:60:2], labels[:60:2], pool=urls, kind="url")  # every second host is labelled
    found = seen_and_unseen(model, urls, [label == "relevant" for label in labels])
    assert found["seen"] is not None
    assert found["unseen"] is not None
    assert found["seen"].average_precision > 0.99
    assert seen_and_unseen(model, urls[:3], [False] * 3) == {"seen": None, "unseen": None}


def test_every_public_name_is_there() -> None:
    import corpuskit.relevance as room

    assert list(room.__all__) == sorted(room.__all__)
    assert all(hasattr(room, name) for name in room.__all__)
