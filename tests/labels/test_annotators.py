"""Several annotators on one corpus: own counts, own queue, a share for everyone, disagreements to settle."""

import hashlib
from pathlib import Path

import pytest
from widget_messages import sent_by

import corpuskit
from corpuskit.errors import ConfigurationError

N = 60


@pytest.fixture
def filled(two_topics):
    return two_topics(N)


@pytest.fixture
def ids(filled):
    return filled.documents().doc_id.tolist()


def by_chief(corpus):
    path = corpus.path
    corpus.close()
    Path(path, "corpus.toml").write_text('[labels]\nrule = "adjudicator"\nadjudicator = "chief"\n')
    return corpuskit.open(path)


def asked_in_turn(labeler, n):
    cards = [card["id"] for card in labeler.cards]
    return cards + [item.doc_id for item in labeler._queue.take(n - len(cards))]


@pytest.mark.slow
def test_each_annotator_has_counts_and_a_queue_of_their_own(filled, ids):
    filled.set_labels(dict.fromkeys(ids[:5], "other"), by="A")
    for by, counts, asked in ("B", {}, ids[:12]), ("A", {"other": 5}, ids[5:17]):
        labeler = filled.label(filled.documents(), by=by)
        assert labeler.counts == counts
        assert [card["id"] for card in labeler.cards] == asked


@pytest.mark.slow
def test_the_work_is_divided_and_the_widget_says_what_it_leaves_to_others(filled, ids):
    filled.set_labels(dict.fromkeys(ids[:20], "other"), by="A")
    labeler = filled.label(by="B", overlap=0)
    assert labeler.left_to_others == 20
    assert sorted(asked_in_turn(labeler, N)) == sorted(ids[20:])
    assert filled.label(by="A", overlap=0).left_to_others == 0


@pytest.mark.slow
def test_a_share_of_the_documents_is_asked_of_everyone(filled, ids):
    """The share is drawn by a hash of the document, so that it is the same for all: BLAKE2b below a tenth of its range."""
    share = {i for i in ids if int.from_bytes(hashlib.blake2b(i.encode(), digest_size=8).digest()) < 0.3 * 2**64}
    filled.set_labels(dict.fromkeys(ids[:30], "other"), by="A")
    labeler = filled.label(by="B", overlap=0.3)
    asked = asked_in_turn(labeler, N)
    assert set(asked) == set(ids[30:]) | (set(ids[:30]) & share)
    assert set(ids[:30]) & share
    assert labeler.left_to_others == len(set(ids[:30]) - share)
    assert asked_in_turn(filled.label(by="B", overlap=1), N)[0] in ids[:30]
    with pytest.raises(ConfigurationError, match="overlap"):
        filled.label(overlap=2)


def test_a_tie_is_asked_of_one_who_has_not_labelled_it_and_in_a_selection_of_everyone(filled, ids):
    for by, label in (("A", "relevant"), ("B", "other")):
        filled.set_labels({ids[7]: label, ids[8]: "other"}, by=by)
    first = filled.label(by="C", overlap=0).cards[0]
    assert first["id"] == ids[7]
    assert "disagree" in first["why"]
    for by in "AB":
        assert ids[7] not in asked_in_turn(filled.label(by=by, overlap=0), N)
    [card] = filled.label(ids[7:9], by="A").cards
    assert card["id"] == ids[7]
    assert "disagree" in card["why"]


@pytest.mark.slow
def test_disagreements_come_to_the_adjudicator(filled, ids):
    corpus = by_chief(filled)
    corpus.set_labels({ids[0]: "relevant", ids[1]: "relevant", ids[2]: "other", ids[3]: "relevant"}, by="A")
    corpus.set_labels({ids[0]: "other", ids[1]: "other", ids[2]: "other", ids[3]: "unsure"}, by="B")
    corpus.set_labels({ids[1]: "other"}, by="C")
    found = corpus.disagreements()
    assert found.doc_id.tolist() == [ids[0], ids[1], ids[3]]  # the tie first
    assert found.said.tolist() == ["A: relevant; B: other", "A: relevant; B: other; C: other", "A: relevant; B: unsure"]
    assert found.annotators.tolist() == [2, 3, 2]
    asked = [card["id"] for card in corpus.label(by="chief").cards]
    assert sorted(asked[:3]) == sorted([ids[0], ids[1], ids[3]])
    assert [card["id"] for card in corpus.label(found, by="chief").cards] == found.doc_id.tolist()
    corpus.set_labels({ids[0]: "relevant", ids[1]: "relevant"}, by="chief")
    assert corpus.disagreements().doc_id.tolist() == [ids[3]]
    assert corpus.documents(ids[:2]).label.tolist() == ["relevant", "relevant"]
    # A tie is the adjudicator's to settle, and nobody else's.
    assert ids[3] not in asked_in_turn(corpus.label(by="D", overlap=0), N)
    corpus.close()


def test_next_to_label_can_be_asked_for_one_annotator(filled, ids):
    filled.set_labels(dict.fromkeys(ids[:30], "other"), by="A")
    assert set(filled.next_to_label(N).doc_id) == set(ids[30:])
    asked = filled.next_to_label(N, by="B", overlap=1)
    assert set(asked.doc_id) == set(ids)
    assert set(asked.doc_id[asked.reason == "for everyone"]) == set(ids[:30])


@pytest.mark.slow
def test_the_widget_tells_how_you_agree_with_each_other_annotator(filled, ids):
    filled.set_labels({i: "relevant" if n % 2 else "other" for n, i in enumerate(ids[:6])}, by="A")
    labeler = filled.label(ids[:6], by="B")
    sent = sent_by(labeler)
    for seq, label in enumerate(("other", "relevant", "relevant", "relevant"), 1):
        message = {"op": "label", "id": ids[seq - 1], "label": label, "seq": seq, "page": "p"}
        labeler._answer(None, message, [])
    (row,) = sent[-1]["agreement"]
    assert (row["with"], row["documents"]) == ("A", 4)
    assert row["kappa"] == pytest.approx(0.5)  # three of four alike, where chance gives a half
    assert row["low"] < 0.5 < row["high"]
    labeler._answer(None, {"op": "undo", "of": 3, "seq": 5, "page": "p"}, [])
    assert [(row["documents"], row["kappa"]) for row in sent[-1]["agreement"]] == [(3, 1.0)]
    assert filled.label(by="B").agreement == sent[-1]["agreement"]


def test_the_report_on_labels_says_who_labelled_what_and_how_far_they_agree(filled, ids):
    empty = filled.labels_report()
    assert list(empty.agreement.columns) == ["first", "second", "documents", "agreed", "kappa", "low", "high"]
    assert empty.disagreements.empty
    assert "no labels" in repr(empty)
    filled.set_labels({i: "relevant" if n % 2 else "other" for n, i in enumerate(ids[:8])}, by="A")
    filled.set_labels({i: "relevant" if n in (1, 2, 3, 5, 7) else "other" for n, i in enumerate(ids[:10])}, by="B")
    filled.set_labels({ids[20]: "unsure"}, by="C")
    report = filled.labels_report()
    assert report.annotators.set_index("by").labels.to_dict() == {"A": 8, "B": 10, "C": 1}
    assert report.labels == {"other": 5, "relevant": 4, "unsure": 1}
    (row,) = report.agreement.itertuples(index=False)
    assert (row.first, row.second, row.documents, row.agreed) == ("A", "B", 8, 7)
    assert row.kappa == pytest.approx(0.75)
    assert row.low < 0.75 < row.high < 1
    assert report.disagreements.doc_id.tolist() == [ids[2]]
    assert "A and B: kappa 0.75" in repr(report)
    assert "majority" in repr(report)
