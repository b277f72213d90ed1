import io
import itertools
import re

import pytest
from document_strategies import documents, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from corpuskit.document import DocumentBuilder, from_nlptext, read_nlptext, to_nlptext, write_nlptext
from corpuskit.document.elements import CELLS, TEXT_BLOCK, TYPE_NAMES
from corpuskit.document.escaping import escape, unescape


@given(documents())
def test_a_document_in_normal_form_survives_writing_and_reading(document):
    normal = document.normalize()
    read = from_nlptext(to_nlptext(document))
    assert (read.title, read.uri, read.timestamp, read.metadata) == (
        normal.title,
        normal.uri,
        normal.timestamp,
        normal.metadata,
    )
    assert (read.table.type, read.table.text, read.table.nesting_level) == (
        normal.table.type,
        normal.table.text,
        normal.table.nesting_level,
    )
    assert (read.table.parent_id, read.table.subtree_end, read.table.cells) == (
        normal.table.parent_id,
        normal.table.subtree_end,
        normal.table.cells,
    )
    assert read.warnings == []


@given(documents())
@pytest.mark.slow
def test_normalize_is_idempotent(document):
    normal = document.normalize()
    assert normal.normalize() == normal


@given(texts)
def test_any_text_survives_as_block_title_item_and_metadata(text):
    builder = DocumentBuilder("t", "u")
    builder.add_metadata("key", text)
    builder.add_text_block(text)
    builder.start_section(text)
    builder.start_list()
    builder.start_list_item()
    builder.add_text_block(text)
    builder.end_list_item()
    builder.end_list()
    builder.end_section()
    normal = builder.build().normalize()
    read = from_nlptext(to_nlptext(normal).encode())
    assert read.table.text == normal.table.text
    assert read.metadata == normal.metadata


def test_every_string_of_backslash_n_and_line_feed_up_to_seven_survives_escaping():
    for length in range(8):
        for characters in itertools.product("\\n\n", repeat=length):
            text = "".join(characters)
            assert "\n" not in escape(text)
            assert unescape(escape(text)) == text


def literal_reader(text):
    """Reads by the letter of the format's specification, as someone would who has only that: (type, level, text)."""
    rows = []
    for line in text.split("\n"):
        if line.startswith("## NLPTextDocument") or not line.strip():
            continue
        if match := re.fullmatch(r"## (\d+) (\w+) (Start|End|Items)(?: (.*))?", line, re.DOTALL):
            level, name, command, rest = match.groups()
            if command == "Start":
                rows.append((name, int(level), (rest or "") if name not in ("TableHeader", "TableCell") else None))
            elif command == "Items":
                title, _, items = rest.partition(">>")
                rows.append((name, int(level), title.strip()))
                for item in items.split("||"):
                    rows.append(("ListItem", int(level) + 1, ""))
                    rows.append(("TextBlock", int(level) + 2, item.strip()))
        else:
            rows.append(("TextBlock", None, line))
    return rows


@given(documents())
@settings(max_examples=60)
@pytest.mark.slow
def test_a_literal_reader_of_the_specification_finds_the_same_elements(document):
    normal = document.normalize()
    rows = literal_reader(to_nlptext(normal))
    table = normal.table
    assert [name for name, _, _ in rows] == [TYPE_NAMES[code] for code in table.type]
    assert all(level is None or level == known for (_, level, _), known in zip(rows, table.nesting_level, strict=True))
    for (_, _, text), code, known in zip(rows, table.type, table.text, strict=True):
        if code not in CELLS and code != TEXT_BLOCK and "\\" not in (text or ""):
            assert (text or "") == (known or "").replace("\n", "\\n") or "\n" in (known or "")


def test_ten_thousand_levels_of_nesting_are_written_and_read():
    builder = DocumentBuilder("deep", "u")
    for level in range(10_000):
        builder.start_section(f"level {level}")
    builder.add_text_block("bottom")
    for _ in range(10_000):
        builder.end_section()
    document = builder.build()
    read = from_nlptext(to_nlptext(document))
    assert read.table.nesting_level[-1] == 10_001
    assert read.table.subtree_end[0] == 10_001
    assert len(repr(read)) < 100_000
    assert len(read._repr_html_()) < 100_000
    assert len(read.to_frame()) == 10_001


def test_files_and_paths_of_bytes_and_text_are_accepted(tmp_path):
    builder = DocumentBuilder("été", "u")
    builder.add_text_block("œuf")
    document = builder.build()
    write_nlptext(document, tmp_path / "x.nlp.txt")
    assert not (tmp_path / "x.nlp.txt").read_bytes().startswith(b"\xef\xbb\xbf")
    assert read_nlptext(tmp_path / "x.nlp.txt").title == "été"
    binary, text = io.BytesIO(), io.StringIO()
    write_nlptext(document, binary)
    write_nlptext(document, text)
    assert binary.getvalue().decode() == text.getvalue()
    binary.seek(0)
    text.seek(0)
    assert read_nlptext(binary) == read_nlptext(text)


@given(st.binary(max_size=200))
def test_the_lenient_reader_takes_any_bytes(content):
    document = from_nlptext(content, strict=False)
    assert from_nlptext(to_nlptext(document)) == document.normalize()


@given(st.lists(st.sampled_from(
    ["## 1 Section Start a", "## 1 Section End", "## 1 List Start ", "## 2 ListItem Start", "## 2 ListItem End", "x",
     "## 1 List End", "## 1 Table Start", "## 2 TableCell Start 1,1", "## 2 TableCell End", "## 1 Table End",
     "## 1 List Items >> a || b", "## 3 TableHeader Start 9:9,9:9"]), max_size=14))  # fmt: skip
def test_the_lenient_reader_repairs_any_order_of_delimiters(lines):
    document = from_nlptext("\n".join(lines), strict=False)
    assert from_nlptext(to_nlptext(document)) == document.normalize()
    table = document.table
    for position, (start, end) in enumerate(zip(range(len(table)), table.subtree_end, strict=True)):
        assert start < end <= len(table)
        parent = table.parent_id[position]
        assert parent < position
        assert table.nesting_level[position] == 1 + (table.nesting_level[parent] if parent >= 0 else 0)
