"""The relevance loop of a corpus, from labels to a certified threshold."""

import pytest

from corpuskit.errors import RelevanceError
from corpuskit.relevance import active_learning
from corpuskit.relevance.corpus_training import scoring_texts

FISH = ["sea", "fish", "net", "boat", "harbour", "tide", "cod", "herring", "sailor", "wave"]
TAX = ["law", "form", "tax", "office", "court", "clause", "duty", "invoice", "clerk", "stamp"]


def text_of(words, number):
    picks = [words[(number * k + k) % len(words)] for k in range(1, 9)]
    return (
        f"<html><head><title>Page {number}</title></head><body><p>{' '.join(picks)} and more of it.</p></body></html>"
    )


@pytest.fixture
def filled(add_once, tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for i in range(60):
        (folder / f"fish{i:02d}.html").write_text(text_of(FISH, i + 1))
        (folder / f"tax{i:02d}.html").write_text(text_of(TAX, i + 1))
    return add_once("fish-and-tax", folder)


def truth(uri):
    return "relevant" if "/fish" in uri else "other"


def label_some(corpus, count):
    documents = corpus.documents()
    chosen = documents[documents.uri.str.contains(r"\d[05]\.html")].head(count)
    corpus.set_labels({row.doc_id: truth(row.uri) for row in chosen.itertuples()}, by="me")


@pytest.mark.slow
def test_training_scores_all_documents_and_keeps_the_model(filled):
    label_some(filled, 24)
    model = filled.train()
    documents = filled.documents()
    assert documents.relevance.notna().all()
    ranked = documents.sort_values("relevance", ascending=False).uri.map(truth)
    assert (ranked.head(50) == "relevant").all()
    assert filled.model().document.fingerprint == model.document.fingerprint
    assert set(documents.decision) == {"unknown"}


@pytest.mark.slow
def test_the_score_of_an_older_text_is_forgotten(fill, tmp_path):
    pages = {
        f"{name}{i}.html": text_of(words, i + 1) for name, words in (("fish", FISH), ("tax", TAX)) for i in range(12)
    }
    corpus = fill(pages)
    corpus.set_labels({row.doc_id: truth(row.uri) for row in corpus.documents().itertuples()}, by="me")
    corpus.train()
    (tmp_path / "pages" / "fish1.html").write_text(text_of(TAX, 3))
    (tmp_path / "pages" / "fish2.html").write_text(text_of(FISH, 3).replace("<body>", "<body class=new>"))
    assert str(corpus.add(tmp_path / "pages", progress=False)) == "22 unchanged, 2 changed"
    documents = corpus.documents()
    changed = documents.uri.str.endswith("fish1.html")
    assert changed.sum() == 1
    assert documents.relevance.isna().tolist() == documents.decision.isna().tolist() == changed.tolist()
    corpus.train()
    assert corpus.documents().relevance.notna().all()


def test_what_to_label_next_has_a_reason_and_is_never_labelled_already(filled):
    assert set(filled.next_to_label(5).reason) == {"new region"}
    label_some(filled, 24)
    filled.train()
    wanted = filled.next_to_label(10)
    assert len(wanted) == wanted.doc_id.nunique() == 10
    assert {"uncertain", "certain", "random"} == set(wanted.reason)
    assert not set(wanted.doc_id) & set(filled.labels().target)


def test_questions_of_a_model_read_only_the_texts_of_candidates(filled, monkeypatch):
    label_some(filled, 24)
    filled.train()
    read = []

    def counting(folder, doc_ids=None):
        found = scoring_texts(folder, doc_ids)
        read.extend(found)
        return found

    monkeypatch.setattr(active_learning, "scoring_texts", counting)
    asked = filled.next_to_label(5)
    # Four are chosen among the eight that the model is least certain of; scores are stored.
    assert sorted(asked.reason) == ["certain"] + ["uncertain"] * 4
    assert len(read) == len(set(read)) == 8
    assert asked.relevance.tolist() == filled.documents().set_index("doc_id").relevance[asked.doc_id].tolist()


def test_an_audit_certifies_a_threshold_and_its_labels_are_not_trained_on(filled):
    label_some(filled, 24)
    before = filled.train().document.card
    audit = filled.audit(precision=0.9)
    asked = 0
    while len(batch := audit.next()):
        asked += len(batch)
        audit.add({row.doc_id: truth(row.uri) for row in batch.itertuples()}, by="me")
    assert asked <= 140
    assert audit.threshold is not None
    decided = filled.documents()
    assert (decided[decided.decision == "relevant"].uri.map(truth) == "relevant").mean() >= 0.9
    assert (decided.decision == "relevant").sum() >= 30
    assert "precision >= 90%" in repr(filled.model().document)
    after = filled.train().document
    assert (after.card.relevant, after.card.other) == (before.relevant, before.other)
    assert after.threshold is None
    asked_before = filled.labels()["target"]
    assert not set(asked_before) & set(filled.audit(precision=0.9).next().doc_id)


def test_a_model_explains_a_document(filled):
    label_some(filled, 24)
    model = filled.train()
    doc_id = filled.documents().query("uri.str.contains('fish')").doc_id.iloc[0]
    explanation = model.explain(filled[doc_id])
    assert explanation.probability > 0.5
    assert abs(sum(amount for _, amount in explanation) - explanation.logit) < 1e-6


def test_too_few_labels_and_a_wrong_audit_label_are_told(filled):
    with pytest.raises(RelevanceError, match="no documents are labelled"):
        filled.train()
    with pytest.raises(RelevanceError, match="no model to audit"):
        filled.audit()
    filled.set_labels({filled.documents().doc_id[0]: "relevant"}, by="me")
    with pytest.raises(RelevanceError):
        filled.train()
    label_some(filled, 24)
    filled.train()
    audit = filled.audit()
    with pytest.raises(RelevanceError, match="relevant or other"):
        audit.add({audit.next().doc_id[0]: "perhaps"}, by="me")


def test_an_audit_that_was_broken_off_goes_on_where_it_stood(filled):
    label_some(filled, 24)
    filled.train()
    audit = filled.audit(precision=0.8)
    first = audit.next()
    audit.add({row.doc_id: truth(row.uri) for row in first.head(5).itertuples()}, by="me")
    again = filled.audit(precision=0.8)
    asked = again.next()
    assert set(asked.doc_id) == set(first.doc_id[5:])
    while len(batch := again.next()):
        again.add({row.doc_id: truth(row.uri) for row in batch.itertuples()}, by="me")
    whole = len(again._audit.labels)
    assert (
        sum(label.by == "me" and "audit of" in (label.note or "") for label in filled._folder.labels.current()) == whole
    )


def test_a_label_to_find_that_nobody_gave_is_an_error_that_names_those_given(filled):
    fish = filled.documents()["doc_id"].head(30)
    filled.set_labels(dict.fromkeys(fish, "fishing"), by="me", new_class=True)
    with pytest.raises(RelevanceError, match=r"expected a label in use: 'fishing' \(30\)"):
        filled.train()
    label_some(filled, 24)
    given = filled.labels()["label"].value_counts()
    with pytest.raises(RelevanceError, match="'zzz'") as refused:
        filled.train(positive="zzz")
    assert f"'relevant' ({given['relevant']})" in str(refused.value)
    assert f"'other' ({given['other']})" in str(refused.value)
