import json

import pytest
import zstandard

from corpuskit.document import DocumentBuilder
from corpuskit.document.marks import dump_marks, load_marks
from corpuskit.errors import DocumentFormatError


def table_of(count):
    builder = DocumentBuilder()
    for i in range(count):
        builder.add_text_block(str(i))
    return builder.build().table


def packed(**changes):
    content = {"format": "corpuskit-marks", "version": 1, "elements": 2, "not_main": [], "columns": {}} | changes
    return zstandard.compress(json.dumps(content).encode())


def test_the_marks_of_another_document_are_refused():
    with pytest.raises(DocumentFormatError, match="marks of 3 elements"):
        load_marks(dump_marks(table_of(3)), table_of(2))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no zstd",
        zstandard.compress(b"[" * 100_000),
        zstandard.compress(b"\xff"),
        packed(version=2),
        packed(format="x"),
        packed(not_main=[[0, 3]]),
        packed(not_main=[[1, 1]]),
        packed(columns={"unknown": {}}),
        packed(columns={"role": {"0": 1}}),
        packed(columns={"role": {"2": "x"}}),
        packed(columns={"role": {"-1": "x"}}),
        packed(columns={"page": {"0": True}}),
        packed(columns={"page": {"0": 0}}),
        packed(columns={"page": {"0": 2**31}}),
        packed(columns={"page": []}),
        packed(columns=[]),
        packed(columns={"main_probability": {"0": 1.01}}),
        packed(columns={"main_probability": {"0": -0.01}}),
        packed(columns={"role": {"0": "\ud800"}}),
        packed(columns={"role": {"\u0661": "x"}}),
        packed(columns={"role": {"000000000001": "x"}}),
        packed(elements=3),
        packed(not_main={}),
        packed(not_main=[[-1, 1]]),
        packed(not_main=[[0, 1, 2]]),
        packed(not_main=[[False, True]]),
    ],
)
def test_a_damaged_marks_file_is_refused(content):
    with pytest.raises(DocumentFormatError):
        load_marks(content, table_of(2))


@pytest.mark.parametrize("name", ["role", "zone", "locator", "links", "tex", "formatting"])
def test_a_column_of_text_is_read_and_a_number_in_it_refused(name):
    table = table_of(2)
    load_marks(packed(columns={name: {"1": "x"}}), table)
    assert table.marks == {name: {1: "x"}}
    with pytest.raises(DocumentFormatError, match=f"column {name} holds '1': '7'"):
        load_marks(packed(columns={name: {"1": 7}}), table)


def test_values_at_the_bounds_are_read():
    table = table_of(2)
    columns = {
        "page": {"0": 1, "1": 2**31 - 1}, "main_probability": {"0": 0, "1": 1}, "role": {"1": "Überschrift"},
        "zone": {"00000000001": "body"},
    }  # fmt: skip
    load_marks(packed(columns=columns, not_main=[[0, 2]]), table)
    assert table.main == [False, False]
    assert table.marks == {
        "page": {0: 1, 1: 2**31 - 1}, "main_probability": {0: 0, 1: 1}, "role": {1: "Überschrift"}, "zone": {1: "body"},
    }  # fmt: skip


@pytest.mark.slow
def test_a_decompression_bomb_is_refused_before_it_fills_the_memory():
    bomb = zstandard.ZstdCompressor(level=19).compress(b" " * (600 * 1024 * 1024))
    assert len(bomb) < 100_000
    with pytest.raises(DocumentFormatError, match="536,870,912 bytes"):
        load_marks(bomb, table_of(1))
