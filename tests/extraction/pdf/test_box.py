"""Rectangles on a page."""

from __future__ import annotations

from corpuskit.extraction.pdf.box import Box


def test_a_box_goes_around_others() -> None:
    assert Box.around([Box(1, 2, 3, 4), Box(0, 3, 2, 9)]) == (0, 2, 3, 9)


def test_boxes_that_only_touch_do_not_overlap() -> None:
    assert Box(0, 0, 2, 2).overlaps(Box(1, 1, 3, 3))
    assert not Box(0, 0, 2, 2).overlaps(Box(2, 0, 3, 2))


def test_the_gap_of_boxes_is_the_sum_of_both_directions() -> None:
    assert Box(0, 0, 2, 2).gap(Box(5, 6, 7, 8)) == 7
    assert Box(0, 0, 2, 2).gap(Box(1, 1, 3, 3)) == 0
    assert Box(0, 0, 2, 2).shared(Box(1, 3, 5, 4)) == (1, -1)
