"""Words, runs of words, stop words, vocabulary, hyphens."""

import pandas as pd
import pytest

from corpuskit.errors import ConfigurationError, SourceError
from corpuskit.text import dehyphenate, ngrams, read_tags, stop_words, vocabulary, words


def test_words_are_counted_with_length_documents_and_share():
    frame = words(["The cat. The dog", "the mouse!"])
    assert frame.to_dict("list") == {
        "word": ["the", "cat", "dog", "mouse"],
        "length": [3, 3, 3, 5],
        "count": [3, 1, 1, 1],
        "documents": [2, 1, 1, 1],
        "share": [0.5, 1 / 6, 1 / 6, 1 / 6],
    }


def test_stop_words_and_rare_words_are_left_out_and_the_share_stays():
    frame = words(["the cat saw the cat and a dog"], stop=stop_words("en"), min_count=2)
    assert frame["word"].tolist() == ["cat"]
    assert frame["share"].tolist() == [0.25]


def test_runs_do_not_cross_texts_nor_end_in_stop_words():
    assert ngrams(["a b c", "c d"], 2)["word"].tolist() == ["a b", "b c", "c d"]
    assert ngrams(["state of the art"], 4, stop={"of", "the"})["word"].tolist() == ["state of the art"]
    assert ngrams(["state of the art"], 2, stop={"of", "the"})["word"].tolist() == []
    with pytest.raises(ConfigurationError, match="at least 1"):
        ngrams(["a"], 0)


def test_stop_words_of_three_languages():
    assert "the" in stop_words("en") and "les" in stop_words("fr") and "und" in stop_words("de")
    with pytest.raises(ConfigurationError, match="xx"):
        stop_words("xx")


def test_the_vocabulary_tells_names_and_unknown_words():
    frame = vocabulary(
        ["Yesterday Alice met Bob. The queen saw Alice.", "We thank Bob for the frobnicator 42."],
        known={"yesterday", "met", "the", "queen", "saw", "we", "thank", "for"},
    ).set_index("word")
    assert frame.index[frame["proper"]].tolist() == ["alice", "bob"]
    assert frame.loc["the", "capitalised"] == 0
    assert pd.isna(frame.loc["we", "capitalised"])
    assert frame.index[frame["known"].eq(False).fillna(False)].tolist() == ["alice", "bob", "frobnicator"]
    assert pd.isna(frame.loc["42", "known"])


def test_dictionaries_tag_the_words_they_have(tmp_path):
    lefff, other = tmp_path / "lefff.mlex", tmp_path / "other.tsv"
    lefff.write_text("# forms\nportes\tnc\tporte\tfp\nportes\tv\tporter\tPS2s\nLes\tdet\tle\tp\nbroken\n", "utf-8")
    other.write_text("1\tportes\tv adj\n2\tvieilles\tadj\n", "utf-8")
    tags = {"lefff": read_tags(lefff), "dicollecte": read_tags(other, word=1, tag=2)}
    frame = vocabulary(["Les vieilles portes du hangar, 42."], tags=tags).set_index("word")
    assert frame.loc["portes", ["lefff_tags", "dicollecte_tags", "common_tags"]].tolist() == ["nc v", "adj v", "v"]
    assert frame.loc["les", "common_tags"] == "det"
    assert pd.isna(frame.loc["les", "dicollecte_tags"])
    assert frame.index[frame["known"].eq(False).fillna(False)].tolist() == ["du", "hangar"]
    assert pd.isna(frame.loc["42", "known"])
    with pytest.raises(SourceError, match="nowhere"):
        read_tags(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("an exam-\nple here", "an example here"),
        ("a well-known one, well-\nknown", "a well-known one, well-known"),
        ("Baden-\nWürttemberg", "Baden-Württemberg"),
        ("UNI-\nVERSITY", "UNIVERSITY"),
        ("so\u00adft hy\u00ad\nphen", "so\u00adft hyphen"),
        ("1990-\n1995 a -\nb", "1990-\n1995 a -\nb"),
        ("no line end: co-operate", "no line end: co-operate"),
    ],
)
def test_words_cut_at_line_ends_are_made_whole(text, expected):
    assert dehyphenate(text) == expected


def test_a_long_run_of_letters_and_hyphens_takes_no_time():
    assert len(dehyphenate("a-\n" * 200_000)) > 0
    assert len(dehyphenate("a" * 1_000_000 + "\n")) == 1_000_001
