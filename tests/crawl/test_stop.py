"""A crawl that is told to stop ends soon, whatever hosts do, tells how to go on, and loses nothing."""

import itertools
import os
import signal
import subprocess
import sys
import threading

import pytest

import corpuskit
from corpuskit.crawl.frontier import Frontier
from corpuskit.crawl.scope import UrlScope
from corpuskit.crawl.state import StopSignal

SEED = "http://a.example/"
HTML = {"Content-Type": "text/html"}
# A shell that starts us in the background has Ctrl-C ignored.
MAIN = """
import signal; signal.signal(signal.SIGINT, signal.default_int_handler)
from corpuskit.crawl import job, state
state._GRACE = SECONDS
def stop(self, was=job.CrawlJob.stop):
    print("is stopping", flush=True)
    was(self)
job.CrawlJob.stop = stop
from corpuskit.cli import main; main()
"""


@pytest.fixture
def hang():
    """An answer that begins and does not come to its end before the test does."""
    met, ended = threading.Event(), threading.Event()

    def answer(handler):
        met.set()
        ended.wait(120)
        handler.close_connection = True
        return 200, HTML, b"<p>too late</p>"

    answer.met = met
    yield answer
    ended.set()


@pytest.fixture
def short_grace(monkeypatch):
    monkeypatch.setattr("corpuskit.crawl.state._GRACE_SECONDS", 0.1)


@pytest.mark.parametrize("url", [SEED, f"{SEED}robots.txt"])
def test_a_host_that_hangs_does_not_keep_a_crawl_from_stopping(corpus, web, hang, short_grace, url):
    web.pages[url] = hang
    job = corpus.crawl(SEED, delay=0, proxy=web.proxy)
    assert hang.met.wait(60)
    job.stop()
    assert job.progress.reason == "stopped by the user"
    assert corpus.frontier("queued").url.tolist() == [SEED]
    assert corpus.failures().empty
    assert repr(job).splitlines()[-1] == "1 URL left to fetch: crawl(resume=True) (corpuskit crawl --resume)"


def test_a_page_that_drips_does_not_keep_a_crawl_from_stopping(corpus, web, short_grace):
    ended, met = threading.Event(), threading.Event()

    def drip(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.end_headers()
        while not ended.wait(0.01):
            handler.wfile.write(b".")
            handler.wfile.flush()
            met.set()
        handler.close_connection = True
        return 200, HTML, b""

    web.pages[SEED] = drip
    job = corpus.crawl(SEED, delay=0, proxy=web.proxy)
    assert met.wait(60)
    try:
        job.stop()
    finally:
        ended.set()
    assert job.progress.reason == "stopped by the user"
    assert len(corpus.frontier("queued")) == 1


def test_a_crawl_stopped_while_it_filters_its_queue_asks_for_nothing(corpus, web, monkeypatch):
    web.add(SEED, "front", [f"/p{i}" for i in range(60)])
    corpus.crawl(SEED, delay=0, proxy=web.proxy, pages=1).wait(progress=False)
    web.log.clear()
    monkeypatch.setattr("corpuskit.crawl.frontier._BATCH", 10)
    begun, go, looked = threading.Event(), threading.Event(), []
    refusal = UrlScope.refusal

    def slow(self, url, lang="", **more):
        looked.append(url)
        begun.set()
        go.wait(60)
        return refusal(self, url, lang, **more)

    monkeypatch.setattr(UrlScope, "refusal", slow)
    job = corpus.crawl(resume=True, delay=0, proxy=web.proxy)
    assert begun.wait(60)
    job._crawler.stopping.request()
    go.set()
    job.stop()
    assert len(looked) == 10
    assert web.log == []
    assert len(corpus.frontier("queued")) == 60
    assert job.progress.reason == "stopped by the user"


def test_a_crawl_stopped_before_it_begins_has_its_seeds(corpus, web, monkeypatch):
    go, apply = threading.Event(), Frontier.apply_scope
    monkeypatch.setattr(Frontier, "apply_scope", lambda *about: (go.wait(60), apply(*about)))
    job = corpus.crawl(SEED, delay=0, proxy=web.proxy)
    job._crawler.stopping.request()
    go.set()
    job.stop()
    assert web.log == []
    assert corpus.frontier("queued").url.tolist() == [SEED]


def test_an_interrupt_in_a_notebook_says_how_to_go_on(corpus, web, monkeypatch, hang, short_grace):
    web.pages[SEED] = hang

    def interrupted(_):
        hang.met.wait(60)
        raise KeyboardInterrupt

    monkeypatch.setattr("corpuskit.crawl.job.CrawlJob._show", interrupted)
    job = corpus.crawl(SEED, delay=0, proxy=web.proxy)
    with pytest.raises(KeyboardInterrupt, match=r"stopped by the user(.|\n)*crawl\(resume=True\)"):
        job.wait()
    assert not job.is_running


def test_pages_that_are_not_extracted_when_a_crawl_stops_are_extracted_by_the_next(
    corpus, web, short_grace, monkeypatch
):
    for i in range(30):
        web.add(f"http://a.example/p{i}", f"text number {i}", [f"/p{i + 1}"] if i < 29 else [])
    go, commit = threading.Event(), corpuskit.crawl.extraction_stage.commit
    monkeypatch.setattr("corpuskit.crawl.extraction_stage.commit", lambda *about: (go.wait(60), commit(*about))[1])
    job = corpus.crawl("http://a.example/p0", delay=0, proxy=web.proxy)
    while job.progress.pages < 10:
        assert job.is_running
    # One page is being committed: it comes to its end when the others are left.
    leaving = job._crawler._extraction._is_leaving
    threading.Thread(target=lambda: (leaving.wait(60), go.set()), daemon=True).start()
    job.stop()
    assert len(corpus) < 10
    corpus.crawl(resume=True, delay=0, proxy=web.proxy).wait(progress=False)
    assert len(corpus) == 30


def start(tmp_path, web, grace):
    command = [sys.executable, "-c", MAIN.replace("SECONDS", str(grace))]
    return subprocess.Popen(
        [*command, "crawl", str(tmp_path / "c"), SEED, "--delay", "0", "--proxy", web.proxy],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("url", [SEED, f"{SEED}robots.txt"])
@pytest.mark.slow
def test_ctrl_c_while_a_host_hangs_tells_how_to_go_on(tmp_path, web, hang, url):
    web.pages[url] = hang
    process = start(tmp_path, web, 0.1)
    assert hang.met.wait(100)
    os.kill(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=100)
    assert process.returncode == 130
    assert "Crawl ended: stopped by the user; 0 pages" in out
    assert "1 URL left to fetch: crawl(resume=True) (corpuskit crawl --resume)" in out.splitlines()
    assert "Traceback" not in errors


def test_a_second_ctrl_c_is_heard_wherever_the_first_wish_was_interrupted():
    """Also at a return of a function that has just taken a lock: a lock kept for ever would block the second call."""
    for point in range(1, 30):
        stopping, points = StopSignal(), itertools.count(1)

        def interrupt(frame, event, arg, points=points, point=point):
            if event == "return" and next(points) == point:
                raise KeyboardInterrupt
            return interrupt

        before = sys.gettrace()
        sys.settrace(interrupt)
        try:
            stopping.request()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)  # that of a measurement of coverage
        second = threading.Thread(target=stopping.request, kwargs={"immediately": True}, daemon=True)
        second.start()
        second.join(10)
        assert stopping.is_over


@pytest.mark.slow
def test_a_second_ctrl_c_ends_at_once_and_damages_nothing(tmp_path, web, hang):
    web.add(SEED, "front", ["/p", "/hang"])
    web.add("http://a.example/p", "page")
    web.pages["http://a.example/hang"] = hang
    process = start(tmp_path, web, 1000.0)
    assert hang.met.wait(100)
    os.kill(process.pid, signal.SIGINT)
    assert process.stdout.readline() == "is stopping\n"
    os.kill(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=100)
    assert process.returncode == 130
    assert "Crawl ended: stopped by the user" in out
    corpus = corpuskit.open(tmp_path / "c")
    assert corpus._folder.catalog.value("PRAGMA integrity_check") == "ok"
    assert "http://a.example/hang" in set(corpus.frontier("queued").url)
    web.add("http://a.example/hang", "no more")
    corpus.crawl(resume=True, delay=0, proxy=web.proxy).wait(progress=False)
    assert len(corpus) == 3
    assert corpus.check() == []
    corpus.close()
