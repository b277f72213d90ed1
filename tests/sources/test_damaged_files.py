"""A few damaged files of each kind; ``benchmarks/damaged_files.py`` takes hundreds."""

import random

import pytest
from file_samples import KINDS, write_damaged


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_each_damaged_file_is_a_document_or_a_failure_and_the_whole_one_is_read(corpus, tmp_path, kind):
    folder = tmp_path / "files"
    folder.mkdir()
    marks = write_damaged(folder, kind, 12, random.Random(7))
    corpus.add(folder, progress=False)
    failures = corpus.failures()
    uris = "\n".join([*corpus.documents().uri, *failures.uri, *failures.message])
    assert [name for name, mark in marks.items() if f"files/{name}" not in uris and mark not in uris] == []
    assert any(f"/whole.{kind}" in uri or ".example/0/" in uri for uri in corpus.documents().uri)
    assert corpus.check() == []


def test_a_file_without_text_is_a_failure(corpus, tmp_path):
    (tmp_path / "a.mbox").write_bytes(b"no message")
    (tmp_path / "b.warc").write_bytes(b"")
    assert (
        repr(corpus.add(tmp_path / "a.mbox", tmp_path / "b.warc", progress=False)) == "2 failed; see corpus.failures()"
    )
    assert all("nothing in it" in message for message in corpus.failures().message)
