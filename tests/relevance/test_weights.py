"""Examples that count less than one."""

import numpy as np
import pytest

from corpuskit.errors import RelevanceError
from corpuskit.relevance import VectorSpace, train
from corpuskit.relevance.training import _logistic

TEXTS = [f"premium claim policy cover {i}" for i in range(6)] + [f"garden flower tomato soil {i}" for i in range(6)]
LABELS = ["relevant"] * 6 + ["other"] * 6


@pytest.fixture(scope="module")
def space():
    return VectorSpace.fit(TEXTS)


def test_weights_of_one_are_no_weights(space):
    plain, weighed = train(TEXTS, LABELS, space=space), train(TEXTS, LABELS, space=space, weights=[1.0] * 12)
    assert weighed.fingerprint == plain.fingerprint


def test_an_example_of_weight_two_is_two_of_weight_one():
    random = np.random.RandomState(0)
    features, relevant = random.normal(size=(9, 3)), np.arange(9) % 3 == 0
    twice = np.r_[np.arange(9), 4, 6]
    times = np.ones(9)
    times[[4, 6]] = 2.0
    once, bias = _logistic(features, relevant, times)
    expected, expected_bias = _logistic(features[twice], relevant[twice])
    np.testing.assert_allclose(once, expected, atol=1e-3)
    assert bias == pytest.approx(expected_bias, abs=1e-3)


def test_a_light_example_moves_a_model_less(space):
    texts, labels = [*TEXTS, "tomato premium harvest"], [*LABELS, "relevant"]
    light, full = (
        train(texts, labels, space=space, weights=[1.0] * 12 + [w]).score(["tomato harvest"])[0] for w in (0.05, 1.0)
    )
    without = train(TEXTS, LABELS, space=space).score(["tomato harvest"])[0]
    assert without < light < full


@pytest.mark.parametrize("weights", [[1.0] * 11, [0.0] * 12, [1.0] * 11 + [float("nan")], [1.0] * 11 + [-1.0]])
def test_weights_that_are_none_are_refused(space, weights):
    with pytest.raises(RelevanceError, match="weights"):
        train(TEXTS, LABELS, space=space, weights=weights)
