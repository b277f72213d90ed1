"""Files that are no document: failure rows that say what they are and what to do."""

import bz2
import gzip
import json

import pytest

import corpuskit as ck

RECORDS = json.dumps([{"text": "<p>Hello</p>"}]).encode()


@pytest.fixture
def corpus(tmp_path):
    corpus = ck.open(tmp_path / "corpus")
    yield corpus
    corpus.close()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.json.gz",
            gzip.compress(RECORDS, mtime=0),
            "application/json: records are not documents; write the text of each",
        ),
        ("a.csv.bz2", bz2.compress(b"a,b\n1,<p>x</p>\n"), "text/csv: records are not documents"),
        ("a.jsonl", RECORDS, "application/jsonlines: records are not documents"),
        ("a.bin", bytes(range(256)) * 9, "application/octet-stream: the content is neither text nor of a known format"),
        ("a.json.gz", gzip.compress(RECORDS, mtime=0)[:-9], "a.json.gz cannot be decompressed"),
    ],
)
def test_a_file_that_is_no_document_is_a_failure_that_says_why(corpus, tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    assert corpus.add(tmp_path / name, progress=False).failed == 1
    (said,) = corpus.failures()["message"]
    assert message in said
    assert len(corpus) == 0


def test_a_packed_page_is_read(corpus, tmp_path):
    (tmp_path / "page.html.gz").write_bytes(gzip.compress(b"<html><body><h1>Rates</h1><p>3 %"))
    assert corpus.add(tmp_path / "page.html.gz", progress=False).failed == 0
    assert [document.to_text() for document in corpus] == ["Rates\n3 %"]
