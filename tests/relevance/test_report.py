from __future__ import annotations

import pytest

from corpuskit.errors import RelevanceError
from corpuskit.relevance import (
    RelevanceModel,
    VectorSpace,
    confusion,
    curve,
    drift,
    learning_curve,
    mistakes,
)

World = tuple[list[str], list[str]]


def test_precision_and_recall_by_hand() -> None:
    found = curve([0.9, 0.8, 0.7, 0.6], [True, False, True, False])
    assert found.precision.tolist() == pytest.approx([1, 1 / 2, 2 / 3, 1 / 2])
    assert found.recall.tolist() == [0.5, 0.5, 1.0, 1.0]
    assert found.average_precision == pytest.approx(0.5 * 1 + 0.5 * 2 / 3)
    assert curve([0.5, 0.5], [True, False]).precision.tolist() == [0.5]  # equal scores make one step
    with pytest.raises(RelevanceError, match="none of 1 texts is relevant"):
        curve([0.5], [False])


def test_confusion_counts_each_pair() -> None:
    found = confusion(["relevant", "relevant", "unknown", "other"], ["relevant", "other", "relevant", "other"])
    assert (found.relevant_relevant, found.relevant_other, found.unknown_relevant, found.other_other) == (1, 1, 1, 1)
    assert (found.unknown_other, found.other_relevant) == (0, 0)


def test_mistakes_are_listed_most_certain_first() -> None:
    found = mistakes([0.9, 0.1, 0.6, 0.95], ["other", "relevant", "other", "relevant"])
    assert [position for position, _ in found] == [0, 1, 2]


@pytest.mark.slow
def test_a_learning_curve_grows_and_tells_the_gain(world: World) -> None:
    texts, labels = world
    found = learning_curve(texts[:120], labels[:120], space=VectorSpace.fit(texts))
    assert found.labels == tuple(sorted(found.labels))
    assert all(0 < ap <= 1 for ap in found.average_precision)
    assert 0 <= found.gain <= 1
    with pytest.raises(RelevanceError, match="at least 8 of each"):
        learning_curve(texts[:20], labels[:20], space=VectorSpace.fit(texts))


def test_drift_tells_other_texts(world: World, model: RelevanceModel) -> None:
    same = drift(model, world[0], world[0])
    other = drift(model, world[0], ["qwrtz sea"] * 50)
    assert same.distance == 0
    assert other.distance > 0.5
    assert other.unknown_after > same.unknown_after


def test_every_public_name_is_there() -> None:
    import corpuskit.relevance as room

    assert list(room.__all__) == sorted(room.__all__)
    assert all(hasattr(room, name) for name in room.__all__)
