"""Many URLs at once have the scores that each has by itself."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpuskit.errors import RelevanceError
from corpuskit.relevance import train
from corpuskit.relevance.url_scorer import UrlScorer

HOSTS = [
    "www.tea.example.org",
    "tea.example.org",
    "s.example.co.uk",
    "a.b",
    "n.test",
    "localhost",
    "1.1.1.1",
    "x-y.test",
]
PATHS = [
    "", "tea", "tea/green/tea/tea-and-tea.html", "a/b/c/d/e", "//x//y", "index.php", ".htaccess", "a.tar.gz", "2024/05/18/", "x.longextension",
    "Tea_Time-42", "%74ea/b", "f%C3%A9e.pdf", "a;b=c/d", "x.a-b", "aaa/aaaa/aaaaa", "~user/", "a..b", "x.html/", "1a2b3c",
]  # fmt: skip
QUERIES = ["", "?", "?q=tea", "?a&b=c&&d=", "?=x", "?" + "&".join(["k=v"] * 14), "?x/y?z", "?Q=%20a", "?&"]


def made(number, seed=0):
    random = np.random.RandomState(seed)
    parts = [random.randint(0, len(what), number) for what in (HOSTS, PATHS, QUERIES)]
    return [
        f"{'https' if n % 3 else 'http'}://{HOSTS[h]}/{PATHS[p]}{QUERIES[q]}"
        for n, (h, p, q) in enumerate(zip(*parts, strict=True))
    ]


@pytest.fixture(scope="module")
def model():
    urls = made(600)
    labels = ["relevant" if "tea" in url else "other" for url in urls]
    return train(urls[:300], labels[:300], pool=urls, kind="url")


@pytest.fixture(scope="module")
def scorer(model):
    return UrlScorer(model)


def same(model, scorer, urls):
    np.testing.assert_allclose(scorer.score(pa.array(urls, pa.string())), model.score(urls), rtol=0, atol=1e-9)


ODD = [
    "", " ", "http://", "https:///x", "http://a.b", "http://a.b?x", "http://a.b/#tea", "https://tea.example.org:8080/tea",
    "https://me@tea.example.org/tea", "https://tea.example.org./tea", "HTTPS://TEA.EXAMPLE.ORG/TEA", "https://TEA.Example.ORG/TEA.HTML?Q=Tea",
    "https://web.archive.org/web/2018/https://tea.example.org/tea.html", "https://web.archive.org/x/tea.html", "ftp://tea.example.org/tea",
    "//tea.example.org/tea", "tea.example.org/tea", "https://tee.example/fée/thé", "https://tea.example.org/tea time", "https://[::1]/tea",
    "https://tea.example.org/" + "tea" * 900, "https://tea.example.org/\ttea", "https://tea.example.org/tea?", "https://tea.example.org//",
    "https://tea.example.org/tea\\x", "https://unknown.host.test/tea/x.html?y=1", "http", "https://a/b", "https://tea.example.org/tea?x#y",
]  # fmt: skip


def test_many_and_odd_urls_have_the_scores_that_each_has_by_itself(model, scorer):
    for url in ODD:
        same(model, scorer, ["https://tea.example.org/tea", url, "http://news.test/2024/x.html?q=1"])
    urls = made(9_000, seed=1) + ODD
    same(model, scorer, urls)
    alone = [float(scorer.score(pa.array([url]))[0]) for url in urls[:50]]
    assert scorer.score(pa.array(urls))[:50].tolist() == alone


WEB_ADDRESS = r"https?://[a-zA-Z.0-9-]{1,12}(:[0-9]{1,3})?/[a-zA-Z0-9./_%~-]{0,30}(\?[a-z=&/?]{0,20})?"


@settings(deadline=None, max_examples=300)
@given(st.lists(st.text(max_size=60) | st.from_regex(WEB_ADDRESS, fullmatch=True), max_size=8))
@example(["https://a.b/x", "\ud7ff", "https://a.b/y"])
@pytest.mark.slow
def test_any_strings_have_the_scores_that_each_has_by_itself(model, scorer, urls):
    same(model, scorer, urls)


def test_arrays_may_be_slices_in_chunks_large_or_have_nulls(model, scorer):
    urls = made(50)
    expected = model.score(urls)
    whole = pa.array(urls)
    np.testing.assert_allclose(scorer.score(whole.slice(20)), expected[20:], atol=1e-9)
    np.testing.assert_allclose(scorer.score(whole.cast(pa.large_string())), expected, atol=1e-9)
    np.testing.assert_allclose(scorer.score(pa.chunked_array([urls[:7], [], urls[7:]])), expected, atol=1e-9)
    assert scorer.score(pa.array([None, urls[0], None])).tolist() == pytest.approx([0.0, expected[0], 0.0])
    assert scorer.score(pa.array([], pa.string())).tolist() == []
    assert scorer.score(pa.array([None], pa.string())).tolist() == [0.0]


def test_a_model_of_a_few_tokens_is_no_exception():
    urls = ["http://a.b/", "http://c.d/", "http://e.f/", "http://g.h/"]
    model = train(urls, ["relevant", "relevant", "other", "other"], pool=["http://x.y/"] * 60, kind="url")
    same(model, UrlScorer(model), [*urls, "http://zz.zz/zz"])
    documents = train(["sea fish", "sea ship", "tax law", "tax form"], ["relevant"] * 2 + ["other"] * 2)
    with pytest.raises(RelevanceError, match="expected one of URLs"):
        UrlScorer(documents)
