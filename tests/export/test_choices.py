import json
import shutil
from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from corpuskit.errors import ConfigurationError, UnknownDocumentError
from corpuskit.export.csv_safety import escape_formula
from corpuskit.export.licenses import is_licensed, spdx
from corpuskit.labels.agreement import kappa


@pytest.mark.parametrize(
    ("found", "name"),
    [
        ("https://creativecommons.org/licenses/by/4.0/", "CC-BY-4.0"),
        ("http://creativecommons.org/licenses/by-nc-sa/3.0/fr/", "CC-BY-NC-SA-3.0"),
        ("https://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0"),
        ("https://creativecommons.org/publicdomain/mark/1.0/deed.de", "CC-PDM-1.0"),
        ("CC BY-SA 4.0", "CC-BY-SA-4.0"),
        ("cc-by-sa-nc-2.0", "CC-BY-NC-SA-2.0"),
        ("https://www.apache.org/licenses/LICENSE-2.0.txt", "Apache-2.0"),
        ("All rights reserved", None),
        ("(c) 2020 A. Author", None),
    ],
)
def test_licences_get_their_spdx_names(found, name):
    assert spdx(found) == name


def test_patterns_match_what_was_found_and_the_spdx_name():
    licence = "http://creativecommons.org/licenses/by-nc/4.0/"
    assert is_licensed(licence, ["cc-by*"])
    assert is_licensed(licence, ["*CreativeCommons.org*"])
    assert not is_licensed(licence, ["CC-BY-4.0", "CC-BY-SA*"])
    assert not is_licensed(None, ["*"])


@pytest.mark.slow
def test_only_licensed_documents_are_exported_and_the_others_are_counted(small, tmp_path):
    report = small.export(tmp_path / "out", format="jsonl", only_licensed=["CC-BY-4.0"])
    rows = [json.loads(line) for line in (tmp_path / "out" / "corpus.jsonl").read_text("utf-8").splitlines()]
    assert [row["uri"] for row in rows] == ["pages/a.html"]
    assert (report.documents, report.dropped) == (1, {"not licensed so": 2})
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    assert [(step["in"], step["out"]) for step in manifest["steps"]] == [(3, 3), (3, 1), (1, 1)]
    assert "left out: 2 not licensed so" in repr(report)


def test_documents_whose_keep_is_false_are_left_out(small, tmp_path):
    docs = small.documents()[["doc_id", "uri"]].assign(keep=pd.array([True, False, None], dtype="boolean"))
    small.export(tmp_path / "out", docs=docs, format="csv")
    assert pd.read_csv(tmp_path / "out" / "documents.csv").uri.tolist() == ["pages/a.html", "pages/c.html"]


@pytest.mark.slow
def test_a_document_that_is_not_there_is_named(small, tmp_path):
    with pytest.raises(UnknownDocumentError, match="ffff"):
        small.export(tmp_path / "out", docs=["ffff"])
    assert not list(tmp_path.iterdir())


def test_an_unknown_option_is_named_with_those_that_are(small, tmp_path):
    with pytest.raises(ConfigurationError, match=r"'only_licenced' is unknown; there are: .*only_licensed"):
        small.export(tmp_path / "out", only_licenced=["x"])


def test_the_same_export_again_writes_nothing(small, tmp_path):
    out = tmp_path / "out"
    first = small.export(out, format=["jsonl", "nlp.txt"])
    inodes = {file: file.stat().st_ino for file in out.rglob("*")}
    again = small.export(out, format=["jsonl", "nlp.txt"])
    assert (first.is_unchanged, again.is_unchanged) == (False, True)
    assert (again.documents, again.files) == (first.documents, first.files)
    assert {file: file.stat().st_ino for file in out.rglob("*")} == inodes
    small.export(out, format=["jsonl", "nlp.txt"], elements=False)
    assert "elements" not in json.loads((out / "corpus.jsonl").read_text("utf-8").splitlines()[0])
    (out / "corpus.jsonl").write_text("damaged")
    assert not small.export(out, format=["jsonl", "nlp.txt"], elements=False).is_unchanged


def test_an_export_that_stops_leaves_the_earlier_one_whole(small, tmp_path, monkeypatch):
    out = tmp_path / "out"
    small.export(out, format="txt")
    before = {file.name: file.read_bytes() for file in out.iterdir()}

    def stop(self, item):
        raise KeyboardInterrupt

    monkeypatch.setattr("corpuskit.export.formats.json_lines.JsonLinesWriter.write", stop)
    with pytest.raises(KeyboardInterrupt):
        small.export(out, format="jsonl")
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


def test_a_document_that_cannot_be_read_is_a_failure_and_the_others_are_exported(small, tmp_path):
    shutil.copytree(small.path, tmp_path / "copy")
    import corpuskit

    corpus = corpuskit.open(tmp_path / "copy")
    (file,) = (tmp_path / "copy" / "documents").rglob("b.html.nlp.txt")
    content = file.read_bytes()
    file.unlink()
    report = corpus.export(tmp_path / "out", format="jsonl")
    assert (report.documents, report.failed) == (2, 1)
    failures = corpus.failures()
    assert failures[["uri", "stage"]].to_numpy().tolist() == [["pages/b.html", "export"]]
    file.write_bytes(content)
    report = corpus.export(tmp_path / "out", format="jsonl")
    assert (report.documents, report.failed, len(corpus.failures())) == (3, 0, 0)
    corpus.close()


def test_a_format_that_fails_for_a_document_does_not_stop_the_others(small, tmp_path, monkeypatch):
    from corpuskit.export.formats.json_lines import JsonLinesWriter

    write = JsonLinesWriter.write

    def fail(self, item):
        if item.row["uri"] == "pages/b.html":
            raise ValueError("no")
        write(self, item)

    monkeypatch.setattr(JsonLinesWriter, "write", fail)
    report = small.export(tmp_path / "out", format=["jsonl", "txt"])
    assert report.failed == 1
    assert len((tmp_path / "out" / "corpus.jsonl").read_bytes().splitlines()) == 2
    assert "Flour" in (tmp_path / "out" / "corpus.txt").read_text("utf-8")
    monkeypatch.undo()
    small.export(tmp_path / "out", format=["jsonl", "txt"])
    assert len(small.failures()) == 0


def test_navigation_comes_with_all_text_only(corpus, tmp_path):
    page = "<body><nav><ul><li><a href='/x'>Home page</a></li></ul></nav><article><h1>T</h1><p>Long text here.</p></article>"
    (tmp_path / "p.html").write_text(page)
    corpus.add(tmp_path / "p.html", progress=False)
    corpus.export(tmp_path / "main", format="txt")
    corpus.export(tmp_path / "all", format="txt", main=False)
    assert "Home page" not in (tmp_path / "main" / "corpus.txt").read_text()
    assert "Home page" in (tmp_path / "all" / "corpus.txt").read_text()


def test_the_card_tells_sources_labels_and_agreement(whole):
    manifest = json.loads((whole / "manifest.json").read_text("utf-8"))
    assert manifest["agreement"] == [{"by": ["ann", "bob"], "documents": 2, "agreed": 2, "kappa": 1.0}]
    assert manifest["licenses"]["https://creativecommons.org/licenses/by/4.0/"] == {"documents": 1, "spdx": "CC-BY-4.0"}
    text = (whole / "README.md").read_text("utf-8")
    assert text.startswith(
        '---\npretty_name: "corpus"\nlanguage:\n- en\nlicense: other\nsize_categories:\n- n<1K\n---\n'
    )
    assert "| ann / bob | 2 | 2 | 1.00 |" in text
    assert pd.read_csv(whole / "sources.csv").documents.sum() == 3


def test_the_date_is_that_of_the_pages_or_the_one_asked_for(small, tmp_path, monkeypatch):
    small.export(tmp_path / "a", format="txt")
    fetched = small.documents().fetched.max().date().isoformat()
    assert json.loads((tmp_path / "a" / "manifest.json").read_bytes())["date"] == fetched
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    small.export(tmp_path / "b", format="txt")
    assert json.loads((tmp_path / "b" / "croissant.json").read_bytes())["datePublished"] == "1970-01-01"


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=40))
def test_kappa_is_that_of_scikit_learn(pairs):
    first, second = zip(*pairs, strict=True)
    ours = kappa(Counter(pairs))
    if len({*first, *second}) == 1:
        assert ours is None
    else:
        assert ours == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


@given(st.text(max_size=6))
def test_no_cell_begins_a_formula_and_no_other_is_changed(text):
    cell = escape_formula(text)
    assert cell.lstrip(" \u00a0")[:1] not in {"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"} or not text
    assert cell in {text, f"'{text}"}


@pytest.mark.feature("linguistics", "compat")
def test_personal_data_is_masked_in_all_formats_and_counted(corpus, tmp_path):
    page = (
        "<title>T</title><p>Write to <a href='mailto:jane.doe@b.example.org'>Jane</a> at jane.doe@b.example.org or "
        "from <a href='https://b.example/'>8.8.8.8</a> today.</p>"
    )
    (tmp_path / "p.html").write_text(page)
    corpus.add(tmp_path / "p.html", progress=False)
    formats = ["jsonl", "nlp.txt", "tei", "md", "html", "txt", "conllu", "chunks", "csv", "textworks"]
    corpus.export(tmp_path / "out", format=formats, mask_personal_data=True)
    for file in (tmp_path / "out").rglob("*"):
        if file.is_file():
            assert b"jane.doe" not in file.read_bytes(), file
            assert b"8.8.8.8" not in file.read_bytes(), file
    assert "Write to Jane at <email> or from <ip> today." in (tmp_path / "out" / "corpus.txt").read_text()
    assert json.loads((tmp_path / "out" / "manifest.json").read_bytes())["masked"] == {"email": 1, "ip": 1}


def test_the_steps_of_preprocessing_stand_in_the_card(small, tmp_path):
    from corpuskit.preprocessing import keep

    found = small.preprocess(["words", keep("words", at_least=10)])
    report = small.export(tmp_path / "out", docs=found, format="txt")
    assert report.documents == int(found.frame.keep.sum()) < 3
    steps = json.loads((tmp_path / "out" / "manifest.json").read_bytes())["steps"]
    assert [(step["in"], step["out"]) for step in steps[:2]] == [(3, 3), (3, report.documents)]
    assert (steps[-1]["step"], steps[-1]["out"]) == ("export", report.documents)


@pytest.mark.parametrize("docs", [[], "frame"])
def test_an_export_of_no_documents_is_refused_and_writes_nothing(small, tmp_path, docs):
    chosen = small.documents().head(0) if docs == "frame" else docs
    with pytest.raises(ConfigurationError, match="nothing to export: no document is left by these options"):
        small.export(tmp_path / "out", docs=chosen)
    assert not (tmp_path / "out").exists()


def test_an_export_of_an_empty_corpus_is_refused(corpus, tmp_path):
    with pytest.raises(ConfigurationError, match="nothing to export: the corpus is empty"):
        corpus.export(tmp_path / "out")
