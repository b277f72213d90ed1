import threading

import pandas as pd
import pytest
from widget_messages import sent_by

from corpuskit import relevance
from corpuskit.crawl.model_ranking import stakes
from corpuskit.errors import ConfigurationError
from corpuskit.labels import example_weights, training_labels
from corpuskit.relevance.active_learning import choose_next, labeling_state
from corpuskit.widgets import labeling
from corpuskit.widgets.labeler import Labeler
from corpuskit.widgets.labeling import LabelQueue
from corpuskit.widgets.learner import Lesson, learn


@pytest.fixture
def filled(two_topics):
    return two_topics(30)


@pytest.fixture
def labeler(filled):
    made = filled.label(filled.documents(), by="me")
    made.sent = sent_by(made)
    return made


def text_of(card):
    return "\n".join(block["text"] for block in card["blocks"])


def say(labeler, op, **more):
    labeler._answer(None, {"op": op, **more}, [])


def key(labeler, seq, doc_id, label="relevant"):
    say(labeler, "label", id=doc_id, label=label, seq=seq, page="p")


def truth(uri):
    return "relevant" if int(uri[-6:-4]) % 2 else "other"


def train(corpus):
    corpus.set_labels({row.doc_id: truth(row.uri) for row in corpus.documents().head(20).itertuples()}, by="me")
    corpus.train()


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
        say(labeler, "undo", of=of, seq=seq, page="p")
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
    train(filled)
    card = filled.label(by="me").cards[0]
    assert 0.0 <= card["score"] <= 1.0
    words = {block["text"][start:end].lower() for block in card["blocks"] for start, end, _ in block["marks"]}
    assert words & {"insurance", "premium", "claim", "garden", "flower", "tomato"}


def test_cards_of_a_selection_are_marked_by_the_saved_model(filled):
    train(filled)
    card = filled.label(filled.documents().tail(20), by="me").cards[0]
    assert 0.0 <= card["score"] <= 1.0
    assert any(block["marks"] for block in card["blocks"])


def test_labelled_documents_are_not_asked_again(filled):
    docs = filled.documents()
    filled.set_labels(dict.fromkeys(docs.doc_id[:5], "other"), by="me")
    assert [card["id"] for card in filled.label(docs, by="me").cards] == docs.doc_id[5:17].tolist()


def test_a_card_does_not_tell_what_the_model_thinks_before_one_judges(filled):
    train(filled)
    labeler = filled.label(by="me")
    assert all("P(relevant)" not in card["why"] for card in labeler.cards)
    assert not labeler.show_scores
    assert filled.label(by="me", show_scores=True).show_scores


def test_a_corpus_without_labels_asks_for_seed_words_and_begins_near_them(filled):
    labeler = filled.label(by="me")
    assert labeler.asks_seeds
    sent = sent_by(labeler)
    say(labeler, "seeds", words=" premium, claim ")
    assert filled._folder.settings.seeds == ("premium", "claim")
    (message,) = sent
    assert (message["op"], len(message["cards"])) == ("fresh", 12)
    assert message["cards"][0]["why"] == "it is near the seed words"
    assert all("insurance" in text_of(card) for card in message["cards"] if card["why"] == "it is near the seed words")
    assert not filled.label(by="me").asks_seeds


def test_seed_words_that_no_document_has_are_told(filled):
    labeler = filled.label(by="me")
    sent = sent_by(labeler)
    for words in ("Premium, premuim, insur", "quaternion", " , "):
        say(labeler, "seeds", words=words)
    assert (sent[0]["near"], sent[0]["nowhere"]) == (True, ["premuim"])
    assert (sent[1]["op"], sent[1]["near"], len(sent[1]["cards"])) == ("fresh", False, 12)
    assert sent[2]["op"] == "error"
    assert filled._folder.settings.seeds == ("quaternion",)


def test_what_was_labelled_before_the_seed_words_is_not_asked_again(filled):
    labeler = filled.label(by="me")
    key(labeler, 1, labeler.cards[0]["id"])
    sent = sent_by(labeler)
    say(labeler, "seeds", words="insurance garden")
    asked = [card["id"] for card in sent[-1]["cards"]]
    rest = [item.doc_id for item in labeler._queue.take(30)]
    assert sorted([labeler.cards[0]["id"], *asked, *rest]) == sorted(filled.documents().doc_id)


@pytest.mark.slow
def test_seed_words_are_not_asked_for_where_there_are_labels_or_a_selection(filled):
    docs = filled.documents()
    assert not filled.label(docs, by="me").asks_seeds
    filled.set_labels({docs.doc_id[0]: "other"}, by="you")
    assert not filled.label(by="me").asks_seeds


def test_a_selection_that_is_labelled_at_once_counts_as_a_group(filled):
    ids = filled.documents().doc_id.tolist()[:16]
    labeler = filled.label(ids, by="me")
    sent = sent_by(labeler)
    say(labeler, "bulk", ids=[card["id"] for card in labeler.cards], label="other", seq=1, page="p")
    assert {"op": "bulked", "n": 16, "of": 1} in sent
    assert set(filled.labels()["origin"]) == {"group"}
    assert example_weights(filled._folder, training_labels(filled._folder)) == dict.fromkeys(ids, 0.25)


def test_method_widget_and_learner_ask_the_same_questions(corpus, web):
    """With pages in the queue of a crawl, and with labels of people, of a machine, and of a group."""
    sites = {"a.example": "harbour fish net", "b.example": "premium claim policy", "c.example": "harbour claim"}
    for host, topic in sites.items():
        web.add(f"http://{host}/", f"All about {topic}", [f"/p{i}" for i in range(30)])
        for i in range(30):
            web.add(f"http://{host}/p{i}", f"Text {i} about {topic} number {i}.")
    corpus.crawl([f"http://{host}/" for host in sites], delay=0, pages=60, proxy=web.proxy).wait(progress=False)
    docs = corpus.documents().sort_values("uri")
    label = dict(zip(docs.doc_id, docs.host.map({"a.example": "relevant"}).fillna("other"), strict=True))
    ids = docs[docs.host != "c.example"].groupby("host").head(8).doc_id.tolist()
    corpus.set_labels({doc_id: label[doc_id] for doc_id in ids[::2]}, by="me")
    corpus.set_labels({doc_id: label[doc_id] for doc_id in ids[1::2]}, by="me", origin="group")
    corpus.set_labels(
        {doc_id: label[doc_id] for doc_id in docs.doc_id[::3]}
        | {docs[docs.host == "b.example"].doc_id.iloc[-1]: "relevant"},
        by="machine:m",
    )
    corpus.train()
    by_method = corpus.next_to_label(120, by="me")
    assert stakes(corpus._folder)
    assert {"machine and model disagree", "uncertain", "new source"} <= set(by_method["reason"])
    expected = list(zip(by_method["doc_id"], by_method["reason"], strict=True))
    by_widget = LabelQueue(corpus._folder, None, by="me", learn=False).take(120)
    by_learner = learn(corpus._folder.root, "me", 0.1, set(), 120).items
    assert [(item.doc_id, item.reason) for item in by_widget] == expected
    assert [(item.doc_id, item.reason) for item in by_learner] == expected


def test_the_queue_fills_up_by_the_rule_of_its_first_questions(filled, monkeypatch):
    """Also where few labels and seed words outweigh a model: what came after the first batch was drawn at random."""
    filled.describe(seeds=["premium"])
    documents = filled.documents().sort_values("uri")
    filled.set_labels({row.doc_id: truth(row.uri) for row in documents.head(6).itertuples()}, by="me")
    filled.train()
    monkeypatch.setattr(labeling, "_BATCH", 8)
    queue = LabelQueue(filled._folder, None, by="me", learn=False)
    first = queue.take(8)
    state = labeling_state(filled._folder, by="me", model=filled.model().document)
    assert first == choose_next(state, 8)
    second = queue.take(8)
    assert second == choose_next(state, 8, {item.doc_id for item in first})
    assert {item.reason for item in second} == {"seed words", "new region"}


def test_a_corpus_is_closed_when_the_background_of_its_labeller_has_ended(filled, monkeypatch):
    """SQLite crashes the process where a connection is closed that another thread reads by."""
    started, release, order = threading.Event(), threading.Event(), []
    choose = labeling.choose_next

    def slow(*args, **options):
        if threading.current_thread() is threading.main_thread():
            return choose(*args, **options)
        started.set()
        assert release.wait(60)
        found = choose(*args, **options)
        order.append("read")
        return found

    monkeypatch.setattr(labeling, "choose_next", slow)
    monkeypatch.setattr(labeling, "_BATCH", 20)  # so that more is chosen in the background
    labeler = filled.label(by="me")
    assert len(labeler.cards) == 12
    assert started.wait(60)
    closer = threading.Thread(target=lambda: (filled.close(), order.append("closed")))
    closer.start()
    closer.join(0.3)
    release.set()
    closer.join(60)
    assert order == ["read", "closed"]


class Told:
    """Collects what a widget sends; ``wait`` waits for a message of an op."""

    def __init__(self, widget):
        self.messages, self._came = [], threading.Condition()
        widget.send = self

    def __call__(self, content, buffers=None):
        with self._came:
            self.messages.append(content)
            self._came.notify_all()

    def of(self, op):
        return [message for message in self.messages if message["op"] == op]

    def wait(self, op, n=1):
        with self._came:
            assert self._came.wait_for(lambda: len(self.of(op)) >= n, 120), [m["op"] for m in self.messages]
        return self.of(op)[n - 1]


@pytest.mark.slow
def test_after_every_ten_labels_the_model_learns_and_what_comes_next_is_chosen_anew(filled):
    filled.describe(seeds=[])
    labeler = filled.label(by="me")
    told = Told(labeler)
    shown = [card["id"] for card in labeler.cards]
    for seq, doc_id in enumerate(shown[:10], 1):
        key(labeler, seq, doc_id, truth(filled.documents([doc_id]).uri[0]))
    learnt = told.wait("learnt")
    assert learnt["labels"] == 10
    ids = [card["id"] for card in learnt["cards"]]
    assert len(ids) == 12
    assert not set(ids) & set(shown[:10])
    model = labeler._queue._model
    texts = {
        row.doc_id: f"{row.title or ''}\n{filled[row.doc_id].to_text(main=True)}"
        for row in filled.documents().itertuples()
    }
    for card in learnt["cards"]:  # what a card tells is what the new model says
        assert card["score"] == pytest.approx(float(model.score([texts[card["id"]]])[0]), abs=1e-6)
    for seq, doc_id in enumerate(ids[:10], 11):
        key(labeler, seq, doc_id, truth(filled.documents([doc_id]).uri[0]))
    assert told.wait("learnt", 2)["labels"] == 20
    filled.close()


@pytest.mark.slow
def test_a_key_is_answered_while_the_model_learns(filled, monkeypatch):
    """The training is held back until a key has been saved: it would never end if the key waited for it."""
    go_on, learns = threading.Event(), threading.Event()
    call = labeling.engine.call

    def held(*args, **options):
        learns.set()
        assert go_on.wait(60)
        return call(*args, **options)

    monkeypatch.setattr(labeling.engine, "call", held)
    labeler = filled.label(by="me")
    told = Told(labeler)
    shown = [card["id"] for card in labeler.cards]
    for seq, doc_id in enumerate(shown[:10], 1):
        key(labeler, seq, doc_id, truth(filled.documents([doc_id]).uri[0]))
    assert learns.wait(60)
    key(labeler, 11, shown[10], "other")
    say(labeler, "more", n=12)
    assert [message["seq"] for message in told.of("saved")] == list(range(1, 12))
    assert told.of("cards")[0]["cards"]
    go_on.set()
    told.wait("learnt")
    filled.close()


def test_where_more_labels_bring_little_an_audit_is_hinted_at(filled):
    labeler = filled.label(by="me")
    told = Told(labeler)
    for gain, hint in ((0.2, False), (None, False), (0.004, True)):
        labeler._tell_learnt(Lesson(None, {}, (), 60, gain))
        assert ("audit().label()" in told.messages[-1]["hint"]) is hint


def test_what_was_skipped_is_not_asked_again_in_this_session_but_in_the_next(filled):
    labeler = filled.label(by="me")
    first = labeler.cards[0]["id"]
    say(labeler, "skip", id=first)
    asked = [item.doc_id for item in labeler._queue.take(40)]
    assert first not in asked
    assert filled.labels().empty
    again = filled.label(by="me")
    assert first in [card["id"] for card in again.cards]


WRONG_KEYS = {"jj": "relevant"}, {"u": "relevant"}, {"s": "relevant"}, {"o": "relevant"}, {"j": ""}


@pytest.mark.parametrize("keys", WRONG_KEYS)
def test_a_wrong_key_is_refused(filled, keys):
    with pytest.raises(ConfigurationError, match="expected one character other than" if keys != {"j": ""} else None):
        filled.label(by="me", keys=keys)


PAGE = b"""<!DOCTYPE html><title>Rates</title><h1>Rates</h1><p>All of <b>ours</b> &lt;script&gt;alert(1)&lt;/script&gt;.</p>
<h2>Loans</h2><ul><li>House<ul><li>Old</li></ul></li><li>Car</li></ul>
<table><tr><th>Kind</th><th colspan=2>Rate</th></tr><tr><td rowspan=2>House</td><td>3</td><td>4</td></tr><tr><td>5</td><td>6</td></tr></table>"""


def test_a_card_has_the_structure_of_its_document(corpus, tmp_path):
    (tmp_path / "page.html").write_bytes(PAGE)
    corpus.add(tmp_path / "page.html", progress=False)
    [card] = corpus.label(corpus.documents(), by="me").cards
    kinds = [(block["kind"], block.get("depth"), block.get("text")) for block in card["blocks"]]
    assert ("heading", 1, "Rates") in kinds or card["title"] == "Rates"
    assert ("text", None, "All of ours <script>alert(1)</script>.") in kinds
    assert [kind for kind in kinds if kind[0] == "heading"][-1] == ("heading", 2, "Loans")
    assert [kind for kind in kinds if kind[0] == "item"] == [
        ("item", 1, "House"),
        ("item", 2, "Old"),
        ("item", 1, "Car"),
    ]
    [table] = [block for block in card["blocks"] if block["kind"] == "table"]
    cells = [[(cell["text"], cell["head"], cell["rows"], cell["columns"]) for cell in row] for row in table["rows"]]
    assert cells == [
        [("Kind", True, 1, 1), ("Rate", True, 1, 2)],
        [("House", False, 2, 1), ("3", False, 1, 1), ("4", False, 1, 1)],
        [("5", False, 1, 1), ("6", False, 1, 1)],
    ]


def test_the_characters_that_a_card_leaves_out_are_counted_and_opened(corpus, tmp_path):
    paragraphs = [f"{i:04} " + "x" * 495 for i in range(40)]
    (tmp_path / "long.txt").write_text("\n\n".join(paragraphs), "utf-8")
    corpus.add(tmp_path / "long.txt", progress=False)
    labeler = corpus.label(corpus.documents(), by="me")
    [card] = labeler.cards
    shown = sum(len(block["text"]) for block in card["blocks"])
    assert shown == 6_000
    assert card["left_out"] == 40 * 500 - 6_000
    told = Told(labeler)
    say(labeler, "rest", id=card["id"])
    [message] = told.messages
    assert [block["text"] for block in message["blocks"]] == paragraphs
    assert message["left_out"] == 0


def test_a_table_that_is_too_long_is_cut_and_said_so(corpus, tmp_path):
    rows = "".join(f"<tr><td>{'a' * 100}</td><td>{i:06}</td></tr>" for i in range(200))
    (tmp_path / "t.html").write_text(
        f"<!DOCTYPE html><title>T</title><h1>T</h1><p>Some words here.</p><table>{rows}</table>"
    )
    corpus.add(tmp_path / "t.html", progress=False)
    [card] = corpus.label(corpus.documents(), by="me").cards
    shown = sum(len(block.get("text", "")) for block in card["blocks"]) + sum(
        len(cell["text"])
        for block in card["blocks"]
        if block["kind"] == "table"
        for row in block["rows"]
        for cell in row
    )
    whole = len("T") * sum(block.get("text") == "T" for block in card["blocks"]) + len("Some words here.") + 200 * 106
    assert shown <= 6_000
    assert card["left_out"] == whole - shown


def test_the_tree_of_a_document_is_made_when_it_is_asked_for(filled):
    labeler = filled.label(filled.documents(), by="me")
    told = Told(labeler)
    first, second = (card["id"] for card in labeler.cards[:2])
    for doc_id in (first, second):
        say(labeler, "tree", id=doc_id)
    assert [message["id"] for message in told.of("tree")] == [first, second]
    assert told.messages[0]["model"] == told.messages[1]["model"] == labeler._tree.model_id
    assert labeler._tree.document.uri == filled[second].uri


def test_more_like_a_card_are_asked_next_and_again_after_the_model_has_learnt(filled):
    from corpuskit.widgets.labeling import LabelQueue

    ids = filled.documents().sort_values("uri").doc_id.tolist()
    filled.set_labels({ids[3]: "other"}, by="ann")
    queue = LabelQueue(filled._folder, None, by="me", learn=False)
    items = queue.like([ids[1], ids[3], ids[5]])
    assert [(item.doc_id, item.reason) for item in items] == [(ids[1], "like"), (ids[5], "like")]
    queue.note(ids[1], "relevant")
    model = relevance.train(["sea fish", "sea ship", "tax law", "tax form"], ["relevant"] * 2 + ["other"] * 2)
    queue._ask_learner = lambda: Lesson(model, {}, (), 0, None)
    queue._learn_once()
    assert [item.doc_id for item in queue.take(5)][:1] == [ids[5]]


def test_the_labeller_sends_cards_like_the_one_on_the_page(filled):
    ids = filled.documents().sort_values("uri").doc_id.tolist()
    made = Labeler(filled._folder, by="me", similar=lambda asked: pd.DataFrame({"doc_id": [ids[7], ids[9]]}))
    sent = sent_by(made)
    say(made, "similar", id=ids[0])
    assert [card["id"] for card in sent[0]["cards"]] == [ids[7], ids[9]]
    assert "it is like one that you wanted more of" in sent[0]["cards"][0]["why"]
    assert not Labeler(filled._folder, ids, by="me", similar=made._similar).has_similar


def test_undo_gives_back_the_label_that_came_with_a_group(labeler, filled):
    doc_id = filled.documents().doc_id[0]
    filled.set_labels({doc_id: "other"}, by="me", origin="group")
    key(labeler, 1, doc_id, "relevant")
    say(labeler, "undo", of=1, seq=2, page="p")
    current = filled.labels().query("not superseded")
    assert current[["label", "origin"]].values.tolist() == [["other", "group"]]
    assert doc_id not in labeler._queue.judged


@pytest.mark.slow
def test_the_widget_tells_labels_of_others_beside_ones_own(filled):
    ids = filled.documents().doc_id.tolist()
    assert filled.label(by="me").summary() == "Labelling: no labels by me yet"
    filled.set_labels({ids[0]: "relevant", ids[1]: "other"}, by="anna")
    assert filled.label(by="me").summary() == "Labelling: no labels by me yet; 2 documents labelled by others"
    filled.set_labels({ids[1]: "other"}, by="me")
    assert filled.label(by="me").summary() == "Labelling: 1 other; 1 document labelled by others"
