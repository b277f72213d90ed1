"""What failed is tried again: by itself after a while where it may have been a moment's trouble, else when it is asked for."""

import itertools
from types import SimpleNamespace

import pytest

from corpuskit.crawl.frontier import url_id
from corpuskit.errors import ConfigurationError

SEED = "http://a.example/"
PAGE = "http://a.example/p"
HTML = {"Content-Type": "text/html"}


@pytest.fixture
def quick(monkeypatch):
    """Hosts and pages are asked again at once, as long as they are asked again at all."""
    monkeypatch.setattr("corpuskit.crawl.politeness._BACK_OFF", 0.0)
    monkeypatch.setattr("corpuskit.crawl.politeness._PAUSES", (0.0, 0.0, 0.01))


def crawl(corpus, web, seeds=None, **options):
    options = {"delay": 0, "proxy": web.proxy, "resume": seeds is None, "minutes": 5, **options}
    return corpus.crawl(seeds, **options).wait(progress=False)


def mend(web):
    web.add(PAGE, "Mended.")


def pass_time(corpus):
    """As if all pauses were over."""
    corpus._folder.catalog.connection.execute("UPDATE frontier SET not_before = min(not_before, 1)")
    corpus._folder.catalog.connection.execute("UPDATE hosts SET next_allowed = 0")


def broken(web, status):
    web.add(SEED, "front", ["/p"])
    web.pages[PAGE] = lambda _: (status, HTML, b"<p>no</p>")


@pytest.mark.parametrize("status", [500, 503, 408, 425, 429, 520])
def test_a_page_of_a_moments_trouble_comes_by_itself_after_a_while(corpus, web, quick, status):
    broken(web, status)
    job = crawl(corpus, web, SEED)
    assert job.progress.failed == 1
    mend(web)
    crawl(corpus, web)
    assert len(corpus) == 1, "its pause is not over"
    pass_time(corpus)
    crawl(corpus, web)
    assert len(corpus) == 2
    assert corpus.failures().empty


@pytest.mark.parametrize("status", [403, 404, 410, 500])
@pytest.mark.parametrize("how", ["retry_failed", "refresh", "seed"])
def test_a_page_that_failed_comes_when_it_is_asked_for(corpus, web, quick, status, how):
    broken(web, status)
    crawl(corpus, web, SEED)
    assert len(corpus.failures()) == 1
    mend(web)
    if status != 500:
        pass_time(corpus)
    crawl(corpus, web)
    assert len(corpus) == 1, "it does not come by itself"
    if how == "seed":
        crawl(corpus, web, PAGE)
    else:
        crawl(corpus, web, **{how: True})
    assert len(corpus) == 2
    assert corpus.failures().empty


def test_a_failure_that_stays_is_one_row_whose_tries_grow(corpus, web, quick):
    broken(web, 404)
    crawl(corpus, web, SEED)
    for tries in (2, 3):
        crawl(corpus, web, retry_failed=True)
        assert corpus.failures()[["uri", "tries"]].values.tolist() == [[PAGE, tries]]


@pytest.mark.slow
def test_the_pause_of_a_page_grows_to_a_day(corpus, web, quick, monkeypatch):
    monkeypatch.setattr("corpuskit.crawl.page_fetcher.time", SimpleNamespace(time=lambda: 2e9))
    broken(web, 500)
    crawl(corpus, web, SEED)
    pauses = []
    for _ in range(10):
        (row,) = corpus._folder.catalog.rows("SELECT not_before FROM frontier WHERE id = ?", (url_id(PAGE),))
        pauses.append(row["not_before"] - 2e9)
        pass_time(corpus)
        crawl(corpus, web)
    assert pauses == [600.0 * 2**k for k in range(8)] + [86_400.0] * 2
    # Four times in the first crawl, once in each later one.
    assert web.fetched[PAGE] == 4 + 10


def test_a_cut_answer_comes_by_itself_after_a_while(corpus, web, quick):
    def cut(handler):
        handler.close_connection = True
        return 200, {**HTML, "Content-Length": "1000"}, b"<p>half"

    web.add(SEED, "front", ["/p"])
    web.pages[PAGE] = cut
    crawl(corpus, web, SEED)
    assert corpus.failures()[["uri", "message", "tries"]].values.tolist() == [[PAGE, "the answer was cut off", 4]]
    mend(web)
    pass_time(corpus)
    crawl(corpus, web)
    assert len(corpus) == 2
    assert corpus.failures().empty


def test_an_empty_page_is_asked_for_again_when_it_is_wanted(corpus, web):
    web.add(SEED, "front", ["/p"])
    web.pages[PAGE] = b" "
    crawl(corpus, web, SEED)
    assert corpus.failures().message.tolist() == ["the page is empty"]
    mend(web)
    crawl(corpus, web, retry_failed=True)
    assert len(corpus) == 2
    assert corpus.failures().empty


def test_a_page_that_robots_txt_forbade_comes_when_it_is_asked_for(corpus, web):
    web.add(SEED, "front", ["/p"])
    web.add(PAGE, "page")
    web.pages["http://a.example/robots.txt"] = lambda _: (200, {}, b"User-agent: *\nDisallow: /p\n")
    crawl(corpus, web, SEED)
    del web.pages["http://a.example/robots.txt"]
    corpus._folder.catalog.connection.execute("UPDATE hosts SET robots_fetched = 0")  # a day later
    crawl(corpus, web, retry_failed=True)
    assert len(corpus) == 2


def test_failures_of_earlier_versions_are_understood(corpus, web):
    """They kept the state, the text and, where a try had been put off, until when."""
    web.add(SEED, "front", ["/busy", "/gone"])
    crawl(corpus, web, SEED)
    connection = corpus._folder.catalog.connection
    for name, reason, not_before in (
        ("busy", "the server answered 503 Service Unavailable", 1.7e9),
        ("gone", "404", 0),
    ):
        connection.execute(
            "UPDATE frontier SET state = 'failed', tries = 4, reason_refused = ?, not_before = ? WHERE id = ?",
            (reason, not_before, url_id(f"{SEED}{name}")),
        )
        web.add(f"{SEED}{name}", "here again")
    crawl(corpus, web)
    assert len(corpus) == 2
    crawl(corpus, web, retry_failed=True)
    assert len(corpus) == 3
    assert corpus.failures().empty


def test_a_dead_host_is_asked_at_once_when_its_pages_are_named(corpus, web, monkeypatch):
    monkeypatch.setattr("corpuskit.crawl.politeness._PAUSES", (0.0, 0.0, 600.0))
    status = itertools.chain([503] * 3, itertools.repeat(404))
    web.pages["http://a.example/robots.txt"] = lambda _: (next(status), {}, b"")
    web.add(SEED, "front")
    crawl(corpus, web, SEED)
    assert not web.fetched
    assert "waits until" in crawl(corpus, web).progress.reason
    crawl(corpus, web, SEED)
    assert len(corpus) == 1
    assert corpus.failures().empty


@pytest.mark.parametrize("kind", ["gone", "empty", "unreachable"])
def test_max_errors_counts_every_page_that_failed(corpus, web, quick, kind):
    web.add(SEED, "front", [f"/p{i}" for i in range(40)])
    for i in range(40):
        if kind == "empty":
            web.pages[f"{SEED}p{i}"] = b" "
        elif kind == "unreachable":
            web.add(SEED, "front", [f"http://h{k}.a.example/" for k in range(40)])
            web.pages[f"http://h{i}.a.example/robots.txt"] = lambda _: (503, {}, b"")
    job = crawl(corpus, web, SEED, max_errors=5, connections=1)
    assert job.progress.reason == "5 pages failed"
    assert job.progress.errors == 5


def test_the_preset_of_nlptextdoc_ends_after_ten_errors_of_which_missing_pages_are_none(corpus, web, quick):
    web.add(SEED, "front", [*(f"/gone{i}" for i in range(20)), *(f"/p{i}" for i in range(30))])
    for i in range(30):
        web.pages[f"{SEED}p{i}"] = lambda _: (403, {}, b"")
    job = crawl(corpus, web, SEED, preset="nlptextdoc", connections=1)
    assert job.progress.reason == "10 pages failed"
    assert (job.progress.errors, job.progress.failed) == (10, 30)


def test_what_is_named_comes_before_a_preset_and_an_unknown_one_is_told(corpus, web, quick):
    web.add(SEED, "front", [f"/p{i}" for i in range(30)])
    for i in range(30):
        web.pages[f"{SEED}p{i}"] = lambda _: (403, {}, b"")
    job = crawl(corpus, web, SEED, preset="nlptextdoc", max_errors=3, connections=1)
    assert job.progress.reason == "3 pages failed"
    with pytest.raises(ConfigurationError, match="preset='heritrix': expected one of nlptextdoc"):
        corpus.crawl([SEED], preset="heritrix")
