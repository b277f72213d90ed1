"""The labels of a corpus are read once for one piece of work."""

import pytest

from corpuskit.labels import corpus_labels, hold_labels, training_labels


def queries(corpus):
    found = []
    corpus._folder.catalog.connection.set_trace_callback(
        lambda query: found.append(query) if "labels" in query else None
    )
    return found


def filled(fill, n=12):
    words = ["premium of the house policy", "dough of the rye bread"]
    corpus = fill({f"p{i:02}.html": f"<h1>Page {i}</h1><p>The {words[i % 2]} number {i}." for i in range(n)})
    ids = corpus.documents()["doc_id"].tolist()
    corpus.set_labels({doc_id: ["relevant", "other"][i % 2] for i, doc_id in enumerate(ids[:8])}, by="ann")
    corpus.set_labels({ids[8]: "relevant"}, by="machine:m")
    return corpus, ids


ONCE = {
    "a training": lambda corpus: corpus.train(),
    "a report": lambda corpus: corpus.labelling.labels_report(),
    "disagreements": lambda corpus: corpus.labelling.disagreements(),
    "questions": lambda corpus: corpus.labelling.next_to_label(3, by="bob"),
}


@pytest.mark.parametrize("work", ONCE.values(), ids=ONCE)
def test_a_piece_of_work_reads_the_labels_once(fill, work):
    corpus, _ = filled(fill)
    asked = queries(corpus)
    work(corpus)
    assert len([query for query in asked if "FROM labels" in query]) == 1


def test_labels_that_come_while_a_snapshot_is_held_do_not_count_yet(fill):
    corpus, ids = filled(fill)
    with hold_labels(corpus._folder):
        before = training_labels(corpus._folder)
        corpus.set_labels({ids[9]: "other"}, by="ann")
        assert training_labels(corpus._folder) == before
    assert training_labels(corpus._folder).keys() - before.keys() == {ids[9]}


def test_a_snapshot_is_of_one_corpus(fill, tmp_path):
    import corpuskit

    corpus, _ = filled(fill)
    with corpuskit.open(tmp_path / "other") as other, hold_labels(corpus._folder):
        assert corpus_labels(other._folder) == []
        assert len(corpus_labels(corpus._folder)) == 8
