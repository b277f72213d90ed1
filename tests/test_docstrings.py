"""The docstrings of public names are complete, and their examples hold: those of Corpus on the demo's corpus."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import textwrap

import pandas as pd
import pytest
from corpuskit_docs import public

import corpuskit
from corpuskit.corpus import Corpus

METHODS = {
    name: function
    for name, function in inspect.getmembers(Corpus, inspect.isroutine)
    if not name.startswith("_") and function.__module__.startswith("corpuskit.")
}


@pytest.fixture
def names(copy_demo):
    """What an example finds: the demo's corpus, whose web is not in the network."""
    corpus = corpuskit.open(copy_demo("demo"))
    with pd.option_context("display.width", 100, "display.max_columns", 8, "display.max_colwidth", 50):
        yield {"corpus": corpus}
    corpus.close()


@pytest.mark.parametrize("name", METHODS)
def test_the_example_of_a_method_holds(name, names):
    [test] = doctest.DocTestFinder(recurse=False).find(METHODS[name], name, globs=names)
    assert test.examples, "no example"
    told = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
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


def raised_and_called(function):
    """The errors that the body of a function raises by name, and the functions of corpuskit that it calls by name."""
    function = inspect.unwrap(function)
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    known = dict(function.__globals__)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("corpuskit"):
            module = importlib.import_module(node.module)
            known |= {one.asname or one.name: getattr(module, one.name, None) for one in node.names}
    errors = {
        node.exc.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name)
    }
    names = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    called = [known[name] for name in names if inspect.isfunction(known.get(name))]
    return errors, [one for one in called if one.__module__.startswith("corpuskit.")]


@pytest.mark.parametrize("name", METHODS)
def test_a_method_says_which_errors_it_and_what_it_calls_raise(name):
    found, called = raised_and_called(METHODS[name])
    found = found.union(*(raised_and_called(function)[0] for function in called))
    text = inspect.getdoc(METHODS[name])
    kinds = [getattr(corpuskit.errors, one) for one in sorted(found) if hasattr(corpuskit.errors, one)]
    unsaid = [
        kind.__name__
        for kind in kinds
        if not any(base.__name__ in text for base in kind.__mro__ if issubclass(base, corpuskit.errors.CorpusKitError))
    ]
    assert unsaid == []


PUBLIC = public.names()
MODULES = [
    info.name for info in pkgutil.walk_packages(corpuskit.__path__, "corpuskit.") if info.name[-8:] != "__main__"
]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_says_what_it_is_and_what_it_takes(name):
    thing = PUBLIC[name]
    text = inspect.getdoc(thing)
    assert text, "no docstring"
    paragraph = " ".join(text.partition("\n\n")[0].split())
    assert paragraph.endswith((".", ":")), paragraph
    assert set(public.to_describe(thing)) - public.described(thing) == set()


@pytest.mark.parametrize("name", [name for name, thing in PUBLIC.items() if inspect.isfunction(thing)])
def test_a_public_function_says_it_in_the_imperative(name):
    first = inspect.getdoc(PUBLIC[name]).split()[0]
    if not isinstance(inspect.getattr_static(owner(name), name.rpartition(".")[2]), property):
        assert not re.fullmatch(r"(?:The|An?|What|How|Gives|Whether|[A-Z][a-z]+[^s]s)", first), first


def owner(name):
    room = name.rpartition(".")[0]
    return PUBLIC[room] if room in PUBLIC else importlib.import_module(room)


def test_no_docstring_only_sends_elsewhere():
    """``See :func:`...` `` as the whole of it tells a reader nothing where the reader is."""
    found = []
    for module in map(importlib.import_module, MODULES):
        for name, thing in inspect.getmembers(module, lambda one: inspect.isfunction(one) or inspect.isclass(one)):
            for part in [thing, *(vars(thing).values() if inspect.isclass(thing) else ())]:
                if re.fullmatch(r"\W*[Ss]ee :\w+:`[^`]*`\W*", str(getattr(part, "__doc__", "") or "").strip()):
                    found.append(f"{module.__name__}.{name}: {part}")
    assert found == []


@pytest.mark.parametrize("module", [name for name in MODULES if not name.startswith("corpuskit.corpus")])
def test_the_examples_of_a_module_hold(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(module)):
        runner.run(test, out=told.append)
    assert not told, "".join(told)
