import json

import pytest

from corpuskit.demo import run_demo
from corpuskit.errors import CorpusError


def counts(result):
    documents = result.corpus.documents()
    manifest = json.loads((result.exported / "manifest.json").read_text("utf-8"))
    model = result.corpus.model()
    return (
        documents.doc_id.tolist(),
        documents.relevance.round(12).tolist(),
        documents.label.fillna("").tolist(),
        model.document.fingerprint,
        model.url.fingerprint,
        manifest["counts"],
    )


@pytest.mark.slow
def test_the_demo_gives_the_same_each_time_and_steering_pays(tmp_path):
    first = run_demo(tmp_path / "one")
    second = run_demo(tmp_path / "two")
    assert counts(first) == counts(second)
    assert len(first.corpus) == 73
    assert first.harvest_after > first.harvest_before + 0.15
    assert (first.top.truth == "relevant").mean() >= 0.8
    assert (first.bottom.truth == "other").mean() >= 0.8


def test_the_demo_replaces_its_own_corpus_and_no_other(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("keep me")
    with pytest.raises(CorpusError, match="not the result of an earlier demo"):
        run_demo(tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").exists()
