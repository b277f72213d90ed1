"""What ``corpus.status`` costs: statements, not time, so that a busy machine changes nothing."""

import subprocess
import sys

import pytest

import corpuskit

COUNTED = """
import json
import sys
from corpuskit.cli import main
opened = []
folder = sys.argv[1]
def hook(event, arguments):
    if event != "open" or not isinstance(arguments[0], str):
        return
    if arguments[0].startswith(folder) or not arguments[0].startswith("/"):  # beneath a folder that is open: its name only
        opened.append(arguments[0])
sys.addaudithook(hook)
sys.argv = ["corpuskit", "status", folder]
try:
    main()
except SystemExit:
    pass
names = [name.removeprefix(folder) for name in opened]
print(json.dumps(names), file=sys.stderr)
"""


def filled(folder, pages):
    (folder / "pages").mkdir(parents=True)
    for i in range(pages):
        (folder / "pages" / f"p{i}.html").write_text(f"<h1>Page {i}</h1><p>The text of page {i}.</p>")
    with corpuskit.open(folder / "corpus") as corpus:
        corpus.add(folder / "pages", progress=False)
        corpus.set_labels({corpus.documents()["doc_id"][0]: "relevant"}, by="me")
        repr(corpus)
    return folder / "corpus"


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    work = tmp_path_factory.mktemp("status")
    return [filled(work / str(pages), pages) for pages in (3, 60)]


def statements_of(path):
    with corpuskit.open(path) as corpus:
        told = []
        corpus._folder.catalog.connection.set_trace_callback(told.append)
        assert repr(corpus).startswith("Corpus ")
        corpus._folder.catalog.connection.set_trace_callback(None)
    return told


def test_the_summary_asks_the_catalogue_as_often_of_few_documents_as_of_many(corpora):
    few, many = map(statements_of, corpora)
    assert len(few) == len(many)
    assert 0 < len(many) < 30


@pytest.mark.slow
def test_the_command_opens_as_many_files_for_few_documents_as_for_many(corpora):
    opened = []
    for path in corpora:
        done = subprocess.run(
            [sys.executable, "-c", COUNTED, str(path)], capture_output=True, text=True, check=True, timeout=300
        )
        assert "Sources" in done.stdout
        opened.append(done.stderr.splitlines()[-1])
    assert opened[0] == opened[1]
    assert "corpus.toml" in opened[1]
    assert ".nlp.txt" not in opened[1]
