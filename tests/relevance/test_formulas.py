"""Statistics by SciPy and scikit-learn, against the values of the formulas written out that they replaced (2026-11-26)."""

import numpy as np
import pytest

from corpuskit.labels import informedness
from corpuskit.labels.agreement import kappa_interval
from corpuskit.relevance import RelevanceModel, drift, suggest
from corpuskit.relevance.audit import _platt
from corpuskit.relevance.metrics import curve
from corpuskit.relevance.recall_estimate import clopper_pearson

World = tuple[list[str], list[str]]


def equal(value: object) -> object:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("relevant", "drawn", "level", "interval"),
    [
        (0, 10, 0.975, (0.0, 0.3548049878517842)),
        (10, 10, 0.975, (0.6451950121482161, 1.0)),
        (3, 7, 0.975, (0.0767463528668749, 0.8486475660562038)),
        (37, 60, 0.9, (0.5024333321351624, 0.7219390419099441)),
        (0, 0, 0.9, (0.0, 1.0)),
    ],
)
def test_the_exact_interval_of_a_share(relevant: int, drawn: int, level: float, interval: tuple[float, float]) -> None:
    assert clopper_pearson(relevant, drawn, level=level) == equal(interval)


def test_precision_and_recall_over_equal_scores() -> None:
    random = np.random.RandomState(5)
    scores = random.rand(60).round(1)
    found = curve(scores.tolist(), (random.rand(60) < scores).tolist())
    assert found.threshold.tolist() == [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0]
    assert found.precision[:5] == equal([1.0, 0.9, 0.75, 7 / 9, 9 / 13])
    assert found.recall[[0, 1, 9, 10]] == equal([5 / 28, 9 / 28, 1.0, 1.0])
    assert found.average_precision == equal(0.7432367119341909)


def test_platt_s_curve_through_labels() -> None:
    random = np.random.RandomState(11)
    logit = random.normal(size=40) * 3
    said = random.rand(40) < 1 / (1 + np.exp(-logit))
    assert _platt(logit, said) == equal((1.0644462617394315, -0.3033238701620278))
    assert _platt(logit, ~said) == equal((0.0, 0.3322179983671343))
    assert _platt(logit[:1], said[:1])[1] == equal(0.6900435881313848)
    assert _platt(logit[:0], said[:0]) == (0.0, 0.0)


def test_wilson_s_interval_in_kappa_and_informedness() -> None:
    pairs = [("relevant", "relevant")] * 17 + [("other", "relevant")] * 4
    pairs += [("relevant", "other")] * 3 + [("other", "other")] * 20
    assert informedness(pairs) == equal((0.6790890269151139, 0.3956767557403118, 0.8211645668403319))
    right = [("relevant", "relevant")] * 5 + [("other", "other")] * 7
    assert informedness(right) == equal((1.0, 0.43935298507474985, 1.0))
    counts = {("a", "a"): 20, ("a", "b"): 5, ("b", "a"): 10, ("b", "b"): 15}
    assert kappa_interval(counts) == equal((0.12499298846322282, 0.6179289313938858))
    assert kappa_interval({("a", "a"): 2, ("b", "b"): 3}) == equal((0.09482819029293146, 1.0))


def test_the_distance_of_two_distributions(world: World, model: RelevanceModel) -> None:
    assert drift(model, world[0][:150], world[0][100:]).distance == equal(0.06)
    assert drift(model, world[0][:30], ["qwrtz sea"] * 50).distance == equal(0.8)


def test_scores_are_the_logistic_function_of_logits(world: World, model: RelevanceModel) -> None:
    logits = model.logits(world[0][:20])
    assert model.score(world[0][:20]) == equal(1 / (1 + np.exp(-logits)))
    for item in suggest(model, world[0][:20], 5):
        assert item.score == equal(1 / (1 + np.exp(-logits[item.index])))
