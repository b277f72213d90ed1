"""Measures of corpus linguistics against published examples and computation by hand."""

from math import log, log2, sqrt

import numpy as np
import pytest

from corpuskit.features.linguistics import association
from corpuskit.features.linguistics.collocation import collocates, keywords
from corpuskit.features.linguistics.word_lists import dispersion, ngrams, occurrences, wordlist
from corpuskit.tokens import index_of, select


def stream_of(rows):
    return select(index_of((*row, True) for row in rows))


def array(*values):
    return np.array(values, float)


def test_dp_of_the_example_in_gries_2008():
    # Gries 2008, section 3.1: a corpus of 50 words in five parts; "a" occurs 1 to 5 times; DP = 0.18.
    parts = [
        "b a m n i b e u p",
        "b a s a t b e w q n",
        "b c a g a b e s t a",
        "b a g h a b e a a t",
        "b a h a a b e a x a t",
    ]
    stream = stream_of((f"part {i}", 0, part) for i, part in enumerate(parts))
    row = dispersion(stream, ["a"]).iloc[0]
    assert row["count"] == 15
    assert row.dp == pytest.approx(0.18)
    assert row.dp_norm == pytest.approx(0.18 / (1 - 9 / 50))  # Lijffijt and Gries 2012


def test_dp_is_0_for_an_even_word_and_near_1_for_one_in_a_small_part():
    assert association.deviation_of_proportions(array(1, 2), array(10, 20))[0] == pytest.approx(0.0)
    assert association.deviation_of_proportions(array(3, 0), array(1, 99))[0] == pytest.approx(0.99)


def test_log_dice_by_its_definition():
    # Rychly 2008: 14 + log2(2 f(xy) / (f(x) + f(y))); the maximum 14 where the two never come apart.
    assert association.log_dice(array(5), array(5), array(5))[0] == 14.0
    assert association.log_dice(array(1), array(15), array(17))[0] == 10.0


def test_log_likelihood_of_a_table_by_hand():
    # O = 10, 20, 30, 140 in a table of 200: rows 30 and 170, columns 40 and 160; E = 6, 24, 34, 136.
    by_hand = 2 * (10 * log(10 / 6) + 20 * log(20 / 24) + 30 * log(30 / 34) + 140 * log(140 / 136))
    assert association.log_likelihood(array(10), array(30), array(40), 200.0)[0] == pytest.approx(by_hand)


def test_log_likelihood_of_two_corpora_by_hand():
    # Rayson and Garside 2000: a = 12 of 1,000 against b = 6 of 2,000: E1 = 1000 * 18 / 3000 = 6, E2 = 12.
    by_hand = 2 * (12 * log(12 / 6) + 6 * log(6 / 12))
    assert association.keyness(array(12), 1000.0, array(6), 2000.0)[0] == pytest.approx(by_hand)
    assert association.keyness(array(6), 2000.0, array(12), 1000.0)[0] == pytest.approx(-by_hand)


def test_log_ratio_is_1_for_twice_as_frequent_and_takes_half_for_none():
    assert association.log_ratio(array(4), 100.0, array(4), 200.0)[0] == 1.0
    assert association.log_ratio(array(4), 100.0, array(0), 100.0)[0] == 3.0


def test_simple_maths_by_its_definition():
    assert association.simple_maths(array(300), array(100), 100.0)[0] == 2.0


def test_collocates_by_hand():
    texts = ["strong tea and strong coffee", "weak tea", "strong wind", "tea is tea"]
    frame = collocates(stream_of(("d", i, text) for i, text in enumerate(texts)), "tea", window=1, min_count=1)
    found = frame.set_index("word")
    # 12 tokens, 4 of them tea, so N = 8. In windows of 1: strong, and | weak | is: R1 = 4.
    assert found["count"].to_dict() == {"strong": 1, "and": 1, "weak": 1, "is": 1}
    assert found.total.to_dict() == {"strong": 3, "and": 1, "weak": 1, "is": 1}
    assert found.loc["is", ["left", "right"]].tolist() == [1, 1]  # between two matches: counted once
    strong = found.loc["strong"]
    assert strong.expected == pytest.approx(4 * 3 / 8)
    assert strong.mi == pytest.approx(log2(1 / 1.5))
    assert strong.t == pytest.approx((1 - 1.5) / sqrt(1))
    assert strong.log_dice == pytest.approx(14 + log2(2 * 1 / (4 + 3)))
    # O = 1, 3, 2, 2; E = 1.5, 2.5, 2.5, 1.5 in rows 4, 4 and columns 3, 5: fewer than expected, so negative.
    by_hand = 2 * (log(1 / 1.5) + 3 * log(3 / 2.5) + 2 * log(2 / 1.5) + 2 * log(2 / 2.5))
    assert strong.log_likelihood == pytest.approx(-by_hand)


def test_a_window_does_not_leave_its_element():
    stream = stream_of([("d", 0, "green tea"), ("d", 1, "black coffee")])
    assert collocates(stream, "tea", min_count=1, sort="count").word.tolist() == ["green"]


def test_keywords_by_hand():
    target = stream_of([("a", 0, "premium premium premium claim the the")])
    frame = keywords(target, {"premium": 1, "the": 40, "other": 19}, min_count=1).set_index("word")
    assert frame.loc["premium", ["count", "reference_count"]].tolist() == [3, 1]
    assert frame.loc["premium", "log_ratio"] == pytest.approx(log2((3 / 6) / (1 / 60)))
    expected = 6 * 4 / 66, 60 * 4 / 66
    assert frame.loc["premium", "log_likelihood"] == pytest.approx(
        2 * (3 * log(3 / expected[0]) + log(1 / expected[1]))
    )
    assert frame.loc["the", "log_likelihood"] < 0  # 2 of 6 against 40 of 60


def test_ngrams_and_the_word_list_by_hand():
    stream = stream_of([("a", 0, "to be or not to be"), ("b", 0, "be or")])
    bigrams = ngrams(stream, 2, min_count=1).set_index("ngram")
    assert bigrams["count"].to_dict() == {"be or": 2, "to be": 2, "not to": 1, "or not": 1}
    assert bigrams.documents.to_dict() == {"be or": 2, "to be": 1, "not to": 1, "or not": 1}
    assert ngrams(stream, 3, min_count=1, query="not").ngram.tolist() == ["be or not", "not to be", "or not to"]
    words = wordlist(stream).set_index("word")
    assert words["count"].to_dict() == {"be": 3, "or": 2, "to": 2, "not": 1}
    assert words.loc["be", "documents"] == 2
    assert words.loc["be", "per_million"] == pytest.approx(3 / 8 * 1e6)


def test_occurrences_say_where_in_the_corpus_a_word_stands():
    stream = stream_of([("a", 4, "x y"), ("b", 7, "z x")])
    frame = occurrences(None, stream, ["x"])
    assert frame[["doc_id", "element_id", "place"]].values.tolist() == [["a", 4, 0.0], ["b", 7, 0.75]]


def test_the_interval_of_a_rate_is_wilsons_for_one_document():
    # Newcombe 1998, Statistics in Medicine 17, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29, method 3.
    for count, size, low, high in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ]:
        found = association.rate_interval(array(count), array(size))
        assert found == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_words_that_come_in_bursts_have_a_wider_interval():
    # Ten documents of 100 tokens. Ten matches in one of them: r = .01, sum (x - rn)^2 = 9^2 + 9 = 90, so the variance between
    # documents is 10 / 9 * 90 / 1000^2 = 1e-4, that of independent tokens .01 * .99 / 1000 = 9.9e-6: 1000 tokens are worth 99.
    burst, even = array(10, *[0] * 9), array(*[1] * 10)
    sizes = array(*[100] * 10)
    assert association.rate_interval(even, sizes) == association.rate_interval(array(10), array(1000))
    assert association.rate_interval(burst, sizes) == pytest.approx(association.rate_interval(array(0.99), array(99)))
