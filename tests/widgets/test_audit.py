"""The audit by single keys: no scores, progress, the claim, and what it misses."""

import pytest

from corpuskit.relevance.recall_estimate import clopper_pearson, estimate_recall

N = 400


@pytest.fixture
def corpus(make_once, tmp_path):
    """Four hundred documents, every fifth about insurance; twenty are labelled, and a model is trained."""

    def make(corpus):
        for i in range(N):
            words = "insurance premium claim policy" if i % 5 == 0 else "garden flower tomato bed"
            (tmp_path / f"d{i:03}.txt").write_text(f"Text {i}\n\nAbout {words} number {i}.", "utf-8")
        corpus.add(tmp_path / "d*.txt", progress=False)
        docs = corpus.documents().sort_values("uri")
        corpus.set_labels({row.doc_id: truth(row.uri) for row in docs.head(20).itertuples()}, by="me")
        corpus.train()

    return make_once("audit", make)


def truth(uri):
    return "relevant" if int(uri[-7:-4]) % 5 == 0 else "other"


class Page:
    """What the browser does: labels the first card, asks for more, keeps what comes."""

    def __init__(self, corpus, widget):
        self.widget, self.seq, self.labelled = widget, 0, []
        self.uris = dict(zip(corpus.documents().doc_id, corpus.documents().uri, strict=True))
        self.cards, self.told, self.ended, self.errors = [card["id"] for card in widget.cards], {}, False, []
        widget.send = self.take

    def take(self, content, buffers=None):
        op = content["op"]
        if op == "again":
            self.cards = []
        if op in {"cards", "again"}:
            self.cards += [card["id"] for card in content["cards"] if card["id"] not in self.cards]
            self.ended = bool(content.get("end"))
        if op == "saved":
            self.told = content
        if op == "error":
            self.errors.append(content)

    def send(self, op, **more):
        self.seq += 1
        self.widget._answer(None, {"op": op, "seq": self.seq, "page": "p", **more}, [])
        return self.seq

    def key(self, label=None):
        doc_id = self.cards.pop(0)
        self.labelled.append(doc_id)
        number = self.send("label", id=doc_id, label=label or truth(self.uris[doc_id]))
        if len(self.cards) < 6:
            self.widget._answer(None, {"op": "more", "n": 12 - len(self.cards)}, [])
        return number

    def to_the_end(self, most=300):
        while self.cards:
            assert len(self.labelled) < most
            self.key()
        assert self.ended
        assert not self.errors


@pytest.mark.slow
def test_an_audit_by_keys_comes_to_the_claim_of_an_audit_by_hand_and_tells_what_is_missed(corpus):
    page = Page(corpus, corpus.audit().label(by="me"))
    page.to_the_end()
    assert len(set(page.labelled)) == len(page.labelled)
    progress = page.told["audit"]
    assert progress["done"]
    assert "At least 95% of the documents with a score from" in progress["claim"]
    assert progress["below"] == {"left": 0, "of": 60}
    assert "relevant documents are missed" in progress["missed"]
    # Started again with the same arguments, it stands where it stood.
    again = corpus.audit()
    assert again.is_done or again.next().empty
    assert again.threshold == pytest.approx(corpus.model().threshold)
    found = again.recall_estimate
    assert found.sampled == 60
    docs = corpus.documents()
    asked = {d for d in docs.doc_id if d not in set(docs.sort_values("uri").doc_id.head(20))}
    below = docs[docs.doc_id.isin(asked) & (docs.relevance < again.threshold)]
    assert found.documents == len(below)
    real = sum(truth(uri) == "relevant" for uri in below.uri)
    assert found.low <= real <= found.high
    assert repr(found) in repr(again)


@pytest.mark.slow
def test_cards_of_an_audit_tell_nothing_that_sways(corpus):
    audit = corpus.audit()
    widget = audit.label(by="me")
    assert all(card["score"] is None and not card["why"] for card in widget.cards)
    assert all(not block["marks"] for card in widget.cards for block in card["blocks"])
    shown = [card["id"] for card in widget.cards]
    assert shown != audit.wanted()[:12]  # that is the order of the scores
    assert set(shown) <= set(audit.wanted())


@pytest.mark.slow
def test_labels_of_the_widget_are_the_audits_and_are_never_trained_on(corpus):
    page = Page(corpus, corpus.audit().label(by="me"))
    for _ in range(5):
        page.key()
    rows = corpus.labels().query("not superseded").tail(5)
    assert rows.target.tolist() == page.labelled
    assert set(rows.note) == {f"audit of {corpus.model().version}"}
    from corpuskit.labels import training_labels

    assert not set(page.labelled) & set(training_labels(corpus._folder))


@pytest.mark.slow
def test_a_label_that_is_taken_back_is_asked_again_and_the_end_is_the_same(corpus):
    page = Page(corpus, corpus.audit().label(by="me"))
    for _ in range(3):
        page.key()
    number = page.key("relevant" if truth(page.uris[page.cards[0]]) == "other" else "other")
    page.send("undo", of=number)
    assert page.cards[0] == page.labelled[-1]
    page.labelled.pop()
    page.to_the_end()
    assert "At least 95%" in page.told["audit"]["claim"]
    wrong = [d for d in page.labelled if corpus.documents([d]).label[0] != truth(page.uris[d])]
    assert wrong == []


@pytest.mark.slow
def test_a_claim_is_void_when_one_of_its_labels_is_taken_back(corpus):
    audit = corpus.audit()
    page = Page(corpus, audit.label(by="me"))
    numbers = []
    while not audit.is_done:
        numbers.append(page.key())
    assert corpus.model().threshold is not None
    page.send("undo", of=numbers[-1])
    assert corpus.model().threshold is None
    page.key()
    assert corpus.model().threshold is not None


def test_a_label_for_what_is_not_asked_any_more_is_not_kept(corpus):
    page = Page(corpus, corpus.audit().label(by="me"))
    known = len(corpus.labels())
    page.send("label", id=corpus.documents().sort_values("uri").doc_id.iloc[0], label="relevant")
    assert len(corpus.labels()) == known
    assert "does not ask" in page.errors[0]["message"]


def test_the_interval_of_a_share_is_that_of_clopper_and_pearson():
    # scipy.stats.binomtest(k, n).proportion_ci(0.975, "exact")
    from scipy.stats import binomtest

    for relevant, drawn in ((0, 60), (3, 60), (60, 60)):
        expected = binomtest(relevant, drawn).proportion_ci(0.975, "exact")
        assert clopper_pearson(relevant, drawn) == pytest.approx((expected.low, expected.high))


def test_what_is_known_for_certain_has_no_interval():
    found = estimate_recall((90, 0, 0, 0), (10, 0, 0, 0), documents=50)
    assert (found.recall, found.recall_low, found.recall_high) == (0.9, 0.9, 0.9)
    assert (found.missed, found.low, found.high) == (10.0, 10.0, 10.0)


def test_the_interval_of_recall_holds_in_nineteen_of_twenty_corpora():
    """Counted on 400 simulated corpora: 95 % is promised at least; of 400, 95 % of the time at least 371 (binomial)."""
    import numpy as np

    random, held = np.random.RandomState(0), 0
    for _ in range(400):
        above = random.uniform(size=500) < 0.96
        below = random.uniform(size=3_000) < 0.02
        first, second = random.permutation(500)[:100], random.permutation(3_000)[:60]
        found = estimate_recall(
            (int(above[first].sum()), 400, int(above[first].sum()), 100),
            (int(below[second].sum()), 2_940, int(below[second].sum()), 60), documents=3_000,
        )  # fmt: skip
        held += found.recall_low <= above.sum() / (above.sum() + below.sum()) <= found.recall_high
    assert held >= 371


def finished(corpus, **how):
    """An audit whose questions are all answered, those below the threshold too."""
    audit = corpus.audit(**how)
    while len(batch := audit.next()) or len(batch := audit.next_below()):
        audit.add({row.doc_id: truth(row.uri) for row in batch.itertuples()}, by="me")
    return audit


def test_an_audit_without_a_precision_goes_on_as_claimed(corpus):
    finished(corpus, precision=0.8)
    decided = corpus.documents().decision.value_counts().to_dict()
    again = corpus.audit()
    assert again.labels_given > 0
    assert again.next().empty
    assert corpus.model().document.audit.precision == 0.8
    assert corpus.documents().decision.value_counts().to_dict() == decided


def test_an_audit_that_was_broken_off_goes_on_with_its_own_precision(corpus):
    audit = corpus.audit(precision=0.8)
    first = audit.next()
    audit.add({row.doc_id: truth(row.uri) for row in first.head(5).itertuples()}, by="me")
    again = corpus.audit()
    assert again.labels_given == 5
    assert set(again.next().doc_id) == set(first.doc_id[5:])
    while len(batch := again.next()):
        again.add({row.doc_id: truth(row.uri) for row in batch.itertuples()}, by="me")
    assert corpus.model().document.audit.precision == 0.8


def test_a_label_given_after_the_claim_leaves_the_sample_below_as_it_was(corpus):
    audit = finished(corpus, precision=0.8)
    before = repr(audit.recall_estimate)
    asked = set(corpus.labels().target)
    other = next(row for row in corpus.documents().itertuples() if row.doc_id not in asked)
    corpus.set_labels({other.doc_id: truth(other.uri)}, by="bob")
    again = corpus.audit(precision=0.8)
    assert again.next().empty
    assert again.next_below().empty
    assert repr(again.recall_estimate) == before
    corpus.set_labels({other.doc_id: "withdrawn"}, by="bob")
