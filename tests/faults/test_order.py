"""Power loss, simulated: what is acknowledged was synced before; what is renamed was synced before its rename."""

import os
from pathlib import Path

import pytest

import corpuskit
from corpuskit.ingest import document_id


@pytest.fixture
def calls(monkeypatch):
    """fsync and rename as they happen: ("sync" | "rename", name)."""
    seen = []
    fsync, replace = os.fsync, os.replace

    def synced(handle):
        seen.append(("sync", Path(f"/proc/self/fd/{handle}").readlink().name))
        fsync(handle)

    def replaced(source, target, **folders):
        seen.append(("rename", Path(target).name))
        return replace(source, target, **folders)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    return seen


pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="asks the system which file a handle is")


def test_a_label_is_synced_before_it_is_acknowledged(corpus, calls):
    corpus.set_labels({"http://a.example/": "relevant"}, by="me", kind="url")
    assert [kind for kind, name in calls if name.endswith(".jsonl")] == ["sync"]


def test_documents_are_removed_only_when_their_pack_is_on_the_disk(corpus, calls, tmp_path, monkeypatch):
    (tmp_path / "a.html").write_text("<p>text</p>")
    corpus.add(tmp_path / "a.html", progress=False)
    unlink = os.unlink

    def removed(path, **folder):
        if Path(path).name.endswith(".nlp.txt"):
            calls.append(("remove", Path(path).name))
        unlink(path, **folder)

    monkeypatch.setattr(os, "unlink", removed)
    calls.clear()
    corpus.pack()
    kinds = [(kind, name) for kind, name in calls if "nlp.txt" in name or name == "_packs_"]
    assert [kind for kind, _ in kinds] == ["sync", "rename", "sync", "remove"]
    assert kinds[2][1] == "_packs_"  # the rename itself


def test_a_lost_file_that_was_never_synced_is_found_and_made_again(corpus, tmp_path):
    """A power cut can empty files that were renamed and not synced: check tells, adding again mends."""
    for name in "ab":
        (tmp_path / f"{name}.html").write_text(f"<p>text {name}</p>")
    corpus.add(tmp_path / "a.html", tmp_path / "b.html", progress=False)
    (row,) = corpus._folder.catalog.rows("SELECT * FROM documents WHERE uri LIKE '%a.html'")
    (corpus._folder.documents.path / (row["path"] + ".nlp.txt")).write_bytes(b"")
    assert {problem.part for problem in corpus.check()} == {"documents"}
    assert "text b" in corpus[next(i for i in corpus.documents()["doc_id"] if i != row["doc_id"])].to_text()


def test_a_clock_that_goes_backwards_loses_nothing(corpus, tmp_path, monkeypatch):
    from corpuskit.store import labels

    times = iter(["2030-01-01T00:00:00+00:00", "2020-01-01T00:00:00+00:00", "2010-01-01T00:00:00+00:00"])
    monkeypatch.setattr(labels, "now", lambda: next(times))
    for label in ("relevant", "other", "unsure"):
        corpus.set_labels({"http://a.example/": label}, by="me", kind="url")
    frame = corpus.labels()
    assert frame["label"].tolist() == ["relevant", "other", "unsure"]
    assert frame.query("not superseded")["label"].tolist() == ["unsure"]
    assert document_id("http://a.example/")


def test_a_symlink_in_a_corpus_folder_leads_nowhere_for_a_repair(corpus, tmp_path):
    secret = tmp_path / "secret.nlp.txt"
    secret.write_text(
        "## NLPTextDocument Title secret\n## NLPTextDocument Uri u\n## NLPTextDocument Timestamp 2020-01-02T03:04:05\nkey\n"
    )
    corpus._folder.documents.path.mkdir(exist_ok=True)
    (corpus._folder.documents.path / "link.nlp.txt").symlink_to(secret)
    corpus.close()
    corpuskit.corpus.Corpus.repair(tmp_path / "corpus")
    opened = corpuskit.open(tmp_path / "corpus")
    assert len(opened) == 0
    opened.close()
