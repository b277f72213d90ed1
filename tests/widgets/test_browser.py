"""The browser of documents: more like one of them."""

import pytest

import corpuskit


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


def test_more_like_this_shows_the_one_and_those_like_it(browser):
    rows, sent = browser.rows, []
    rows.send = sent.append
    at = rows.found["uri"].tolist().index("pages/rocket2.txt")
    doc_id = rows.found["doc_id"].iloc[at]
    rows._on_like({"op": "like", "row": at})
    assert rows.state == [1, 10, 10]
    assert rows.found["doc_id"].iloc[0] == doc_id
    assert [uri[6:12] for uri in rows.found["uri"]] == ["rocket"] * 5 + ["garden"] * 5
    assert rows.code == f"docs = corpus.similar({doc_id!r}, 100)"
    rows._on_rows({"op": "rows", "generation": 1, "start": 0, "end": 1})
    assert sent[0]["rows"][0][0] == "pages/rocket2.txt"


def test_a_filter_ends_it(browser):
    browser.rows._on_like({"op": "like", "row": 7})
    browser.rows.filter({"text": "garden"})
    assert len(browser.found) == 5
    assert browser.rows.code.startswith("docs = corpus.documents()")


def test_a_row_that_is_not_there_is_told(browser):
    with pytest.raises(IndexError):
        browser.rows._on_like({"op": "like", "row": 99})
