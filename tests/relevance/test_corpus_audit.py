"""Claims about the two ends of a ranking, and the documents that are decided by them."""

import pytest

import corpuskit
from corpuskit.errors import RelevanceError
from corpuskit.relevance import RelevanceModel

N = 300
SEA = "sea ship harbour fish sailor tide anchor wave island storm boat captain net coast whale lighthouse day people"
LAW = "court law judge tax contract statute appeal clause lawyer verdict trial fee treaty crime witness oath day people"


@pytest.fixture
def corpus(make_once, tmp_path):
    """Three hundred documents, every third about the sea; twenty are labelled, and a model is trained."""

    def make(corpus):
        for i in range(N):
            words = (SEA if i % 3 == 0 else LAW).split()
            text = " ".join(words[(i * step + step) % len(words)] for step in range(3, 15))
            (tmp_path / f"d{i:03}.txt").write_text(f"Text {i}\n\n{text}.", "utf-8")
        corpus.add(tmp_path / "d*.txt", progress=False)
        docs = corpus.documents().sort_values("uri")
        corpus.set_labels({row.doc_id: truth(row.uri) for row in docs.head(20).itertuples()}, by="me")
        corpus.train()

    return make_once("two claims", make)


def truth(uri):
    return "relevant" if int(uri[-7:-4]) % 3 == 0 else "other"


def audited(corpus, **claim):
    """Answer an audit to its end."""
    uris = dict(corpus.documents()[["doc_id", "uri"]].itertuples(index=False))
    audit = corpus.audit(**claim)
    while len(batch := audit.next()):
        audit.add({doc_id: truth(uris[doc_id]) for doc_id in batch["doc_id"]}, by="me")
    return audit


def decisions(corpus):
    return corpus.documents()["decision"].value_counts().to_dict()


def test_an_audit_of_the_low_end_decides_what_is_other(corpus):
    audit = audited(corpus, label="other")
    documents = corpus.documents()
    other = documents[documents["decision"] == "other"]
    assert len(other) > 100
    assert (other["relevance"] <= audit.threshold).all()
    assert {truth(uri) for uri in other["uri"]} == {"other"}
    assert "other with precision >= 95% up to score" in repr(audit)
    assert audit.recall_estimate is None
    assert not len(audit.next_below())


def test_claims_about_both_ends_hold_together_if_they_are_alike(corpus):
    audited(corpus)
    relevant = decisions(corpus)["relevant"]
    audited(corpus, label="other")
    assert decisions(corpus)["relevant"] == relevant
    assert decisions(corpus)["other"] > 100
    assert corpus.model().document.audit.threshold > corpus.model().document.audit.other_threshold
    with corpuskit.open(corpus.path) as again:
        assert decisions(again) == decisions(corpus)


def test_another_precision_replaces_the_claim_about_the_other_end(corpus):
    audited(corpus)
    audited(corpus, label="other", precision=0.8)
    assert "relevant" not in decisions(corpus)


def test_a_label_taken_back_voids_only_the_claim_of_its_audit(corpus):
    audited(corpus)
    audit = audited(corpus, label="other")
    [doc_id, *_] = [label.target for label in corpus._folder.labels.current() if (label.note or "").endswith(": other")]
    audit.withdraw(doc_id, by="me")
    assert decisions(corpus).keys() == {"relevant", "unknown"}


def test_a_claim_reads_only_the_documents_that_it_may_decide(corpus, monkeypatch):
    read = []
    verdicts = RelevanceModel.score_and_decide
    monkeypatch.setattr(
        RelevanceModel, "score_and_decide", lambda self, texts: (read.extend(texts), verdicts(self, texts))[1]
    )
    audit = audited(corpus)
    above = (corpus.documents()["relevance"] >= audit.threshold).sum()
    assert len(read) == above < N / 2


def test_another_label_cannot_be_audited(corpus):
    with pytest.raises(RelevanceError, match="label='unsure': expected relevant or other"):
        corpus.audit(label="unsure")
