"""Label files as people make them."""

import pytest

from corpuskit.errors import ConfigurationError, UnknownDocumentError


@pytest.fixture(autouse=True)
def filled(fill):
    fill({f"{name}.txt": f"Text {name} about things" for name in "abc"})


@pytest.mark.parametrize(
    "content",
    [
        "target,label\na.txt,relevant\nb.txt,\n",
        "\ufeffTarget; Label\na.txt;relevant\n",
        "target\tlabel\na.txt\trelevant\n",
    ],
)
def test_a_spreadsheet_of_any_land_is_read_and_rows_without_a_label_wait(corpus, tmp_path, content):
    (tmp_path / "labels.csv").write_text(content, "utf-8")
    assert corpus.import_labels(tmp_path / "labels.csv", by="ann").taken == 1
    (labelled,) = corpus.documents().dropna(subset="label").uri
    assert labelled.endswith("a.txt")
    (tmp_path / "labels.csv").write_text("")
    with pytest.raises(ConfigurationError, match="found columns none, expected target and label"):
        corpus.import_labels(tmp_path / "labels.csv", by="ann")


@pytest.mark.parametrize("label", [None, "relevant"])
def test_a_file_without_an_end_is_no_file_of_labels(corpus, tmp_path, monkeypatch, label):
    monkeypatch.setattr("corpuskit.labels.label_files._MAX_BYTES", 1000)
    (tmp_path / "labels.csv").write_text("target,label\n" + "a.txt,relevant\n" * 100)
    with pytest.raises(ConfigurationError, match="expected a file of labels, found more than 1,000 bytes"):
        corpus.import_labels(tmp_path / "labels.csv", by="ann", label=label)


def test_whoever_labels_has_a_name(corpus):
    import pandas as pd

    doc_ids = corpus.documents().doc_id
    with pytest.raises(ConfigurationError, match="expected the name of the annotator"):
        corpus.set_labels({doc_ids[0]: "relevant"}, by=" ")
    assert corpus.set_labels(pd.Series("other", index=doc_ids), by="ann") == 3


def test_what_is_no_document_is_not_asked(corpus):
    with pytest.raises(UnknownDocumentError, match="nope"):
        corpus.prelabel(lambda texts: ["other" for _ in texts], ["nope"], name="rule", progress=False)
    with pytest.raises(UnknownDocumentError, match="nope"):
        corpus.label(["nope"], by="me")
    with pytest.raises(ConfigurationError, match="expected the name of a person"):
        corpus.label(by="machine:x")
    with pytest.raises(ConfigurationError, match="expected a ChatAnnotator or a function"):
        corpus.prelabel("gemma", name="x", progress=False)


def test_seed_words_are_words(corpus):
    corpus.describe(seeds=["things"])
    for seeds in ([""], [1, 2], "things"):
        with pytest.raises(ConfigurationError, match="expected a list of words"):
            corpus.describe(seeds=seeds)
    assert corpus._folder.settings.seeds == ("things",)
