"""Hosts that cannot be reached are told with their cause at once, asked again with growing pauses, and forgiven."""

import dataclasses
import socket
import subprocess
import sys
import threading
import time

import pytest

from corpuskit.crawl import crawler
from corpuskit.crawl.politeness import Politeness
from corpuskit.errors import UnreachableError
from corpuskit.sources.web import Client
from corpuskit.store.catalog import Catalog
from corpuskit.store.formatting import format_time


@pytest.fixture
def dead():
    """The URL of a port at which nobody listens, kept from others as long as the test runs."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{closed.getsockname()[1]}/"


@pytest.fixture
def quick(monkeypatch):
    """Hosts that do not answer are asked again at once, twice; then they wait for ten minutes."""
    monkeypatch.setattr("corpuskit.crawl.politeness._PAUSES", (0.01, 0.01, 600.0))


def crawl(corpus, seeds, **options):
    return corpus.crawl(seeds, **{"delay": 0, "minutes": 5, **options}).wait(progress=False)


def test_a_closed_port_is_a_failure_row_with_its_cause(corpus, dead, quick):
    job = crawl(corpus, dead)
    (row,) = corpus.failures().itertuples()
    assert (row.uri, row.stage, row.message, row.tries) == (dead, "fetch", "connection refused", 3)
    assert job.progress.failed == 1
    requests = corpus.requests()
    assert requests.url.tolist() == [f"{dead}robots.txt"] * 3
    assert set(requests.error) == {"connection refused"}
    report = corpus.crawl_report()
    assert report[["host", "requests", "no_answer", "queued"]].values.tolist() == [[dead.split("/")[2], 3, 3, 1]]


def test_a_host_that_went_away_is_told_with_what_waits_for_it(corpus, dead, quick, web):
    web.add("http://a.example/", "front", [f"/{n}" for n in range(9)])
    crawl(corpus, dead)
    job = crawl(corpus, "http://a.example/", pages=1, proxy=web.proxy)
    assert f"paused hosts: {dead.split('/')[2]} with 1 URL (connection refused)" in repr(job)


@pytest.mark.parametrize("seed", ["http://notaurl/", "http://nosuch.invalid/"])
def test_a_name_that_is_nowhere_is_a_failure_row_with_its_cause(corpus, quick, seed, monkeypatch):
    def look_up(*_, **__):  # as a system with a network says it
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    crawl(corpus, seed)
    (row,) = corpus.failures().itertuples()
    assert (row.stage, row.message) == ("fetch", "no such host")


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        ((503, {}, b""), "robots.txt cannot be read: the server answered 503 Service Unavailable"),
        ((429, {}, b""), "robots.txt cannot be read: the server answered 429 Too Many Requests"),
    ],
)
def test_a_robots_txt_that_cannot_be_read_is_a_failure_row_with_its_cause(corpus, web, quick, answer, cause):
    web.pages["http://a.example/robots.txt"] = lambda _: answer
    web.add("http://a.example/", "front")
    crawl(corpus, "http://a.example/", proxy=web.proxy)
    assert corpus.failures()[["uri", "message"]].values.tolist() == [["http://a.example/", cause]]
    assert corpus.requests().status_code.tolist() == [answer[0]] * 3
    assert not web.fetched


def test_a_robots_txt_that_hangs_is_told(corpus, web, quick, monkeypatch):
    patient = crawler.client_options
    monkeypatch.setattr(
        crawler, "client_options", lambda *about: dataclasses.replace(patient(*about), read_seconds=0.2)
    )
    ended = threading.Event()
    web.pages["http://a.example/robots.txt"] = lambda _: (ended.wait(60), (200, {}, b""))[1]
    crawl(corpus, "http://a.example/", proxy=web.proxy)
    ended.set()
    assert corpus.failures().message.tolist() == ["robots.txt cannot be read: no answer in time"]


def test_the_row_goes_when_a_retry_succeeds(corpus, web, quick):
    asked = []
    web.add("http://a.example/", "front")
    web.pages["http://a.example/robots.txt"] = lambda _: (asked.append(1), (503 if len(asked) < 3 else 404, {}, b""))[1]
    job = crawl(corpus, "http://a.example/", proxy=web.proxy)
    assert len(corpus) == 1
    assert corpus.failures().empty
    assert job.progress.failed == 0
    assert job.progress.reason == "nothing left to fetch"


def test_a_host_that_dies_during_a_crawl_costs_no_page_of_it(corpus, web, quick, monkeypatch):
    """After three pages each connection is refused: the others wait as they are, for a crawl when the host is back."""
    web.add("http://a.example/", "front", [f"/p{i}" for i in range(20)])
    for i in range(20):
        web.add(f"http://a.example/p{i}", f"Text number {i}.")
    is_down, asked, get = True, [], Client.get

    async def sometimes(self, url, *more, **options):
        asked.append(url)
        if is_down and len(asked) > 1 + 3:  # robots.txt was the first
            raise UnreachableError("connection refused", url=url)
        return await get(self, url, *more, **options)

    monkeypatch.setattr(Client, "get", sometimes)
    job = crawl(corpus, "http://a.example/", proxy=web.proxy)
    assert "a.example (connection refused) waits until" in job.progress.reason
    assert len(corpus.frontier("queued")) == 18
    assert set(corpus.failures().message) == {"connection refused"}
    is_down = False
    corpus._folder.catalog.connection.execute("UPDATE hosts SET next_allowed = 0")  # the pause is over
    assert crawl(corpus, None, resume=True, proxy=web.proxy).progress.pages == 18
    assert corpus.failures().empty
    assert set(web.fetched.values()) == {1}


def test_a_host_that_asks_for_long_pauses_does_not_hold_a_place_among_the_connections(corpus, web):
    """With one connection: the other host's pages come while the first waits for its turn."""
    web.pages["http://0slow.example/robots.txt"] = lambda _: (200, {}, b"User-agent: *\nCrawl-delay: 30\n")
    web.add("http://0slow.example/", "front")
    web.add("http://a.example/", "front", [f"/p{i}" for i in range(5)])
    for i in range(5):
        web.add(f"http://a.example/p{i}", f"Text number {i}.")
    crawl(corpus, ["http://0slow.example/", "http://a.example/"], proxy=web.proxy, connections=1, pages=6)
    assert web.log[0] == "http://0slow.example/robots.txt"
    assert {url.split("/")[2] for url in web.fetched} == {"a.example"}


def test_the_pause_grows_and_is_kept(tmp_path, monkeypatch):
    moment = [1_000_000.0]
    monkeypatch.setattr("corpuskit.crawl.politeness.time.time", lambda: moment[0])
    catalog = Catalog(tmp_path / "catalog.sqlite")
    pauses = []
    for _ in range(8):
        politeness = Politeness(catalog, 1.0)  # a new process each time
        pauses.append(politeness.record_unreachable("a.example", "connection refused").next_allowed - moment[0])
        moment[0] += pauses[-1]
    assert pauses == [2.0, 8.0, 600.0, 1200.0, 2400.0, 3600.0, 3600.0, 3600.0]
    assert Politeness(catalog, 1.0).state("a.example").last_error == "connection refused"
    politeness.record_success("a.example")
    assert Politeness(catalog, 1.0).state("a.example").last_error == ""
    assert (
        Politeness(catalog, 1.0).record_unreachable("a.example", "connection refused").next_allowed - moment[0] == 2.0
    )
    catalog.close()


def test_the_end_names_the_hosts_that_wait_and_why(corpus, dead, quick):
    reason = crawl(corpus, dead).progress.reason
    assert reason.startswith("nothing else can be fetched now")
    assert f"{dead.split('/')[2]} (connection refused) waits until 20" in reason


def test_the_end_tells_what_failed_and_how_to_go_on(corpus, web, quick, dead):
    web.add("http://a.example/", "front", ["/gone", "/lost"])
    job = crawl(corpus, "http://a.example/", proxy=web.proxy)
    assert repr(job).splitlines()[1:] == [
        "2 URLs could not be fetched: the server answered 404 Not Found (2)",
        "failures() (corpuskit failures) lists the failures, crawl(resume=True, retry_failed=True) "
        "(corpuskit crawl --resume --retry-failed) retries them",
    ]
    assert job.failed_seeds == {}
    job = crawl(corpus, [dead, "http://a.example/"])
    until = job.closing.waiting[0][3]
    assert time.time() < until
    assert repr(job).splitlines()[1:] == [
        f"1 seed could not be fetched: {dead} (connection refused)",
        "failures() (corpuskit failures) lists the failures, crawl(resume=True, retry_failed=True) "
        "(corpuskit crawl --resume --retry-failed) retries them",
        f"paused hosts: {dead.split('/')[2]} with 1 URL (connection refused), until {format_time(until)}",
        "1 URL left to fetch: crawl(resume=True, allow_private=True) (corpuskit crawl --resume --allow-private)",
    ]
    assert job.failed_seeds == {dead: "connection refused"}


def test_a_seed_that_only_waits_for_a_pause_has_failed_in_a_later_crawl_too(corpus, quick, dead):
    crawl(corpus, dead)
    again = corpus.crawl(resume=True, delay=0).wait(progress=False)
    assert again.progress.pages == 0
    assert again.failed_seeds == {dead: "connection refused"}
    assert f"1 seed could not be fetched: {dead} (connection refused)" in repr(again)


@pytest.mark.slow
def test_the_command_ends_with_3_where_a_seed_failed_and_with_0_where_a_link_was_broken(tmp_path, web):
    web.add("http://a.example/", "front", ["/gone"])
    main = "from corpuskit.cli import main; main()"
    command = [sys.executable, "-c", main, "crawl", str(tmp_path / "c"), "--delay", "0", "--proxy", web.proxy]
    done = subprocess.run([*command, "http://a.example/"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0
    assert "1 URL could not be fetched: the server answered 404 Not Found (1)" in done.stdout
    done = subprocess.run([*command, "http://a.example/no"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 3
    lines = done.stdout.splitlines()
    assert "1 seed could not be fetched: http://a.example/no (the server answered 404 Not Found)" in lines
    assert (
        "failures() (corpuskit failures) lists the failures, "
        "crawl(resume=True, retry_failed=True) (corpuskit crawl --resume --retry-failed) retries them"
    ) in lines
