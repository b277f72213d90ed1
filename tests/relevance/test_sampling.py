from __future__ import annotations

import numpy as np
import pytest

from corpuskit.errors import RelevanceError
from corpuskit.relevance import RelevanceModel, rank_by_seeds, select, suggest

World = tuple[list[str], list[str]]


def test_selected_positions_are_new_and_distinct(world: World, model: RelevanceModel) -> None:
    chosen = select(model, world[0], 25, exclude=range(30))
    assert len(set(chosen)) == 25
    assert min(chosen) >= 30
    assert all(type(position) is int for position in chosen)


def test_the_least_certain_come_first(world: World, model: RelevanceModel) -> None:
    distance = np.abs(model.logits(world[0]))
    chosen = select(model, world[0], 10, exclude=[0])
    rest = np.setdiff1d(np.arange(1, len(world[0])), chosen)
    assert distance[chosen].max() <= distance[rest].min()


def test_of_equal_texts_one_is_asked(model: RelevanceModel) -> None:
    pool = ["sea law"] * 5 + ["ship court", "fish judge"]
    assert sorted(pool[i] for i in select(model, pool, 3)) == ["fish judge", "sea law", "ship court"]


def test_a_text_equal_to_a_labelled_one_is_not_asked(model: RelevanceModel) -> None:
    assert select(model, ["sea law", "sea law", "ship court"], 1, exclude=[0]) == [2]


def test_no_more_than_there_are_are_selected(model: RelevanceModel) -> None:
    assert sorted(select(model, ["sea", "law"], 5)) == [0, 1]
    assert select(model, ["sea", "law"], 5, exclude=[0, 1]) == []


def test_each_suggestion_has_its_reason(world: World, model: RelevanceModel) -> None:
    found = suggest(model, world[0], 10, exclude=range(30), certain=2, random=1)
    assert [s.reason for s in found] == ["uncertain"] * 7 + ["certain"] * 2 + ["random"]
    assert len({s.index for s in found}) == 10


def test_parts_larger_than_the_whole_are_refused(world: World, model: RelevanceModel) -> None:
    with pytest.raises(RelevanceError, match="parts of n"):
        suggest(model, world[0], 2, certain=2, random=1)


def test_seed_words_rank_their_topic_first(world: World) -> None:
    texts, labels = world
    best = np.argsort(-rank_by_seeds(texts, ["harbour", "Lighthouse"]))[:20]
    assert all(labels[i] == "relevant" for i in best)


def test_seed_words_that_stand_nowhere_are_refused(world: World) -> None:
    with pytest.raises(RelevanceError, match="qwrtz"):
        rank_by_seeds(world[0], ["qwrtz"])
