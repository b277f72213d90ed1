import threading

import pytest

pytest.importorskip("anywidget")

from corpuskit.errors import ConfigurationError
from corpuskit.widgets.labeler import Labeler


@pytest.fixture
def filled(corpus, tmp_path):
    for i in range(30):
        topic = "insurance premium claim" if i % 2 else "garden flower tomato"
        (tmp_path / f"d{i:02}.txt").write_text(f"Text {i}\n\nAbout {topic} number {i}.", "utf-8")
    corpus.add(tmp_path / "d*.txt", progress=False)
    return corpus


@pytest.fixture
def labeler(filled):
    made = filled.label(filled.documents(), by="me")
    made.sent = []
    made.send = lambda content, buffers=None: made.sent.append(content)
    return made


def key(labeler, seq, doc_id, label="relevant", page="p"):
    labeler._answer(None, {"op": "label", "id": doc_id, "label": label, "seq": seq, "page": page}, [])


def test_messages_that_come_out_of_order_are_saved_in_order_and_once(labeler, filled):
    ids = filled.documents().doc_id.tolist()
    key(labeler, 2, ids[1], "other")
    assert filled.labels().empty
    assert labeler.sent == []
    key(labeler, 1, ids[0])
    key(labeler, 2, ids[1], "other")
    assert filled.labels()[["target", "label"]].values.tolist() == [[ids[0], "relevant"], [ids[1], "other"]]
    assert [(message["op"], message["seq"]) for message in labeler.sent] == [("saved", 1), ("saved", 2), ("saved", 2)]


def test_a_label_is_on_the_disk_when_it_is_acknowledged(labeler, filled):
    files = filled._folder.path / "labels"
    seen = []
    labeler.send = lambda content, buffers=None: seen.append(
        "".join(file.read_text() for file in files.glob("*.jsonl"))
    )
    doc_id = filled.documents().doc_id[0]
    key(labeler, 1, doc_id)
    assert doc_id in seen[0]


def test_what_cannot_be_saved_is_told_and_saved_with_the_next_key(labeler, filled, monkeypatch):
    ids = filled.documents().doc_id.tolist()
    with monkeypatch.context() as patched:
        patched.setattr(filled._folder.labels, "add", lambda *a, **k: (_ for _ in ()).throw(OSError("disk full")))
        key(labeler, 1, ids[0])
    assert labeler.sent[-1]["op"] == "error"
    assert filled.labels().empty
    key(labeler, 2, ids[1])
    assert filled.labels().target.tolist() == ids[:2]


def test_undo_gives_back_the_label_that_was_there_before(labeler, filled):
    doc_id = filled.documents().doc_id[0]
    key(labeler, 1, doc_id, "relevant")
    key(labeler, 2, doc_id, "other")
    for seq, of in ((3, 2), (4, 1)):
        labeler._answer(None, {"op": "undo", "of": of, "seq": seq, "page": "p"}, [])
    assert filled.labels().label.tolist() == ["relevant", "other", "relevant", "withdrawn"]
    assert filled.documents().label.isna().all()


def test_each_document_is_asked_once_also_from_many_threads(filled):
    labeler = filled.label(by="me")
    taken, lock = [card["id"] for card in labeler.cards], threading.Lock()

    def take():
        for _ in range(5):
            items = labeler._queue.take(2)
            with lock:
                taken.extend(item.doc_id for item in items)

    threads = [threading.Thread(target=take) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(filled.documents().doc_id)


def test_with_labels_the_widget_learns_and_marks_words(filled):
    docs = filled.documents()
    labels = {row.doc_id: "relevant" if int(row.uri[-6:-4]) % 2 else "other" for row in docs.head(20).itertuples()}
    filled.set_labels(labels, by="me")
    filled.train()
    card = filled.label(by="me").cards[0]
    assert 0.0 <= card["score"] <= 1.0
    words = {card["text"][start:end].lower() for start, end, _ in card["marks"]}
    assert words & {"insurance", "premium", "claim", "garden", "flower", "tomato"}


def test_labelled_documents_are_not_asked_again(filled):
    docs = filled.documents()
    filled.set_labels(dict.fromkeys(docs.doc_id[:5], "other"), by="me")
    assert [card["id"] for card in filled.label(docs, by="me").cards] == docs.doc_id[5:17].tolist()


@pytest.mark.parametrize("keys", [{"jj": "relevant"}, {"u": "relevant"}, {"j": ""}])
def test_a_wrong_key_is_refused(filled, keys):
    with pytest.raises(ConfigurationError):
        Labeler(filled._folder, keys=keys)
