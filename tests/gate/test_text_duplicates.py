"""Floors of recall and precision of near-duplicates, on texts with known edits."""

import random

import pytest

from corpuskit.text import jaccard, near_duplicates

WORDS = [f"{a}{b}{c}" for a in "bcdfghjklmnprstvwz" for b in "aeiouy" for c in ("", "l", "mp", "n", "rk", "st")]


def documents(number, seed):
    """Originals, copies with few edits, and copies with many; words follow Zipf's law."""
    rng = random.Random(seed)
    weights = [1 / (rank + 1) for rank in range(len(WORDS))]
    items, originals = [], []
    for i in range(number):
        words = rng.choices(WORDS, weights, k=rng.randint(30, 400))
        originals.append(" ".join(words))
        items.append((f"{i:05d}-a", originals[-1], 0))
        for name, share in (("b", rng.uniform(0, 0.03)), ("c", rng.uniform(0.02, 0.06)), ("d", rng.uniform(0.1, 0.3))):
            copy = list(words)
            for _ in range(max(1, round(share * len(words)))):
                place = rng.randrange(len(copy))
                edit = rng.choice(("insert", "delete", "replace"))
                copy[place : place + (edit != "insert")] = [] if edit == "delete" else [rng.choice(WORDS)]
            items.append((f"{i:05d}-{name}", " ".join(copy), 1))
    return items


@pytest.mark.slow
def test_recall_and_precision_at_a_jaccard_index_of_eight_tenths_are_at_least_95_percent():
    items = documents(400, seed=1)
    text_of = {name: text for name, text, _ in items}
    # The truth by comparing each copy with its original; texts of other originals share next to nothing.
    true = {name for name in text_of if name[-1] != "a" and jaccard(text_of[name], text_of[name[:-1] + "a"]) >= 0.8}
    frame = near_duplicates(items)
    found = frame[~frame["unique"]]
    right = sum(
        name in true and original == name[:-1] + "a"
        for name, original in zip(found["doc_id"], found["duplicate_of"], strict=True)
    )
    assert 400 < len(true) < 1100
    assert right / len(true) >= 0.95
    assert right / len(found) >= 0.95
