import pytest

from corpuskit.errors import ConfigurationError
from corpuskit.features.linguistics.saved_queries import SavedQuery
from corpuskit.features.linguistics.widgets.explore import TableRequest, word_sketch

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
def filled(fill):
    corpus = fill({"a.txt": TEXT})
    with pytest.raises(ConfigurationError, match=r"annotate\('spacy:MODEL'\) creates it"):
        corpus.sketch("risk")
    corpus.annotate("pos", lambda words: [OF[word.lower()] for word in words], progress=False)
    corpus.annotate("lemma", lambda words: [LEMMAS.get(word.lower(), word.lower()) for word in words], progress=False)
    return corpus


def test_a_sketch_says_what_stands_in_which_relation_to_a_word(filled):
    found = filled.sketch("risk", min_count=1)
    said = {name: dict(zip(rows["word"], rows["count"], strict=True)) for name, rows in found.groupby("relation")}
    assert said["adjective"] == {"high": 2, "old": 1, "big": 1}
    assert said["verb before"] == {"take": 3}
    assert said["verb behind"] == {"take": 1}
    assert said["noun before"]["credit"] == said["noun behind"]["managers"] == said["and, or"]["danger"] == 1


def test_the_query_of_a_row_finds_its_lines(filled):
    found = filled.sketch("risk", min_count=1).set_index(["relation", "word"])
    assert filled.kwic(found.loc[("adjective", "high"), "query"]).match.tolist() == ["high old risks", "High risk"]
    lines = filled.kwic(found.loc[("verb before", "take"), "query"]).match.tolist()
    assert lines == ["took high old risks", "take the big risk", "take credit risk"]
    # 14 + log2(2 * 2 / (4 + 2)): two of four adjectives, and the word stands twice
    assert found.loc[("adjective", "high"), "log_dice"] == pytest.approx(13.415, abs=0.001)


def test_the_tab_of_the_explorer_shows_it_and_a_row_leads_to_its_lines(filled):
    table = word_sketch(TableRequest(filled.text._scope(), SavedQuery("", " risk ")))
    rows = table.frame[["word", "relation", "count"]].values.tolist()
    assert ["take", "verb before", 3] in rows
    query = table.lead(rows.index(["take", "verb before", 3]))
    assert len(filled.kwic(query)) == 3
    with pytest.raises(ConfigurationError, match="a word sketch needs a query of one word"):
        word_sketch(TableRequest(filled.text._scope(), SavedQuery("", "high risk")))
