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

pytestmark = pytest.mark.feature("archives", "compat", "linguistics", "vectors")

METHODS = public.corpus_methods()


@pytest.fixture
def names(copy_demo):
    """What an example finds: the demo's corpus, whose web is not in the network."""
    corpus = corpuskit.open(copy_demo("demo"))
    with pd.option_context("display.width", 100, "display.max_columns", 8, "display.max_colwidth", 50):
        yield {"corpus": corpus}
    corpus.close()


def failures(tests):
    """Run the examples and return what did not hold."""
    told = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("linecache.checkcache", lambda filename=None: None)  # looks at all files at each run
        for test in tests:
            runner.run(test, out=told.append)
    return "".join(told)


ACCESSORS = {name: kind for name, kind in public.accessors().items() if ">>>" in kind.__doc__}


@pytest.mark.parametrize("name", [*METHODS, *ACCESSORS])
@pytest.mark.slow
def test_the_example_of_a_method_holds(name, names):
    [test] = doctest.DocTestFinder(recurse=False).find({**METHODS, **ACCESSORS}[name], name, globs=names)
    assert test.examples, "no example"
    assert failures([test]) == ""


def argument_findings(name, function):
    """Yield what the docstring of a method lacks: a first sentence, each argument, the result and its columns."""
    text = inspect.getdoc(function)
    first, *_ = text.splitlines()
    parts = dict(re.findall(r"^(Args|Returns|Raises|Example):\n((?:(?: {4}.*)?\n?)+)", text, re.MULTILINE))
    parameters = [parameter for parameter in inspect.signature(function).parameters if parameter != "self"]
    returns = function.__annotations__["return"]
    if not first.endswith((".", ":")) or "see :" in first.lower():
        yield f"{name}: {first}"
    if re.findall(r"^ {4}(\w+): \S", parts.get("Args", ""), re.MULTILINE) != parameters:
        yield f"{name}: Args is not {parameters}"
    if "Returns" not in parts and returns != "None" and not first.startswith("Return "):
        yield f"{name}: no Returns"
    if returns == "pd.DataFrame" and not re.search(r"[Cc]olumns", parts["Returns"]):
        yield f"{name}: no columns"


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


def error_findings(name, function):
    """Yield the errors that a method or what it calls raises and that its docstring does not name, nor a base of theirs."""
    found, called = raised_and_called(function)
    text = inspect.getdoc(function)
    for error in sorted(found.union(*(raised_and_called(one)[0] for one in called))):
        kind = getattr(corpuskit.errors, error, None)
        bases = [base for base in kind.__mro__ if issubclass(base, corpuskit.errors.CorpusKitError)] if kind else []
        if kind and not any(base.__name__ in text for base in bases):
            yield f"{name}: {error}"


def public_findings(name, thing):
    """Yield what the docstring of a public name lacks: a whole first sentence in the imperative, each parameter."""
    paragraph = " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())
    if not paragraph.endswith((".", ":")):
        yield f"{name}: {paragraph!r}"
    if missing := set(public.to_describe(thing)) - public.described(thing):
        yield f"{name}: {missing}"
    is_property = isinstance(inspect.getattr_static(owner(name), name.rpartition(".")[2]), property)
    if inspect.isfunction(thing) and not is_property:
        first = paragraph.split()[0]
        if re.fullmatch(r"(?:The|An?|What|How|Gives|Whether|[A-Z][a-z]+[^s]s)", first):
            yield f"{name}: {first} is no imperative"


PUBLIC = public.names()
MODULES = [
    info.name for info in pkgutil.walk_packages(corpuskit.__path__, "corpuskit.") if info.name[-8:] != "__main__"
]


def owner(name):
    room = name.rpartition(".")[0]
    return PUBLIC[room] if room in PUBLIC else importlib.import_module(room)


@pytest.mark.slow
def test_no_docstring_only_sends_elsewhere():
    """``See :func:`...` `` as the whole of it tells a reader nothing where the reader is."""
    found = []
    for module in map(importlib.import_module, MODULES):
        for name, thing in inspect.getmembers(module, lambda one: inspect.isfunction(one) or inspect.isclass(one)):
            for part in [thing, *(vars(thing).values() if inspect.isclass(thing) else ())]:
                if re.fullmatch(r"\W*[Ss]ee :\w+:`[^`]*`\W*", str(getattr(part, "__doc__", "") or "").strip()):
                    found.append(f"{module.__name__}.{name}: {part}")
    assert found == []


@pytest.mark.parametrize(
    ("rule", "names"), [(argument_findings, METHODS), (error_findings, METHODS), (public_findings, PUBLIC)]
)
def test_docstrings_follow_the_rules(rule, names):
    assert [finding for name, thing in names.items() for finding in rule(name, thing)] == []


@pytest.mark.parametrize("package", sorted({name.split(".")[1] for name in MODULES} - {"corpus", "features"}))
def test_the_examples_of_a_package_hold(package, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    modules = [importlib.import_module(name) for name in MODULES if name.split(".")[1] == package]
    assert failures(test for module in modules for test in doctest.DocTestFinder(exclude_empty=True).find(module)) == ""
