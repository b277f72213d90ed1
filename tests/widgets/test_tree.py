import json
import re
from pathlib import Path

import pytest

import corpuskit
from corpuskit.document import DocumentBuilder
from corpuskit.widgets.dashboard import MAX_BYTES, fitted
from corpuskit.widgets.tree import DocumentTree

WIDGETS = Path(corpuskit.__file__).parent / "widgets"


def listening(document, **options):
    tree = DocumentTree(document, **options)
    tree.sent = []
    tree.send = lambda content, buffers=None: tree.sent.append((content, buffers))
    return tree


@pytest.fixture
def document():
    builder = DocumentBuilder("Rates", "http://bank.example/")
    builder.start_section("Savings")
    builder.add_text_block("3 % a YEAR")
    builder.end_section()
    builder.add_text_block("Straße by year")
    return builder.build()


def test_the_skeleton_is_two_bytes_an_element(document):
    tree = DocumentTree(document)
    assert tree.skeleton == bytes([1 | 8, 0 | 8, 0 | 8]) + bytes([1, 2, 1])
    assert [row[1] for row in tree.first] == ["Savings", "3 % a YEAR", "Straße by year"]


def test_find_folds_case_and_gives_all_hits(document):
    tree = listening(document)
    tree._answer(None, {"op": "find", "seq": 1, "query": "year"}, [])
    assert tree.sent[0][1] == [b"\x01\0\0\0\x02\0\0\0"]
    tree._answer(None, {"op": "find", "seq": 2, "query": "STRASSE"}, [])
    assert tree.sent[1][1] == [b"\x02\0\0\0"]


def test_reveal_selects_and_a_wrong_id_is_told(document):
    tree = DocumentTree(document)
    tree.reveal(1)
    assert tree.selected_element.text == "3 % a YEAR"
    with pytest.raises(IndexError):
        tree.reveal(3)


def test_wrong_messages_are_answered_and_break_nothing(document):
    tree = listening(document)
    for message in ({"op": "full", "seq": 1, "id": 99}, {"op": "text", "seq": 1, "ids": "x"}, {"op": "find", "seq": 2}):
        tree._answer(None, message, [])
    assert [content["op"] for content, _ in tree.sent] == ["error", "error", "error"]
    tree._answer(None, {"op": "nothing"}, [])
    tree._answer(None, "text", [])
    assert len(tree.sent) == 3


def test_the_source_of_a_web_page_is_its_mark_up_and_of_a_wrong_locator_a_note():
    page = b"<html><body><h1>Rates</h1><p>3 % <b>a year</b></p></body></html>"
    document = corpuskit.extract(page, media_type="text/html")
    tree = listening(document, original=lambda: page)
    tree._answer(None, {"op": "source", "seq": 1, "id": 1}, [])
    assert tree.sent[0][0]["text"] == "<p>3 % <b>a year</b></p>"
    document.table.mark("locator", 1, "//*[count(//*[count(//*)])]")
    tree._answer(None, {"op": "source", "seq": 2, "id": 1}, [])
    assert "no path" in tree.sent[1][0]["note"]


def test_a_page_of_a_pdf_is_a_picture_with_the_elements_box():
    file = next((Path(corpuskit.__file__).parents[1] / "data" / "demo" / "files").glob("*.pdf"))
    document = corpuskit.extract(file)
    tree = listening(document, original=file.read_bytes)
    place = next(iter(document.table.marks["locator"]))
    tree._answer(None, {"op": "source", "seq": 1, "id": place}, [])
    content, (picture,) = tree.sent[0]
    assert picture.startswith(b"\x89PNG")
    assert all(0 <= share <= 1.01 for share in content["boxes"][0])


def test_without_a_kernel_a_line_is_shown_as_text(document):
    document.title = "<script>"
    data, _ = DocumentTree(document)._repr_mimebundle_()
    assert "<script>" not in data["text/html"]
    assert "&lt;script&gt;" in data["text/html"]


def test_an_update_of_the_dashboard_is_small_whatever_the_hosts_are_called():
    host = "x" * 70
    state = {
        "next": [[host, 5, "é" * 70]] * 5,
        "waiting": [[host, 5]] * 4,
        "errors": [[host, 1]] * 5,
        "curve": [0.123] * 40,
    }
    assert len(json.dumps(fitted(state), separators=(",", ":")).encode()) <= MAX_BYTES


@pytest.mark.parametrize("file", sorted(WIDGETS.glob("*.js")), ids=lambda file: file.name)
def test_crawled_text_reaches_the_page_as_text_only_and_nothing_comes_from_outside(file):
    code = re.sub(
        r"//[^\n]*|/\*.*?\*/", "", file.read_text("utf-8").replace("http://www.w3.org/2000/svg", ""), flags=re.DOTALL
    )
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|\.href|https?:|\bimport\b", code
    )
    assert len(file.read_text("utf-8").splitlines()) <= 345
