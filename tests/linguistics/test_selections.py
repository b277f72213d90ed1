import pytest

from corpuskit.errors import ConfigurationError, UnknownDocumentError


@pytest.fixture
def filled(fill):
    return fill({f"d{i:02}.txt": f"Text number {i}." for i in range(12)})


def test_a_sample_is_the_same_for_the_same_seed_and_another_for_another(filled):
    first = filled.sample(5, seed=1)
    assert first.equals(filled.sample(5, seed=1))
    assert len(first) == 5
    assert set(first.doc_id) != set(filled.sample(5, seed=2).doc_id)
    assert len(filled.sample(100)) == 12
    assert set(filled.sample(3).doc_id) < set(filled.sample(6).doc_id)


def test_a_sub_corpus_keeps_its_documents_under_its_name(filled):
    part = filled.documents().head(3)
    assert filled.save_subcorpus("first three", part) == 3
    assert filled.subcorpus("first three").doc_id.tolist() == part.doc_id.tolist()
    assert filled.subcorpora() == {"first three": 3}
    with pytest.raises(ConfigurationError, match="first three"):
        filled.subcorpus("last three")
    with pytest.raises(UnknownDocumentError):
        filled.save_subcorpus("wrong", ["0" * 16])
    filled.remove(part.head(1), reason="test")
    assert len(filled.subcorpus("first three")) == 2


def test_lists_of_words_come_from_the_corpus(filled):
    assert filled.wordlist().head(2)["count"].tolist() == [12, 12]
    assert filled.ngrams(2).ngram.tolist() == ["text number"]
    assert filled.collocates("number", min_count=1).word.tolist()[0] == "text"
    assert filled.dispersion("number", "7")["documents"].tolist() == [12, 1]
    words = filled.keywords(filled.documents().head(1), min_count=1)
    assert words.word.iloc[0] == "0"
    with pytest.raises(ConfigurationError, match="part has no words"):
        filled.keywords()
