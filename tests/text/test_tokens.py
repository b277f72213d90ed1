import sys
import unicodedata

import pytest

from corpuskit.text import WORD


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
