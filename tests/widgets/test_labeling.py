import threading

import pytest

pytest.importorskip("anywidget")

from corpuskit.errors import ConfigurationError
from corpuskit.widgets import labeling
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


def trained(corpus):
    docs = corpus.documents()
    labels = {row.doc_id: "relevant" if int(row.uri[-6:-4]) % 2 else "other" for row in docs.head(20).itertuples()}
    corpus.set_labels(labels, by="me")
    corpus.train()
    return corpus


def test_a_card_does_not_tell_what_the_model_thinks_before_one_judges(filled):
    labeler = trained(filled).label(by="me")
    assert all("P(relevant)" not in card["why"] for card in labeler.cards)
    assert not labeler.show_scores
    assert filled.label(by="me", show_scores=True).show_scores


def test_a_corpus_without_labels_asks_for_seed_words_and_begins_near_them(filled):
    labeler = filled.label(by="me")
    assert labeler.asks_seeds
    sent = []
    labeler.send = lambda content, buffers=None: sent.append(content)
    labeler._answer(None, {"op": "seeds", "words": " premium, claim "}, [])
    assert filled._folder.settings.seeds == ("premium", "claim")
    (message,) = sent
    assert message["op"] == "fresh"
    assert len(message["cards"]) == 12
    assert all("insurance" in card["text"] for card in message["cards"])
    assert message["cards"][0]["why"] == "it is near the seed words"
    assert not filled.label(by="me").asks_seeds


def test_what_was_labelled_before_the_seed_words_is_not_asked_again(filled):
    labeler = filled.label(by="me")
    key(labeler, 1, labeler.cards[0]["id"])
    labeler.sent = []
    labeler.send = lambda content, buffers=None: labeler.sent.append(content)
    labeler._answer(None, {"op": "seeds", "words": "insurance garden"}, [])
    asked = [card["id"] for card in labeler.sent[-1]["cards"]]
    rest = [item.doc_id for item in labeler._queue.take(30)]
    assert sorted([labeler.cards[0]["id"], *asked, *rest]) == sorted(filled.documents().doc_id)


def test_seed_words_that_nobody_uses_are_told(filled):
    labeler = filled.label(by="me")
    sent = []
    labeler.send = lambda content, buffers=None: sent.append(content)
    labeler._answer(None, {"op": "seeds", "words": "quaternion"}, [])
    assert sent[0]["op"] == "fresh"
    assert not sent[0]["near"]
    assert len(sent[0]["cards"]) == 12
    labeler._answer(None, {"op": "seeds", "words": " , "}, [])
    assert sent[1]["op"] == "error"
    assert filled._folder.settings.seeds == ("quaternion",)


def test_seed_words_are_not_asked_for_where_there_are_labels_or_a_selection(filled):
    docs = filled.documents()
    assert not filled.label(docs, by="me").asks_seeds
    filled.set_labels({docs.doc_id[0]: "other"}, by="you")
    assert not filled.label(by="me").asks_seeds


def test_a_corpus_is_closed_when_the_background_of_its_labeller_has_ended(filled, monkeypatch):
    """SQLite crashes the process where a connection is closed that another thread reads by."""
    started, release, order = threading.Event(), threading.Event(), []
    choose = labeling.next_to_label

    def slow(*args, **options):
        if threading.current_thread() is threading.main_thread():
            return choose(*args, **options)
        started.set()
        assert release.wait(60)
        found = choose(*args, **options)
        order.append("read")
        return found

    monkeypatch.setattr(labeling, "next_to_label", slow)
    labeler = filled.label(by="me")
    assert len(labeler.cards) == 12
    assert started.wait(60)
    closer = threading.Thread(target=lambda: (filled.close(), order.append("closed")))
    closer.start()
    closer.join(0.3)
    release.set()
    closer.join(60)
    assert order == ["read", "closed"]
