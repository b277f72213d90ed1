"""A backup keeps what cannot be made again, or was paid for."""

from pathlib import Path

import pytest

import corpuskit
from corpuskit.annotators.response_cache import ResponseCache


@pytest.fixture
def copied(corpus, tmp_path):
    """A corpus with more than documents, and the path where its backup goes."""
    (tmp_path / "a.txt").write_text("Fog hangs over the harbour. The ferry waits for the tide.")
    corpus.add(tmp_path / "a.txt", progress=False)
    return corpus, tmp_path / "copy"


@pytest.mark.feature("linguistics")
def test_a_backup_has_the_layers_that_a_function_made(copied):
    corpus, path = copied
    corpus.annotate("first", lambda words: [word[:1] for word in words], progress=False)
    corpus.backup(path)
    copy = corpuskit.open(path)
    assert len(copy.kwic('[first="w"]')) == 1  # waits
    copy.close()


def test_a_backup_has_the_answers_that_were_paid_for_also_those_not_yet_in_the_file(copied):
    corpus, path = copied
    with ResponseCache(corpus._folder.root) as answers:  # open: the answer stands in the log beside the file
        answers.put("asked", "relevant", "it is about the sea", 12)
        corpus.backup(path)
    copy = corpuskit.open(path)
    with ResponseCache(copy._folder.root) as answers:
        assert answers.get("asked") == ("relevant", "it is about the sea")
    copy.close()


@pytest.mark.parametrize("name", ["preprocessing/step-key/part-1.parquet", "discoveries/sea/pages.parquet"])
def test_a_backup_has_results_that_took_long(copied, name):
    corpus, path = copied
    (Path(corpus.path) / name).parent.mkdir(parents=True)
    (Path(corpus.path) / name).write_bytes(b"PAR1")
    corpus.backup(path)
    assert (path / name).read_bytes() == b"PAR1"
