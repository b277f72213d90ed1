"""The same query means the same tokens in every view."""

import pytest

from corpuskit.errors import ConfigurationError, UnknownDocumentError
from corpuskit.text import WORD

TEXTS = {
    "one": "Access control: passwords and a password. The password's length! Access, control.",
    "two": "A PASSWORD for access control; access-control. No password",
    "copy": "A PASSWORD for access control; access-control. No password",
}


@pytest.fixture
def filled(fill):
    page = "<title>Page {}</title><nav><a href='/p'>password</a></nav><main><p>{}</p><p>Second.</p></main>"
    return fill({f"{name}.html": page.format(name, text) for name, text in TEXTS.items()})


QUERIES = [
    "password",
    "passwords?",
    "access control",
    '"password"',
    '"access"%c "control"',
    '[word="pass.*" & word!=".*s"]',
    '"access"%c []{0,3} "password"',
]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("main", [True, False])
@pytest.mark.parametrize("copies", [True, False])
def test_all_views_count_the_same(filled, query, main, copies):
    asked = {"main": main, "copies": copies}
    lines = filled.kwic(query, **asked)
    assert len(lines) > 0
    assert len(filled.concordance(query, **asked)) == len(lines)
    assert filled.collocates(query, min_count=1, **asked).attrs["matches"] == len(lines)
    assert filled.dispersion(query, **asked)["count"].tolist() == [len(lines)]
    assert filled.dispersion(query, **asked)["documents"].tolist() == [lines.doc_id.nunique()]
    places = filled.occurrences(query, **asked)
    assert places[["doc_id", "element_id"]].values.tolist() == lines[["doc_id", "element_id"]].values.tolist()
    assert places.word.tolist() == [" ".join(WORD.findall(match.lower())) for match in lines.match]
    sizes = lines.match.str.count(r"\w+")
    for size in sizes.unique():
        runs = filled.ngrams(int(size), pattern=query, min_count=1, **asked)
        assert runs["count"].sum() >= (sizes == size).sum()


@pytest.mark.parametrize("main", [True, False])
@pytest.mark.parametrize("copies", [True, False])
def test_word_lists_and_key_words_count_what_a_concordance_has_lines_of(filled, main, copies):
    asked = {"main": main, "copies": copies}
    words = filled.wordlist(**asked)
    for word, count, documents in words[["word", "count", "documents"]].itertuples(index=False):
        lines = filled.kwic(word, **asked)
        assert (len(lines), lines.doc_id.nunique()) == (count, documents)
    keys = filled.keywords(filled.documents(), {"password": 1}, min_count=1, **asked)
    assert dict(zip(keys.word, keys["count"], strict=True)) == dict(zip(words.word, words["count"], strict=True))
    single = filled.ngrams(1, min_count=1, **asked)
    assert dict(zip(single.ngram, single["count"], strict=True)) == dict(zip(words.word, words["count"], strict=True))


def test_by_hand(filled):
    # "one" has password twice (password's is password and s); "two" twice, and its copy; each page once in its navigation.
    assert len(filled.kwic("password")) == 4
    assert len(filled.kwic("password", copies=True)) == 6
    assert len(filled.kwic("password", copies=True, main=False)) == 9
    assert len(filled.kwic('"password"')) == 3
    assert len(filled.kwic("access control")) == 4  # "Access, control" too: words follow each other
    assert filled.kwic("password").attrs == {"main": True, "copies_left_out": 1}
    assert "1 exact copy left out" in repr(filled.concordance("password"))
    assert "left out" not in repr(filled.concordance("password", copies=True))
    assert filled.wordlist(copies=True).attrs["copies_left_out"] == 0


def test_of_copies_one_counts(filled):
    documents = filled.documents()
    copy = documents[documents.duplicate_of.notna()]
    assert len(copy) == 1
    assert len(filled.kwic("password", docs=copy)) == 2
    assert len(filled.kwic("password", docs=documents)) == 4
    # Keywords are not compared with copies of the documents.
    keys = filled.keywords(copy.duplicate_of.tolist(), min_count=1).set_index("word")
    assert keys.loc["password", ["count", "reference_count"]].tolist() == [2, 2]


def test_documents_are_named_in_many_ways(filled):
    documents = filled.documents()
    one = documents[documents.title == "Page one"]
    filled.save_subcorpus("first", one)
    for docs in (one, one.doc_id, one.doc_id.tolist(), one.doc_id.iloc[0], one.uri.iloc[0], "first", [one.uri.iloc[0]]):
        assert len(filled.kwic("password", docs=docs)) == 2


@pytest.mark.parametrize("view", ["kwic", "concordance", "collocates", "dispersion", "occurrences"])
def test_documents_that_are_not_there_are_told(filled, view):
    ask = getattr(filled, view)
    with pytest.raises(UnknownDocumentError, match="no document 'a name'"):
        ask("password", docs="a name")
    with pytest.raises(ConfigurationError, match="no documents in it"):
        ask("password", docs=filled.documents().head(0))
    with pytest.raises(ConfigurationError, match="syntax='x'"):
        ask("password", syntax="x")


def test_lines_have_context_over_the_borders_of_blocks(fill):
    body = "<p>First (premium).</p><ul><li>\u201cSecond premium!</li></ul><p>Third.</p>"
    corpus = fill({"a.html": f"<main>{body}</main>"})
    lines = corpus.kwic("premium", window=2)
    assert lines[["left", "match", "right"]].values.tolist() == [
        ["First (", "premium", "). ¶ \u201cSecond premium!"],
        ["(premium). ¶ \u201cSecond", "premium", "! ¶ Third."],
    ]


def test_lines_without_a_word_to_sort_by_come_last(fill):
    corpus = fill({"a.txt": "the end", "b.txt": "end of it", "c.txt": "end and more"})
    for syntax in (None, "text"):
        assert corpus.kwic("end", sort="1R", syntax=syntax).right.tolist() == ["and more", "of it", ""]
        assert corpus.kwic("end", sort="1L", syntax=syntax).left.tolist()[0] == "the"


def test_runs_of_words_that_are_rare_are_left_out_as_they_were(fill):
    corpus = fill({"a.txt": "a b c a b c a b\n\nc a b d"})
    runs = corpus.ngrams(3, min_count=2)
    assert dict(zip(runs.ngram, runs["count"], strict=True)) == {"a b c": 2, "b c a": 2, "c a b": 3}
    assert corpus.ngrams(8, min_count=1).ngram.tolist() == ["a b c a b c a b"]


@pytest.mark.slow
def test_frequencies_by_group_add_up_to_the_lines(filled):
    for query in QUERIES:
        for asked in ({}, {"main": False}, {"copies": True}):
            lines = filled.kwic(query, **asked)
            for by in ("host", "lang", "title", "year", "media_type"):
                frame = filled.frequency(query, by=by, **asked).frame
                assert frame["count"].sum() == len(lines)
                assert frame["documents"].sum() == lines.doc_id.nunique()
                assert frame["tokens"].sum() == filled.wordlist(**asked)["count"].sum()
                assert ((frame.low <= frame.per_million) & (frame.per_million <= frame.high)).all()


def test_frequencies_of_named_parts(filled):
    documents = filled.documents()
    one = documents[documents.title == "Page one"]
    filled.save_subcorpus("first", one)
    found = filled.frequency("password", by={"one": "first", "all": documents})
    assert found.frame[["part", "count"]].values.tolist() == [["one", 2], ["all", 4]]
    assert "'password' by part" in repr(found)
    assert found.chart().get_xlabel().startswith("matches a million")
    with pytest.raises(ConfigurationError, match="by='x': expected year"):
        filled.frequency("password", by="x")
