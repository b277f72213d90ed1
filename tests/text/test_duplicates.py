"""Duplicates: columns, not deletions; the same for every order and every way of coming in."""

import random

import pandas as pd
import pytest

from corpuskit.errors import ConfigurationError
from corpuskit.text import DuplicateIndex, jaccard, near_duplicates, repeated_blocks

WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in "lmnrst"]


def made(number, seed=0, length=60):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=length)) for _ in range(number)]


def edited(text, edits, seed=0):
    rng = random.Random(seed)
    words = text.split()
    for place in rng.sample(range(len(words)), edits):
        words[place] = "edited"
    return " ".join(words)


def test_the_jaccard_index_of_texts_is_that_of_their_runs():
    assert jaccard("a b c d", "A, b; c d!") == 1
    assert jaccard("a b c d", "a b c e") == pytest.approx(1 / 3)  # abc of abc, bcd, bce
    assert jaccard("a", "a") == 1
    assert jaccard("", "") == 0
    assert jaccard("東京は日本の首都", "東京は日本の首府") == pytest.approx(5 / 7)


def test_exact_near_and_different_texts():
    text = made(1)[0]
    frame = near_duplicates(
        [("a", text), ("b", text.upper() + "\n"), ("c", edited(text, 1)), ("d", edited(text, 25)), ("e", "")]
    ).set_index("doc_id")
    assert frame["unique"].to_dict() == {"a": True, "b": False, "c": False, "d": True, "e": True}
    assert frame.loc[["b", "c"], "duplicate_of"].tolist() == ["a", "a"]
    assert frame.loc[["b", "c"], "kind"].tolist() == ["exact", "near"]
    assert frame.loc["c", "similarity"] == pytest.approx(jaccard(text, edited(text, 1)))
    assert frame.loc[["a", "d", "e"], "duplicate_of"].isna().all()


def test_texts_without_words_are_no_duplicates():
    assert near_duplicates([("a", "!!!"), ("b", "..."), ("c", "")])["unique"].all()


def test_the_original_is_the_one_seen_first_then_the_smallest_id():
    text = made(1)[0]
    assert near_duplicates([("a", text, 2), ("b", text, 1)]).set_index("doc_id").loc["a", "duplicate_of"] == "b"
    assert near_duplicates([("b", text, 1), ("a", text, 1)]).set_index("doc_id").loc["b", "duplicate_of"] == "a"


def test_an_original_is_never_a_duplicate_itself():
    frame = near_duplicates(family(40))
    originals = set(frame["duplicate_of"].dropna())
    assert originals
    assert frame.set_index("doc_id").loc[sorted(originals), "unique"].all()


def family(number):
    """Chains of edits: each text is like the one before it."""
    items = []
    for i, text in enumerate(made(number, seed=5)):
        now = text
        for step in range(4):
            items.append((f"{i:03d}-{step}", now, step))
            now = edited(now, 2, seed=step)
    return items


def test_the_order_of_coming_changes_nothing():
    items = family(30)
    expected = near_duplicates(items)
    for seed in range(3):
        shuffled = random.Random(seed).sample(items, len(items))
        pd.testing.assert_frame_equal(near_duplicates(shuffled), expected)


def test_texts_that_come_later_change_no_verdict_and_get_the_same_one(tmp_path):
    items = sorted(family(30), key=lambda item: item[2])
    index = DuplicateIndex(tmp_path / "index")
    index.add(items[:60])
    before = index.find()
    again = DuplicateIndex(tmp_path / "index")
    again.add(items[60:])
    after = again.find()
    pd.testing.assert_frame_equal(after, near_duplicates(items))
    old = after[after["doc_id"].isin(before["doc_id"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(old, before)


def test_a_text_that_changed_counts_as_it_is_now(tmp_path):
    one, two = made(2)
    index = DuplicateIndex(tmp_path / "index")
    index.add([("a", one, 0), ("b", one, 0)])
    index.add([("b", two, 0)])
    assert index.find()["unique"].all()
    assert index.find(["b"])["doc_id"].tolist() == ["b"]
    assert index.known() == {"a", "b"}


def test_an_index_made_with_other_settings_is_refused(tmp_path):
    DuplicateIndex(tmp_path / "index", size=3)
    with pytest.raises(ConfigurationError, match="other settings"):
        DuplicateIndex(tmp_path / "index", size=5)
    with pytest.raises(ConfigurationError, match="threshold"):
        DuplicateIndex(tmp_path / "other", threshold=0.1)


def test_an_empty_index_gives_the_same_columns(tmp_path):
    empty = DuplicateIndex(tmp_path / "index").find()
    full = near_duplicates([("a", "one two three")])
    assert empty.columns.tolist() == full.columns.tolist()
    assert (empty.dtypes == full.dtypes).all()


def test_blocks_are_counted_by_site_and_corpus():
    frame = repeated_blocks(
        pd.DataFrame(
            [("1", "a", 7), ("1", "a", 7), ("2", "a", 7), ("3", "b", 7), ("3", "b", 8)],
            columns=["doc_id", "site", "hash"],
        )
    )
    assert frame["frequency_in_site"].tolist() == [2, 2, 2, 1, 1]
    assert frame["frequency_in_corpus"].tolist() == [3, 3, 3, 3, 1]
    assert frame["first_in_site"].tolist() == [True, False, False, True, True]
