"""Pages made by scripts. The browser gets all it has from the crawler."""

import importlib.util
import os

import pytest

from corpuskit.sources.web.render import find_browser

pytestmark = pytest.mark.browser
SEED = "http://a.example/"


@pytest.fixture
def chromium():
    missing = "playwright" if importlib.util.find_spec("playwright") is None else "" if find_browser() else "chromium"
    if missing and os.environ.get("CI", "").lower() == "true":
        pytest.fail(f"no {missing}")
    if missing:
        pytest.skip(f"no {missing}")


@pytest.mark.slow
def test_a_page_made_by_scripts_is_kept_as_a_browser_shows_it(corpus, web, chromium):
    web.pages[SEED] = b"<html><body><div id=app></div><script src=/app.js></script></body></html>"
    script = (
        "fetch('/data.json').then(r => r.json()).then(d => { document.getElementById('app').innerHTML ="
        " '<p>' + d.text + '</p><a href=/next>next</a><img src=/cat.png>'; });"
        "fetch('http://169.254.169.254/latest').catch(() => 0); fetch('/no/secret').catch(() => 0);"
        "try { new WebSocket('ws://127.0.0.1:1/x') } catch (e) {}"
    )
    web.pages["http://a.example/app.js"] = lambda _: (200, {"Content-Type": "text/javascript"}, script.encode())
    data = b'{"text": "The insurer pays for the damage that the water has done to the house. "}'
    web.pages["http://a.example/data.json"] = lambda _: (200, {"Content-Type": "application/json"}, data)
    web.pages["http://a.example/robots.txt"] = lambda _: (200, {}, b"User-agent: *\nDisallow: /no/\n")
    web.add("http://a.example/next", "Found through a script. " * 20)
    job = corpus.crawl(SEED, delay=0, proxy=web.proxy, render=True).wait(progress=False)
    texts = {document.uri: document for document in corpus}
    assert "damage that the water" in texts[SEED].to_text()
    assert texts[SEED].metadata["rendered"] == "by a browser"
    assert "http://a.example/next" in texts
    assert web.fetched == {
        SEED: 1,
        "http://a.example/app.js": 1,
        "http://a.example/data.json": 1,
        "http://a.example/next": 1,
    }
    assert job.progress.pages == 2


def test_without_asking_no_browser_is_started(corpus, web):
    web.pages[SEED] = b"<html><body><div id=app></div><script src=/app.js></script></body></html>"
    job = corpus.crawl(SEED, delay=0, proxy=web.proxy).wait(progress=False)
    assert set(web.fetched) == {SEED}
    assert job.progress.scripted == 1
