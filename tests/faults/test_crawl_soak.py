"""A crawl of forty hosts, a third of which are dead, slow, flapping or lying, killed and resumed ten times.

Every page that can be had is fetched once (what was under way at a kill may be asked for again), nothing out of scope or
excluded is asked for, and what could not be had is a row.
"""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest

import corpuskit

KILLS = 10
CONNECTIONS = 8
PAGES = 6  # of a host
GOOD = [f"g{i:02}.example" for i in range(26)]
HTML = {"Content-Type": "text/html; charset=utf-8"}
EXCLUDED, REDIRECTED = "/private/", "http://elsewhere.invalid/"
# Pauses are short, but that of a host that failed three times. What was chosen is named by the first run alone.
CRAWL = f"""
import dataclasses, sys, corpuskit
from corpuskit.crawl import politeness, crawler, page_fetcher
politeness._PAUSES, politeness._BACK_OFF, page_fetcher._AGAIN_AFTER = (0.01, 0.02, 600.0), 0.001, 0.001
usual = crawler.client_options
crawler.client_options = lambda *about: dataclasses.replace(usual(*about), read_seconds=5.0)
corpus = corpuskit.open(sys.argv[1])
if corpus.frontier().empty:
    chosen = dict(delay=0, scope="host", exclude=["{EXCLUDED}"], connections={CONNECTIONS})
    job = corpus.crawl(sys.argv[3:], proxy=sys.argv[2], **chosen)
else:
    job = corpus.crawl(resume=True, proxy=sys.argv[2])
print(job.wait(progress=False))
"""

pytestmark = [
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL"),
    pytest.mark.timeout(400),
]


class Hosts:
    """Forty hosts on loopback, by the test's proxy: what each is to give, and what each page was answered."""

    def __init__(self, web):
        self.web = web
        self.asked = Counter()
        self.answered = Counter()  # with a page
        self.pages = set()  # that can be had
        self.never = {}  # URL → what the row of its failure says
        self.seeds = []
        self.gate = threading.Event()
        self._lock = threading.Lock()
        for host in GOOD:
            self._site(host)
        self._flapping()
        self._lying()
        self._dead()

    def give(self, url, *answers):
        """Answers of a URL one after the other, the last one for ever: (status, headers, body), or what gives them."""

        def answer(handler):
            with self._lock:
                found = answers[min(self.asked[url], len(answers) - 1)]
                self.asked[url] += 1
                self.answered[url] += found is answers[-1]
            return found(handler) if callable(found) else found

        self.web.pages[url] = answer

    def page(self, url, *before, links=()):
        """A page, which comes after other answers."""
        anchors = "".join(f'<p><a href="{link}">{link}</a></p>' for link in links)
        self.give(
            url, *before, (200, HTML, f"<title>{url}</title><p>The text of {url} and more.</p>{anchors}".encode())
        )
        self.pages.add(url)

    def _site(self, host, *before):
        base = f"http://{host}"
        self.seeds.append(f"{base}/")
        outside = [f"http://{other}/" for other in ("other.example", "dead0.example")]
        more = [f"{EXCLUDED}{i}" for i in range(3)] + outside
        self.page(f"{base}/", *before, links=[*(f"/p{i}" for i in range(PAGES)), "/gone", *more])
        for i in range(PAGES):
            self.page(f"{base}/p{i}", *before, links=["/", f"/p{(i + 1) % PAGES}", *more])
        self.give(f"{base}/gone", (404, HTML, b"<p>no such page</p>"))
        self.never[f"{base}/gone"] = "the server answered 404 Not Found"
        for i in range(3):
            self.give(f"{base}{EXCLUDED}{i}", (200, HTML, b"<p>private</p>"))

    def _flapping(self):
        def slow(_):
            time.sleep(0.2)
            return 503, HTML, b""

        def hangs(_):
            self.gate.wait(60)
            return 503, HTML, b""

        self._site("busy.example", (503, HTML, b""), (500, HTML, b""))
        self._site("asks.example", (429, {**HTML, "Retry-After": "0"}, b""))
        self._site("slow.example", slow)
        self._site("cut.example", _cut)
        self._site("shy.example")
        self.give("http://shy.example/robots.txt", (500, {}, b""), (503, {}, b""), (404, {}, b""))
        self._site("late.example")
        self.give("http://late.example/robots.txt", hangs, (200, {}, b"User-agent: *\nDisallow: /gone\n"))
        del self.never["http://late.example/gone"]  # it is forbidden

    def _lying(self):
        self._site("maps.example")
        self.give("http://maps.example/robots.txt", (200, {}, b"Sitemap: http://maps.example/map.xml\n"))
        named = ["http://maps.example/hidden", "http://other.example/x", f"http://maps.example{EXCLUDED}9"]
        listing = "".join(f"<url><loc>{url}</loc></url>" for url in named)
        self.give(
            "http://maps.example/map.xml", (200, {"Content-Type": "text/xml"}, f"<urlset>{listing}</urlset>".encode())
        )
        self.page(named[0])
        self._site("loops.example")
        for name, target in (("loop", "/loop2"), ("loop2", "/loop"), ("out", REDIRECTED), ("self", "/self")):
            self.give(f"http://loops.example/{name}", (302, {"Location": target}, b""))
        self.page("http://loops.example/p0", links=["/loop", "/out", "/self", "/picture", "/empty"])
        self.give("http://loops.example/picture", (200, {"Content-Type": "image/png"}, bytes(200)))
        self.give("http://loops.example/empty", (200, HTML, b"  "))
        self.never["http://loops.example/self"] = "redirect loop"
        self.never["http://loops.example/empty"] = "the page is empty"
        self._site("wrong.example")
        self.page("http://wrong.example/p0", links=["/text-that-is-html", "/short"])
        self.give(
            "http://wrong.example/text-that-is-html",
            (200, {"Content-Type": "text/plain"}, b"<html><p>Said to be plain."),
        )
        self.pages.add("http://wrong.example/text-that-is-html")

        self.give("http://wrong.example/short", _cut)
        self.never["http://wrong.example/short"] = "the answer was cut off"

    def _dead(self):
        for number, status in enumerate((502, 503, 504, 500, 520)):
            base = f"http://dead{number}.example"
            self.seeds.append(f"{base}/")
            self.give(f"{base}/robots.txt", (status, {}, b""))
            self.never[f"{base}/"] = f"robots.txt cannot be read: the server answered {status}"


def _cut(handler):
    handler.close_connection = True
    return 200, {**HTML, "Content-Length": "5000"}, b"<p>half a page"


def start(path, hosts):
    command = [sys.executable, "-c", CRAWL, str(path), hosts.web.proxy, *hosts.seeds]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_ten_kills_among_hosts_that_fail_in_every_way(tmp_path, web):
    hosts, rng, killed = Hosts(web), random.Random(3), 0
    assert len(hosts.seeds) == 40
    for kill in range(KILLS):
        wanted = len(hosts.pages) * kill // (KILLS + 1)
        process = start(tmp_path / "c", hosts)
        while process.poll() is None and sum(hosts.answered[url] for url in hosts.pages) <= wanted:
            time.sleep(0.002)
        time.sleep(rng.random() * 0.02)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            killed += 1
        process.communicate()
    hosts.gate.set()
    process = start(tmp_path / "c", hosts)
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    print(f"{killed} kills met the crawl at work")
    assert killed >= KILLS - 2
    corpus = corpuskit.open(tmp_path / "c")
    assert corpus.check() == []
    assert set(corpus.documents().uri) == hosts.pages
    again = {url: hosts.answered[url] - 1 for url in hosts.pages}
    assert min(again.values()) == 0
    assert sum(again.values()) <= killed * CONNECTIONS
    outside = [url for url in web.log if EXCLUDED in url or "other.example" in url or url.startswith(REDIRECTED)]
    assert outside == []
    told = corpus.failures().set_index("uri").message.to_dict()
    assert told.keys() == hosts.never.keys()
    assert {url: text[: len(hosts.never[url])] for url, text in told.items()} == hosts.never
    refused = corpus.frontier("refused").set_index("url").reason_refused
    assert refused["http://late.example/gone"] == "robots.txt"
    assert refused[REDIRECTED] == "scope"
    assert refused["http://loops.example/picture"] == "media type image/png"
    left = corpus.frontier("queued")
    assert set(left.url) == {url for url in hosts.seeds if "dead" in url}
    assert "nothing else can be fetched now: dead" in out
    corpus.close()
