"""What the model's card says is what its command prints, and of the file that is shipped."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import html_figures as figures
import pytest

from corpuskit.extraction.html.forest import DEPTH, shipped_model


def test_the_card_has_the_figures_that_the_command_prints_for_our_own_pages() -> None:
    assert figures.sample_row() in figures.CARD.read_text("utf-8").splitlines()


def test_the_card_speaks_of_the_file_that_is_shipped() -> None:
    card = figures.CARD.read_text("utf-8")
    model = shipped_model()
    assert hashlib.sha256(figures.CARD.with_name("model.npz").read_bytes()).hexdigest() in card
    trees, second, depth = map(
        int, re.search(r"forests of (\d+) and\s+(\d+) decision trees of depth (\d+)", card).groups()
    )
    assert (trees, second, depth) == (len(model.first.feature), len(model.second.feature), DEPTH)
    assert (
        f"weight of recall\n{model.favor['']} (favor precision {model.favor['precision']}, recall {model.favor['recall']})"
        in card
    )
    assert f"none below a probability of {model.floor}" in card


@pytest.mark.parametrize(
    ("text", "gold", "expected"),
    [("a b c", "a b c", 1.0), ("a b", "b c", 0.5), ("", "a", 0.0), ("a", "", 0.0), ("", "", 1.0), ("a a b", "a", 0.5)],
)
def test_f1_of_words_is_twice_the_common_ones_by_all(text: str, gold: str, expected: float) -> None:
    assert figures.word_f1(text, gold) == expected


def test_new_figures_take_the_place_of_the_row_of_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = tmp_path / "MODEL.md"
    card.write_text("| | web |\n|---|---|\n| both looks | .1 |\n| the first look alone | .2 |\n", "utf-8")
    monkeypatch.setattr(figures, "CARD", card)
    figures.write(["| both looks | .9 |"])
    assert card.read_text("utf-8") == "| | web |\n|---|---|\n| both looks | .9 |\n| the first look alone | .2 |\n"
