"""What is main content, and what can be chosen about it."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from corpuskit.document import NLPTextDocument
from corpuskit.extraction import ExtractOptions, extract_bytes
from corpuskit.extraction.html import classify, forest
from corpuskit.extraction.html.blocks import Blocks, blocks_of
from corpuskit.extraction.html.decode import parse
from corpuskit.extraction.html.extract import walk_page
from corpuskit.extraction.html.metadata import read_head

PARAGRAPH = "A flat roof is a better place for bees than most people think, because it is warm, dry and out of reach. "
PAGE = f"""<html lang=en><body><header><nav><ul><li><a href=/a>Home</a></li><li><a href=/b>About</a></li></ul></nav></header>
<article><h1>Bees on the roof</h1><p>{PARAGRAPH}</p><p>{PARAGRAPH * 2}</p><p>{PARAGRAPH * 3}</p></article>
<div id=comments class=comments><div class=comment><p>I do not agree, my uncle keeps his bees in the garden.</p></div></div>
<footer><p>© 2024 Hilltop, all rights reserved</p></footer></body></html>"""


def extract(**options: object) -> NLPTextDocument:
    return extract_bytes(PAGE.encode(), media_type="text/html", options=ExtractOptions(**options))


def test_main_text_is_the_article_without_navigation_footer_and_comments() -> None:
    text = extract().to_text(main=True)
    assert PARAGRAPH.strip() in text
    assert not any(word in text for word in ("Home", "uncle", "rights"))


def test_comments_have_a_role_and_are_main_when_asked_for() -> None:
    (comment,) = [element for element in extract() if element.role == "comment"]
    assert "my uncle" in comment.text and not comment.main
    assert "my uncle" in extract(comments=True).to_text(main=True)


def test_each_block_has_a_probability() -> None:
    table = extract().table
    assert set(table.marks["main_probability"]) == {row for row, text in enumerate(table.text) if text}
    assert all(0 <= p <= 1 for p in table.marks["main_probability"].values())


def test_favoring_recall_never_takes_less_than_favoring_precision() -> None:
    def main_rows(favor: str) -> set[int]:
        return {row for row, kept in enumerate(extract(favor=favor).table.main) if kept}

    assert main_rows("precision") <= main_rows("recall")


def test_without_classification_all_but_navigation_is_main() -> None:
    table = extract(classify=False).table
    assert {table.text[row] for row in range(len(table)) if table.text[row] and not table.main[row]} == {
        "Home",
        "About",
    }
    assert "main_probability" not in table.marks


def test_without_the_model_rules_decide_and_say_so_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(forest, "_MODEL", "absent.npz")
    forest.shipped_model.cache_clear()
    try:
        with caplog.at_level(logging.WARNING):
            text = extract().to_text(main=True)
            extract()
    finally:
        forest.shipped_model.cache_clear()
    assert PARAGRAPH.strip() in text and "Home" not in text and "uncle" not in text
    assert len([record for record in caplog.records if "absent.npz" in record.message]) == 1


def test_the_chosen_blocks_have_the_greatest_expected_f_measure() -> None:
    # Of ten equal words a block: {.9} has 2 * .9 / (1 + 1.5) = .72, {.9, .5} has 2 * 1.4 / (2 + 1.5) = .8 and
    # {.9, .5, .1} has 2 * 1.5 / (3 + 1.5) = .67.
    chosen = classify.choose(np.array([0.1, 0.9, 0.5]), np.full(3, 10.0), 1.0, 0.0)
    assert chosen.tolist() == [False, True, True]


def test_the_forest_walks_down_to_the_leaves() -> None:
    decisions, leaves = 2**forest.DEPTH - 1, 2**forest.DEPTH
    feature = np.zeros((1, decisions), np.int32)
    threshold = np.full((1, decisions), np.inf, np.float32)
    feature[0, 0], threshold[0, 0] = 1, 0.5
    leaf = np.full((1, leaves), 3.0, np.float32)
    leaf[0, : leaves // 2] = -3.0
    left, right = forest.Forest(feature, threshold, leaf).log_odds(np.array([[9.0, 0.5], [9.0, 0.6]], np.float32))
    assert (left, right) == (-3.0, 3.0)


def test_the_title_above_two_parts_of_the_main_text_is_main() -> None:
    root = parse(b"<h1>A</h1><h2>B</h2><p>b</p><h2>C</h2><p>c</p><h3>D</h3><p>d</p>", charset=None, uri=None)
    walked, _ = walk_page([root], read_head(root), None, ExtractOptions())
    page = blocks_of(walked)
    chosen = np.array([text in ("B", "b", "C", "c") for text in page.texts])
    assert [text for text, is_sure in zip(page.texts, classify.titles_of(page, chosen)[2], strict=True) if is_sure] == [
        "A"
    ]
    chosen[page.texts.index("C")] = False
    assert not classify.titles_of(page, chosen)[2].any()


def test_a_text_that_stands_twice_for_two_widths_of_screen_is_main_once() -> None:
    article = "".join(
        f"<h2>Part {part}</h2><p>Of {name} hives on a roof the {name} one needs more shade at noon than those that stand in a garden.</p>"
        for part, name in enumerate(("oak", "ash", "elm", "fir"))
    )
    page = f"<body><main><h1>Hives</h1><div class='d-none d-md-block'>{article}</div><div class=d-md-none>{article}</div></main></body>"
    document = extract_bytes(page.encode(), media_type="text/html")
    assert document.to_text(main=True).count("the elm one") == 1
    assert document.to_text().count("the elm one") == 2


def test_a_short_passage_may_stand_twice_in_the_main_text() -> None:
    blocks, chosen = blocks_of_texts(["Stir well."] * 3 + ["Bake it."] * 3), np.ones(6, bool)
    assert not classify.later_copies(blocks, chosen).any()


def test_a_copy_is_what_stood_before_in_the_same_order() -> None:
    one, two, three = ("x " * 30 + str(number) for number in range(3))
    blocks = blocks_of_texts([one, two, three, "between", one, two, three, two, one])
    assert np.flatnonzero(classify.later_copies(blocks, np.ones(9, bool))).tolist() == [4, 5, 6]


def blocks_of_texts(texts: list[str]) -> Blocks:
    walked, _ = walk_page(
        [parse("".join(f"<p>{text}</p>" for text in texts).encode(), charset=None, uri=None)],
        read_head(parse(b"<p>", charset=None, uri=None)), None, ExtractOptions(),
    )  # fmt: skip
    return blocks_of(walked)
