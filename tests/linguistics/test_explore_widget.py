"""What the explorer tells the page when a query cannot be answered, and of lists that are cut."""

import time

import pytest

from corpuskit.errors import ConfigurationError, CorpusKitError
from corpuskit.features.linguistics.saved_queries import SavedQuery
from corpuskit.features.linguistics.widgets import explore


@pytest.fixture
def filled(corpus, tmp_path):
    for i in range(3):
        (tmp_path / f"doc{i}.txt").write_text(
            "\n\n".join(f"Line {j} of text {i}: the premium is due" for j in range(5))
        )
    corpus.add(tmp_path / "*.txt", progress=False)
    return corpus


@pytest.fixture
def tabs(filled):
    explorer = filled.explore("premium")
    wait_for_all(explorer.tabs)
    yield explorer.tabs
    explorer.close()


def wait_for_all(lines):
    while not lines.state[2]:
        time.sleep(0.01)


def page_asks(tabs, monkeypatch, **message):
    """What the page hears when it sends a message."""
    messages = []
    monkeypatch.setattr(type(tabs), "send", lambda self, content, buffers=(): messages.append(content))
    tabs._answer(tabs, message, [])
    return messages


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"query": "[lemma="}, "query"),
        ({"query": '[lemma="due"]'}, "no attribute 'lemma'"),
        ({"query": "due", "sort": "left"}, "expected positions"),
        ({"query": "due", "sample": -1}, "sample=-1: expected"),
        ({"query": "due", "subcorpus": "gone"}, "no sub-corpus 'gone'"),
    ],
)
def test_a_query_that_cannot_be_answered_leaves_no_lines_of_the_one_before(tabs, monkeypatch, asked, said):
    assert tabs.state[1:] == [15, True, 3]
    before = tabs.state[0]
    assert page_asks(tabs, monkeypatch, op="search", **asked) == []
    assert tabs.asked["query"] == asked["query"]
    assert said in tabs.wrong
    assert tabs.state[0] > before
    assert tabs.state[1:] == [0, True, 0]
    assert page_asks(tabs, monkeypatch, op="rows", generation=before, start=0, end=9) == []
    page_asks(tabs, monkeypatch, op="search", query="due")
    wait_for_all(tabs)
    assert (tabs.wrong, tabs.state[1:]) == ("", [15, True, 3])


def test_a_cleared_query_has_no_lines_and_no_error(tabs, monkeypatch):
    page_asks(tabs, monkeypatch, op="search", query="")
    assert (tabs.asked["query"], tabs.wrong, tabs.state[1:]) == ("", "", [0, True, 0])


def test_an_error_while_lines_are_looked_for_leaves_none(tabs, monkeypatch):
    def fails(*_, **__):
        raise ConfigurationError("pattern takes too long")

    monkeypatch.setattr("corpuskit.features.linguistics.widgets.concordance.find_lines", fails)
    tabs.search(SavedQuery("", "due")).join()
    assert (tabs.wrong, tabs.state[1:]) == ("pattern takes too long", [0, True, 0])


def test_no_lines_are_shown_under_a_query_whose_lines_are_not_found_yet(tabs, monkeypatch):
    monkeypatch.setattr(type(tabs), "_run", lambda *_: None)  # as long as it takes
    tabs.search(SavedQuery("", "due"))
    assert tabs.state[1:] == [0, False, 0]


def test_a_list_that_is_cut_says_of_how_many_rows(tabs, monkeypatch):
    monkeypatch.setattr(explore, "_MAX_ROWS", 4)
    messages = page_asks(tabs, monkeypatch, op="table", tab="words")
    while not messages:
        time.sleep(0.01)
    # line, of, text, the, premium, is, due; 0 to 4
    assert (messages[-1]["count"], messages[-1]["of"]) == (4, 12)


@pytest.mark.parametrize("query", ['[lemma="due"]', '[pos="NOUN"] "due"'])
def test_a_query_of_a_layer_that_is_not_there_is_not_saved(filled, query):
    with pytest.raises(CorpusKitError, match="no attribute"):
        filled.save_query("one", query)
    assert filled.queries().empty


def test_a_query_of_an_empty_subcorpus_is_not_saved(filled):
    docs = filled.documents()
    with pytest.raises(ConfigurationError, match="'none': found no documents"):
        filled.save_subcorpus("none", docs[docs.words > 10_000])


def test_what_a_query_may_have_been_meant_to_be_is_told_with_its_lines(tabs, filled, caplog):
    tabs.search(SavedQuery("", "du*")).join()
    assert "du* is a regular expression" in tabs.note
    assert "du* is a regular expression" in filled.kwic("du*").attrs["hint"]
    assert "du* is a regular expression" in repr(filled.concordance("du*"))
    filled.save_query("all", "du*")
    assert "query 'all' is saved unchanged; du* is a regular expression" in caplog.text
