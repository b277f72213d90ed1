"""Labels that many documents got at once: a guess about each, which one look at it outranks."""

import json
import math
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import corpuskit
from corpuskit.labels import (
    annotation_pool,
    audited,
    corpus_labels,
    example_weights,
    machine_agreements,
    training_labels,
)


@pytest.fixture
def filled(two_topics):
    return two_topics(40)


@pytest.fixture
def ids(filled):
    return filled.documents().sort_values("uri").doc_id.tolist()


def group(corpus, ids, label, by="me"):
    return corpus.set_labels(dict.fromkeys(ids, label), by=by, origin="group")


def said(corpus):
    return {label.target: label.label for label in corpus_labels(corpus._folder, "document")}


def test_a_group_of_n_counts_as_the_root_of_n_in_all(filled, ids):
    group(filled, ids[:16], "other")
    group(filled, ids[16:20], "relevant")
    filled.set_labels({ids[30]: "relevant"}, by="me")
    weights = example_weights(filled._folder, training_labels(filled._folder))
    assert weights == dict.fromkeys(ids[:16], 1 / 4) | dict.fromkeys(ids[16:20], 1 / 2)
    assert sum(weights[i] for i in ids[:16]) == pytest.approx(math.sqrt(16))
    filled.set_labels(dict.fromkeys([*ids[:6], *ids[16:20]], "withdrawn") | {ids[6]: "relevant"}, by="me")
    assert example_weights(filled._folder, training_labels(filled._folder)) == dict.fromkeys(ids[7:16], 1 / 3)
    filled.set_labels(dict.fromkeys(ids, "other"), by="machine:m")
    assert [one.documents for one in machine_agreements(filled._folder)] == [2]  # a group measures no machine


def test_a_note_is_only_a_note(filled, ids):
    filled.set_labels(dict.fromkeys(ids[:20], "relevant"), by="me", note="map")
    filled.set_labels(dict.fromkeys(ids[20:30], "other"), by="me", note="audit")
    filled.set_labels(dict.fromkeys(ids[30:], "other"), by="me", note="audit of model-0001")
    assert example_weights(filled._folder, training_labels(filled._folder)) == {}
    assert audited(filled._folder) == set()
    assert set(training_labels(filled._folder)) == set(ids)


def test_labels_of_earlier_versions_have_the_origin_that_their_note_told(filled, ids, tmp_path):
    filled.set_labels({ids[9]: "other"}, by="me")
    notes = ["map", "labelled as a selection", "audit", "audit of model-0001", "audits", None]
    with closing(sqlite3.connect(f"{filled.path}/catalog.sqlite")) as catalog:
        filled.close()
        catalog.executescript(
            "ALTER TABLE frontier DROP COLUMN kind; ALTER TABLE frontier DROP COLUMN reason_code; "
            "ALTER TABLE labels DROP COLUMN origin; PRAGMA user_version = 7; PRAGMA journal_mode = DELETE"
        )
    rows = [
        {
            "target": target,
            "kind": "document",
            "label": "other",
            "by": "me",
            "when": f"2026-01-0{n + 1}T00:00:00Z",
            "note": note,
        }
        for n, (target, note) in enumerate(zip(ids, notes, strict=False))
    ]
    (file,) = Path(filled.path, "labels").glob("*.jsonl")
    former = [
        {name: value for name, value in json.loads(line).items() if name != "origin"}
        for line in file.read_text().splitlines()
    ]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in former + rows))
    with corpuskit.open(filled.path) as corpus:
        origin = corpus.labels().set_index("target")["origin"]
        assert origin.to_dict() == dict(
            zip(ids, ["group", "group", "audit", "audit", "single", "single"], strict=False)
        ) | {ids[9]: "single"}
        assert audited(corpus._folder) == set(ids[2:4])


def test_one_look_outranks_any_number_of_groups(filled, ids):
    filled.set_labels({ids[0]: "relevant"}, by="ann")
    for by in ("bob", "eve", "me"):
        group(filled, ids[:3], "other", by=by)
    assert said(filled) == {ids[0]: "relevant", ids[1]: "other", ids[2]: "other"}
    assert filled.documents().set_index("doc_id").label[ids[0]] == "relevant"
    assert set(example_weights(filled._folder, training_labels(filled._folder))) == set(ids[1:3])


def test_a_document_of_a_group_is_still_asked(filled, ids):
    group(filled, ids[:3], "other")
    filled.set_labels({ids[3]: "other"}, by="me")
    assert set(annotation_pool(filled._folder, "me").free) == set(ids) - {ids[3]}
    assert set(filled.next_to_label(40).doc_id) == set(ids) - {ids[3]}
    labeler = filled.label(ids[:4], by="me")
    assert {card["id"] for card in labeler.cards} == set(ids[:3])


def test_an_audit_takes_no_label_of_a_group_for_an_answer_nor_asks_for_its_documents(filled, ids):
    filled.set_labels({i: "relevant" if n % 2 else "other" for n, i in enumerate(ids[:8])}, by="me")
    group(filled, ids[8:12], "relevant")
    filled.train()
    audit = filled.audit(precision=0.5)
    assert not set(audit._doc_ids) & set(ids[:12])
    wanted = audit.wanted()
    audit.add({wanted[0]: "other"}, by="me")
    for by in ("bob", "eve"):
        group(filled, wanted, "relevant", by=by)
    again = filled.audit(precision=0.5)
    assert again._labels == {wanted[0]: "other"}
    assert again.labels_given == 1
    assert set(wanted[1:]) <= set(again.wanted())


def test_a_copy_that_was_looked_at_outranks_one_of_a_group(fill):
    same = "The same text\n\nabout premiums."
    corpus = fill({"a.txt": same, "b.txt": same, "c.txt": "Text c", "d.txt": "Text d"})
    ids = corpus.documents().sort_values("uri").doc_id.tolist()
    corpus.set_labels({ids[0]: "relevant"}, by="me")
    group(corpus, ids[1:], "other")
    assert training_labels(corpus._folder) == {ids[0]: "relevant", ids[2]: "other", ids[3]: "other"}
