from datetime import datetime

import pytest

from corpuskit.document import DocumentBuilder, NLPTextDocument, from_nlptext
from corpuskit.errors import DocumentFormatError


def test_a_document_counts_its_elements_and_is_true_even_when_empty():
    builder = DocumentBuilder("t", "u")
    builder.start_section("s")
    builder.add_text_block("x")
    builder.end_section()
    document = builder.build()
    assert (len(document), bool(document)) == (2, True)
    assert [element.type for element in document] == ["Section", "TextBlock"]
    assert document[1].text == "x"
    for outside in (-1, 2):
        with pytest.raises(IndexError, match=f"element_id {outside}: the document has 2 elements"):
            document[outside]
    for empty in (NLPTextDocument(), DocumentBuilder().build()):
        assert (len(empty), bool(empty), empty.title, empty.uri, empty.timestamp) == (0, True, "", "?", None)


HEAD = ["Title t", "Uri u", "Timestamp 2026-03-09T01:02:03"]


@pytest.mark.parametrize(
    ("properties", "line", "expected"),
    [
        (["Title t", "Title t2"], 2, "the property Title once only"),
        (["Uri u", "Title t"], 2, "the properties in the order Title, Uri, Timestamp, Metadata"),
        (["Titel t"], 1, "the property Title, Uri, Timestamp or Metadata"),
        (["Metadata a=b"], 1, "metadata after the three mandatory properties"),
        ([*HEAD, "Metadata a"], 4, "metadata as key=value"),
        ([*HEAD, "Metadata =b"], 4, "metadata as key=value"),
        ([*HEAD, "Metadata a=b", "Metadata a=c"], 5, "the metadata key 'a' once only"),
    ],
)
def test_a_wrong_property_is_told_with_its_line_what_was_found_and_what_was_expected(properties, line, expected):
    lines = [f"## NLPTextDocument {text}" for text in properties]
    with pytest.raises(DocumentFormatError) as caught:
        from_nlptext("\n".join(lines))
    assert (caught.value.line, caught.value.found, caught.value.expected) == (line, lines[line - 1], expected)


def test_properties_and_metadata_are_read():
    document = from_nlptext("\n".join(f"## NLPTextDocument {text}" for text in [*HEAD, "Metadata a=b=c"]))
    assert (document.title, document.uri, document.timestamp) == ("t", "u", datetime(2026, 3, 9, 1, 2, 3))
    assert document.metadata == {"a": "b=c"}
