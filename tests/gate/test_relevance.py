"""Floors of learning from few labels, on the demo web, whose right answers are known: lowered only on purpose.

The pages were written for this project; the figures are means of ten draws on 2026-11-22, rounded down.
"""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import corpuskit
from corpuskit.relevance import VectorSpace, cold_start_queries, select, train
from corpuskit.relevance.scoring_text import scoring_text

DEMO = Path(__file__).parents[2] / "data" / "demo"
DATA_HASH = "017f7a356119af81cb83d7413e9e5a763ba17a082603a65902c4c822887b3494"
SEEDS = ("insurance", "claim", "premium", "assurance", "sinistre")
DRAWS = 10


@pytest.fixture(scope="module")
def pages():
    """Texts of the demo's pages, and whether each is relevant."""
    truth = pd.read_csv(DEMO / "truth.csv").set_index("url").label
    files = sorted((DEMO / "web").rglob("*.html"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in [DEMO / "truth.csv", *files])).hexdigest()
    assert digest == DATA_HASH, "the demo web has changed: measure again"
    texts, relevant = [], []
    for path in files:
        url = f"http://{path.relative_to(DEMO / 'web').as_posix().removesuffix('index.html')}"
        if url in truth.index:
            document = corpuskit.extract(path.read_bytes(), uri=url, media_type="text/html")
            texts.append(scoring_text(document.title, document.to_text(main=True)))
            relevant.append(truth[url] == "relevant")
    return texts, np.array(relevant)


def halves(pages):
    """Ten times: a pool to ask from, its answers, a space of it; texts of the rest, and their answers."""
    texts, relevant = pages
    for seed in range(DRAWS):
        order = np.random.RandomState(seed).permutation(len(texts))
        pool, rest = order[: len(order) // 2], order[len(order) // 2 :]
        own = [texts[i] for i in pool]
        yield seed, own, relevant[pool], VectorSpace.fit(own), [texts[i] for i in rest], relevant[rest]


def learnt(texts, relevant, have, space):
    return train([texts[i] for i in have], ["relevant" if relevant[i] else "other" for i in have], space=space)


def test_labels_that_the_model_asks_for_teach_more_than_random_ones(pages):
    asked, drawn = [], []
    for _, texts, relevant, space, rest, truth in halves(pages):
        first = [*np.flatnonzero(relevant)[:2].tolist(), *np.flatnonzero(~relevant)[:4].tolist()]
        have = first + select(learnt(texts, relevant, first, space), texts, 8, exclude=first)
        others = first + [i for i in range(len(texts)) if i not in first][:8]
        asked.append(metrics.average_precision_score(truth, learnt(texts, relevant, have, space).score(rest)))
        drawn.append(metrics.average_precision_score(truth, learnt(texts, relevant, others, space).score(rest)))
    assert np.mean(asked) >= 0.90
    assert np.mean(asked) > np.mean(drawn)


@pytest.mark.slow
def test_ten_first_questions_by_seed_words_are_enough_for_a_model(pages):
    found = []
    for seed, texts, relevant, space, rest, truth in halves(pages):
        have = [item.index for item in cold_start_queries(texts, 10, seeds=SEEDS, space=space, seed=seed)]
        assert 3 <= relevant[have].sum() <= 8
        found.append(metrics.average_precision_score(truth, learnt(texts, relevant, have, space).score(rest)))
    assert np.mean(found) >= 0.74
