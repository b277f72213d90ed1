"""Labels, add, export and readers beside a crawl: each goes on, the crawl too, and nothing is lost."""

import os
import threading

import pytest
from command_server import Commands

import corpuskit
from corpuskit.ingest import document_id

PAGES = 30
pytestmark = [pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"), pytest.mark.timeout(240)]


@pytest.fixture
def commands(tmp_path):
    opened = Commands(tmp_path / "log")
    yield opened
    opened.close()


@pytest.mark.slow
def test_label_add_and_export_beside_a_crawl(tmp_path, web, commands):
    """The web holds its last pages back until the other commands are through, so the crawl runs all the while."""
    others_done, held = threading.Event(), threading.Event()
    web.add("http://a.example/", "front", [f"/p{i}" for i in range(PAGES)])
    for i in range(PAGES):
        web.add(f"http://a.example/p{i}", f"Text number {i}: " + f"word{i} " * 20)
        if i >= PAGES // 2:
            page = web.pages[f"http://a.example/p{i}"]

            def later(_request, page=page):
                held.set()
                others_done.wait(200)
                return 200, {"Content-Type": "text/html; charset=utf-8"}, page

            web.pages[f"http://a.example/p{i}"] = later
    (tmp_path / "files").mkdir()
    for i in range(5):
        (tmp_path / "files" / f"{i}.html").write_text(f"<title>File {i}</title><p>The text of file {i}.</p>")
    path = tmp_path / "c"
    corpus = corpuskit.open(path)
    job = corpus.crawl("http://a.example/", delay=0, proxy=web.proxy, connections=2)
    try:
        assert held.wait(120)
        commands.run("add", path, tmp_path / "files")  # in another process
        reader = corpuskit.open(path)
        ids = list(reader.documents()["doc_id"])
        files = {document_id(f"files/{i}.html") for i in range(5)}
        assert files <= set(ids)
        (tmp_path / "labels.csv").write_text("target,label\n" + "".join(f"{doc_id},relevant\n" for doc_id in ids))
        commands.run("label", path, tmp_path / "labels.csv")
        reader.set_labels({"http://a.example/p0": "other"}, by="me", kind="url")
        commands.run("export", path, tmp_path / "out", "-f", "jsonl")
        exported = len((tmp_path / "out" / "corpus.jsonl").read_text("utf-8").splitlines())
        assert exported >= len(ids)
        assert all(reader[doc_id].to_text() for doc_id in ids)
        assert job.is_running, "the crawl was to run until now"
    finally:
        others_done.set()
    job.wait(progress=False)
    assert len(corpus) == PAGES + 1 + 5
    assert corpus.check() == []
    assert len(corpus.failures()) == 0
    labelled = corpus.documents().dropna(subset="label")
    assert set(labelled["doc_id"]) == set(ids)
    assert "other" in set(corpus.labels()["label"])
    for i in range(PAGES):
        assert f"word{i} " in corpus[document_id(f"http://a.example/p{i}")].to_text() + " "
    reader.close()
    corpus.close()
