"""The second look: what the first says of the blocks around, of those like it and of the sections; counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from corpuskit.extraction import ExtractOptions
from corpuskit.extraction.html.blocks import Blocks, blocks_of
from corpuskit.extraction.html.context import context_columns
from corpuskit.extraction.html.decode import parse
from corpuskit.extraction.html.extract import walk_page
from corpuskit.extraction.html.metadata import read_head

PAGE = (
    "<h2>Head</h2><div class=card><p>one two</p></div><div class=card><p>three four five six</p></div>"
    "<footer><span>seven</span></footer>"
)


def blocks(markup: str) -> Blocks:
    root = parse(markup.encode(), charset=None, uri=None)
    walked, _ = walk_page([root], read_head(root), None, ExtractOptions())
    return blocks_of(walked)


def test_columns_of_neighbours_containers_and_titles() -> None:
    page = blocks(PAGE)
    assert page.texts == ["Head", "one two", "three four five six", "seven"]
    first = np.array([0.5, 0.9, 0.8, 0.1])
    columns = np.stack(context_columns(page, first), 1)
    assert columns[:, 0].tolist() == first.tolist()
    assert columns[:, 1].tolist() == [0.0, 0.5, 0.9, 0.8]  # the block before
    assert columns[:, 4].tolist() == [0.9, 0.8, 0.1, 0.0]  # the block behind
    # Words are 1, 2, 4, 1: within two blocks of the first .5 + 1.8 + 3.2 of 7 words.
    assert columns[0, 7] == pytest.approx(5.5 / 7)
    assert columns[3, 10] == pytest.approx(0.1)  # the mean in its own element


def test_cards_of_one_kind_have_one_mean() -> None:
    page = blocks(PAGE)
    columns = np.stack(context_columns(page, np.array([0.5, 0.9, 0.8, 0.1])), 1)
    alike = 10 + 14  # behind the pairs of seven elements around
    assert columns[1, alike] == columns[2, alike] == pytest.approx((0.9 * 2 + 0.8 * 4) / 6)
    assert columns[1, alike + 1] == pytest.approx(np.log1p(2))


@pytest.mark.parametrize("markup", ["<p>a</p>", "<h1>a</h1>", "<p>a</p><p>b</p>"])
def test_pages_of_few_blocks_have_all_columns(markup: str) -> None:
    page = blocks(markup)
    wide = len(context_columns(blocks(PAGE), np.full(4, 0.5)))
    columns = context_columns(page, np.full(len(page.rows), 0.5))
    assert len(columns) == wide
    assert all(np.isfinite(column).all() and len(column) == len(page.rows) for column in columns)
