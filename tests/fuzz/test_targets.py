"""Each target with some inputs of its campaign; ``CORPUSKIT_FUZZ=100`` tries a hundred times as many."""

import os
import time

import pytest
from fuzz_targets import TARGETS, made
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

TIMES = float(os.environ.get("CORPUSKIT_FUZZ", "1"))
COSTLY = {"html": 10, "docx": 10, "pdf": 5, "segmentation": 2, "archive": 15, "warc": 15, "labels": 15}
MOST = {name: max(1, round(COSTLY.get(name, 40) * TIMES)) for name in TARGETS}
CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]


def run(name, content):
    start = time.monotonic()
    TARGETS[name].run(content)
    # The campaign's limit for an input; nothing that is right comes near it.
    assert time.monotonic() - start < TARGETS[name].seconds * 6


@pytest.mark.feature("compat")
@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.timeout(60 + 60 * TIMES)
def test_seeds_are_taken(name):
    for content in list(TARGETS[name].seeds())[: MOST[name]]:
        run(name, content)


@pytest.mark.feature("compat")
@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.timeout(60 + 60 * TIMES)
def test_changed_seeds_break_nothing(name):
    """Hypothesis chooses the number of the input, and finds the least one that fails: ``made(name, number)`` is it."""

    @settings(max_examples=MOST[name], deadline=None, database=None, suppress_health_check=CHECKS)
    @given(st.integers(0, 10_000_000))
    def tried(number):
        run(name, made(name, number, seed=3))

    tried()


@pytest.mark.feature("compat")
@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.timeout(60 + 60 * TIMES)
def test_bytes_of_any_kind_break_nothing(name):
    """Pieces of the format and any bytes between them, made smaller by Hypothesis where one fails."""
    pieces = st.one_of(st.binary(max_size=40), st.sampled_from([b"", *TARGETS[name].splices]))

    @settings(max_examples=MOST[name], deadline=None, database=None, suppress_health_check=CHECKS)
    @given(st.lists(pieces, max_size=12))
    def tried(found):
        run(name, b"".join(found))

    tried()
