"""Two trainings at once on one corpus: each has its own version."""

import pytest

import corpuskit
from corpuskit.relevance.corpus_model import CorpusModel
from corpuskit.relevance.corpus_training import last_model, train_corpus

PAGE = "<html><head><title>{0} {1}</title></head><body><p>The text {1} about {2}.</p></body></html>"


@pytest.fixture
def labelled(fill):
    subjects = {"premium": "insurance premium claim policy ", "tomato": "garden flower tomato soil "}
    corpus = fill({f"{t}{i}.html": PAGE.format(t, i, words * 3) for t, words in subjects.items() for i in range(8)})
    rows = corpus.documents()[["doc_id", "title"]].itertuples(index=False)
    corpus.set_labels({i: "relevant" if title.startswith("premium") else "other" for i, title in rows}, by="me")
    return corpus


def test_two_trainings_that_end_together_take_two_versions(labelled, monkeypatch):
    save, others = CorpusModel.save, []

    def save_while_another_trains(model, folder):
        if not others:
            others.append(None)
            with corpuskit.open(labelled.path) as second:
                others[0] = train_corpus(second._folder, seed=1)
        save(model, folder)

    monkeypatch.setattr(CorpusModel, "save", save_while_another_trains)
    first = labelled.train()
    assert sorted([first.version, others[0].version]) == ["model-0001", "model-0002"]
    rows = labelled._folder.catalog.tuples("SELECT version, folder FROM models ORDER BY version")
    assert rows == [("model-0001", "model-0001"), ("model-0002", "model-0002")]
    for model in (first, others[0]):
        kept = CorpusModel.load(labelled._folder.models.subfolder(model.version))
        assert kept.document.fingerprint == model.document.fingerprint


def test_a_version_is_never_given_twice(labelled):
    """A folder that a killed training has left, or whose row a repair could not save, keeps its name."""
    left = labelled._folder.models.mkdir("model-0001") / "note"
    left.write_text("left")
    assert labelled.train().version == "model-0002"
    labelled._folder.catalog.connection.execute("DELETE FROM models")
    assert labelled.train().version == "model-0003"
    assert last_model(labelled._folder).version == "model-0003"
    assert left.read_text() == "left"
