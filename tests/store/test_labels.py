import json
import multiprocessing
import threading

import pytest

from corpuskit.errors import ConfigurationError
from corpuskit.store import CorpusFolder


@pytest.fixture
def folder(tmp_path):
    opened = CorpusFolder(tmp_path / "c")
    yield opened
    opened.close()


def files(folder):
    return list((folder.path / "labels").glob("*.jsonl"))


def test_a_label_is_a_line_of_json_when_add_comes_back(folder):
    folder.labels.add([("d1", "document", "relevant")], by="anna", note="clear case")
    (line,) = files(folder)[0].read_text("utf-8").splitlines()
    row = json.loads(line)
    assert (row["target"], row["kind"], row["label"], row["by"], row["note"]) == (
        "d1", "document", "relevant", "anna", "clear case",
    )  # fmt: skip


def test_each_annotator_has_one_current_label_of_a_target(folder):
    folder.labels.add([("d1", "document", "relevant")], by="anna")
    folder.labels.add([("d1", "document", "other")], by="ben")
    folder.labels.add([("d1", "document", "unsure")], by="anna")
    assert [(label.by, label.label) for label in folder.labels.current()] == [("ben", "other"), ("anna", "unsure")]


def test_a_withdrawn_label_is_gone_but_stays_in_the_log(folder):
    folder.labels.add([("d1", "document", "relevant")], by="anna")
    folder.labels.add([("d1", "document", "withdrawn")], by="anna")
    assert folder.labels.current() == []
    assert len(files(folder)[0].read_text("utf-8").splitlines()) == 2


def test_labels_of_another_process_are_seen(folder):
    other = CorpusFolder(folder.path)
    other.labels.add([("d1", "document", "relevant")], by="ben")
    other.close()
    assert [label.by for label in folder.labels.current()] == ["ben"]


def test_a_cut_last_line_loses_no_other_label(folder):
    folder.labels.add([("d1", "document", "relevant")], by="anna")
    folder.close()
    file = files(folder)[0]
    file.write_bytes(file.read_bytes() + b'{"target": "d2", "ki')
    reopened = CorpusFolder(folder.path)
    reopened.labels.add([("d3", "document", "other")], by="anna")
    assert {label.target for label in reopened.labels.current()} == {"d1", "d3"}
    reopened.close()


def test_the_index_is_made_again_from_the_files(folder):
    folder.labels.add([("d1", "document", "relevant"), ("d2", "document", "other")], by="anna")
    folder.close()
    for name in ("catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-shm"):
        (folder.path / name).unlink(missing_ok=True)
    reopened = CorpusFolder(folder.path)
    assert {label.target for label in reopened.labels.current()} == {"d1", "d2"}
    reopened.close()


@pytest.mark.parametrize("label", ["", "  ", "x" * 65, None])
def test_a_label_without_a_name_is_refused(folder, label):
    with pytest.raises(ConfigurationError):
        folder.labels.add([("d1", "document", label)], by="anna")


def test_threads_lose_no_label(folder):
    threads = [
        threading.Thread(
            target=lambda n=n: [folder.labels.add([(f"d{n}-{i}", "document", "other")], by="t") for i in range(25)]
        )
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(folder.labels.current()) == 100


def _label_many(path, name):
    folder = CorpusFolder(path)
    for i in range(25):
        folder.labels.add([(f"{name}-{i}", "document", "other")], by=name)
    folder.close()


def test_processes_lose_no_label(folder):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_label_many, args=(folder.path, name)) for name in ("p1", "p2")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    assert len(folder.labels.current()) == 50


def test_one_user_on_two_machines_writes_two_files_and_an_older_file_goes_on(folder, monkeypatch):
    folder.labels.add([("d1", "document", "relevant")], by="anna")
    (mine,) = files(folder)
    old = mine.rename(mine.with_name(mine.name.rpartition("-")[0] + ".jsonl"))  # as versions before wrote it
    before = old.read_bytes()
    for machine in ("laptop", "tower"):
        monkeypatch.setattr("platform.node", lambda machine=machine: machine)
        folder.labels.add([(machine, "document", "other")], by="anna")
    assert len(files(folder)) == 3
    assert old.read_bytes() == before
    assert {label.target for label in folder.labels.current()} == {"d1", "laptop", "tower"}
    assert not any("laptop" in file.name for file in files(folder))
