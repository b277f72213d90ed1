"""Coordinates of rotated and cropped pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpuskit.extraction.pdf.frame import Frame

POINTS = st.floats(0, 500)


@pytest.mark.parametrize(
    ("turns", "expected"),
    [(0, (10, 180)), (1, (20, 10)), (2, (90, 20)), (3, (180, 90))],
)
def test_a_point_is_seen_where_a_viewer_shows_it(turns, expected):
    # A page 100 wide and 200 tall; the point is 10 from the left and 20 from the bottom of the unrotated page.
    assert Frame(0, 0, 100, 200, turns).points(10, 20) == expected


@given(POINTS, POINTS, st.floats(1, 50), st.floats(1, 50), st.integers(0, 3), st.integers(0, 3))
def test_a_box_goes_to_another_frame_and_back(x, y, width, height, one, other):
    a, b = Frame(5, 7, 505, 707, one), Frame(5, 7, 505, 707, other)
    box = (x, y, x + width, y + height)
    assert a.box_in(b, box) == pytest.approx(b.box_in(a, a.box_in(b, box)) if one == other else a.box_in(b, box))
    assert b.box_in(a, a.box_in(b, box)) == pytest.approx(box, abs=1e-6)


@pytest.mark.parametrize("turns", range(4))
def test_boxes_have_their_upper_corner_first(turns):
    x0, y0, x1, y1 = Frame(0, 0, 100, 200, turns).boxes(10, 50, 30, 20)  # left, top, right, bottom of user space
    assert x0 < x1
    assert y0 < y1
