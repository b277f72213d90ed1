import subprocess
import sys

import pytest

import corpuskit
from corpuskit.errors import ConfigurationError
from corpuskit.safe_folder import SafeFolder

TEXTS = {
    "en": "She goes back home. They went straight back, and we are going back too. He has seen the houses.",
    "de": "Die Häuser gehören den Kindern. Die Kinder gingen gestern in die alten Häuser und spielten dort.",
    "fr": "Les chevaux sont partis hier matin. Nous avons vu les journaux et les animaux dans la grande maison.",
}


@pytest.fixture
def filled(corpus, tmp_path):
    for lang, text in TEXTS.items():
        (tmp_path / f"{lang}.txt").write_text(text, "utf-8")
    corpus.add(*tmp_path.glob("*.txt"), progress=False)
    assert corpus.documents().lang.tolist() == ["de", "en", "fr"]
    return corpus


def matches(corpus, query):
    return corpus.kwic(query).match.tolist()


@pytest.mark.slow
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
        with pytest.raises(ConfigurationError, match="expected a name of letters"):
            filled.annotate(name, list, progress=False)
    with pytest.raises(ConfigurationError, match="expected a function"):
        filled.annotate("pos", progress=False)
    with pytest.raises(ConfigurationError, match="no attribute 'pos', expected one of lower, word"):
        filled.wordlist(attribute="pos")


def a_pipeline(folder, lang="en"):
    import spacy

    pipeline = spacy.blank(lang)
    ruler = pipeline.add_pipe("attribute_ruler")
    for words, says in (
        (["goes", "went", "going", "go"], {"POS": "VERB", "TAG": "V", "LEMMA": "go"}),
        (["back"], {"POS": "ADV", "TAG": "R", "LEMMA": "back"}),
        (["n't"], {"POS": "PART", "TAG": "NOT", "LEMMA": "not"}),
    ):
        ruler.add(patterns=[[{"LOWER": word}] for word in words], attrs=says)
    pipeline.to_disk(folder)
    return f"spacy:{folder}"


@pytest.mark.slow
def test_a_pipeline_of_spacy_speaks_of_documents_in_its_language(filled, tmp_path):
    (tmp_path / "not.txt").write_text("They don't go back to that old house. It isn't theirs, and it never was.")
    filled.add(tmp_path / "not.txt", progress=False)
    name = a_pipeline(tmp_path / "model")
    english = filled.frequency("[]", by="lang").frame.set_index("lang")["count"]["en"]
    assert filled.annotate(name, progress=False) == english
    assert matches(filled, '[pos="VERB"]') == ["goes", "went", "going", "go"]
    assert matches(filled, '[lemma="go"] []* [tag="R"] within s') == [
        "goes back", "went straight back", "going back", "go back",
    ]  # fmt: skip
    # spaCy's tokens are "do" and "n't": of ours, "don" begins in the first and "t" in the second.
    assert matches(filled, '[lemma="not"]') == ["t", "t"]
    assert matches(filled, '[word="Häuser" & pos="_"]') == []
    assert filled.annotate(name, progress=False) == 0


@pytest.mark.slow
def test_what_spacy_calls_lemmas_is_not_mixed_with_those_of_simplemma(filled, tmp_path):
    name = a_pipeline(tmp_path / "model")
    filled.annotate(name, progress=False)
    (tmp_path / "new.txt").write_text("She sees houses, and he goes on as he always went on in other years.")
    filled.add(tmp_path / "new.txt", progress=False)
    assert matches(filled, '[lemma="see"]') == []
    assert len(matches(filled, '[lemma="go"]')) == 3
    assert filled.annotate(name, progress=False) == 15
    assert len(matches(filled, '[lemma="go"]')) == 5


@pytest.mark.slow
def test_layers_that_are_there_stay_unless_they_are_to_be_replaced(filled, tmp_path):
    filled.annotate("lemma", progress=False)
    name = a_pipeline(tmp_path / "model")
    filled.annotate(name, progress=False)
    assert matches(filled, '[lemma="house"]') == ["houses"]
    filled.annotate(name, replace=True, progress=False)
    assert matches(filled, '[lemma="house"]') == []
    assert len(matches(filled, '[lemma="go" & pos="VERB"]')) == 3


def test_a_model_that_is_not_there_is_told(filled):
    with pytest.raises(ConfigurationError, match="python -m spacy download en_no_such"):
        filled.annotate("spacy:en_no_such", progress=False)
    with pytest.raises(ConfigurationError, match="expected spacy:MODEL, conllu:PATH or vert:PATH"):
        filled.annotate("stanza:en", progress=False)


@pytest.mark.parametrize("error", [RuntimeError("no answer"), KeyboardInterrupt()])
def test_what_was_found_before_a_function_fails_or_is_stopped_is_kept(filled, error, capfd):
    asked = []

    def fails(words):
        asked.append(words)
        if "vu" in words:
            raise error
        return ["X"] * len(words)

    with pytest.raises(type(error)) as raised:
        filled.annotate("shape", fails)
    assert len(asked) == 7
    assert "shape: stopped, 2 of 3 documents done" in capfd.readouterr().err
    assert (
        "shape: 2 of 3 documents done; completed values are saved; call annotate again to continue"
        in raised.value.__notes__
    )
    if isinstance(error, RuntimeError):
        french = filled.documents().set_index("lang").doc_id["fr"]
        said = f"the function failed at the 12 words 'Nous avons vu les journaux et les animaux dans la grande maison' of document {french}"
        assert any(said in note for note in raised.value.__notes__)
    again = []
    filled.annotate("shape", lambda words: again.append(list(words)) or ["Y"] * len(words))
    assert [words[0] for words in again] == ["Les", "Nous"]
    assert matches(filled, '[shape="Y"]')[0] == "Nous"
    assert len(matches(filled, '[shape="X"]')) == 41
    assert "shape: 3 of 3 documents done" in capfd.readouterr().err


KILLED = """
import os, sys
import corpuskit
from corpuskit.tokens import annotation, layer_sources

annotation._SAVE_INTERVAL, annotation._SAVE_RATIO, layer_sources._BATCH_SIZE = -1.0, 0, 1  # saved after each sentence
corpus = corpuskit.open(sys.argv[1])
corpus.annotate("shape", lambda words: os._exit(9) if "vu" in words else ["X"] * len(words), progress=False)
"""


@pytest.mark.slow
def test_a_process_that_is_killed_loses_only_what_it_found_since_it_saved(filled):
    assert subprocess.run([sys.executable, "-c", KILLED, str(filled.path)], check=False).returncode == 9
    assert len(matches(filled, '[shape="X"]')) == 41
    again = []
    filled.annotate("shape", lambda words: again.append(words) or ["Y"] * len(words), progress=False)
    assert len(again) == 2


@pytest.mark.slow
def test_a_process_that_dies_while_a_layer_is_replaced_keeps_the_other_layers(filled, monkeypatch):
    filled.annotate("lemma", progress=False)
    filled.annotate("shape", lambda words: ["X"] * len(words), progress=False)
    moved = []

    def dies(self, old, new):
        if moved:
            raise KeyboardInterrupt
        moved.append(new)
        return rename(self, old, new)

    rename = SafeFolder.rename
    monkeypatch.setattr(SafeFolder, "rename", dies)
    with pytest.raises(KeyboardInterrupt):
        filled.annotate("shape", lambda words: ["Y"] * len(words), replace=True, progress=False)
    monkeypatch.undo()
    assert len(moved) == 1
    assert matches(filled, '[lemma="go"]') == ["goes", "went", "going"]


def test_documents_without_a_known_language_are_told_as_without_lemmas(filled, tmp_path, caplog):
    (tmp_path / "numbers.txt").write_text("XK 12, PQ 13, ZT 14")
    filled.add(tmp_path / "numbers.txt", progress=False)
    filled.annotate("lemma", progress=False)
    assert "lemma: 1 document got lower-case words as lemmas" in caplog.text
    assert "(?: 1; ? is unknown)" in caplog.text
    assert (
        filled.documents().query("lang in ['?']").title.tolist()
        == filled.documents().query("lang == '?'").title.tolist()
    )
    assert len(filled.documents().query("lang in ['?']")) == 1


def test_a_function_that_fails_at_the_first_words_leaves_no_layer(corpus, tmp_path):
    (tmp_path / "a.txt").write_text("Honey bees swarm in May.")
    corpus.add(tmp_path / "a.txt", progress=False)
    with pytest.raises(ConfigurationError, match="expected one per word"):
        corpus.annotate("x", lambda words: words[:1], progress=False)
    with pytest.raises(ConfigurationError, match="x"):
        corpus.kwic('[x="a"]')
