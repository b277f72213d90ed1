import csv
import json
from hashlib import sha256
from pathlib import Path

import pandas as pd
import pytest

from corpuskit import read_nlptext
from corpuskit.errors import ExportError
from corpuskit.export import format_names

PAGES = {
    "a": "<h1>Flood cover</h1><p>The insurer pays for floods.</p><ul><li>one</li><li>two</li></ul>",
    "b": "<h1>Bread</h1><p>Flour, water, salt.\u2028And time.</p><table><tr><th>x</th></tr><tr><td>1</td></tr></table>",
    "c": "<p>=HYPERLINK(1) is what a formula looks like.</p>",
}


@pytest.fixture
def filled(corpus, tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for name, body in PAGES.items():
        title = "=1+1" if name == "c" else name.upper()
        (folder / f"{name}.html").write_text(
            f"<html><head><title>{title}</title></head><body>{body}</body></html>", "utf-8"
        )
    corpus.add(folder, progress=False)
    by_uri = corpus.documents().set_index("uri").doc_id
    corpus.set_labels({by_uri["pages/a.html"]: "relevant", by_uri["pages/b.html"]: "other"}, by="me")
    return corpus


@pytest.fixture
def out(filled, tmp_path):
    filled.export(tmp_path / "out", format=format_names())
    return tmp_path / "out"


def test_nlp_txt_files_are_the_documents(filled, out):
    files = sorted((out / "nlp.txt").rglob("*.nlp.txt"))
    assert [file.name for file in files] == ["a.html.nlp.txt", "b.html.nlp.txt", "c.html.nlp.txt"]
    for file, doc_id in zip(files, filled.documents().doc_id, strict=True):
        assert read_nlptext(file).to_text() == filled[doc_id].to_text()


def test_json_lines_hold_a_document_each_with_its_elements(filled, out):
    lines = (out / "corpus.jsonl").read_text("utf-8").split("\n")[:-1]
    rows = [json.loads(line) for line in lines]
    assert [row["uri"] for row in rows] == filled.documents().uri.tolist()
    assert rows[0]["elements"][0]["type"] == "Section"
    assert "The insurer pays for floods." in rows[0]["text"]
    (cell,) = [element for element in rows[1]["elements"] if element["type"] == "TableCell"]
    assert (cell["row"], cell["col"]) == (2, 1)


def test_parquet_is_read_by_pandas_and_equals_the_frames(filled, out):
    documents = pd.read_parquet(out / "documents.parquet")
    elements = pd.read_parquet(out / "elements.parquet")
    assert documents.doc_id.tolist() == filled.documents().doc_id.tolist()
    assert elements.text.dropna().tolist() == [text for doc in filled for text in doc.text_strings()]


def test_csv_holds_no_formula(out):
    with (out / "documents.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[2]["title"] == "'=1+1"
    assert rows[2]["text"].startswith("'=HYPERLINK")
    assert len(rows) == 3


def test_fasttext_lines_are_those_of_labelled_documents_with_their_ids(filled, out):
    lines = (out / "fasttext.txt").read_text("utf-8").splitlines()
    assert [line.split()[0] for line in lines] == ["__label__relevant", "__label__other"]
    assert "insurer pays for floods" in lines[0]
    ids = pd.read_parquet(out / "fasttext.ids.parquet")
    assert ids.line.tolist() == [1, 2]
    assert ids.doc_id.tolist() == filled.documents().doc_id.tolist()[:2]


def test_plain_text_has_a_block_a_line_and_a_blank_line_between_documents(out):
    blocks = (out / "corpus.txt").read_text("utf-8").split("\n\n")
    assert len(blocks) == 3
    assert "Flour, water, salt. And time." in blocks[1].split("\n")


def test_the_manifest_has_counts_and_the_hash_of_each_file(out):
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert manifest["counts"]["documents"] == 3
    assert manifest["labels"] == {"none": 1, "other": 1, "relevant": 1}
    sums = dict(reversed(line.split("  ", 1)) for line in (out / "SHA256SUMS").read_text("utf-8").splitlines())
    for name, digest in sums.items():
        assert sha256((out / name).read_bytes()).hexdigest() == digest
    for name, entry in manifest["files"].items():
        if name.endswith("/"):
            inside = [file for file in (out / name).rglob("*") if file.is_file()]
            assert (entry["count"], entry["bytes"]) == (len(inside), sum(file.stat().st_size for file in inside))
        else:
            assert sha256((out / name).read_bytes()).hexdigest() == entry["sha256"]
    on_disk = {file.relative_to(out).as_posix() for file in out.rglob("*") if file.is_file()}
    assert on_disk == {*sums, "manifest.json", "README.md", "croissant.json", "SHA256SUMS"}


def test_the_same_corpus_gives_the_same_bytes(filled, out, tmp_path):
    filled.export(tmp_path / "again", format=format_names())
    for file in out.rglob("*"):
        if file.is_file():
            assert (tmp_path / "again" / file.relative_to(out)).read_bytes() == file.read_bytes(), file


def test_only_the_chosen_documents_are_written(filled, tmp_path):
    keep = filled.documents().query("label == 'relevant'")
    report = filled.export(tmp_path / "few", docs=keep, format="nlp.txt")
    assert report.documents == len(list(Path(tmp_path / "few").rglob("*.nlp.txt"))) == 1


def test_an_unknown_format_and_a_folder_of_other_things_are_refused(filled, tmp_path):
    with pytest.raises(ExportError, match="format 'docx' is unknown"):
        filled.export(tmp_path / "x", format="docx")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("keep me")
    with pytest.raises(ExportError, match="not empty"):
        filled.export(tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "keep me"


@pytest.mark.parametrize("format", ["txt", "nlp.txt"])
def test_an_export_replaces_no_file_that_a_person_put_there(filled, out, format):
    filled.export(out, format=format)
    (out / "own.txt").write_text("mine")
    (out / "owndir").mkdir()
    (out / "owndir" / "mine").symlink_to(out / "own.txt")
    with pytest.raises(ExportError, match=r"holds what no export wrote: own\.txt, owndir/mine; .* name another folder"):
        filled.export(out, format="jsonl")
    assert (out / "own.txt").read_text() == "mine"
    (out / "own.txt").unlink()
    (out / "owndir" / "mine").unlink()
    filled.export(out, format="jsonl")
    filled.export(out, format=format)


def test_an_export_is_replaced_by_the_next_one_whole(filled, out):
    filled.export(out, format="txt")
    names = {file.name for file in out.iterdir()}
    assert names == {"corpus.txt", "sources.csv", "SHA256SUMS", "README.md", "croissant.json", "manifest.json"}
