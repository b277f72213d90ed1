"""kill -9 at random points of every command that writes: nothing reported is lost, and the same command goes on.

``CORPUSKIT_FAULTS=20`` kills each so many times.
"""

import os
import random
import shutil
import subprocess
import sys

import pytest
from command_server import Commands

import corpuskit
from corpuskit.corpus import Corpus
from corpuskit.ingest import document_id

KILLS = int(os.environ.get("CORPUSKIT_FAULTS", "2"))
PAGE = "<html><head><title>Page {0}</title></head><body><nav><a href='/x'>menu</a></nav><p>The {1} of page {0}, a text.</p></body></html>"
PAGES = 20
pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork and no SIGKILL"),
    pytest.mark.timeout(120 + 15 * KILLS),
]


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    opened = Commands(tmp_path_factory.mktemp("commands") / "log")
    yield opened
    opened.close()


@pytest.fixture
def kills(record_property):
    """Counts the kills that met a command at work."""
    met = []
    yield met
    record_property("kills", sum(met))
    print(f"{sum(met)} of {len(met)} kills met the command at work")


@pytest.fixture
def pages(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for i in range(PAGES):
        (folder / f"{i:02d}.html").write_text(PAGE.format(i, "insurance premium" if i % 2 else "river landscape"))
    return folder


@pytest.fixture
def filled(pages, tmp_path):
    corpus = corpuskit.open(tmp_path / "c")
    corpus.add(pages, progress=False)
    corpus.close()
    return tmp_path / "c"


def assert_whole(path, documents=PAGES):
    corpus = corpuskit.open(path)
    assert corpus._folder.catalog.value("PRAGMA integrity_check") == "ok"
    assert len(corpus) == documents
    assert corpus.check() == []
    for doc_id in corpus.documents()["doc_id"]:
        assert "a text" in corpus[doc_id].to_text()
    return corpus


@pytest.mark.slow
def test_add(pages, tmp_path, commands, kills):
    usual = commands.run("add", tmp_path / "other", pages)
    for seed in range(KILLS):
        kills.append(commands.kill("add", tmp_path / "c", pages, seed=seed, seconds=usual))
        if (tmp_path / "c" / "catalog.sqlite").exists():
            corpus = corpuskit.open(tmp_path / "c")
            for doc_id in corpus.documents()["doc_id"]:  # what was reported is there
                assert "a text" in corpus[doc_id].to_text()
            corpus.close()
        if not kills[-1]:  # it was through: the next one would find nothing to do
            assert_whole(tmp_path / "c").close()
            shutil.rmtree(tmp_path / "c")
    commands.run("add", tmp_path / "c", pages)
    assert_whole(tmp_path / "c").close()


@pytest.mark.slow
def test_label(filled, tmp_path, commands, kills):
    labels = tmp_path / "labels.csv"
    ids = [document_id(f"pages/{i:02d}.html") for i in range(PAGES)]
    labels.write_text("target,label\n" + "".join(f"{doc_id},relevant\n" for doc_id in ids))
    usual = commands.run("label", filled, labels)
    for seed in range(KILLS):
        kills.append(commands.kill("label", filled, labels, seed=seed, seconds=usual))
        corpus = assert_whole(filled)
        count = len(corpus.labels())
        corpus.close()
        assert count >= PAGES  # what was acknowledged before stays
    commands.run("label", filled, labels)
    corpus = assert_whole(filled)
    assert set(corpus.labels().query("not superseded")["target"]) == set(ids)
    corpus.close()


@pytest.mark.slow
def test_labels_acknowledged_one_by_one(filled):
    code = (
        "import sys, corpuskit\n"
        "corpus = corpuskit.open(sys.argv[1])\n"
        "for i in range(100000):\n"
        "    corpus.set_labels({f'http://a.example/{i}': 'relevant'}, by='me', kind='url')\n"
        "    print(i, flush=True)\n"
    )
    for seed in range(KILLS):
        process = subprocess.Popen([sys.executable, "-c", code, str(filled)], stdout=subprocess.PIPE, text=True)
        for _ in range(random.Random(seed).randrange(5, 60)):
            process.stdout.readline()
        process.kill()
        told = [int(line) for line in process.stdout.read().split()]
        process.wait()
        process.stdout.close()
        corpus = corpuskit.open(filled)
        known = set(corpus.labels()["target"])
        assert {f"http://a.example/{i}" for i in range((told or [4])[-1] + 1)} <= known
        corpus.close()


@pytest.mark.slow
def test_train(filled, commands, kills):
    corpus = corpuskit.open(filled)
    corpus.set_labels(
        {document_id(f"pages/{i:02d}.html"): "relevant" if i % 2 else "other" for i in range(PAGES)}, by="me"
    )
    corpus.close()
    usual = commands.run("train", filled)
    for seed in range(KILLS):
        kills.append(commands.kill("train", filled, seed=seed, seconds=usual))
        corpus = assert_whole(filled)
        assert corpus.model() is not None  # an earlier model is never lost
        corpus.close()
    commands.run("train", filled)
    assert_whole(filled).close()


@pytest.mark.slow
def test_export(filled, tmp_path, commands, kills):
    arguments = ["export", filled, tmp_path / "out", "-f", "jsonl", "-f", "nlp.txt"]
    usual = commands.run(*arguments)
    whole = files(tmp_path / "out")
    assert len(whole) > PAGES
    for seed in range(KILLS):
        shutil.rmtree(tmp_path / "out")
        kills.append(commands.kill(*arguments, seed=seed, seconds=usual))
        commands.run(*arguments)
        assert files(tmp_path / "out") == whole


def files(folder):
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.slow
def test_pack_and_unpack(filled, back, commands, kills):
    there, again = ["pack", filled], ["pack", "--undo", filled]
    if back:
        commands.run(*there)
        there, again = again, there
    usual = commands.run(*there)
    for seed in range(KILLS):
        commands.run(*again)
        kills.append(commands.kill(*there, seed=seed, seconds=usual))
        assert_whole(filled).close()
        commands.run(*there)
        assert_whole(filled).close()


@pytest.mark.slow
def test_repair(filled, commands, kills):
    corpus = corpuskit.open(filled)
    corpus.set_labels({document_id("pages/01.html"): "relevant"}, by="me")
    corpus.close()
    usual = commands.run("repair", filled)
    for seed in range(KILLS):
        kills.append(commands.kill("repair", filled, seed=seed, seconds=usual))
        Corpus.repair(filled)
        corpus = assert_whole(filled)
        assert len(corpus.labels()) == 1
        corpus.close()


@pytest.mark.slow
def test_merge(pages, tmp_path, commands, kills):
    commands.run("extract", "--on", "serial", pages, tmp_path / "out")
    usual = commands.run("merge", tmp_path / "other", tmp_path / "out")
    for seed in range(KILLS):
        corpus = tmp_path / f"c{seed}"
        kills.append(commands.kill("merge", corpus, tmp_path / "out", seed=seed, seconds=usual))
        commands.run("merge", corpus, tmp_path / "out")
        assert_whole(corpus).close()
