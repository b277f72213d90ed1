import json

import pytest
from export_items import item_of, marked_documents, write
from hypothesis import given, settings
from hypothesis import strategies as st

from corpuskit.document import DocumentBuilder
from corpuskit.export import ExportOptions
from corpuskit.export.formats.chunks import ChunksWriter, chunks
from corpuskit.text import count_words


def test_chunks_end_at_elements_and_have_their_section_path(tmp_path):
    builder = DocumentBuilder("Guide", "u")
    builder.start_section("Flood")
    builder.add_text_block("one two three four five six")
    builder.start_section("Limits")
    builder.add_text_block("seven eight nine ten")
    builder.add_text_block("eleven twelve thirteen")
    builder.end_section()
    builder.end_section()
    write(ChunksWriter, tmp_path, [builder.build()], ExportOptions(chunk_tokens=10))
    rows = [json.loads(line) for line in (tmp_path / "chunks.jsonl").read_text().splitlines()]
    assert [(row["path"], row["text"], row["tokens"]) for row in rows] == [
        (["Guide"], "Guide\n\nFlood\none two three four five six", 8),
        (["Guide", "Flood"], "Guide > Flood\n\nLimits\nseven eight nine ten\neleven twelve thirteen", 10),
    ]
    assert [(row["first_element"], row["last_element"]) for row in rows] == [(0, 1), (2, 4)]


def test_a_block_that_is_too_large_is_cut_at_sentences_and_a_sentence_at_blanks():
    builder = DocumentBuilder("", "u")
    builder.add_text_block("This is the first sentence of all. This is the second one here. Then " + "word " * 30)
    found = list(chunks(item_of(builder.build()), 14, count_words))
    assert all(chunk.tokens <= 14 for chunk in found)
    assert found[0].text == "This is the first sentence of all. This is the second one here."
    assert " ".join(chunk.text for chunk in found).split()[13:] == ["Then"] + ["word"] * 30


def test_tables_are_cut_between_rows_and_items_have_bullets():
    builder = DocumentBuilder("", "u")
    builder.start_list("Rates")
    for text in ("low", "high"):
        builder.start_list_item()
        builder.add_text_block(text)
        builder.end_list_item()
    builder.end_list()
    builder.start_table("Fees")
    for row in range(1, 7):
        for col in (1, 2):
            builder.start_table_cell(row, col)
            builder.add_text_block(f"r{row}c{col}")
            builder.end_table_cell()
    builder.end_table()
    found = [chunk.text for chunk in chunks(item_of(builder.build()), 8, count_words)]
    assert found[0] == "Rates\n- low\n- high\nFees\nr1c1 | r1c2\nr2c1 | r2c2"
    assert "".join(found[1:]).count("|") == 4


@given(marked_documents(), st.integers(8, 60), st.booleans())
@settings(max_examples=40)
@pytest.mark.slow
def test_no_chunk_is_over_budget_and_no_text_is_lost(document, budget, by_characters):
    # Characters: a counter for which the parts of a text never add up to the whole.
    count = (lambda text: 1 + len(text) // 4) if by_characters else count_words
    item = item_of(document)
    found = list(chunks(item, budget, count))
    for chunk in found:
        assert chunk.tokens == count(chunk.text)
        assert chunk.tokens <= budget or (len(chunk.units) == 1 and len(chunk.units[0].text.split()) <= 1)
        assert chunk.units[0].first <= chunk.units[-1].last
    shown = "".join(chunk.text for chunk in found)
    for i in item.exported_rows:
        for word in document.table.text[i].split():
            assert word in shown or word in document.title
