import json
from pathlib import Path

import pytest

import corpuskit
from corpuskit.errors import DocumentFormatError
from corpuskit.export import read_segmentation, read_textgrid

PDF = Path(__file__).parents[2] / "data" / "demo" / "files" / "tram-noise-report.pdf"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("textworks")
    corpus = corpuskit.open(root / "corpus")
    corpus.add(PDF, progress=False)
    (root / "page.html").write_text("<p>no PDF</p>")
    corpus.add(root / "page.html", progress=False)
    for name in ("out", "again"):
        corpus.export(root / name, format="textworks")
    corpus.close()
    (found,) = (root / "out" / "textworks").rglob("*.d")
    return found


@pytest.mark.slow
def test_tokens_ids_and_boxes_are_equal_after_reading(folder):
    written = json.loads((folder / "segmentation.json").read_bytes())
    read = read_segmentation(folder / "segmentation.json")
    blocks = [(page["page"], block) for page in written["pages"] for block in page["blocks"]]
    assert [(block.page, list(block.labels)) for block in read.blocks] == [(n, b["labels"]) for n, b in blocks]
    assert [[[list(line.tokens), list(line.ids)] for line in block.lines] for block in read.blocks] == [
        block["lines"] for _, block in blocks
    ]
    assert [[i, [page, [y, x, w, h]]] for i, (page, (x, y, w, h)) in read.boxes.items()] == written["ids"]
    assert len(read.boxes) > 100


def test_rows_and_places_are_equal_after_reading(folder):
    written = json.loads((folder / "textgrid.json").read_bytes())
    read = read_textgrid(folder / "textgrid.json")
    rows = [(n, row) for n, page in enumerate(written["pages"]) for row in page["textgrid"]["rows"]]
    assert [(row.page, row.offset, row.text) for row in read.rows] == [(n, r["offset"], r["text"]) for n, r in rows]
    places = [locus.get("i") or locus["g"][0] for _, row in rows for locus in row["loci"]]
    assert [list(box) for row in read.rows for box in row.boxes] == [place[2] for place in places]
    assert [drawn for row in read.rows for drawn in row.is_glyph] == ["g" in x for _, r in rows for x in r["loci"]]


@pytest.mark.slow
def test_both_artifacts_have_the_same_text(folder):
    tokens = [token for block in read_segmentation(folder / "segmentation.json").blocks for line in block.lines
              for token in line.tokens]  # fmt: skip
    assert [token for row in read_textgrid(folder / "textgrid.json").rows for token in row.text.split(" ")] == tokens


def test_artifacts_have_no_clock_in_them(folder):
    other = Path(str(folder).replace("/out/", "/again/"))
    for name in ("segmentation.json", "textgrid.json"):
        assert (folder / name).read_bytes() == (other / name).read_bytes()


def test_only_pdf_documents_have_artifacts(folder):
    assert len(list(folder.parents[1].rglob("*.d"))) == 1


def test_boxes_of_another_order_are_read_by_their_names(tmp_path):
    content = {
        "boxFormat": ["left", "top", "width", "height"],
        "pages": [{"page": 0, "blocks": [{"labels": ["body", "paragraph"], "lines": [[["{PhSiH_{3}}", "a_b"], [7, 8]]]}]}],
        "ids": [[7, [0, [1, 2, 3, 4]]], [8, [0, [5, 6, 7, 8]]]],
    }  # fmt: skip
    file = tmp_path / "s.json"
    file.write_text(json.dumps(content))
    read = read_segmentation(file)
    assert read.boxes[7] == (0, (1, 2, 3, 4))
    assert read.blocks[0].lines[0].tokens == ("{PhSiH_{3}}", "a_b")


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c["ids"].append([7, [0, [1, 2, 3, 4]]]),
        lambda c: c["pages"][0]["blocks"][0]["lines"][0][1].append(9),
        lambda c: c["pages"][0]["blocks"][0]["lines"][0].__setitem__(1, [9]),
        lambda c: c["ids"].__setitem__(0, [7, [0, [1, 2, 3]]]),
        lambda c: c.pop("pages"),
        lambda c: c.__setitem__("pages", 3),
        lambda c: c.__setitem__("boxFormat", "ltwh"),
    ],
)
def test_a_segmentation_that_breaks_its_format_is_refused(tmp_path, change):
    content = {
        "pages": [{"page": 0, "blocks": [{"labels": ["body", "paragraph"], "lines": [[["a"], [7]]]}]}],
        "ids": [[7, [0, [1, 2, 3, 4]]]],
    }
    file = tmp_path / "s.json"
    file.write_text(json.dumps(content))
    assert len(read_segmentation(file).boxes) == 1
    change(content)
    file.write_text(json.dumps(content))
    with pytest.raises(DocumentFormatError):
        read_segmentation(file)
