import pytest

from corpuskit.document import DocumentBuilder
from corpuskit.errors import CorpusKitError, DocumentModelError


def types(document):
    return [(element.type, element.nesting_level) for element in document]


def test_text_directly_in_a_list_is_wrapped_into_an_item_with_a_warning():
    builder = DocumentBuilder()
    builder.start_list()
    builder.add_text_block("loose")
    builder.start_list_item()
    builder.add_text_block("item")
    builder.end_list_item()
    builder.end_list()
    document = builder.build()
    assert types(document) == [("List", 1), ("ListItem", 2), ("TextBlock", 3), ("ListItem", 2), ("TextBlock", 3)]
    assert len(document.warnings) == 1


def test_items_outside_a_list_share_one_list():
    builder = DocumentBuilder()
    for text in "ab":
        builder.start_list_item()
        builder.add_text_block(text)
        builder.end_list_item()
    builder.add_text_block("after")
    document = builder.build()
    assert types(document) == [
        ("List", 1), ("ListItem", 2), ("TextBlock", 3), ("ListItem", 2), ("TextBlock", 3), ("TextBlock", 1),
    ]  # fmt: skip


def test_text_directly_in_a_table_gets_a_cell_in_a_row_of_its_own():
    builder = DocumentBuilder()
    builder.start_table()
    builder.start_table_cell(1, 1)
    builder.end_table_cell()
    builder.add_text_block("loose")
    builder.end_table()
    cell = builder.build().elements[0].elements[1]
    assert (cell.type, cell.row, cell.col) == ("TableCell", 2, 1)


def test_a_cell_directly_in_a_list_is_wrapped_twice():
    builder = DocumentBuilder()
    builder.start_list()
    builder.start_table_header(1, 1)
    builder.end_table_header()
    builder.end_list()
    assert types(builder.build()) == [("List", 1), ("ListItem", 2), ("Table", 3), ("TableHeader", 4)]


def test_an_end_of_another_element_than_the_open_one_raises():
    builder = DocumentBuilder()
    builder.start_section("a")
    with pytest.raises(DocumentModelError, match="end of a List, but a Section is open"):
        builder.end_list()


def test_an_end_without_start_raises():
    with pytest.raises(DocumentModelError):
        DocumentBuilder().end_table()


def test_building_with_an_open_element_raises_an_error_of_ours():
    builder = DocumentBuilder()
    builder.start_section()
    with pytest.raises(CorpusKitError, match="never closed"):
        builder.build()


@pytest.mark.parametrize("key", ["", " ", "a=b"])
def test_a_metadata_key_that_cannot_be_written_is_refused(key):
    with pytest.raises(DocumentModelError):
        DocumentBuilder().add_metadata(key, "x")


def test_coordinates_count_from_one():
    builder = DocumentBuilder()
    builder.start_table()
    with pytest.raises(DocumentModelError):
        builder.start_table_cell(0, 1)


def test_main_is_all_but_navigation_where_nothing_is_known():
    builder = DocumentBuilder()
    builder.start_navigation_list()
    builder.start_list_item()
    builder.add_text_block("Home")
    builder.end_list_item()
    builder.end_navigation_list()
    builder.add_text_block("Text")
    document = builder.build()
    assert document.table.main == [False, False, False, True]
    assert document.to_text(main=True) == "Text"
    assert document.to_text() == "Home\nText"
