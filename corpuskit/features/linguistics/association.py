"""Association measures, as functions of counts.

Sources:
    - Evert 2008, Corpora and collocations (Corpus Linguistics: An International Handbook): contingency tables of surface
      co-occurrence, MI, t-score, log-likelihood G2.
    - Rychlý 2008, A lexicographer-friendly association score (RASLAN): logDice.
    - Rayson and Garside 2000, Comparing corpora using frequency profiling: log-likelihood of two corpora.
    - Hardie 2014, Log ratio: an informal introduction. Kilgarriff 2009, Simple maths for keywords.
    - Wilson 1927, Probable inference; Cochran 1977, Sampling techniques; Kish 1965, Survey sampling: design effect.
    - Gries 2008, Dispersions and adjusted frequencies in corpora: DP; Lijffijt and Gries 2012: its norm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


def mutual_information(observed: Floats, expected: Floats) -> Floats:
    """MI = log2(O / E)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.log2(observed / expected)
    return result


def t_score(observed: Floats, expected: Floats) -> Floats:
    """t = (O - E) / sqrt(O)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = (observed - expected) / np.sqrt(observed)
    return result


def log_dice(together: Floats, first: Floats | float, second: Floats | float) -> Floats:
    """logDice = 14 + log2(2 f(xy) / (f(x) + f(y))); 14 at most, each point less is half as strong."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = 14.0 + np.log2(2.0 * together / (first + second))
    return result


def log_likelihood(both: Floats, row: Floats | float, column: Floats, size: float) -> Floats:
    """G2 of a 2 x 2 table: 2 sum O ln(O / E) over its four cells, negative if the count is below expectation.

    Args:
        both: the count of the first cell.
        row: the sum of its row.
        column: the sum of its column.
        size: the sum of all cells.
    """
    cells = (
        (both, row * column / size),
        (row - both, row * (size - column) / size),
        (column - both, (size - row) * column / size),
        (size - row - column + both, (size - row) * (size - column) / size),
    )
    total: Floats = 2.0 * sum((_times_log(observed, expected) for observed, expected in cells), np.zeros_like(both))
    return np.where(both < cells[0][1], -total, total)


def keyness(count: Floats, size: float, reference: Floats, reference_size: float) -> Floats:
    """G2 of Rayson and Garside: 2 (a ln(a / E1) + b ln(b / E2)), negative if the reference rate is higher."""
    rate = (count + reference) / (size + reference_size)
    expected, other = size * rate, reference_size * rate
    total: Floats = 2.0 * (_times_log(count, expected) + _times_log(reference, other))
    return np.where(count < expected, -total, total)


def log_ratio(count: Floats, size: float, reference: Floats, reference_size: float) -> Floats:
    """Return log2 of the ratio of relative frequencies. A count of 0 is replaced by 0.5 (Hardie 2014)."""
    first = np.where(count > 0, count, 0.5) / size
    second = np.where(reference > 0, reference, 0.5) / reference_size
    result: Floats = np.log2(first / second)
    return result


def simple_maths(per_million: Floats, reference_per_million: Floats, add: float) -> Floats:
    """(fpm + n) / (reference fpm + n): a small ``n`` finds rare words, a large one frequent ones."""
    result: Floats = (per_million + add) / (reference_per_million + add)
    return result


def deviation_of_proportions(counts: Floats, sizes: Floats) -> tuple[float, float]:
    """Gries' DP of one word over parts of a corpus, and DPnorm = DP / (1 - the smallest part's share).

    DP = half the sum of |expected share - observed share|; 0: as even as the parts, towards 1: in one small part.
    """
    if counts.sum() == 0:
        return float("nan"), float("nan")
    expected = sizes / sizes.sum()
    dp = float(np.abs(expected - counts / counts.sum()).sum() / 2.0)
    smallest = float(expected.min())
    return dp, dp / (1.0 - smallest) if smallest < 1.0 else 0.0


def rate_interval(counts: Floats, sizes: Floats, z: float = 1.959964) -> tuple[float, float]:
    """Return the confidence interval of a rate: total count divided by total size.

    Wilson's interval (1927) with an effective sample size. The number of tokens is divided by the design effect: the ratio
    of the variance between documents (Cochran 1977, section 6.5) to the variance of independent tokens. The design effect is
    at least 1, and 1 for a single document.

    Args:
        counts: Number of matches per document.
        sizes: Number of tokens per document.
        z: Quantile of the normal distribution. 1.96: a confidence level of 95 %.
    """
    size, documents = float(sizes.sum()), len(sizes)
    rate = float(counts.sum()) / size
    independent = rate * (1.0 - rate) / size
    between = 0.0
    if documents > 1:
        between = documents / (documents - 1) * float(((counts - rate * sizes) ** 2).sum()) / size**2
    worth = size / max(1.0, between / independent if independent > 0 else 1.0)
    middle = rate + z * z / (2.0 * worth)
    width = z * float(np.sqrt(rate * (1.0 - rate) / worth + z * z / (4.0 * worth * worth)))
    scale = 1.0 + z * z / worth
    return max(0.0, (middle - width) / scale), min(1.0, (middle + width) / scale)


def _times_log(observed: Floats, expected: Floats) -> Floats:
    """O ln(O / E), 0 where O is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(observed > 0, observed * np.log(observed / expected), 0.0)
