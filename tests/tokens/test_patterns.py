import sys
import unicodedata

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpuskit.errors import ConfigurationError
from corpuskit.text import patterns
from corpuskit.text.patterns import arrow_pattern, compiled_pattern, matches_in, needed_characters, search_mask

# Letters with case of several kinds, marks, digits of other scripts, blanks of several kinds, signs that one syntax knows.
CHARACTERS = "aZéßẞiIİıkKſsςσΣ²½١٣ेंनहß_- \t\n\v\x1c\x85\u00a0\u200d\u2028.<>&~|[](){}^$*+?,#:=!P"
ESCAPES = [rf"\{sign}" for sign in "bBwWdDsSntafrvZA<>.-[]^$\\&"]
PIECES = st.one_of(
    st.sampled_from(list(CHARACTERS)),
    st.sampled_from(ESCAPES),
    st.sampled_from(
        ["(?:", "(?=", "(?P<n>", "[^", ".*", ".+?", "{2}", "{,2}", "{1,}", "[a-z]", "[[:alpha:]]", "&&", "*+"]
    ),
)


def found_by_arrow(pattern, *texts):
    return arrow_pattern(pattern).mask(pa.array(texts)).to_pylist()


@given(st.lists(PIECES, min_size=1, max_size=7).map("".join), st.text(CHARACTERS, max_size=8))
@example("(?P<n>a{,2}b)", "b")
@example(r"[^\w]", "²")
@example("a$", "a\n")
@example(r"\<a", "<a")
@example("istanbul", "İstanbul")
@example(r"[]a]b", "]b")
@example(r"[a&&b]", "&")
@pytest.mark.filterwarnings("ignore:Possible (nested|set):FutureWarning")
def test_a_translation_loses_nothing(pattern, text):
    try:
        compiled = compiled_pattern(pattern)
    except ConfigurationError:
        return
    translated = arrow_pattern(pattern)
    if translated is not None:
        found, is_match = translated.mask(pa.array([text]))[0].as_py(), compiled.search(text) is not None
        assert found or not is_match
        assert not translated.is_exact or found == is_match
    assert search_mask(pa.chunked_array([[text]]), compiled).to_pylist() == [compiled.search(text) is not None]


@pytest.mark.parametrize(
    ("pattern", "is_exact"),
    [
        ("premium", True), (r"\bété\b", True), (r"\w+ment\b", True), ("a|b", True), ("(colou?r)s", True),
        ("[^,.]{2,}", True), (r"\d{4}", True), (r"[\w-]+@", True), ("^Rates.*$", True), (r"a\.b", True), ("[a-z]{3}", True),
        (r"\b(a|b)c\b", False), (r"[^\W\d]", False), (r"a\bb", False), (r"\b.", False),
    ],
)  # fmt: skip
def test_common_patterns_are_translated(pattern, is_exact):
    assert arrow_pattern(pattern).is_exact == is_exact


def test_an_inexact_translation_leaves_most_texts_out():
    assert found_by_arrow(r"a\b-", "a-", "b-") == [True, False]
    assert found_by_arrow(r"\b(\d+|x) €", "1 €", "a €") == [True, False]


@pytest.mark.parametrize(
    "pattern", ["(?=a)a", r"(a)\1", "a{3", "(?i)a", "[[:alpha:]]", r"\bx(?<!y)", "a++", "(?:a{1000}){1000}"]
)
def test_other_patterns_have_no_translation_and_are_searched_by_regex(pattern):
    assert arrow_pattern(pattern) is None
    texts = ["a", "aa", "x", "a{3"]
    compiled = compiled_pattern(pattern)
    assert search_mask(pa.chunked_array([texts]), compiled).to_pylist() == [
        compiled.search(text) is not None for text in texts
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", "[^a-z]", "[^k]", "[a-z]", "[A-Z]", "i", "I", "k", "ß"]
)
def test_the_translation_matches_the_same_characters(kind):
    assigned = [chr(code) for code in range(sys.maxunicode) if unicodedata.category(chr(code)) not in {"Cn", "Cs"}]
    compiled = compiled_pattern(kind)
    expected = [character for character in assigned if compiled.search(character)]
    assert [c for c, found in zip(assigned, found_by_arrow(kind, *assigned), strict=True) if found] == expected


def test_marks_are_part_of_words():
    assert [match[0] for match in matches_in("यह हिन्दी है", compiled_pattern(r"\bह\w+"))] == ["हिन्दी", "है"]
    assert [match[0] for match in matches_in("la πόλη", compiled_pattern(r"\p{Greek}+"))] == ["πόλη"]


def test_a_pattern_that_takes_exponential_time_is_ended(monkeypatch):
    monkeypatch.setattr(patterns, "SECONDS", 0.2)
    with pytest.raises(ConfigurationError, match="took more than"):
        matches_in("a " * 1000 + "= 1", compiled_pattern(r"(?:\w+ ?)*\w+=\d"))


@given(st.lists(PIECES, min_size=1, max_size=7).map("".join), st.text(CHARACTERS, max_size=8))
@example("a(?:,|b)?", "a")
@example("a,?b", "ab")
@example("a,{0}b", "ab")
@example("a|b,", "a")
@pytest.mark.filterwarnings("ignore:Possible (nested|set):FutureWarning")
def test_what_a_pattern_needs_is_in_each_of_its_matches(pattern, text):
    try:
        match = compiled_pattern(pattern).fullmatch(text)
    except ConfigurationError:
        return
    if match is not None:
        signs = {sign for sign in needed_characters(pattern) if not sign.isalnum()}
        assert signs <= set(text)


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [("a b", "a b"), (r"3\.5", "3.5"), ("a,?b", "ab"), ("(?:a,)b", "b"), ("a,|b", ""), ("a[,]b", "ab")],
)
def test_what_a_pattern_needs(pattern, needed):
    assert needed_characters(pattern) == needed
