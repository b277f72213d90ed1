"""Cohen's kappa and its interval, against other programs and by simulation."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

from corpuskit.labels.agreement import kappa, kappa_interval


def test_kappa_and_interval_of_cohen_s_question():
    """20 of 25 and 15 of 25 alike: 35 of 50, chance 0.5; the interval is Wilson's of 35/50, as SciPy gives it."""
    counts = {("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}
    assert kappa(counts) == pytest.approx(0.4)
    wilson = binomtest(35, 50).proportion_ci(0.95, method="wilson")
    assert kappa_interval(counts) == pytest.approx(((wilson.low - 0.5) / 0.5, (wilson.high - 0.5) / 0.5))


def test_the_interval_of_few_documents_is_wide_and_ends_at_minus_one_and_one():
    low, high = kappa_interval({("relevant", "relevant"): 2, ("other", "other"): 1})
    assert high == 1.0
    assert low < 0.1
    low, high = kappa_interval({("relevant", "relevant"): 3, ("relevant", "other"): 1})
    assert low == -1.0
    assert 0 < high < 1


def test_where_chance_agrees_always_there_is_no_kappa():
    assert kappa({("other", "other"): 9}) is None
    assert kappa_interval({("other", "other"): 9}) is None


@pytest.mark.parametrize(("share", "error"), [(0.5, 0.05), (0.2, 0.15), (0.1, 0.1)])
@pytest.mark.slow
def test_the_interval_covers_the_true_kappa_about_as_often_as_it_says(share, error):
    """Two annotators who err independently; the true kappa by the formula on the expected table."""
    random = np.random.RandomState(3)
    both = share * (1 - error) ** 2 + (1 - share) * error**2
    one = share * (1 - error) + (1 - share) * error
    same = both + (1 - share) * (1 - error) ** 2 + share * error**2
    chance = one**2 + (1 - one) ** 2
    true = (same - chance) / (1 - chance)
    hits = told = 0
    for _ in range(400):
        truth = random.rand(60) < share
        first, second = truth ^ (random.rand(60) < error), truth ^ (random.rand(60) < error)
        counts = {(a, b): int(((first == a) & (second == b)).sum()) for a in (True, False) for b in (True, False)}
        found = kappa_interval(counts)
        if found is not None:
            told += 1
            hits += found[0] <= true <= found[1]
            assert kappa(counts) == pytest.approx(cohen_kappa_score(first, second))
    assert hits / told >= 0.9
