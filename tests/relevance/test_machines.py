"""Machines' labels in training: they count as far as people's labels show that they help, and never harm."""

from functools import cache

import numpy as np
import pytest

from corpuskit.relevance import CorpusModel, train, train_with_machines
from corpuskit.relevance.metrics import curve

WORDS = [f"sea{i}" for i in range(30)]
OTHERS = [f"tax{i}" for i in range(30)]
COMMON = ["the", "old", "new", "good", "long", "short", "year", "day", "man", "house", "road", "town"]


def make(n, seed):
    """Texts of two topics, each with a word of the other one, a fifth relevant; and the source of each."""
    random = np.random.RandomState(seed)
    texts, truth, sources = {}, {}, {}
    for i in range(n):
        relevant = random.uniform() < 0.2
        topic, rest = (WORDS, OTHERS) if relevant else (OTHERS, WORDS)
        words = [*random.choice(topic, 3), *random.choice(rest, 1), *random.choice(COMMON, 8), f"source{i % 5}"]
        texts[i], truth[i], sources[i] = " ".join(words), "relevant" if relevant else "other", f"source{i % 5}"
    return texts, truth, sources


TEXTS, TRUTH, SOURCES = make(700, 0)
PEOPLE = {i: TRUTH[i] for i in range(40)}
TEST, TEST_TRUTH, _ = make(400, 1)
FLIP = {"relevant": "other", "other": "relevant"}


def reached(model):
    scores = model.score(list(TEST.values())).tolist()
    return curve(scores, [label == "relevant" for label in TEST_TRUTH.values()]).average_precision


def trained(**machines):
    return train_with_machines(PEOPLE, machines, TEXTS, sources=SOURCES, pool=list(TEXTS.values()))


@cache
def alone():
    labels, sources = list(PEOPLE.values()), [SOURCES[i] for i in PEOPLE]
    return train([TEXTS[i] for i in PEOPLE], labels, pool=list(TEXTS.values()), groups=sources)


def test_a_good_machine_makes_the_model_better():
    model, [weight] = trained(good={i: TRUTH[i] for i in TEXTS})
    assert weight.weight > 0.0
    assert weight.labels == 660
    assert weight.trust.agreed == 40
    assert reached(model) > reached(alone())
    assert trained(good={i: TRUTH[i] for i in TEXTS})[0].fingerprint == model.fingerprint


@pytest.mark.parametrize("kind", ["contrary", "guess", "one label", "no text that people labelled"])
def test_a_machine_that_knows_nothing_leaves_the_model_as_it_is(kind):
    random = np.random.RandomState(3)
    said = {
        "contrary": {i: FLIP[TRUTH[i]] for i in TEXTS},
        "guess": {i: str(random.choice(["relevant", "other"])) for i in TEXTS},
        "one label": dict.fromkeys(TEXTS, "relevant"),
        "no text that people labelled": {i: TRUTH[i] for i in TEXTS if i not in PEOPLE},
    }[kind]
    model, [weight] = trained(poor=said)
    assert weight.weight == 0.0
    assert model.fingerprint == alone().fingerprint
    assert "not trusted" in repr(weight)


def test_of_a_machine_that_errs_in_one_source_that_source_is_left_out():
    said = {i: FLIP[TRUTH[i]] if SOURCES[i] == "source2" else TRUTH[i] for i in TEXTS}
    model, [weight] = trained(biased=said)
    assert weight.left_out == ("source2",)
    assert weight.labels == 4 * 132
    assert weight.trust.agreed == weight.trust.documents == 32
    assert reached(model) >= reached(alone()) - 0.005


@pytest.mark.slow
def test_a_good_machine_counts_beside_a_poor_one():
    model, weights = trained(good={i: TRUTH[i] for i in TEXTS}, poor={i: FLIP[TRUTH[i]] for i in TEXTS})
    assert [weight.by for weight in weights] == ["good", "poor"]
    assert weights[0].weight > weights[1].weight == 0.0
    assert reached(model) > reached(alone())


def test_few_labels_of_a_machine_count_little():
    few = {i: TRUTH[i] for i in range(60)}
    _, [weight] = trained(few=few)
    assert weight.weight <= 0.35 * 20 / 60 + 1e-9


@pytest.mark.slow
def test_a_corpus_trains_with_machines_says_so_and_keeps_it(fill):
    corpus = fill({f"d{i:02}.txt": TEXTS[i] for i in range(90)})
    numbers = {row.doc_id: int(row.uri[-6:-4]) for row in corpus.documents().itertuples()}
    corpus.set_labels({doc_id: TRUTH[i] for doc_id, i in numbers.items() if i < 40}, by="me")
    before = corpus.train()
    assert before.machines == ()
    corpus.set_labels({doc_id: TRUTH[i] for doc_id, i in numbers.items()}, by="machine:stub")
    model = corpus.train()
    [weight] = model.machines
    assert weight.by == "machine:stub"
    assert weight.labels == 50
    assert weight.trust.documents == 40
    assert weight.together >= weight.without
    assert "machine:stub: 50 labels count for" in repr(model)
    assert corpus.model().machines == model.machines
    assert isinstance(corpus.model(), CorpusModel)
    report = corpus.relevance_report()
    assert report.machines == model.machines
    assert "without" in repr(report)
