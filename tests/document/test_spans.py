"""Character spans and their JSON."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from corpuskit.document.spans import clip, dump, load, remap, shift

_SPANS = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), st.text()))


@given(_SPANS)
def test_spans_are_written_as_the_json_module_writes_them(spans: list[tuple[int, int, str]]) -> None:
    assert dump(spans) == json.dumps(spans, ensure_ascii=False, separators=(",", ":"))
    assert load(dump(spans)) == spans


def test_spans_move_with_their_text() -> None:
    assert shift([(0, 2, "a")], 3) == [(3, 5, "a")]
    assert remap([(0, 2, "a")], [0, 0, 1]) == [(0, 1, "a")]


def test_a_part_of_a_text_has_the_parts_of_spans_that_lie_in_it() -> None:
    assert clip([(0, 4, "a"), (3, 6, "b"), (8, 9, "c"), (0, 2, "d")], 2, 5) == [(0, 2, "a"), (1, 4, "b")]
