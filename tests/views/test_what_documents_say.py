"""documents() has what documents say of themselves as columns; each frame comes with Arrow types where asked."""

import sqlite3

import pandas as pd
import pytest

import corpuskit

PAGE = """<html lang="en"><head><title>Heather</title><meta name="author" content="Ann Marlow">
<meta property="og:site_name" content="Hilltop"><meta name="description" content="On bees">
<meta name="keywords" content="bees, heather"><meta property="article:section" content="Honey">
<meta property="article:published_time" content="2019-08-01T10:00:00+02:00">
<meta property="article:modified_time" content="2021-02-03"><meta property="og:image" content="https://a.example/x.jpg">
<link rel="canonical" href="https://a.example/heather">
<link rel="license" href="https://creativecommons.org/licenses/by/4.0/"></head>
<body><p>The keeper moves the hives to the heather in August, when the lime trees are done.</p></body></html>"""
SAYS = {
    "author": "Ann Marlow", "site_name": "Hilltop", "description": "On bees", "categories": "Honey",
    "tags": "bees, heather", "license": "https://creativecommons.org/licenses/by/4.0/",
    "canonical": "https://a.example/heather", "image": "https://a.example/x.jpg",
    "published": pd.Timestamp("2019-08-01 08:00:00+00:00"), "updated": pd.Timestamp("2021-02-03 00:00:00+00:00"),
}  # fmt: skip


@pytest.fixture
def filled(fill):
    copy = PAGE.replace("<title>", "<title>Copy: ").replace("Ann", "Bob")
    return fill(
        {"a.html": PAGE, "b.html": copy, "c.html": "<p>Says nothing of itself, but has a text of some words.</p>"}
    )


def test_what_documents_say_of_themselves_are_columns(filled):
    documents = filled.documents().set_index("uri")
    assert documents.loc["pages/a.html", list(SAYS)].to_dict() == SAYS
    assert documents.loc["pages/b.html", "author"] == "Bob Marlow"
    assert documents.loc["pages/c.html", list(SAYS)].isna().all()
    marks = documents["fingerprint"]
    assert marks["pages/a.html"] == marks["pages/b.html"] != marks["pages/c.html"]
    assert marks.str.fullmatch("[0-9a-f]{16}").all()
    assert filled.documents(versions=True).author.tolist() == filled.documents().author.tolist()


def test_a_corpus_of_an_earlier_version_has_the_columns_too(filled, tmp_path):
    before = filled.documents()
    filled.pack()
    filled.close()
    with sqlite3.connect(tmp_path / "corpus" / "catalog.sqlite") as connection:
        connection.execute("DROP TABLE said")
        connection.execute("ALTER TABLE labels DROP COLUMN origin")
        connection.execute("ALTER TABLE frontier DROP COLUMN kind")
        connection.execute("ALTER TABLE frontier DROP COLUMN reason_code")
        connection.execute("PRAGMA user_version = 6")
    connection.close()
    with corpuskit.open(tmp_path / "corpus") as opened:
        assert opened.documents().equals(before)
        assert opened.documents().equals(before)


def test_a_date_that_is_none_is_null(fill):
    fields = ["Title T", "Uri https://a.example/", "Timestamp 2020-01-02T03:04:05", "Metadata published=last spring"]
    corpus = fill({"a.nlp.txt": "".join(f"## NLPTextDocument {field}\n" for field in fields) + "\nx\n"})
    assert corpus.documents().published.isna().all()


@pytest.mark.parametrize("name", ["documents", "elements", "requests", "frontier", "sources", "labels", "failures"])
def test_each_frame_comes_with_arrow_types(filled, name):
    filled.set_labels({filled.documents().doc_id[0]: "relevant"}, by="ann")
    plain, arrow = getattr(filled, name)(), getattr(filled, name)(arrow=True)
    assert list(arrow.columns) == list(plain.columns)
    assert len(arrow) == len(plain)
    for column in arrow.columns:
        assert isinstance(arrow[column].dtype, pd.ArrowDtype)
        assert arrow[column].isna().tolist() == plain[column].isna().tolist()


@pytest.mark.feature("linguistics")
@pytest.mark.parametrize(
    "ask",
    [
        lambda corpus, **how: corpus.vocabulary(**how), lambda corpus, **how: corpus.charset(**how),
        lambda corpus, **how: corpus.sample(2, **how), lambda corpus, **how: corpus.find("the", **how),
        lambda corpus, **how: corpus.kwic("the", **how), lambda corpus, **how: corpus.collocates("the", **how),
        lambda corpus, **how: corpus.keywords(corpus.documents().head(1), **how),
        lambda corpus, **how: corpus.dispersion("the", **how), lambda corpus, **how: corpus.occurrences("the", **how),
        lambda corpus, **how: corpus.ngrams(2, **how), lambda corpus, **how: corpus.wordlist(**how),
        lambda corpus, **how: corpus.crawl_report(**how), lambda corpus, **how: corpus.disagreements(**how),
        lambda corpus, **how: corpus.next_to_label(**how), lambda corpus, **how: corpus.subcorpus("two", **how),
        lambda corpus, **how: corpus[corpus.documents().doc_id[0]].to_frame(**how),
        lambda corpus, **how: corpus[corpus.documents().doc_id[0]].events(**how),
    ],
)  # fmt: skip
def test_what_is_asked_comes_with_arrow_types_too(filled, ask):
    filled.save_subcorpus("two", filled.documents().head(2))
    plain, arrow = ask(filled), ask(filled, arrow=True)
    assert list(arrow.columns) == list(plain.columns)
    assert arrow.index.equals(plain.index)
    assert all(isinstance(dtype, pd.ArrowDtype) for dtype in arrow.dtypes)
