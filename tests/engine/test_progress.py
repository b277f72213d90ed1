"""Outside a terminal progress is a line now and then."""

import sys
from itertools import count
from types import SimpleNamespace

import pytest

from corpuskit import engine
from corpuskit.engine import progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on by 25 s each time it is asked."""
    ticks = count(0.0, 25.0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(ticks)))


def test_outside_a_terminal_a_line_tells_now_and_then_how_far_it_is(clock, capfd):
    outcomes = engine.run(lambda item: 1 // (item % 4), range(1, 8), on="serial", progress="pages", total=7)
    assert len(list(outcomes)) == 7
    # Of the seven clock readings after the first, 25 s apart, the third and the sixth are a minute behind the last line.
    assert capfd.readouterr().err == "pages: 3 of 7\npages: 6 of 7, 1 failed\n"


def test_what_takes_less_than_a_minute_prints_nothing_outside_a_kernel(capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace())  # imported by a script that runs notebooks
    assert list(engine.with_progress([1, 2, 3], "pages", None)) == [1, 2, 3]
    assert capfd.readouterr().err == ""
