import time

import pytest

from corpuskit.errors import ConfigurationError, CorpusKitError
from corpuskit.features.linguistics.saved_queries import SavedQuery


@pytest.fixture
def filled(corpus, tmp_path):
    for i in range(10):
        rows = [f"Line {j} of text {i}: the {'high' if j % 2 else 'low'} premium is due" for j in range(20)]
        (tmp_path / f"doc{i}.txt").write_text("\n\n".join(rows))
    (tmp_path / "other.txt").write_text("Nobody pays here, and nothing is due in this text at all.")
    corpus.add(tmp_path / "*.txt", progress=False)
    docs = corpus.documents()
    corpus.save_subcorpus("three", docs.doc_id[docs.uri.str.contains("doc[123].txt")])
    return corpus


@pytest.fixture
def view(filled):
    view = filled.concordance("premium").view()
    yield view
    view.close()


def ask(lines, query, **choices):
    lines.search(SavedQuery("", query, **choices)).join()
    return lines.state[1:]


def sent(lines, monkeypatch):
    messages = []
    monkeypatch.setattr(type(lines), "send", lambda self, message, buffers=(): messages.append((message, buffers)))
    return messages


def test_lines_are_thinned_by_a_seed_and_say_from_how_many(view):
    assert ask(view.lines, "premium", sample=50, seed=3) == [50, True, 10]
    assert view.lines.note == "50 of 200 at random, seed 3"
    first = view.lines._lines.frame(0, 50)
    ask(view.lines, "premium", sample=50, seed=3)
    assert view.lines._lines.frame(0, 50).equals(first)
    ask(view.lines, "premium", sample=50, seed=4)
    assert not view.lines._lines.frame(0, 50).equals(first)


def test_lines_are_those_of_a_subcorpus(view):
    assert view.lines.subcorpora == ["three"]
    assert ask(view.lines, "premium", subcorpus="three") == [60, True, 3]
    with pytest.raises(ConfigurationError, match="no sub-corpus 'four'"):
        ask(view.lines, "premium", subcorpus="four")


def test_saved_queries_come_again_with_the_corpus(view, filled, monkeypatch):
    ask(view.lines, "low premium", sort="1R", subcorpus="three", sample=10, seed=2)
    view.lines._on_save({"name": "low premium"})
    filled.save_query("all of it", "premium")
    assert filled.queries().values.tolist() == [
        ["all of it", "premium", "", "", 0, 0],
        ["low premium", "low premium", "1R", "three", 10, 2],
    ]
    other = filled.concordance("due").view()
    assert [one["name"] for one in other.lines.saved] == ["all of it", "low premium"]
    other.lines._on_search(other.lines.saved[1])
    other.lines._on_save({"name": "all of it", "forget": True})
    assert filled.queries().name.tolist() == ["low premium"]
    with pytest.raises(ConfigurationError, match="no saved query 'all of it'; there are: 'low premium'"):
        filled.forget_query("all of it")
    with pytest.raises(ConfigurationError, match="needs a name"):
        filled.save_query(" ", "premium")
    with pytest.raises(CorpusKitError, match="expected positions"):
        filled.save_query("x", "premium", sort="left")


def test_lines_are_taken_as_text_and_as_csv_that_no_spreadsheet_runs(filled, tmp_path, monkeypatch):
    (tmp_path / "formula.txt").write_text('=cmd "quoted" premiumful words, and more of them')
    filled.add(tmp_path / "formula.txt", progress=False)
    view = filled.concordance("premiumful").view()
    ask(view.lines, "premiumful")
    messages = sent(view.lines, monkeypatch)
    view.lines._on_take({"as": "csv"})
    view.lines._on_take({"as": "text"})
    (csv, [as_csv]), (text, [as_text]) = messages
    assert (csv["count"], csv["left"], text["as"]) == (1, 0, "text")
    assert as_csv.decode().splitlines()[1].count(''''=cmd ""quoted""''') == 1
    head, row = (line.split("\t") for line in as_text.decode().splitlines())
    assert row[head.index("match")] == "premiumful"


def tables(filled, query, monkeypatch):
    explorer = filled.explore(query)
    tabs = explorer.tabs
    messages = sent(tabs, monkeypatch)

    def table(tab, **options):
        messages.clear()
        tabs._on_table({"tab": tab, **options})
        number = tabs._number
        while tabs._tables.get(tab, (0, None))[0] != number and not messages:
            time.sleep(0.01)
        while not messages:
            time.sleep(0.01)
        [(head, _)] = messages
        if head["op"] == "error":
            return head["message"]
        tabs._on_table_rows({"tab": tab, "generation": head["generation"], "start": 0, "end": 100})
        return [dict(zip(head["heads"], row, strict=True)) for row in messages[1][0]["rows"]]

    def lead(tab, row):
        tabs._on_lead({"tab": tab, "row": row, "generation": tabs._tables[tab][0]})
        generation = tabs._generation
        while tabs.state[0] != generation or not tabs.state[2]:
            time.sleep(0.01)
        return tabs.asked["query"], tabs.only, tabs.state[1]

    return table, lead


def test_each_row_of_the_explorer_leads_to_as_many_lines_as_it_says(filled, monkeypatch):
    table, lead = tables(filled, "premium", monkeypatch)
    rows = table("collocates", window=1)
    at = next(i for i, row in enumerate(rows) if row["word"] == "high")
    assert rows[at]["count"] == rows[at]["left"] == "100"
    assert lead("collocates", at) == ("premium", "only with 'high' within 1 word", 100)
    rows = table("clusters", size=3)
    at = next(i for i, row in enumerate(rows) if row["cluster"] == "the low premium")
    assert rows[at]["count"] == "100"
    assert lead("clusters", at) == ('[lower=="the"] [lower=="low"] [lower=="premium"]', "", 100)
    rows = table("plot")
    assert [row["count"] for row in rows] == ["10"] * 10  # of the cluster
    assert sorted(row["document"] for row in rows)[0] == "doc0.txt"
    assert lead("plot", 4)[2] == 10
    rows = table("words", sort="documents")
    assert rows[0]["documents"] == "11"
    at = next(i for i, row in enumerate(rows) if row["word"] == "premium")
    assert lead("words", at) == ('[lower=="premium"]', "", 200)
    rows = table("keywords")
    assert [row["word"] for row in rows[:3]] == ["line", "of", "premium"]
    assert lead("keywords", 0)[2] == 200


def test_what_the_explorer_cannot_tell_is_said(filled, monkeypatch):
    table, _ = tables(filled, "is", monkeypatch)
    assert table("keywords") == "all documents have a match: no other documents are left as a reference"
    assert table("collocates", attribute="pos") == (
        "no attribute 'pos', expected one of lower, word; corpus.annotate(\"spacy:MODEL\") adds it"
    )
    table, _ = tables(filled, "nowhere", monkeypatch)
    assert table("keywords") == "no document has a match"
    assert table("plot") == []
