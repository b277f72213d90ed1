"""Reports over the main content of a corpus, and the language of elements."""

import pytest

from corpuskit.errors import ConfigurationError


@pytest.fixture
def filled(corpus, tmp_path):
    (tmp_path / "a.txt").write_text(
        "Le port se trouve à l'embouchure d'une rivière qui porte des bateaux.\n\n"
        "The harbour lies at the mouth of a river that has carried boats.\n\nOK",
        "utf-8",
    )
    corpus.add(tmp_path / "a.txt", progress=False)
    return corpus


def test_the_vocabulary_of_a_corpus(filled):
    frame = filled.vocabulary(known={"the", "of"}).set_index("word")
    assert frame.loc["the", ["count", "documents", "known"]].tolist() == [2, 1, True]
    assert not frame.loc["harbour", "known"]


def test_the_characters_of_a_corpus_by_site(filled):
    frame = filled.charset(by_site=True).set_index("char")
    host = filled.documents()["host"].iloc[0]
    assert frame.loc["à", "name"] == "LATIN SMALL LETTER A WITH GRAVE"
    assert frame.loc["à", "count"] == frame.loc["à", f"count {host}"] == 1


def test_elements_have_their_own_language_on_demand(filled):
    assert filled.elements(languages=True)["lang"].tolist() == ["fr", "en", "?"]
    assert filled.elements()["lang"].nunique() <= 1
    with pytest.raises(ConfigurationError, match="text=False"):
        filled.elements(text=False, languages=True)
