import pytest

from corpuskit.errors import ConfigurationError

TEXT = (
    "They took high old risks. We take the big risk. A risk was taken. High risk and great danger grow. "
    "Risk managers take credit risk. Old danger grows in old houses."
)
TAGS = {
    "PRON": "they we", "VERB": "took take taken grow grows", "ADJ": "high old big great", "NOUN": "risk risks danger managers credit houses",
    "DET": "a the", "AUX": "was", "CCONJ": "and", "ADP": "in",
}  # fmt: skip
LEMMAS = {"took": "take", "taken": "take", "risks": "risk", "grows": "grow"}
OF = {word: tag for tag, words in TAGS.items() for word in words.split()}


@pytest.fixture
def filled(corpus, tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    corpus.add(tmp_path / "a.txt", progress=False)
    corpus.annotate("pos", lambda words: [OF[word.lower()] for word in words], progress=False)
    corpus.annotate("lemma", lambda words: [LEMMAS.get(word.lower(), word.lower()) for word in words], progress=False)
    return corpus


def test_a_sketch_says_what_stands_in_which_relation_to_a_word(filled):
    found = filled.sketch("risk", min_count=1)
    said = {(row["relation"], row["word"]): row["count"] for _, row in found.iterrows()}
    assert {word: count for (relation, word), count in said.items() if relation == "adjective"} == {
        "high": 2, "old": 1, "big": 1,
    }  # fmt: skip
    assert {word: count for (relation, word), count in said.items() if relation == "verb before"} == {"take": 3}
    assert {word: count for (relation, word), count in said.items() if relation == "verb behind"} == {"take": 1}
    assert said["noun before", "credit"] == said["noun behind", "managers"] == 1
    assert said["and, or", "danger"] == 1


def test_the_query_of_a_row_finds_its_lines(filled):
    found = filled.sketch("risk", min_count=1).set_index(["relation", "word"])
    assert filled.kwic(found.loc[("adjective", "high"), "query"]).match.tolist() == ["high old risks", "High risk"]
    assert filled.kwic(found.loc[("verb before", "take"), "query"]).match.tolist() == [
        "took high old risks", "take the big risk", "take credit risk",
    ]  # fmt: skip
    # 14 + log2(2 * 2 / (4 + 2)): two of four adjectives, and the word stands twice
    assert found.loc[("adjective", "high"), "log_dice"] == pytest.approx(13.415, abs=0.001)


def test_a_sketch_without_parts_of_speech_is_told_what_it_needs(corpus, tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    corpus.add(tmp_path / "a.txt", progress=False)
    with pytest.raises(ConfigurationError, match="annotate\\('spacy:MODEL'\\) makes it"):
        corpus.sketch("risk")


def test_the_tab_of_the_explorer_shows_it_and_a_row_leads_to_its_lines(filled):
    from corpuskit.views.saved_queries import SavedQuery
    from corpuskit.widgets.explore import Asked, word_sketch

    table = word_sketch(Asked(filled._scope(None, main=True, copies=False), SavedQuery("", " risk ")))
    rows = table.frame[["word", "relation", "count"]].values.tolist()
    assert ["take", "verb before", 3] in rows
    query = table.lead(rows.index(["take", "verb before", 3]))
    assert len(filled.kwic(query)) == 3
    with pytest.raises(ConfigurationError, match="a word sketch is of one word"):
        word_sketch(Asked(filled._scope(None, main=True, copies=False), SavedQuery("", "high risk")))
