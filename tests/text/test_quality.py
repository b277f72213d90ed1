"""Rules of quality: values counted by hand."""

import pytest

from corpuskit.errors import ConfigurationError
from corpuskit.text import QUALITY_RULES, quality

GOOD = """The harbour lies at the mouth of a river that has carried boats since Roman times.

Fishermen still leave before dawn, and they come back with herring, cod and sometimes a lobster.

In winter storms the sea wall breaks the waves with a noise you can hear up in the village.

Visitors arrive by train; most of them want to be near water, to eat well and to walk along cliffs.

A small museum shows nets, lamps and charts drawn by pilots who knew every rock of that coast.

When evening falls, lights of distant ferries move slowly from one end of our horizon to another."""


def row(text, **options):
    return quality([text], **options).iloc[0]


def test_a_good_text_passes_all_rules():
    found = row(GOOD)
    assert found["gopher_ok"] and found["c4_ok"] and found["fineweb_ok"], found["gopher_why"]
    assert found[["gopher_why", "c4_why", "fineweb_why"]].isna().all()


@pytest.mark.parametrize(
    ("text", "rule", "value"),
    [
        ("one two three", "gopher_words", 3),
        ("aa bbbb!", "gopher_word_length", 3),
        ("# a # b", "gopher_symbols", 0.5),
        ("a... b… c d", "gopher_symbols", 0.5),
        ("- a\n* b\nc\n\n• d", "gopher_bullets", 0.75),
        ("a...\nb…\nc\nd", "gopher_ellipses", 0.5),
        ("a 1 2 b3", "gopher_alphabetic", 0.5),
        ("the cat and THE dog", "gopher_stop_words", 2),
        ("a\nb\na\na", "gopher_repeated_lines", 0.5),
        ("ab\ncd\nab", "gopher_repeated_line_characters", 2 / 8),
        ("ab\n\ncd\n\nab", "gopher_repeated_paragraphs", 1 / 3),
        ("a b c a b d", "gopher_top_2_words", 6 / 11),
        ("a b c d", "gopher_top_2_words", 0),
        ("a b c d e f a b c d e", "gopher_repeated_5_words", 5 / 21),
        ("One two three.\nFour five\nSix seven eight!\nNo.", "c4_sentences", 2),
        ("It rained here. Nobody came! Who would?\nYes. No.\nOne two three four", "c4_sentences", 3),
        ("x Lorem Ipsum", "c4_lorem_ipsum", 1),
        ("{ {", "c4_braces", 2),
        ("Enable JavaScript\na\nWe use cookies here\nb", "c4_javascript", 0.25),
        ("Enable JavaScript\na\nWe use cookies here\nb", "c4_policy", 0.25),
        ("a.\nb\nc!\nd", "fineweb_ended_lines", 0.5),
        ("short\n" + "long " * 10, "fineweb_short_lines", 0.5),
    ],
)
def test_a_rule_looks_at(text, rule, value):
    assert row(text)[rule] == pytest.approx(value)


def test_a_verdict_names_the_rules_that_failed():
    found = row(GOOD + "\n{ lorem ipsum }", rules=["c4"])
    assert not found["c4_ok"]
    assert found["c4_why"] == "c4_lorem_ipsum c4_braces"
    assert found["c4_sentences_ok"]
    assert "gopher_ok" not in found


def test_the_stop_words_are_those_of_the_language():
    frame = quality(["le chat et la souris", "the cat and the dog", "東京"], rules=["gopher"], langs=["fr", "fr", "ja"])
    assert frame["gopher_stop_words_ok"].tolist() == [True, False, True]


def test_no_text_fails_and_no_texts_have_the_same_columns():
    assert not row("")["gopher_ok"]
    assert quality([]).columns.tolist() == quality([GOOD]).columns.tolist()
    with pytest.raises(ConfigurationError, match="gopher"):
        quality([GOOD], rules=["best"])


def test_every_rule_says_what_it_asks_for():
    rules = [rule for rules in QUALITY_RULES.values() for rule in rules]
    assert len({rule.name for rule in rules}) == len(rules) == 29
    assert all(rule.description == rule.says != "" for rule in rules)
