from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpuskit.relevance import tokenizer
from corpuskit.relevance.token_counter import TokenCounter, frequencies
from corpuskit.relevance.token_hashing import HashIndex, hash_words

HARD_CHARACTERS = st.sampled_from("aAbé\u0301 _.-\u2028\u00a0東京हि1ß\ud800\n\x1c")
SOME_TEXT = st.text(HARD_CHARACTERS, max_size=40) | st.text(max_size=40)


@pytest.mark.parametrize("name", ["document", "url_ngrams", "url", "pdf_trio"])
@given(texts=st.lists(SOME_TEXT, max_size=6))
def test_counting_agrees_with_the_tokenizer(name: str, texts: list[str]) -> None:
    lists = [tokenizer(name)(text) for text in texts]
    words = sorted({word for tokens in lists for word in tokens})[::2]  # every second one stays unknown
    found = TokenCounter(name, words).count(texts)
    expected = [
        (row, column, number)
        for row, tokens in enumerate(lists)
        for column, number in sorted((words.index(w), n) for w, n in Counter(tokens).items() if w in words)
    ]
    assert list(zip(found.row, found.column, found.times, strict=True)) == expected
    assert found.tokens.tolist() == [len(tokens) for tokens in lists]
    assert found.known.tolist() == [sum(word in words for word in tokens) for tokens in lists]
    if name != "pdf_trio":
        assert frequencies(texts, name) == Counter(word for tokens in lists for word in set(tokens))


def test_a_hundred_thousand_words_have_different_hashes() -> None:
    words = [f"w{i}" for i in range(100_000)]
    hashes = hash_words(words).hashes
    assert len(np.unique(hashes)) == len(words)
    assert (HashIndex(hashes).find(hashes) == np.arange(len(words))).all()
    assert (HashIndex(hashes[:50_000]).find(hashes[50_000:]) == -1).all()


def test_a_long_text_among_short_ones_is_counted() -> None:
    texts = ["a", "b " * 300_000, "a b"]
    found = TokenCounter("document", ["a", "b"]).count(texts)
    assert found.times.tolist() == [1, 300_000, 1, 1]
