"""Each argument of each public method of Corpus given "", None, -1 and "zzz": a result, or an error raised on purpose."""

import contextlib
import inspect
import operator
import shutil
import traceback

import pytest
from corpuskit_docs.public import corpus_methods

import corpuskit
from corpuskit.corpus import Corpus
from corpuskit.errors import CorpusKitError

NONSENSE = ["", None, -1, "zzz"]
# Those that crawl, ask a server or read an index of archives have tests of their own.
ELSEWHERE = {"add_wikipedia", "close", "crawl", "discover", "fetch", "train_urls"}
METHODS = {
    name: method
    for name, method in {**corpus_methods(), "__getitem__": Corpus.__getitem__}.items()
    if name.rpartition(".")[2] not in ELSEWHERE
}


def usual(name, work, ids):
    """The arguments of a call that is right, where there must be some."""
    out = work / "out"
    given = {
        "__getitem__": [ids[0]], "add": [work / "pages"], "annotate": ["x", lambda words: words], "backup": [out],
        "embed": ["mine", lambda texts: [[len(text), 1.0] for text in texts]], "export": [out], "export_fasttext": [out],
        "export_queue": [out], "export_requests": [out], "export_seeds": [out], "queries.delete": ["q"], "import_labels": [work / "none.csv"],
        "merge": [work], "original": [ids[0]], "page": [ids[0], 1], "prelabel": [lambda texts: ["other"] * len(texts)],
        "preprocess": [["language"]], "remove": [[]], "sample": [2], "queries.save": ["q", "premium"],
        "subcorpora.save": ["s", ids[:2]], "set_labels": [{ids[0]: "other"}], "set_source": ["a.example", "hold"],
        "similar": [ids[0]], "sketch": ["premium"], "subcorpora.documents": ["s"], "view": [ids[0]],
    }  # fmt: skip
    queries = {
        "clusters",
        "collocates",
        "concordance",
        "dispersion",
        "explore",
        "find",
        "frequency",
        "kwic",
        "occurrences",
    }
    return (
        ["premium"]
        if name.rpartition(".")[2] in queries
        else given.get(name.removeprefix("text."), given.get(name.rpartition(".")[2], []))
    )


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    work = tmp_path_factory.mktemp("nonsense")
    (work / "pages").mkdir()
    for i in range(12):
        words = f"The premium of the {['boat', 'house'][i % 2]} policy {i} is due, says word{i}."
        (work / "pages" / f"p{i}.html").write_text(f"<h1>Page {i}</h1><p>{words}</p>")
    corpus = corpuskit.open(work / "corpus")
    corpus.add(work / "pages", progress=False)
    ids = list(corpus.documents()["doc_id"])
    corpus.set_labels({doc_id: ["relevant", "other"][i % 2] for i, doc_id in enumerate(ids[:10])}, by="me")
    corpus.train()
    yield corpus, work, ids
    corpus.close()


def calls(name, work, ids):
    """(what is told, positional, named) of each argument and each nonsense."""
    parameters = list(inspect.signature(METHODS[name]).parameters.values())[1:]
    names = {parameter.name for parameter in parameters}
    always = {key: value for key, value in (("by", "me"), ("reason", "why"), ("progress", False)) if key in names}
    for position, parameter in enumerate(parameters):
        if parameter.kind is parameter.VAR_KEYWORD or parameter.name in {"arrow", "progress"}:
            continue
        for value in NONSENSE:
            given = usual(name, work, ids)
            named = dict(always)
            if parameter.kind is parameter.VAR_POSITIONAL:
                given = [value]
            elif parameter.kind is parameter.KEYWORD_ONLY or position >= len(given):
                named[parameter.name] = value
            else:
                given[position] = value
            yield f"{name}({parameter.name}={value!r})", given, named


def is_on_purpose(error):
    """An error of corpuskit; or a wrong type told where it was looked at, not where it did not work."""
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if "corpuskit" in frame.filename]
    is_told = isinstance(error, TypeError) and bool(own) and (own[-1].line or "").startswith("raise TypeError")
    return isinstance(error, CorpusKitError) or is_told


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.slow
def test_nonsense_is_told_where_it_is_given(name, trained, tmp_path, monkeypatch):
    corpus, work, ids = trained
    monkeypatch.chdir(tmp_path)
    bare = []
    for told, given, named in calls(name, work, ids):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            shutil.rmtree(work / "out")
        (work / "out").unlink(missing_ok=True)
        try:
            repr(operator.attrgetter(name)(corpus)(*given, **named))
        except Exception as error:
            if not is_on_purpose(error):
                bare.append(f"{told}: {error!r}")
    assert bare == []
