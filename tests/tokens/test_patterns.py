import sys
import unicodedata

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpuskit.errors import ConfigurationError
from corpuskit.text import patterns
from corpuskit.text.patterns import compiled_pattern, ignoring_case, matches_in, needed_characters, problem_of, wider

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


def found_by_the_engine(pattern, text):
    return pl.Series([text]).str.contains(ignoring_case(pattern))[0]


@given(st.lists(PIECES, min_size=1, max_size=7).map("".join), st.text(CHARACTERS, max_size=8))
@example("(?P<n>a{,2}b)", "b")
@example(r"[^\w]", "²")
@example("a$", "a\n")
@example(r"\<a", "<a")
@example("istanbul", "İstanbul")
@example(r"[]a]b", "]b")
@example(r"[a&&b]", "&")
@pytest.mark.filterwarnings("ignore:Possible (nested|set):FutureWarning")
def test_a_wider_pattern_loses_nothing(pattern, text):
    try:
        compiled = compiled_pattern(pattern)
    except ConfigurationError:
        return
    wide = wider(pattern)
    if wide is not None and compiled.search(text):
        assert found_by_the_engine(wide, text)


@pytest.mark.parametrize(
    "pattern",
    ["premium", r"\bété\b", r"\w+ment\b", "a|b", "(colou?r)s", "[^,.]{2,}", r"\d{4}", r"[\w-]+@", "^Rates.*$", r"a\.b"],
)
def test_patterns_of_every_day_are_known(pattern):
    assert wider(pattern) is not None


def test_a_wider_pattern_leaves_most_texts_out():
    assert not found_by_the_engine(wider(r"\bété\b"), "hiver")
    assert not found_by_the_engine(wider(r"\d+ €"), "a €")
    assert not found_by_the_engine(wider("[a-f]{3}"), "xyz")


@pytest.mark.parametrize("pattern", ["(?=a)a", r"(a)\1", "a{3", "(?i)a", "[[:alpha:]]", r"\bx(?<!y)"])
def test_what_is_not_known_has_no_wider_pattern(pattern):
    assert wider(pattern) is None


def test_problems_are_told_in_a_line():
    assert problem_of("(") == "unclosed group"
    assert problem_of("(?=x)") == "look-around, including look-ahead and look-behind, is not supported"
    assert problem_of("(?:a{1000}){1000}") == "Compiled regex exceeds size limit of 10485760 bytes."
    assert problem_of("x") is None


@pytest.mark.parametrize("kind", [r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", r"a\b.", r"a\B.", "[^a-z]", "[^k]"])
@pytest.mark.slow
def test_both_engines_know_the_same_characters(kind):
    assigned = [
        f"a{chr(code)}" if "." in kind else chr(code)
        for code in range(sys.maxunicode)
        if unicodedata.category(chr(code)) not in {"Cn", "Cs"}
    ]
    found = pl.Series(assigned).str.contains(rf"^{wider(kind)}\z")
    compiled = compiled_pattern(kind)
    assert [
        text for text, matches in zip(assigned, found, strict=True) if compiled.fullmatch(text) and not matches
    ] == []


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
