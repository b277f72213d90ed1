"""The browser of documents: more like one of them."""

import pytest

import corpuskit
from corpuskit.errors import ConfigurationError


@pytest.fixture
def browser(tmp_path):
    words = {"garden": "tomato soil flower rain", "rocket": "orbit moon launch engine"}
    (tmp_path / "pages").mkdir()
    for subject, text in words.items():
        for i in range(5):
            (tmp_path / "pages" / f"{subject}{i}.txt").write_text(f"{subject} {text} {subject}{i}", "utf-8")
    with corpuskit.open(tmp_path / "corpus") as corpus:
        corpus.add(tmp_path / "pages", progress=False)
        yield corpus.browse()


@pytest.mark.feature("vectors")
def test_more_like_this_shows_the_one_and_those_like_it(browser):
    rows, sent = browser.rows, []
    rows.send = sent.append
    at = rows.found["uri"].tolist().index("pages/rocket2.txt")
    doc_id = rows.found["doc_id"].iloc[at]
    rows._on_like({"op": "like", "row": at})
    assert rows.state == [1, 10, 10]
    assert rows.found["doc_id"].iloc[0] == doc_id
    assert [uri[6:12] for uri in rows.found["uri"]] == ["rocket"] * 5 + ["garden"] * 5
    assert rows.code == f"docs = corpus.vectors.similar({doc_id!r}, 100)"
    rows._on_rows({"op": "rows", "generation": 1, "start": 0, "end": 1})
    assert sent[0]["rows"][0][0] == "pages/rocket2.txt"


@pytest.mark.feature("vectors")
def test_a_filter_ends_it(browser):
    browser.rows._on_like({"op": "like", "row": 7})
    browser.rows.filter({"text": "garden"})
    assert len(browser.found) == 5
    assert browser.rows.code.startswith("docs = corpus.documents()")


def test_a_row_that_is_not_there_is_told(browser):
    with pytest.raises(IndexError):
        browser.rows._on_like({"op": "like", "row": 99})


@pytest.mark.feature("vectors")
def test_more_like_all_that_are_found_where_none_is_chosen(browser):
    rows = browser.rows
    rows.filter({"text": "rocket"})
    before = rows.code.removeprefix("docs = ")
    rows._on_like({"op": "like", "row": -1})
    assert [uri[6:12] for uri in rows.found["uri"]] == ["garden"] * 5  # the rockets are what was asked with
    assert rows.code == f"docs = corpus.vectors.similar({before}, 100)"
    rows.filter({"text": "nothing has this"})
    with pytest.raises(ConfigurationError, match="more like 0 documents"):
        rows._on_like({"op": "like", "row": -1})


@pytest.mark.feature("linguistics")
def test_columns_sort_and_words_in_the_text_filter_and_the_code_says_so(browser):
    rows = browser.rows
    rows._on_label({"op": "label", "row": 3, "generation": 0, "label": "other"})
    labelled = rows.found["uri"].iloc[3]
    rows.filter({"sort": "label"})
    assert rows.found["uri"].iloc[0] == labelled
    rows.filter({"says": "orbit", "sort": "words", "falling": "yes"})
    assert {uri[6:12] for uri in browser.found["uri"]} == {"rocket"}
    assert (
        rows.code
        == "docs = corpus.documents(corpus.text(include_duplicates=True).kwic('orbit')).sort_values('words', ascending=False)"
    )
    assert rows.order == ["words", True]
    with pytest.raises(ConfigurationError):
        rows.filter({"says": "(("})
    assert len(browser.found) == 0  # no old rows under a query that cannot be answered


def test_a_key_labels_the_row_and_shows_it(browser):
    rows, sent = browser.rows, []
    rows.send = sent.append
    at = rows.found["uri"].tolist().index("pages/garden2.txt")
    rows._on_label({"op": "label", "row": at, "generation": 0, "label": "relevant"})
    assert rows.found["label"].dropna().tolist() == ["relevant"]
    assert [message["op"] for message in sent] == ["rows", "labelled"]
    assert sent[0]["rows"][0][5] == "relevant"
    rows._on_label({"op": "label", "row": at, "generation": 0, "label": "withdrawn"})
    assert rows.found["label"].notna().sum() == 0


def test_enter_gives_the_tree_the_keyboard_and_a_click_does_not(browser):
    told = []
    browser.tree.send = told.append
    browser.rows._on_open({"op": "open", "row": 0, "focus": False})
    assert told == []
    browser.rows._on_open({"op": "open", "row": 0, "focus": True})
    assert told == [{"op": "focus"}]
