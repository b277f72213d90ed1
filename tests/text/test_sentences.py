"""Sentences: the hard cases made by hand, and that nothing is lost."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpuskit.text import sentences

HARD = [line.split("\t") for line in Path(__file__).with_name("sentences.tsv").read_text("utf-8").splitlines()]


@pytest.mark.parametrize(("lang", "floor"), [("en", 0.95), ("fr", 1.0), ("de", 1.0)])
def test_the_hard_cases_of_a_language_are_split_as_by_hand(lang, floor):
    right = given = wanted = 0
    for _, marked in (case for case in HARD if case[0] == lang):
        parts = marked.split(" ‖ ")
        text = " ".join(parts)
        found = {text[start:end] for start, end in sentences(text, lang)}
        right += len(found & set(parts))
        given += len(found)
        wanted += len(parts)
    assert 2 * right / (given + wanted) >= floor - 0.05 * (lang == "en")


def test_spans_leave_out_blanks_only_and_blank_lines_end_sentences():
    text = "  One. Two!\n\nThree\nis here.  "
    assert [text[start:end] for start, end in sentences(text, "en")] == ["One.", "Two!", "Three\nis here."]


def test_a_sentence_that_begins_with_an_accent_is_found():
    text = "Le jour est long. À midi, il pleut. Été comme hiver."
    assert [text[start:end] for start, end in sentences(text, "fr")] == text.replace(". ", ".|").split("|")


def test_nothing_has_no_sentences():
    assert sentences("") == sentences(" \n\t ") == []


@given(
    st.one_of(st.text(), st.text(alphabet="aB. !?\n«»É\ud800\x00\u200b\ufeff😀", max_size=30)),
    st.sampled_from(["en", "de", None]),
)
def test_every_character_but_blanks_is_in_one_sentence(text, lang):
    spans = sentences(text, lang)
    assert all(start < end for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
