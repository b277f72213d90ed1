"""The docstrings of class Corpus are complete, and their examples hold on the corpus that ``corpuskit demo`` makes."""

import doctest
import inspect
import re
import shutil

import pandas as pd
import pytest

import corpuskit
from corpuskit.corpus import Corpus
from corpuskit.demo.run import crawl_options, run_demo
from corpuskit.demo.server import serve_demo_web

METHODS = {
    name: function
    for name, function in inspect.getmembers(Corpus, inspect.isroutine)
    if not name.startswith("_") and function.__module__.startswith("corpuskit.")
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docstrings") / "demo"
    run_demo(folder).corpus.close()
    return folder


@pytest.fixture(scope="module")
def proxy():
    with serve_demo_web() as url:
        yield url


@pytest.fixture
def names(demo, proxy, tmp_path, monkeypatch):
    """What an example finds: the demo's corpus, whose web is not in the network."""
    shutil.copytree(demo, tmp_path / "demo", ignore=shutil.ignore_patterns("exports"))
    monkeypatch.chdir(tmp_path)
    crawl = Corpus.crawl
    monkeypatch.setattr(
        Corpus, "crawl", lambda self, seeds=None, **more: crawl(self, seeds, **{**crawl_options(proxy), **more})
    )
    corpus = corpuskit.open("demo")
    with pd.option_context("display.width", 100, "display.max_columns", 8, "display.max_colwidth", 50):
        yield {"corpus": corpus}
    corpus.close()


@pytest.mark.parametrize("name", METHODS)
def test_the_example_of_a_method_holds(name, names):
    [test] = doctest.DocTestFinder(recurse=False).find(METHODS[name], name, globs=names)
    assert test.examples, "no example"
    told = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=told.append)
    assert not runner.failures, "".join(told)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_says_what_it_takes_and_returns(name):
    function = METHODS[name]
    text = inspect.getdoc(function)
    first, *_ = text.splitlines()
    assert first.endswith((".", ":")) and "see :" not in first.lower()
    parts = dict(re.findall(r"^(Args|Returns|Raises|Example):\n((?:(?: {4}.*)?\n?)+)", text, re.MULTILINE))
    parameters = [name for name in inspect.signature(function).parameters if name != "self"]
    assert re.findall(r"^ {4}(\w+): \S", parts.get("Args", ""), re.MULTILINE) == parameters
    returns = function.__annotations__["return"]
    assert "Returns" in parts or returns == "None" or first.startswith("Return ")
    if returns == "pd.DataFrame":
        assert re.search(r"[Cc]olumns", parts["Returns"])
