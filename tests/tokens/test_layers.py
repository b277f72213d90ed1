import pytest

import corpuskit
from corpuskit.errors import ConfigurationError

TEXTS = {
    "en": "She goes back home. They went straight back, and we are going back too. He has seen the houses.",
    "de": "Die Häuser gehören den Kindern. Die Kinder gingen gestern in die alten Häuser und spielten dort.",
    "fr": "Les chevaux sont partis hier matin. Nous avons vu les journaux et les animaux dans la grande maison.",
}


@pytest.fixture
def filled(corpus, tmp_path):
    pytest.importorskip("simplemma")
    for lang, text in TEXTS.items():
        (tmp_path / f"{lang}.txt").write_text(text, "utf-8")
    corpus.add(*tmp_path.glob("*.txt"), progress=False)
    assert corpus.documents().lang.tolist() == ["de", "en", "fr"]
    return corpus


def matches(corpus, query):
    return corpus.kwic(query).match.tolist()


def test_lemmas_are_those_of_the_language_of_each_document(filled):
    assert filled.annotate("lemma", progress=False) == 53
    assert matches(filled, '[lemma="go"]') == ["goes", "went", "going"]
    assert matches(filled, '[lemma="go"] []{0,3} "back"') == ["goes back", "went straight back", "going back"]
    assert matches(filled, '[lemma="Haus"]') == ["Häuser", "Häuser"]
    assert matches(filled, '[lemma="cheval|journal"]') == ["chevaux", "journaux"]
    words = filled.wordlist(attribute="lemma").set_index("word")
    assert words.loc["go", "count"] == 3
    assert "go" in filled.collocates("back", attribute="lemma", min_count=1).word.tolist()
    assert "go back" in filled.ngrams(2, attribute="lemma", min_count=1).ngram.tolist()


def test_nothing_is_done_twice_and_new_documents_get_lemmas(filled, tmp_path):
    filled.annotate("lemma", progress=False)
    assert filled.annotate("lemma", progress=False) == 0
    (tmp_path / "new.txt").write_text("It goes on and on, as it always went before in our old houses.")
    filled.add(tmp_path / "new.txt", progress=False)
    assert len(matches(filled, '[lemma="go"]')) == 5
    with corpuskit.open(filled.path) as other:
        assert len(matches(other, '[lemma="go"]')) == 5
        assert other.annotate("lemma", progress=False) == 0


def test_a_function_says_a_value_for_each_word_of_a_sentence(filled, tmp_path):
    pytest.importorskip("blingfire")
    seen = []

    def shape(words):
        seen.append(list(words))
        return ["X" if word[0].isupper() else "x" for word in words]

    filled.annotate("shape", shape, progress=False)
    assert ["She", "goes", "back", "home"] in seen
    assert matches(filled, '[shape="X" & word!="D.*|L.*"]') == [
        "Häuser",
        "Kindern",
        "Kinder",
        "Häuser",
        "She",
        "They",
        "He",
        "Nous",
    ]
    (tmp_path / "new.txt").write_text("Another text comes later, and it has no values yet.")
    filled.add(tmp_path / "new.txt", progress=False)
    assert "Another" not in matches(filled, '[shape="X"]')
    filled.annotate("shape", shape, progress=False)
    assert "Another" in matches(filled, '[shape="X"]')


def test_a_wrong_layer_is_told(filled):
    with pytest.raises(ConfigurationError, match="1 values for the 5 words 'Die Häuser"):
        filled.annotate("wrong", lambda words: ["x"], progress=False)
    for name in ("word", "a b", ""):
        with pytest.raises(ConfigurationError, match="a layer called"):
            filled.annotate(name, list, progress=False)
    with pytest.raises(ConfigurationError, match="expected a function"):
        filled.annotate("pos", progress=False)
    with pytest.raises(ConfigurationError, match="no attribute 'pos'; there are lower, word"):
        filled.wordlist(attribute="pos")
