"""Documents that are labelled by the name somebody knows."""

import pytest

from corpuskit.errors import ConfigurationError, UnknownDocumentError


@pytest.fixture
def three(corpus, tmp_path):
    for name in ("a/one.txt", "a/two.txt", "b/two.txt"):
        (tmp_path / "texts" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "texts" / name).write_text(f"A text of {name}.", "utf-8")
    corpus.add(tmp_path / "texts", progress=False)
    return corpus


def labelled(corpus):
    return corpus.documents().set_index("uri").label.dropna().to_dict()


def test_a_document_goes_by_its_uri_or_its_file_name(three):
    assert three.set_labels({"texts/a/two.txt": "other", "one.txt": "relevant"}, by="me") == 2
    assert labelled(three) == {"texts/a/two.txt": "other", "texts/a/one.txt": "relevant"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("two.txt", r"several documents end in 'two\.txt'"),
        ("onne.txt", r"similar: .*texts/a/one\.txt"),
        ("0123456789abcdef", "no document"),
    ],
)
def test_a_name_of_no_or_several_documents_labels_none(three, name, message):
    with pytest.raises(UnknownDocumentError, match=message):
        three.set_labels({"one.txt": "relevant", name: "other"}, by="me")
    assert labelled(three) == {}


def test_one_document_under_two_names_gets_one_label(three):
    assert three.set_labels({"one.txt": "other", "texts/a/one.txt": "other"}, by="me") == 1
    with pytest.raises(ConfigurationError, match="named twice"):
        three.set_labels({"one.txt": "other", "texts/a/one.txt": "relevant"}, by="me")
    assert labelled(three) == {"texts/a/one.txt": "other"}


def test_a_removed_document_gets_no_label(three):
    doc_id = three.documents().set_index("uri").doc_id["texts/a/one.txt"]
    three.remove([doc_id], reason="asked")
    with pytest.raises(UnknownDocumentError):
        three.set_labels({doc_id: "other"}, by="me")


def test_frames_take_names_and_refuse_those_of_no_document(three):
    assert three.documents("one.txt").uri.tolist() == ["texts/a/one.txt"]
    assert three.elements(["texts/b/two.txt"]).text.tolist() == ["A text of b/two.txt."]
    assert three.find("text", docs="one.txt").shape[0] == 1
    three.save_subcorpus("pair", ["texts/a/two.txt", "one.txt"])
    assert len(three.documents("pair")) == 2
    assert len(three.documents(three.documents().head(0))) == 0
    for ask in (three.documents, three.elements):
        with pytest.raises(UnknownDocumentError, match=r"no document 'onn\.txt'; similar: texts/a/one\.txt"):
            ask("onn.txt")
