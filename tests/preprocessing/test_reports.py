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


@pytest.mark.feature("linguistics")
def test_the_vocabulary_of_a_corpus(filled):
    frame = filled.vocabulary(known={"the", "of"}).set_index("word")
    assert frame.loc["the", ["count", "documents", "known"]].tolist() == [2, 1, True]
    assert not frame.loc["harbour", "known"]


@pytest.mark.feature("linguistics")
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


def test_elements_tell_how_many_pages_of_the_site_have_them(corpus, tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    for name in "abc":
        (files / f"{name}.txt").write_text(f"The same footer\n\nThe same footer\n\nOnly in {name}", "utf-8")
    corpus.add(files, progress=False)
    frame = corpus.elements(frequencies=True)
    assert frame["frequency_in_site"].tolist() == [3, 3, 1] * 3
    assert frame["frequency_in_corpus"].tolist() == [3, 3, 1] * 3
    one = corpus.elements([corpus.documents()["doc_id"].iloc[2]], frequencies=True)
    assert one["text"].iloc[2] == "Only in c"
    assert one["frequency_in_site"].tolist() == [3, 3, 1]
