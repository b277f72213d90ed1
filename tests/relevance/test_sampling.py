from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from corpuskit.errors import RelevanceError
from corpuskit.relevance import RelevanceModel, cold_start_queries, rank_by_seeds, select, suggest, train
from corpuskit.relevance.sampling import exploration_quota

World = tuple[list[str], list[str]]


@pytest.mark.parametrize("number", [25, 250])  # 250: more than are compared at once
def test_selected_positions_are_new_and_distinct(world: World, model: RelevanceModel, number: int) -> None:
    chosen = select(model, world[0], number, exclude=range(30))
    assert len(set(chosen)) == number
    assert min(chosen) >= 30
    assert all(type(position) is int for position in chosen)


def test_the_least_certain_comes_first_and_all_are_of_twice_as_many(world: World, model: RelevanceModel) -> None:
    distance = np.abs(model.logits(world[0]) - model.query_boundary)
    distance[0] = np.inf
    chosen = select(model, world[0], 10, exclude=[0])
    least = np.argsort(distance, kind="stable")[:20]
    assert chosen[0] == least[0]
    assert set(chosen) <= set(least.tolist())


def test_questions_are_about_the_border_of_the_labelled_texts_not_of_the_others(
    world: World, model: RelevanceModel
) -> None:
    elsewhere = replace(model, query_boundary=float(model.logits(world[0]).max()))
    assert select(elsewhere, world[0], 1) == [int(np.argmax(model.logits(world[0])))]


def test_near_copies_are_not_asked_for_together(model: RelevanceModel) -> None:
    copies = [f"sea law wave clause {'day ' * (i + 1)}" for i in range(4)]
    others = ["ship court morning", "fish judge night", "island oath road", "storm fee hand"]
    chosen = [[*copies, *others][i] for i in select(model, [*copies, *others], 4)]
    assert len(set(chosen) & set(copies)) <= 1


def test_exploring_a_class_ends_when_ten_of_it_are_known(world: World) -> None:
    texts, labels = world
    few, enough = (train(texts[:n], labels[:n], pool=texts) for n in (45, 50))  # every fifth is relevant: 9 and 10
    assert exploration_quota(few, 20) == (5, 2)
    assert exploration_quota(enough, 20) == (0, 2)
    assert exploration_quota(enough, 3) == (0, 0)


def test_of_equal_texts_one_is_asked(model: RelevanceModel) -> None:
    pool = ["sea law"] * 5 + ["ship court", "fish judge"]
    assert sorted(pool[i] for i in select(model, pool, 3)) == ["fish judge", "sea law", "ship court"]
    assert select(model, ["sea law", "sea law", "ship court"], 1, exclude=[0]) == [2]


def test_no_more_than_there_are_are_selected(model: RelevanceModel) -> None:
    assert sorted(select(model, ["sea", "law"], 5)) == [0, 1]
    assert select(model, ["sea", "law"], 5, exclude=[0, 1]) == []


def test_each_suggestion_has_its_reason(world: World, model: RelevanceModel) -> None:
    found = suggest(model, world[0], 10, exclude=range(30), certain=2, random=1)
    assert [s.reason for s in found] == ["uncertain"] * 7 + ["certain"] * 2 + ["random"]
    assert len({s.index for s in found}) == 10
    with pytest.raises(RelevanceError, match="expected 0 <= certain"):
        suggest(model, world[0], 2, certain=2, random=1)


def test_seed_words_rank_their_topic_first(world: World) -> None:
    texts, labels = world
    best = np.argsort(-rank_by_seeds(texts, ["harbour", "Lighthouse"]))[:20]
    assert all(labels[i] == "relevant" for i in best)
    with pytest.raises(RelevanceError, match="qwrtz"):
        rank_by_seeds(texts, ["qwrtz"])


def test_the_first_questions_are_near_the_seed_words_and_in_all_regions_in_turns() -> None:
    # Four topics of different size; the words of each stand in no other.
    topics = {"fish": 9, "law": 40, "bread": 30, "tram": 20}
    texts = [f"{topic}a {topic}b {topic}c {i}" for topic, size in topics.items() for i in range(size)]
    topic_of = [topic for topic, size in topics.items() for _ in range(size)]
    found = cold_start_queries(texts, 12, seeds=["fisha"])
    assert [item.reason for item in found[:9]] == ["seed words", "new region", "seed words"] * 3
    assert {topic_of[item.index] for item in found if item.reason == "seed words"} == {"fish"}
    assert {topic_of[item.index] for item in found[1:9:3]} == {"law", "bread", "tram"}
    assert len({item.index for item in found}) == 12


def test_a_region_with_a_label_is_not_asked_again_and_the_rest_comes_at_random() -> None:
    texts = [f"{topic}a {topic}b {topic}c" for topic in ("law", "bread", "tram") for _ in range(10)]
    found = cold_start_queries([f"{text} {i}" for i, text in enumerate(texts)], 30, labelled=[0, 1])
    central = [item.index for item in found if item.reason == "new region"]
    assert 0 not in central
    assert sorted(item.index for item in found) == list(range(2, 30))
    assert {item.reason for item in found[len(central) :]} == {"random"}


def test_texts_without_a_word_are_asked_at_random() -> None:
    assert [item.reason for item in cold_start_queries(["", "!", "?"], 2, seeds=["fish"])] == ["random"] * 2
