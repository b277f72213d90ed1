"""Each annotator has one current label; the corpus' label comes from all of them by a stated rule."""

import json
import math
from pathlib import Path

import pytest
from widget_messages import sent_by

import corpuskit
from corpuskit.errors import ConfigurationError


@pytest.fixture
def filled(two_topics):
    return two_topics(24)


@pytest.fixture
def ids(filled):
    return filled.documents().doc_id.tolist()


def say(corpus, doc_id, **labels):
    for by, label in labels.items():
        corpus.set_labels({doc_id: label}, by=by)


def shown(corpus, doc_id):
    """(label or None, annotators, agreement) of documents()."""
    row = corpus.documents([doc_id]).iloc[0]
    return (row.label if isinstance(row.label, str) else None), row.annotators, row.agreement


def by_rule(corpus, text):
    """The corpus opened anew with a [labels] table in corpus.toml."""
    path = corpus.path
    corpus.close()
    Path(path, "corpus.toml").write_text(f"[labels]\n{text}\n")
    return corpuskit.open(path)


def test_a_withdrawal_takes_back_the_label_of_its_annotator_only(filled, ids):
    say(filled, ids[0], A="relevant", B="other")
    say(filled, ids[0], B="withdrawn")
    assert shown(filled, ids[0]) == ("relevant", 1, 1.0)
    assert filled.labels()[["by", "label"]].values.tolist() == [["A", "relevant"], ["B", "other"], ["B", "withdrawn"]]


def test_the_label_that_most_annotators_gave_is_that_of_the_corpus(filled, ids):
    cases = [
        ("relevant relevant other", "relevant", 2 / 3),
        ("relevant other", None, 1 / 2),  # a tie is no label
        ("relevant other other", "other", 2 / 3),
        ("relevant unsure", "relevant", 1 / 2),  # unsure gives way in a tie
        ("relevant unsure unsure", "unsure", 2 / 3),
        ("relevant unsure other", None, 1 / 3),
    ]
    for doc_id, (given, label, agreement) in zip(ids, cases, strict=False):
        say(filled, doc_id, **dict(zip("ABC", given.split(), strict=False)))
        assert shown(filled, doc_id) == (label, len(given.split()), pytest.approx(agreement)), given
    for label in ("relevant", "other", "relevant", "other"):  # of one annotator only the last one counts
        say(filled, ids[10], A=label)
    say(filled, ids[10], B="relevant", C="relevant")
    assert shown(filled, ids[10])[:2] == ("relevant", 3)


def test_without_labels_there_are_no_annotators_and_no_agreement(filled, ids):
    frame = filled.documents()
    assert frame.annotators.tolist() == [0] * 24
    assert frame.annotators.dtype == "Int32"
    assert frame.agreement.isna().all()
    assert frame.agreement.dtype == "float64"


def test_the_rule_latest_takes_the_last_label_that_stands(filled, ids):
    corpus = by_rule(filled, 'rule = "latest"')
    say(corpus, ids[0], A="relevant", B="other")
    assert shown(corpus, ids[0]) == ("other", 2, 0.5)
    say(corpus, ids[0], B="withdrawn")
    assert shown(corpus, ids[0])[0] == "relevant"
    corpus.close()


def test_an_adjudicator_s_label_counts_and_the_majority_where_there_is_none(filled, ids):
    corpus = by_rule(filled, 'rule = "adjudicator"\nadjudicator = "chief"')
    say(corpus, ids[0], A="relevant", B="relevant", chief="other")
    say(corpus, ids[1], A="relevant", B="relevant", C="other")
    say(corpus, ids[2], A="relevant", B="other")
    assert [shown(corpus, ids[i])[0] for i in range(3)] == ["other", "relevant", None]
    assert shown(corpus, ids[0])[2] == pytest.approx(2 / 3)
    corpus.close()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('rule = "loudest"', "expected 'majority', 'latest' or 'adjudicator'"),
        ('rule = "adjudicator"', "adjudicator = "),
        ('adjudicator = "chief"', 'rule = "adjudicator"'),
        ("rule = 3", "expected 'majority'"),
    ],
)
def test_a_rule_that_says_nothing_is_refused(filled, text, told):
    with pytest.raises(ConfigurationError, match=told):
        by_rule(filled, text)


def test_all_that_reads_labels_reads_those_of_the_rule(filled, ids, tmp_path):
    from corpuskit.labels import training_labels

    say(filled, ids[0], A="relevant", B="relevant", C="other")
    say(filled, ids[1], A="relevant", B="other")
    say(filled, ids[2], A="other", B="relevant")
    say(filled, ids[2], B="withdrawn")
    assert training_labels(filled._folder) == {ids[0]: "relevant", ids[2]: "other"}
    assert "labels: 1 other, 1 relevant" in repr(filled)
    assert "1 disagreement" in repr(filled)
    assert filled.sources().labels.sum() == 3  # documents that somebody looked at
    filled.export(tmp_path / "out", format="jsonl")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["labels"] == {"none": 22, "other": 1, "relevant": 1}


def test_sources_count_what_the_rule_calls_relevant(corpus, web):
    for n in range(4):
        web.add(f"http://sea.example/{n}", f"fish net boat number {n}", [f"/{n + 1}"])
    corpus.crawl(["http://sea.example/0"], delay=0, proxy=web.proxy).wait(progress=False)
    ids = corpus.documents().doc_id.tolist()
    say(corpus, ids[0], A="relevant", B="relevant", C="other")  # the last one is not the rule's
    say(corpus, ids[1], A="other", B="relevant")
    say(corpus, ids[1], B="withdrawn")
    row = corpus.sources().iloc[0]
    assert (row.pages, row.relevant) == (4, 1)
    assert corpus.compare().table.relevant.tolist() == [1]


def test_the_widget_s_undo_leaves_the_labels_of_others(filled, ids):
    say(filled, ids[0], A="relevant")
    labeler = filled.label(filled.documents(), by="B")
    sent_by(labeler)
    labeler._answer(None, {"op": "label", "id": ids[0], "label": "other", "seq": 1, "page": "p"}, [])
    labeler._answer(None, {"op": "undo", "of": 1, "seq": 2, "page": "p"}, [])
    assert shown(filled, ids[0]) == ("relevant", 1, 1.0)
    assert filled.labels().query("by == 'B'").label.tolist() == ["other", "withdrawn"]


def test_labels_of_a_corpus_of_an_earlier_version_mean_the_same(filled, ids):
    """One annotator, labels given as the first version wrote them: no new field, no new table."""
    path = filled.path
    filled.close()
    lines = [
        f'{{"target": "{ids[n % 2]}", "kind": "document", "label": "{label}", "by": "ann", '
        f'"when": "2024-01-01T00:00:0{n}+00:00", "note": null, "version": 1}}'
        for n, label in enumerate(("relevant", "relevant", "other", "withdrawn"))
    ]
    Path(path, "labels", "ann.jsonl").write_text("\n".join(lines) + "\n")
    with corpuskit.open(path) as corpus:
        assert [shown(corpus, ids[i])[0] for i in (0, 1)] == ["other", None]
        assert math.isnan(shown(corpus, ids[1])[2])


def test_two_writers_of_one_corpus_vote_together(filled, ids):
    with corpuskit.open(filled.path) as beside:
        say(beside, ids[0], A="relevant")
        say(filled, ids[0], B="relevant", C="other")
        assert shown(beside, ids[0]) == shown(filled, ids[0]) == ("relevant", 3, pytest.approx(2 / 3))


def test_a_tie_is_asked_again_before_all_others(filled, ids):
    say(filled, ids[5], A="relevant", B="other")
    asked = filled.next_to_label(3)
    assert (asked.doc_id[0], asked.reason[0]) == (ids[5], "disagreement")
    assert "disagreement" not in set(asked.reason[1:])
    say(filled, ids[5], C="other")
    assert ids[5] not in set(filled.next_to_label(24).doc_id)
