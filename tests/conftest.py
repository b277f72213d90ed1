"""Fixtures of all rooms."""

import shutil
import subprocess
import sys
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest

import corpuskit


class LocalWeb:
    """A web on loopback, reached as an HTTP proxy: URL → bytes, or a function of the request that gives an answer.

    A function gets the handler and returns (status, headers, body).
    """

    def __init__(self):
        self.pages = {}
        self.log = []
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16

            def do_GET(self):
                url = self.path if "://" in self.path else f"http://{self.headers['Host']}{self.path}"
                web.log.append(url)
                page = web.pages.get(url)
                if page is None:
                    status, headers, body = 404, {}, b"not found"
                elif callable(page):
                    status, headers, body = page(self)
                else:
                    status, headers, body = 200, {"Content-Type": "text/html; charset=utf-8"}, page
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.proxy = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def add(self, url, text="", links=(), title="Page"):
        """A page with a paragraph and links."""
        anchors = "".join(f'<p><a href="{link}">{link}</a></p>' for link in links)
        body = f"<!DOCTYPE html><html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>{anchors}</body></html>"
        self.pages[url] = body.encode()

    @property
    def fetched(self):
        """How often each page was asked for, robots.txt left out."""
        return Counter(url for url in self.log if urlsplit(url).path != "/robots.txt")

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture(autouse=True, scope="session")
def memory_of_its_own(tmp_path_factory):
    """Which catalogues were looked through is not written into the user's own folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        patch.setenv("LOCALAPPDATA", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def web():
    local = LocalWeb()
    yield local
    local.close()


@pytest.fixture
def corpus(tmp_path):
    opened = corpuskit.open(tmp_path / "corpus")
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory):
    """The corpus that ``corpuskit demo`` makes; open a copy: questions leave indexes in it."""
    from corpuskit.demo import run_demo

    folder = tmp_path_factory.mktemp("of-the-demo") / "demo"
    run_demo(folder).corpus.close()
    return folder


@pytest.fixture(scope="session")
def demo_proxy():
    """The web of the demo."""
    from corpuskit.demo import serve_demo_web

    with serve_demo_web() as proxy:
        yield proxy


@pytest.fixture
def copy_demo(demo_folder, demo_proxy, tmp_path, monkeypatch):
    """Copies the demo's corpus into the working folder, from which crawls find the demo's web without being told."""
    from corpuskit.corpus import Corpus
    from corpuskit.demo import crawl_options

    monkeypatch.chdir(tmp_path)
    crawl, told = Corpus.crawl, crawl_options(demo_proxy)
    monkeypatch.setattr(Corpus, "crawl", lambda self, seeds=None, **more: crawl(self, seeds, **{**told, **more}))
    return lambda name: shutil.copytree(demo_folder, tmp_path / name, ignore=shutil.ignore_patterns("exports"))


@pytest.fixture(scope="session")
def manual(tmp_path_factory):
    """The manual as web pages, built as ``build-docs`` does: a warning is an error."""
    out = tmp_path_factory.mktemp("manual-pages") / "html"
    code = "import pathlib, sys, corpuskit_docs; sys.exit(corpuskit_docs.build(pathlib.Path(sys.argv[1])))"
    built = subprocess.run([sys.executable, "-c", code, str(out)], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[-5000:]
    return out


@pytest.fixture
def two_topics(corpus, tmp_path):
    """Fills the corpus with so many texts, of two topics by turns."""

    def filled(number):
        for i in range(number):
            topic = "insurance premium claim" if i % 2 else "garden flower tomato"
            (tmp_path / f"d{i:02}.txt").write_text(f"Text {i}\n\nAbout {topic} number {i}.", "utf-8")
        corpus.add(tmp_path / "d*.txt", progress=False)
        return corpus

    return filled
