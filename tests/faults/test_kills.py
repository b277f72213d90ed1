"""kill -9 at random points of every command that writes: nothing reported is lost, and the same command goes on.

``CORPUSKIT_FAULTS=20`` kills each so many times.
"""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

import corpuskit
from corpuskit.corpus import Corpus
from corpuskit.ingest import document_id

KILLS = int(os.environ.get("CORPUSKIT_FAULTS", "2"))
PAGE = "<html><head><title>Page {0}</title></head><body><nav><a href='/x'>menu</a></nav><p>The {1} of page {0}, a text.</p></body></html>"
MAIN = "import sys; from corpuskit.cli import main; sys.argv = ['corpuskit', *sys.argv[1:]]; main()"
PAGES = 40


def command(*arguments):
    return [sys.executable, "-c", MAIN, *map(str, arguments)]


def killed(arguments, seed, *, seconds):
    """Runs a command and kills it somewhere in its work; gives whether it was still running."""
    process = subprocess.Popen(
        command(*arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    time.sleep(random.Random(seed).uniform(0.3, 1.0) * seconds)
    alive = process.poll() is None
    if alive:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return alive


def timed(arguments):
    start = time.monotonic()
    result = subprocess.run(command(*arguments), capture_output=True, text=True, check=False, timeout=300)
    assert result.returncode == 0, result.stderr
    return time.monotonic() - start


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


def test_add(pages, tmp_path):
    usual = timed(["add", tmp_path / "other", pages])
    for seed in range(KILLS):
        killed(["add", tmp_path / "c", pages], seed, seconds=usual)
        if (tmp_path / "c" / "catalog.sqlite").exists():
            corpus = corpuskit.open(tmp_path / "c")
            for doc_id in corpus.documents()["doc_id"]:  # what was reported is there
                assert "a text" in corpus[doc_id].to_text()
            corpus.close()
    timed(["add", tmp_path / "c", pages])
    assert_whole(tmp_path / "c").close()


def test_label(filled, tmp_path):
    labels = tmp_path / "labels.csv"
    ids = [document_id(f"pages/{i:02d}.html") for i in range(PAGES)]
    labels.write_text("target,label\n" + "".join(f"{doc_id},relevant\n" for doc_id in ids))
    usual = timed(["label", filled, labels])
    for seed in range(KILLS):
        killed(["label", filled, labels], seed, seconds=usual)
        corpus = assert_whole(filled)
        count = len(corpus.labels())
        corpus.close()
        assert count >= PAGES  # what was acknowledged before stays
    timed(["label", filled, labels])
    corpus = assert_whole(filled)
    assert set(corpus.labels().query("not superseded")["target"]) == set(ids)
    corpus.close()


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


def test_train(filled):
    corpus = corpuskit.open(filled)
    corpus.set_labels(
        {document_id(f"pages/{i:02d}.html"): "relevant" if i % 2 else "other" for i in range(PAGES)}, by="me"
    )
    corpus.close()
    usual = timed(["train", filled])
    for seed in range(KILLS):
        killed(["train", filled], seed, seconds=usual)
        corpus = assert_whole(filled)
        assert corpus.model() is not None  # an earlier model is never lost
        corpus.close()
    timed(["train", filled])
    assert_whole(filled).close()


def test_export(filled, tmp_path):
    usual = timed(["export", filled, tmp_path / "out", "-f", "jsonl", "-f", "nlp.txt"])
    whole = {
        file.relative_to(tmp_path / "out"): file.read_bytes()
        for file in (tmp_path / "out").rglob("*")
        if file.is_file()
    }
    for seed in range(KILLS):
        killed(["export", filled, tmp_path / "out", "-f", "jsonl", "-f", "nlp.txt"], seed, seconds=usual)
    timed(["export", filled, tmp_path / "out", "-f", "jsonl", "-f", "nlp.txt"])
    assert {
        file.relative_to(tmp_path / "out"): file.read_bytes()
        for file in (tmp_path / "out").rglob("*")
        if file.is_file()
    } == whole


@pytest.mark.parametrize("back", [False, True])
def test_pack_and_unpack(filled, back):
    if back:
        timed(["pack", filled])
    arguments = ["pack", *(["--undo"] if back else []), filled]
    for seed in range(KILLS):
        killed(arguments, seed, seconds=2)
        assert_whole(filled).close()
    timed(arguments)
    assert_whole(filled).close()


def test_repair(filled):
    corpus = corpuskit.open(filled)
    corpus.set_labels({document_id("pages/01.html"): "relevant"}, by="me")
    corpus.close()
    usual = timed(["repair", filled])
    for seed in range(KILLS):
        killed(["repair", filled], seed, seconds=usual)
        Corpus.repair(filled)
        corpus = assert_whole(filled)
        assert len(corpus.labels()) == 1
        corpus.close()


def test_merge(pages, tmp_path):
    timed(["extract", "--on", "serial", pages, tmp_path / "out"])
    for seed in range(KILLS):
        killed(["merge", tmp_path / "c", tmp_path / "out"], seed, seconds=2)
    timed(["merge", tmp_path / "c", tmp_path / "out"])
    assert_whole(tmp_path / "c").close()
