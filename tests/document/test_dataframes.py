import pandas as pd
import pytest
from document_strategies import documents
from hypothesis import given, settings

from corpuskit.document import DocumentBuilder, NLPTextDocument
from corpuskit.document.dataframes import COLUMNS, arrow_to_pandas, from_arrow, to_arrow
from corpuskit.document.marks import dump_marks, load_marks

DTYPES = {
    "element_id": "int32", "parent_id": "int32", "subtree_end": "int32", "type": "category", "nesting_level": "int32",
    "text": "str", "row": "Int32", "row_span": "Int32", "col": "Int32", "col_span": "Int32", "main": "bool",
    "main_probability": "float32", "role": "category", "zone": "category", "page": "Int32", "locator": "str",
    "links": "str", "tex": "str",
}  # fmt: skip


def example():
    builder = DocumentBuilder("t", "u")
    builder.start_table("Rates")
    cell = builder.start_table_cell(2, 1, 1, 3)
    block = builder.add_text_block("3 %")
    builder.end_table_cell()
    builder.end_table()
    builder.mark("role", cell, "table")
    builder.mark("page", block, 4)
    builder.mark("main_probability", block, 0.5)
    builder.mark("links", block, '[[0, 1, "http://a.example/"]]')
    return builder.build()


def test_the_frame_has_the_documented_columns_and_types_even_when_empty():
    for document in (example(), NLPTextDocument()):
        frame = document.to_frame()
        assert list(frame.columns) == list(COLUMNS)
        assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == DTYPES


def test_the_frame_holds_coordinates_marks_and_nulls():
    frame = example().to_frame()
    assert frame.loc[1, ["row", "row_span", "col", "col_span"]].tolist() == [2, 1, 1, 3]
    assert frame["row"].isna().tolist() == [True, False, True]
    assert frame.loc[2, "page"] == 4
    assert frame.loc[1, "role"] == "table"
    assert pd.isna(frame.loc[0, "links"])


def test_the_frame_is_the_one_that_arrow_gives():
    for document in (example(), NLPTextDocument()):
        pd.testing.assert_frame_equal(arrow_to_pandas(to_arrow(document.table)), document.to_frame())


def test_arrow_gives_the_marks_back_and_backs_the_frame_when_asked():
    table = example().table
    assert from_arrow(to_arrow(table)) == table
    frame = example().to_frame(arrow=True)
    assert list(frame.columns) == list(COLUMNS)
    assert all(isinstance(dtype, pd.ArrowDtype) for dtype in frame.dtypes)


@given(documents())
@settings(max_examples=20)
def test_arrow_gives_the_same_table_back(document):
    table = document.normalize().table
    assert from_arrow(to_arrow(table)) == table


@given(documents())
@settings(max_examples=50)
@pytest.mark.slow
def test_marks_survive_their_file(document):
    table = document.normalize().table
    for element_id in range(0, len(table), 2):
        table.mark("role", element_id, "paragraph")
        table.mark("page", element_id, element_id + 1)
        table.main[element_id] = False
    copy = document.normalize().table
    load_marks(dump_marks(table), copy)
    assert copy.main == table.main
    assert copy.marks == table.marks
