import sys
import unicodedata

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpuskit.text import WORD, count_words
from corpuskit.text.tokens import WORD_IN_ARROW


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's 5 o'clock_", ["It", "s", "5", "o", "clock_"]),
        ("10 m² H₂O", ["10", "m²", "H₂O"]),
        ("यह हिन्दी है", ["यह", "हिन्दी", "है"]),
        ("می\u200cخواهم بروم", ["می\u200cخواهم", "بروم"]),
        ("e\u0301te\u0301 chaud", ["e\u0301te\u0301", "chaud"]),
        ("İstanbul".casefold(), ["i\u0307stanbul"]),
        ("⚠\ufe0f a \u0301 b", ["a", "b"]),
        ("", []),
    ],
)
def test_a_word_is_letters_digits_and_their_marks(text, words):
    assert WORD.findall(text) == words


def test_each_mark_of_unicode_stays_in_its_word():
    marks = [chr(code) for code in range(sys.maxunicode) if unicodedata.category(chr(code)).startswith("M")]
    assert [mark for mark in marks if WORD.findall(f"a{mark}b") != [f"a{mark}b"]] == []


@given(st.text("aé5_ \u0301\u200d-.नि²٣"))
def test_arrow_counts_the_same_words(text):
    assert pc.count_substring_regex(pa.array([text]), WORD_IN_ARROW)[0].as_py() == count_words(text)
