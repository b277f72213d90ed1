"""The progress bar of a crawl in a terminal."""

from types import SimpleNamespace

import pytest

from corpuskit.crawl.job import CrawlJob
from corpuskit.crawl.state import Progress

SEED = "http://a.example/"


@pytest.fixture
def told(monkeypatch):
    """What crawls say that they do, in order."""
    said = []

    def set_and_keep(self, name, value):
        if name == "doing":
            said.append(value)
        object.__setattr__(self, name, value)

    monkeypatch.setattr(Progress, "__setattr__", set_and_keep)
    return said


@pytest.mark.slow
def test_a_crawl_says_what_it_does_behind_its_last_page(corpus, web, told):
    web.pages[SEED] = "<p>Rates of harbour insurance.</p>"
    corpus.crawl(SEED, delay=0, proxy=web.proxy, pages=1).wait(progress=False)
    assert told == ["crawl", "crawl: extracting the last pages", "crawl: ranking the remaining URLs"]


def test_the_bar_shows_what_the_crawl_does(capsys):
    job = SimpleNamespace(
        options=SimpleNamespace(pages=1), _has_ended=True, _wait=lambda seconds: None, progress=Progress(pages=1)
    )
    job.progress.doing = "crawl: ranking the remaining URLs"
    CrawlJob._show(job)
    assert "crawl: ranking the remaining URLs" in capsys.readouterr().err
