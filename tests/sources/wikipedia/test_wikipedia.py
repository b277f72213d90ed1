import json
import time

import pytest
from wikipedia_server import CUT, DISCONNECT, Wiki

from corpuskit.errors import FetchError
from corpuskit.sources.resource import Resource
from corpuskit.sources.wikipedia import WikiOptions, read_articles
from corpuskit.sources.wikipedia.articles import _license

JSON = {"Content-Type": "application/json"}
LAG = json.dumps({"error": {"code": "maxlag", "info": "Waiting for a server: 7 seconds lagged"}}).encode()
PAST = "Wed, 21 Oct 2015 07:28:00 GMT"
FAULTS = {
    "lag": (200, {"Retry-After": "0"} | JSON, LAG),
    "lag without a time": (200, JSON, LAG),
    "an internal error": (200, JSON, b'{"error": {"code": "internal_api_error_DBQueryError", "info": "x"}}'),
    "too many requests": (429, {"Retry-After": "0"}, b""),
    "too many requests, until a date": (429, {"Retry-After": PAST}, b""),
    "overload": (503, {}, b""),
    "overload with a time": (503, {"Retry-After": "0"}, b""),
    "a failure": (500, {}, b"oops"),
    "a bad gateway": (502, {}, b"<html>"),
    "no answer": DISCONNECT,
    "half an answer": CUT,
}


@pytest.fixture
def wiki():
    local = Wiki()
    yield local
    local.close()


def read(wiki, *titles, **more):
    options = WikiOptions(host=wiki.host, user_agent="corpuskit (a@b.example)", retry_seconds=0.01)
    return list(read_articles(titles, options, **more))


def names(found):
    return [f.uri.rpartition("/")[2] if isinstance(f, Resource) else f"!{f[0].rpartition('/')[2]}" for f in found]


def test_articles_are_resources_with_revision_and_etag(wiki):
    wiki.pages["Life insurance"] = 0
    (found,) = read(wiki, "Life insurance")
    assert (found.uri, found.etag) == (f"{wiki.host}/wiki/Life_insurance", '"77/abc"')
    assert (found.media_type, found.source) == ("text/x-mediawiki-html", "wikipedia")
    assert found.metadata == {"title": "Life insurance", "page_id": "5", "revision": "77"}
    assert all(agent.startswith("corpuskit (a@b.example)") for agent in wiki.agents)
    assert "maxlag=5" in wiki.log[0]


def test_redirects_are_followed_once_and_what_is_no_article_is_a_failure(wiki):
    wiki.pages = {"Insurance": 0, "Policy": 0}
    wiki.redirects["Assurance"] = "Insurance"
    wiki.disambiguations.add("Policy")
    found = read(wiki, "Assurance", "Insurance", "Policy", "Nothing")
    assert names(found) == ["Insurance", "!Policy", "!Nothing"]
    assert found[0].metadata["redirected_from"] == "Assurance"
    assert "disambiguation" in str(found[1][1])
    assert found[2][1].status == 404


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.slow
def test_faults_of_the_server_cost_no_article(wiki, fault):
    """Each request of a walk over links, parts of answers, redirects and pages fails once, then twice in a row."""
    wiki.pages = {"A": 0, "B": 0, "C": 0, "D": 0, "Category:X": 14}
    wiki.redirects["Old A"] = "A"
    wiki.links["A"] = ["B", "C", "D"]
    wiki.members["Category:X"] = ["A", "B", "C"]
    wanted = ["A", "B", "C", "D", "!Nothing"]
    assert sorted(names(read(wiki, "Old A", "Category:X", "Nothing", depth=1))) == sorted(wanted)
    requests = len(wiki.log)
    assert requests > 8
    for at in range(1, requests + 1):
        wiki.log.clear()
        wiki.faults_at = {at: FAULTS[fault], at + 1: FAULTS[fault]}
        assert sorted(names(read(wiki, "Old A", "Category:X", "Nothing", depth=1))) == sorted(wanted), at
        assert len(wiki.log) == requests + 2


def test_a_page_of_a_proxy_is_no_answer_and_asked_again(wiki):
    wiki.pages = {"A": 0}
    wiki.faults = [(200, {"Content-Type": "text/html"}, b"<html>please log in</html>")]
    assert names(read(wiki, "A")) == ["A"]


def test_a_server_that_never_recovers_is_a_failure_for_each_title(wiki):
    wiki.pages = {"A": 0}
    wiki.faults = [FAULTS["lag"]] * 100
    found = read(wiki, "A", "B")
    assert names(found) == ["!A", "!B"]
    assert isinstance(found[0][1], FetchError)


def test_a_server_that_asks_for_a_long_wait_is_left_alone(wiki):
    wiki.pages = {"A": 0}
    wiki.faults = [(429, {"Retry-After": "86400"}, b"")]
    ((_, error),) = read(wiki, "A")
    assert "86,400 s" in str(error)
    assert len(wiki.log) == 1


def test_the_time_that_a_server_names_is_kept(wiki):
    wiki.pages = {"A": 0}
    wiki.faults = [(429, {"Retry-After": "1"}, b"")]
    start = time.monotonic()
    assert names(read(wiki, "A")) == ["A"]
    assert time.monotonic() - start >= 1


def test_answers_in_parts_and_many_titles_lose_none(wiki):
    titles = [f"T{number}" for number in range(120)]
    wiki.pages = dict.fromkeys(titles, 0)
    assert names(read(wiki, *titles)) == titles


def test_an_article_that_cannot_be_rendered_does_not_stop_the_others(wiki):
    wiki.pages, wiki.broken = {"A": 0, "B": 0}, {"A"}
    assert names(read(wiki, "A", "B")) == ["!A", "B"]


def test_links_are_followed_to_a_depth_and_a_number_of_pages(wiki):
    wiki.pages = {"A": 0, "B": 0, "C": 0, "D": 0, "Talk:A": 1}
    wiki.links = {"A": ["B", "C", "Talk:A", "A"], "B": ["D"]}
    assert names(read(wiki, "A")) == ["A"]
    assert names(read(wiki, "A", depth=1)) == ["A", "B", "C"]
    assert names(read(wiki, "A", depth=2)) == ["A", "B", "C", "D"]
    assert names(read(wiki, "A", depth=2, pages=2)) == ["A", "B"]


def test_categories_give_their_members_over_all_parts_of_the_answer(wiki):
    wiki.pages = {"Category:X": 14, "Category:Y": 14, "A": 0, "B": 0, "C": 0, "D": 0}
    wiki.members = {"Category:X": ["A", "Category:Y", "B", "C"], "Category:Y": ["D", "A"]}
    assert names(read(wiki, "Category:X")) == ["A", "B", "C"]
    assert names(read(wiki, "Category:X", depth=1)) == ["A", "B", "C", "D"]


def test_a_url_names_wiki_and_title(wiki):
    wiki.pages = {"Life insurance": 0}
    found = list(read_articles([f"{wiki.host}/wiki/Life_insurance#Types"], WikiOptions(lang="de")))
    assert names(found) == ["Life_insurance"]


def test_a_corpus_takes_articles_and_tells_what_failed(corpus, wiki):
    wiki.pages = {"A": 0}
    report = corpus.add_wikipedia("A", "Nothing", host=wiki.host, progress=False)
    assert (report.new, report.failed) == (1, 1)
    (document,) = corpus
    assert (document.title, document.to_text()) == ("A", "The article on A, long enough.")
    assert document.metadata["revision"] == "77"
    assert document.timestamp.isoformat() == "2024-05-06T07:08:09+00:00"
    assert corpus.failures().uri.tolist() == [f"{wiki.host}/wiki/Nothing"]
    assert repr(corpus.add_wikipedia("A", host=wiki.host, progress=False)) == "1 unchanged"


def test_the_licence_that_a_wiki_says_it_has_comes_with_each_article_and_into_the_card(wiki, corpus, tmp_path):
    wiki.pages = {"Life insurance": 0, "Premium": 0}
    wiki.rights = {"url": "https://creativecommons.org/licenses/by-sa/4.0/", "text": "CC BY-SA 4.0"}
    corpus.add_wikipedia("Life insurance", "Premium", host=wiki.host, progress=False)
    documents = corpus.documents()
    assert documents["license"].unique().tolist() == ["https://creativecommons.org/licenses/by-sa/4.0/"]
    assert documents["uri"].tolist() == [f"{wiki.host}/wiki/Life_insurance", f"{wiki.host}/wiki/Premium"]
    corpus.export(tmp_path / "out", format="jsonl")
    assert "CC-BY-SA-4.0" in (tmp_path / "out" / "README.md").read_text("utf-8")
    rows = [json.loads(line) for line in (tmp_path / "out" / "corpus.jsonl").read_text("utf-8").splitlines()]
    assert [row["uri"] for row in rows] == documents["uri"].tolist()


@pytest.mark.parametrize(
    ("rights", "site", "licence"),
    [
        ({}, "https://de.wikipedia.org", "https://creativecommons.org/licenses/by-sa/4.0/"),
        ({}, "https://www.wiki.example", None),
        ({"url": "", "text": "GFDL 1.3"}, "https://www.wiki.example", "GFDL 1.3"),
        ({"url": "//creativecommons.org/licenses/by/4.0/"}, "https://x.example", "https://creativecommons.org/licenses/by/4.0/"),
        ({"url": 7}, "https://wikipedia.org.example", None),
    ],
)  # fmt: skip
def test_a_wiki_that_says_nothing_has_the_licence_of_wikipedia_only_where_it_is_one(rights, site, licence):
    assert _license(rights, site) == licence
