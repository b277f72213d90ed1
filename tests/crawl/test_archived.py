"""Where a live page fails, the copy of an archive: marked as such, asked for politely, believed no more than any host."""

import json
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest

import corpuskit
from corpuskit.errors import ConfigurationError
from corpuskit.ingest import document_id

ARCHIVE = "http://archive.test"
GONE = "http://a.test/gone"
COPY = b"<html><head><title>Kept</title></head><body><h1>Kept</h1><p>What the page said once.</p><a href='/next'>next</a></body></html>"
TIMES = [["timestamp"], ["20170102030405"], ["20190304050607"]]


class Times:
    """An archive's list of copies, and copies, beside the pages of ``web``; ``asked`` are the URLs whose copies were asked for."""

    def __init__(self, web):
        self.asked, self.answer, self.copy = [], lambda: (200, {}, json.dumps(TIMES).encode()), None
        known = web.pages

        class Pages(dict):
            def get(inner, url, default=None):
                if url.startswith(f"{ARCHIVE}/cdx/search/cdx?"):
                    self.asked.append(parse_qs(urlsplit(url).query)["url"][0])
                    return lambda _: self.answer()
                if url.startswith(f"{ARCHIVE}/web/"):
                    return lambda _: self.copy or (200, {"Content-Type": "text/html; charset=utf-8"}, COPY)
                return dict.get(inner, url, default)

        web.pages = Pages(known)


@pytest.fixture
def archive(web):
    web.add("http://a.test/", "The home page.", ["/gone", "/here"])
    web.add("http://a.test/here", "This page is here.")
    return Times(web)


def crawl(corpus, web, **more):
    options = {"proxy": web.proxy, "delay": 0, "archived": ARCHIVE, "sitemaps": False, **more}
    return corpus.crawl("http://a.test/", **options).wait(progress=False)


def test_the_last_copy_of_a_page_that_is_gone_is_kept_and_marked(corpus, web, archive):
    crawl(corpus, web)
    document = corpus[document_id(GONE)]
    assert "What the page said once." in document.to_text()
    assert document.metadata["archived"] == f"{ARCHIVE}/web/20190304050607id_/{GONE}"
    rows = corpus.documents().set_index("uri")
    assert rows.loc[GONE, "fetched"] == datetime(2019, 3, 4, 5, 6, 7, tzinfo=UTC)
    assert "archived" not in corpus[document_id("http://a.test/here")].metadata
    assert set(archive.asked) == {GONE, "http://a.test/next"}  # pages that are there are not asked for
    assert corpus._folder.original(document_id(GONE)) == COPY
    assert len(corpus.failures()) == 0
    requests = corpus.requests()
    assert requests["url"].str.startswith(f"{ARCHIVE}/web/").sum() == 2
    assert (requests[requests["url"] == GONE]["status_code"] == 404).all()
    assert corpus.check() == []


def test_without_being_asked_for_no_archive_is_asked(corpus, web, archive):
    crawl(corpus, web, archived=False)
    assert archive.asked == []
    assert corpus.failures()["uri"].tolist() == [GONE]


@pytest.mark.parametrize(
    "answer",
    [
        b"[]", b"", b"{}", b"[[\"timestamp\"]]", b"no json", b"[" * 100_000, b"[[\"timestamp\"], [\"../../etc\"], [\"20190000000000\"], [null], []]",
    ],
    ids=range(7),
)  # fmt: skip
def test_a_list_without_a_copy_leaves_the_failure(corpus, web, archive, answer):
    archive.answer = lambda: (200, {}, answer)
    crawl(corpus, web)
    failures = corpus.failures()
    assert failures["uri"].tolist() == [GONE]
    assert failures["message"].str.contains("404").all()


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (404, {}, b"gone"),
        (302, {"Location": "http://elsewhere.test/x"}, b""),
        (200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n" + bytes(50)),
    ],
)
def test_a_copy_that_is_none_leaves_the_failure(corpus, web, archive, status, headers, body):
    archive.copy = (status, headers, body)
    crawl(corpus, web)
    assert set(corpus.failures()["uri"]) == {GONE}
    assert "http://elsewhere.test/x" not in web.log
    assert len(corpus) == 2


def test_an_archive_that_wants_to_be_left_alone_is(corpus, web, archive):
    web.pages["http://a.test/"] = b"".join(f"<a href='/gone{n}'>x</a>".encode() for n in range(5))
    archive.answer = lambda: (429, {"Retry-After": "3600"}, b"")
    crawl(corpus, web, connections=1)
    assert len(archive.asked) == 1
    assert (corpus.failures()["stage"] == "fetch").sum() == 5


def test_a_page_that_fails_for_long_is_taken_from_the_archive_only_then(corpus, web, archive, monkeypatch):
    from corpuskit.crawl import page_fetcher

    monkeypatch.setattr(page_fetcher, "_MAX_TRIES", 1)
    web.pages[GONE] = lambda _: (503, {"Retry-After": "0"}, b"")
    crawl(corpus, web)
    assert corpus[document_id(GONE)].metadata["archived"].endswith(GONE)


def test_what_names_no_archive_is_refused(tmp_path):
    with corpuskit.open(tmp_path / "c") as corpus, pytest.raises(ConfigurationError, match="the URL of an archive"):
        corpus.crawl("http://a.test/", archived="archive.test")
