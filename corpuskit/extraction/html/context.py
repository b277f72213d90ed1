"""What a first look at all blocks of a page says about each: how probable its neighbours, its like and what is around it are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from corpuskit.extraction.html.blocks import Blocks
from corpuskit.extraction.html.features import shifted

Column = NDArray[np.float64]


def context_columns(blocks: Blocks, first: Column) -> list[Column]:
    """The columns of the second look.

    Args:
        blocks: of a page.
        first: block → how probable it is main content, at the first look.
    """
    n, words = len(first), blocks.words
    weighed = first * words
    columns = [first, *(shifted(first, by) for by in (1, 2, 3, -1, -2, -3))]
    total, main = np.concatenate(([0.0], np.cumsum(words))), np.concatenate(([0.0], np.cumsum(weighed)))
    at = np.arange(n)
    for reach in (2, 5, 12):
        start, end = np.maximum(at - reach, 0), np.minimum(at + reach + 1, n)
        columns.append((main[end] - main[start]) / np.maximum(total[end] - total[start], 1))
    columns += _around(blocks, words, weighed)
    columns += _alike(blocks, first, words)
    columns += _in_sections(blocks, first, words, weighed)
    return columns + _on_page(first, words)


def _around(blocks: Blocks, words: Column, weighed: Column) -> list[Column]:
    """The mean of what stands in the elements around, and how much of the page's expected main words."""
    m, chain = len(blocks.parent), blocks.chain
    sums = []
    for values in (words, weighed):
        own = np.concatenate(([0.0], np.cumsum(np.bincount(blocks.node, values, m))))
        sums.append(own[blocks.end] - own[:-1])
    mean, share = sums[1] / np.maximum(sums[0], 1), sums[1] / max(float(weighed.sum()), 1e-9)
    depth = (chain >= 0).sum(1)
    rows = np.arange(len(words))
    places = [chain[rows, np.minimum(up, depth - 1)] for up in (0, 1, 2, 3, 4, 6, 8)]
    return [column[place] for place in places for column in (mean, share)]


def _alike(blocks: Blocks, first: Column, words: Column) -> list[Column]:
    """Blocks whose elements, two and three deep, have the same names and classes: cards of a list, posts of a thread."""
    columns = []
    pair = np.append(blocks.pair, -1)
    names = pair[blocks.chain[:, :3]]
    for deep in (2, 3):
        _, group = np.unique(names[:, :deep], axis=0, return_inverse=True)
        group = group.reshape(-1)
        count = np.bincount(group)
        mean = np.bincount(group, first * words) / np.maximum(np.bincount(group, words), 1)
        columns += [mean[group], np.log1p(count)[group]]
    return columns


def _in_sections(blocks: Blocks, first: Column, words: Column, weighed: Column) -> list[Column]:
    """The titles around, and what stands under the nearest."""
    n, section = len(first), blocks.section
    titles = section == np.arange(n)
    known = np.append(first, 0.0)
    outer = np.append(blocks.outer_section, -1)
    under = (section >= 0) & ~titles
    total, main = (np.bincount(section[under], values[under], n) for values in (words, weighed))
    mean = np.append(main / np.maximum(total, 1), 0.0)
    return [
        known[section],
        known[outer[section]],
        mean[section],
        mean[outer[section]],
        np.append(np.log1p(total), 0.0)[section],
    ]


def _on_page(first: Column, words: Column) -> list[Column]:
    """How much of the page comes before a block in the order of probability, and of the page as a whole."""
    order = np.argsort(-first, kind="stable")
    before = np.empty(len(first))
    before[order] = np.cumsum(words[order]) / max(float(words.sum()), 1.0)
    expected = float((first * words).sum()) / max(float(words.sum()), 1.0)
    sure = first >= 0.5
    at = np.arange(len(first))
    last = np.maximum.accumulate(np.where(sure, at, -len(first)))
    following = np.minimum.accumulate(np.where(sure, at, 2 * len(first))[::-1])[::-1]
    return [
        before, np.full(len(first), expected), np.full(len(first), float(first.max(initial=0.0))),
        np.log1p(np.minimum(at - last, len(first))), np.log1p(np.minimum(following - at, len(first))),
    ]  # fmt: skip
