"""Hosts that do not answer: they wait, and the others go on."""

import socket

import pytest


@pytest.fixture
def dead():
    """The URL of a port at which nobody listens, kept from others as long as the test runs."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound and not listening: a connection is refused
        yield f"http://127.0.0.1:{closed.getsockname()[1]}/"


@pytest.fixture
def healthy(web):
    """The URL of a host of its own with many pages, asked without a proxy."""
    base = web.proxy
    web.add(f"{base}/", "front", [f"/p{i}" for i in range(40)])
    for i in range(40):
        web.add(f"{base}/p{i}", f"Text number {i}.")
    return f"{base}/"


def crawl(corpus, seeds, **options):
    # The limit of time is for code that waits for the dead host: it would take ten minutes.
    return corpus.crawl(seeds, **{"delay": 0, "minutes": 5, "allow_private": True, **options}).wait(progress=False)


def test_a_dead_host_does_not_starve_the_others(corpus, healthy, dead):
    assert crawl(corpus, [dead, healthy], pages=5).progress.reason == "5 pages fetched"
    assert crawl(corpus, None, resume=True, pages=6).progress.reason == "6 pages fetched"


@pytest.mark.slow
def test_a_mistyped_seed_does_not_starve_the_good_one_named_later(corpus, healthy, dead):
    crawl(corpus, dead)
    assert crawl(corpus, healthy, pages=6).progress.reason == "6 pages fetched"
    assert crawl(corpus, None, resume=True).progress.pages == 35


@pytest.mark.parametrize("steer", [None, lambda rows: rows.url.str.len() * 0.0])
@pytest.mark.slow
def test_a_dead_host_does_not_starve_a_crawl_with_few_pages_a_host(corpus, healthy, dead, steer):
    crawl(corpus, [dead, healthy], host_pages=3, steer=steer)
    for _ in range(2):
        job = crawl(corpus, None, resume=True, host_pages=3, steer=steer)
        assert job.progress.pages == 3


def test_a_host_whose_urls_all_wait_does_not_starve_the_others(corpus, web):
    web.pages["http://busy.example/"] = lambda _: (429, {"Retry-After": "900"}, b"")
    web.add("http://a.example/", "front", [f"/p{i}" for i in range(20)])
    for i in range(20):
        web.add(f"http://a.example/p{i}", f"Text number {i}.")
    job = crawl(corpus, ["http://busy.example/", "http://a.example/"], pages=5, proxy=web.proxy)
    assert job.progress.reason == "5 pages fetched"
    job = crawl(corpus, None, resume=True, proxy=web.proxy)
    assert job.progress.pages == 16
    assert web.fetched["http://busy.example/"] == 1


def test_a_host_full_of_broken_links_takes_its_turns_like_others(corpus, web):
    """With one request at a time, each host gets every second one."""
    web.add("http://a.example/", "front", [f"/gone{i}" for i in range(30)])
    web.add("http://b.example/", "front", [f"/p{i}" for i in range(30)])
    for i in range(30):
        web.add(f"http://b.example/p{i}", f"Text number {i}.")
    crawl(corpus, ["http://a.example/", "http://b.example/"], pages=20, connections=1, proxy=web.proxy)
    assert sum("//b." in url for url in web.fetched) == 10
