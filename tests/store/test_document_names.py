"""Documents by id, URI or file name."""

import pytest

import corpuskit
from corpuskit.errors import UnknownDocumentError


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
    assert ("the nearest" in str(raised.value)) == bool(like)
