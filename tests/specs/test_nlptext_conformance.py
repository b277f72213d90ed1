"""The written cases of the .nlp.txt format: valid files with their trees, invalid ones with the line at fault."""

import json
from pathlib import Path

import pytest

from corpuskit.document import from_nlptext, read_nlptext, to_nlptext
from corpuskit.errors import DocumentFormatError

CASES = Path(__file__).parent / "nlptext"
VALID = sorted(CASES.glob("valid/*.nlp.txt"))
INVALID = sorted(CASES.glob("invalid/*.nlp.txt"))


def expected(path):
    return json.loads(path.with_name(path.name.replace(".nlp.txt", ".json")).read_text("utf-8"))


def tree(element):
    node = {"type": element.type, "level": element.nesting_level}
    if element.type == "TextBlock":
        return node | {"text": element.text}
    if element.type in {"Section", "List", "NavigationList", "Table"}:
        node["title"] = element.title
    if element.type in {"TableHeader", "TableCell"}:
        node |= {"row": element.row, "rowspan": element.row_span, "col": element.col, "colspan": element.col_span}
    return node | {"elements": [tree(child) for child in element.elements]}


def test_there_are_cases():
    assert len(VALID) >= 16
    assert len(INVALID) >= 22


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.name[:-8])
def test_a_valid_file_gives_the_written_tree(path):
    document, gold = read_nlptext(path), expected(path)
    assert document.title == gold["title"]
    assert document.uri == gold["uri"]
    assert document.timestamp.isoformat() == gold["timestamp"]
    assert document.metadata == gold["metadata"]
    assert [tree(element) for element in document.elements] == gold["elements"]
    assert document.warnings == []


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.name[:-8])
def test_a_valid_file_survives_writing(path):
    document = read_nlptext(path)
    assert from_nlptext(to_nlptext(document)) == document.normalize()


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.name[:-8])
def test_an_invalid_file_is_refused_with_its_line(path):
    with pytest.raises(DocumentFormatError) as caught:
        read_nlptext(path)
    assert caught.value.line == expected(path)["line"]


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.name[:-8])
def test_an_invalid_file_is_repaired_with_a_warning_when_asked(path):
    document = read_nlptext(path, strict=False)
    assert document.warnings
    assert from_nlptext(to_nlptext(document)) == document.normalize()
