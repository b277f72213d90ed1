"""The demo's corpus, made once, and its web, for the code on the manual's pages."""

import shutil

import pytest

from corpuskit.corpus import Corpus
from corpuskit.demo import crawl_options, run_demo, serve_demo_web


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("manual") / "demo"
    run_demo(folder).corpus.close()
    return folder


@pytest.fixture(scope="session")
def demo_proxy():
    with serve_demo_web() as proxy:
        yield proxy


@pytest.fixture
def desk(demo_folder, demo_proxy, tmp_path, monkeypatch):
    """A working folder with the corpus ``insurance``, from which crawls find the demo's web without being told."""
    shutil.copytree(demo_folder, tmp_path / "insurance", ignore=shutil.ignore_patterns("exports"))
    monkeypatch.chdir(tmp_path)
    crawl = Corpus.crawl
    monkeypatch.setattr(
        Corpus, "crawl", lambda self, seeds=None, **more: crawl(self, seeds, **{**crawl_options(demo_proxy), **more})
    )
    return tmp_path
