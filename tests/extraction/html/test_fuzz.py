"""Mutated pages: only ExtractionError may come out. ``CORPUSKIT_FUZZ=2000`` tries more of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpuskit.errors import ExtractionError
from corpuskit.extraction import ExtractOptions, extract_bytes

GATE = Path(__file__).parents[2] / "gate" / "html"
SEEDS = [path.read_bytes() for path in sorted([*(GATE / "structure").glob("*.html"), *(GATE / "pages").glob("*.html")])]
SPLICES = [
    b"<", b">", b"</", b"<li>", b"</ul>", b"<table>", b"</td>", b"<td rowspan=3 colspan=0>", b"<tr>", b"<h2>", b"</h2>", b"<dt>",
    b"</dl>", b"<dd>", b"<pre>", b"</pre>", b"<caption>", b"<a href='x'>", b"</a>", b"<a href='http://[' title=t>", b"<script>", b"<!--", b"-->", b"<svg>",
    b"<title>", b"<textarea>", b"<select><option>", b"&#0;", b"&#xD800;", b"&amp;lt;", b"\0", b"\xff\xfe", b"\x80", b"<x<y z<=1>", b"<p hidden>",
    b"<template>", b"<noscript>", b"</body></html>", b"<base href='http://['>", b"<br/>", b"<img alt='", b"<math alttext=a>", b"<frameset>",
    b"<script type=application/ld+json>[[{\"@type\": 1}]]</script>", b"<time datetime=9999999999>", b"<html lang=''>", b"]]>", b"<?xml", b"<![CDATA[",
]  # fmt: skip
EXAMPLES = int(os.environ.get("CORPUSKIT_FUZZ", "60"))


@st.composite
def mutated_pages(draw: st.DrawFn) -> bytes:
    page = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 12))):
        at = draw(st.integers(0, len(page)))
        action = draw(st.sampled_from(("insert", "cut", "repeat", "byte")))
        if action == "insert":
            page[at:at] = draw(st.sampled_from(SPLICES))
        elif action == "cut":
            del page[at : at + draw(st.integers(1, 60))]
        elif action == "repeat":
            page[at:at] = page[at : at + draw(st.integers(1, 200))] * draw(st.integers(1, 5))
        elif at < len(page):
            page[at] = draw(st.integers(0, 255))
    return bytes(page)


@settings(max_examples=EXAMPLES, deadline=10_000, suppress_health_check=list(HealthCheck))
@given(mutated_pages(), st.booleans())
def test_mutated_pages_give_a_document_or_an_extraction_error(page: bytes, classify: bool) -> None:
    try:
        document = extract_bytes(
            page, media_type="text/html", uri="https://a.example/", options=ExtractOptions(classify=classify)
        )
    except ExtractionError:
        return
    check(document.table)
    document.normalize()


def check(table: object) -> None:
    """The table's own bookkeeping holds."""
    size = len(table.type)
    columns = (table.parent_id, table.subtree_end, table.nesting_level, table.text, table.main)
    assert all(len(column) == size for column in columns)
    open_rows = [-1]
    for row in range(size):
        while open_rows[-1] >= 0 and table.subtree_end[open_rows[-1]] <= row:
            open_rows.pop()
        assert table.parent_id[row] == open_rows[-1]
        assert table.nesting_level[row] == len(open_rows)
        assert row < table.subtree_end[row] <= size
        parent = open_rows[-1]
        kind = table.type[row]
        if kind == 4:
            assert parent >= 0 and table.type[parent] in (2, 3)
        if kind in (6, 7):
            assert parent >= 0 and table.type[parent] == 5
            assert min(table.cells[row]) >= 1
        if kind == 0:
            assert table.subtree_end[row] == row + 1
        open_rows.append(row)
    assert set(table.cells) == {row for row in range(size) if table.type[row] in (6, 7)}


def test_seeds_are_there() -> None:
    assert len(SEEDS) >= 40


@pytest.mark.parametrize("seed", range(0, 60, 7))
def test_seeds_keep_the_table_whole(seed: int) -> None:
    check(extract_bytes(SEEDS[seed], media_type="text/html").table)
