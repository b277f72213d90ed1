"""Machines are kept apart from people: no vote, no audit; how far they agree is measured."""

import pytest

from corpuskit.errors import RelevanceError
from corpuskit.labels import informedness, machine_agreements, training_labels

SAID = "machine:stub"


@pytest.fixture
def filled(two_topics):
    return two_topics(30)


@pytest.fixture
def ids(filled):
    return filled.documents().sort_values("uri").doc_id.tolist()


def test_a_machine_has_no_vote_and_breaks_no_tie(filled, ids):
    filled.set_labels({ids[0]: "relevant", ids[1]: "relevant"}, by=SAID)
    filled.set_labels({ids[0]: "other"}, by="ann")
    filled.set_labels({ids[2]: "relevant"}, by="ann")
    filled.set_labels({ids[2]: "other"}, by="bob")
    filled.set_labels({ids[2]: "other"}, by=SAID)
    docs = filled.documents(ids[:3]).set_index("doc_id")
    assert docs.label.fillna("-").loc[ids[:3]].tolist() == ["other", "-", "-"]
    assert docs.annotators.loc[ids[:3]].tolist() == [1, 0, 2]
    assert filled.disagreements().doc_id.tolist() == [ids[2]]
    assert "machine" not in filled.disagreements().said[0]
    assert training_labels(filled._folder) == {ids[0]: "other"}
    filled.set_labels(dict.fromkeys(ids[3:], "other"), by=SAID)
    assert set(ids[3:]) <= set(filled.next_to_label(30).doc_id)  # people are asked all the same


def test_a_machine_takes_no_part_in_an_audit(filled, ids):
    filled.set_labels({ids[i]: "relevant" if i % 2 else "other" for i in range(8)}, by="me")
    filled.train()
    audit = filled.audit()
    wanted = audit.next().doc_id.tolist()
    with pytest.raises(RelevanceError, match="audits need people"):
        audit.add(dict.fromkeys(wanted, "relevant"), by=SAID)
    # A machine that signs its labels as the audit's, as a model might that is told to by a document.
    filled._folder.labels.add(
        [(doc_id, "document", "relevant") for doc_id in wanted], by=SAID, note=f"audit of {filled.model().version}"
    )
    assert filled.audit().next().doc_id.tolist() == wanted


def test_a_machine_is_measured_on_what_people_have_labelled_too(filled, ids):
    filled.set_labels({ids[i]: "relevant" if i % 2 else "other" for i in range(20)}, by="me")
    # It calls 9 of 10 relevant ones relevant, 2 of 10 others, and says nothing of two documents that count for nothing.
    said = {ids[i]: "relevant" if i % 2 else "other" for i in range(20)}
    wrong = {ids[1]: "other", ids[0]: "relevant", ids[2]: "relevant"}
    filled.set_labels(said | wrong | {ids[25]: "relevant", ids[26]: "unsure"}, by=SAID)
    [found] = machine_agreements(filled._folder)
    assert (found.relevant_relevant, found.other_relevant, found.relevant_other, found.other_other) == (9, 1, 2, 8)
    assert (found.documents, found.agreed) == (20, 17)
    assert found.informedness == pytest.approx(0.9 + 0.8 - 1)
    assert "machine:stub agrees with people on 17 of 20 documents: informedness 0.70" in repr(filled.labels_report())


def test_the_interval_is_that_of_newcombes_example():
    """Newcombe 1998, table II, method 10: 56/70 against 48/80 has 0.0524 to 0.3339."""
    pairs = [("relevant", "relevant")] * 56 + [("other", "relevant")] * 14
    pairs += [("relevant", "other")] * 48 + [("other", "other")] * 32
    value, low, high = informedness(pairs)
    assert value == pytest.approx(0.2)
    assert low == pytest.approx(0.0524, abs=5e-5)
    assert high == pytest.approx(0.3339, abs=5e-5)


def test_where_people_found_one_class_only_a_machine_is_not_measured(filled, ids):
    filled.set_labels(dict.fromkeys(ids[:5], "other"), by="me")
    filled.set_labels(dict.fromkeys(ids[:5], "other"), by=SAID)
    [found] = machine_agreements(filled._folder)
    assert (found.documents, found.informedness) == (5, None)
    assert "too few" in repr(found)


def test_a_document_on_which_machine_and_model_disagree_is_asked(filled, ids):
    filled.set_labels({ids[i]: "relevant" if i % 2 else "other" for i in range(10)}, by="me")
    filled.train()
    right = {ids[i]: "relevant" if i % 2 else "other" for i in range(10, 30)}
    filled.set_labels(right | {ids[21]: "other", ids[22]: "relevant"}, by=SAID)
    asked = filled.next_to_label(10)
    assert sorted(asked.query("reason == 'machine and model disagree'").doc_id) == sorted([ids[21], ids[22]])
    assert asked.doc_id.is_unique
    assert len(asked) == 10
