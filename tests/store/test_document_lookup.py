"""Documents by id, URI or file name."""

import pytest

import corpuskit
from corpuskit.errors import ConfigurationError, UnknownDocumentError


@pytest.fixture
def corpus(tmp_path):
    for place in ("a/one.txt", "a/two.txt", "b/two.txt", "b/1_2.txt"):
        file = tmp_path / "texts" / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"Text of {place}", "utf-8")
    with corpuskit.open(tmp_path / "corpus") as opened:
        opened.add(tmp_path / "texts", progress=False)
        yield opened


def test_a_document_answers_to_its_id_its_uri_and_its_file_name(corpus):
    row = corpus.documents().query("uri == 'texts/a/one.txt'").iloc[0]
    for name in (row.doc_id, row.uri, "one.txt", "a/one.txt"):
        assert corpus[name].to_text() == "Text of a/one.txt"
    assert row.uri in corpus
    assert row.doc_id in corpus
    assert "one.txt" not in corpus
    assert corpus.original("b/two.txt").bytes == b"Text of b/two.txt"


def test_a_name_of_two_is_told_with_both(corpus):
    with pytest.raises(UnknownDocumentError, match=r"several .* texts/a/two.txt and texts/b/two.txt"):
        corpus["two.txt"]


@pytest.mark.parametrize(
    ("name", "like"), [("on.txt", "texts/a/one.txt"), ("texts/b/12.txt", "texts/b/1_2.txt"), ("%", ""), ("", "")]
)
def test_an_unknown_name_is_told_with_the_nearest(corpus, name, like):
    with pytest.raises(UnknownDocumentError) as raised:
        corpus[name]
    assert like in str(raised.value)
    assert ("similar" in str(raised.value)) == bool(like)


@pytest.mark.feature("linguistics")
def test_a_mask_means_the_rows_of_documents_for_which_it_is_true(corpus):
    documents = corpus.documents()
    is_two = documents["uri"].str.endswith("two.txt")
    assert corpus.documents(is_two)["uri"].tolist() == ["texts/a/two.txt", "texts/b/two.txt"]
    assert corpus.documents(is_two.to_numpy())["uri"].tolist() == ["texts/a/two.txt", "texts/b/two.txt"]
    turned = documents[::-1]
    assert len(corpus.kwic("Text", docs=turned["uri"] == "texts/a/one.txt")) == 1  # goes by its index
    with pytest.raises(ConfigurationError, match=r"a mask of 2 rows does not fit the 4 rows"):
        corpus.documents(is_two[:2])


def test_frames_of_elements_name_their_documents(corpus):
    elements = corpus.elements(["one.txt", "b/two.txt"])
    assert elements.groupby("uri", observed=True)["text"].first().to_dict() == {
        "texts/a/one.txt": "Text of a/one.txt",
        "texts/b/two.txt": "Text of b/two.txt",
    }
    assert {"title", "uri"} <= set(corpus.elements(arrow=True).columns)
    frame = corpus.preprocess([], progress=False).frame
    assert frame[["doc_id", "title", "uri"]].merge(corpus.documents(), on=["doc_id", "uri"]).shape[0] == 4


FORMS = {
    "an id": lambda corpus, docs: docs.doc_id[0],
    "a URI": lambda corpus, docs: "texts/a/one.txt",
    "a file name": lambda corpus, docs: "one.txt",
    "a sub-corpus": lambda corpus, docs: "first",
    "a DataFrame": lambda corpus, docs: docs.query("uri == 'texts/a/one.txt'"),
    "a Series": lambda corpus, docs: docs.doc_id[:1],
    "a list": lambda corpus, docs: ["one.txt", "texts/a/one.txt"],
    "a mask": lambda corpus, docs: docs.uri == "texts/a/one.txt",
    "a sorted mask": lambda corpus, docs: docs.sort_values("uri", ascending=False).uri == "texts/a/one.txt",
    "a mask of numpy": lambda corpus, docs: (docs.uri == "texts/a/one.txt").to_numpy(),
    "a list of truth values": lambda corpus, docs: [uri == "texts/a/one.txt" for uri in docs.uri],
}
ASKED = {
    "documents": lambda corpus, docs: corpus.documents(docs).uri,
    "elements": lambda corpus, docs: corpus.elements(docs).uri,
    "find": lambda corpus, docs: corpus.find("text", docs=docs).uri,
    "sample": lambda corpus, docs: corpus.sample(9, docs=docs).uri,
    "kwic": lambda corpus, docs: corpus.kwic("text", docs=docs).uri,
    "preprocess": lambda corpus, docs: corpus.preprocess([], docs=docs, progress=False).frame.uri,
}


@pytest.mark.feature("linguistics")
@pytest.mark.parametrize("form", FORMS)
def test_documents_can_be_meant_in_many_ways(corpus, form):
    docs = corpus.documents()
    assert docs.uri[0] == "texts/a/one.txt"
    corpus.save_subcorpus("first", docs[:1])
    for name, ask in ASKED.items():
        assert list(ask(corpus, FORMS[form](corpus, docs)).unique()) == ["texts/a/one.txt"], name


@pytest.mark.feature("linguistics")
def test_a_mask_of_other_rows_is_told_with_what_to_do(corpus):
    docs = corpus.documents()
    for mask in ((docs.uri == "")[:2], (docs.uri == "").set_axis(docs.doc_id), [True] * 9):
        with pytest.raises(ConfigurationError, match=r"the 4 rows of documents\(\).* docs=frame\[mask\]"):
            corpus.kwic("text", docs=mask)


def test_what_names_no_documents_is_told(corpus):
    with pytest.raises(TypeError, match="needs a column doc_id; this one has uri"):
        corpus.documents(corpus.documents()[["uri"]])
    with pytest.raises(TypeError, match="documents as a int"):
        corpus.documents(3)
    corpus.save_subcorpus("first", ["one.txt"])
    with pytest.raises(UnknownDocumentError, match=r"similar.*; sub-corpora: 'first'"):
        corpus.documents("frst/one.tx")
