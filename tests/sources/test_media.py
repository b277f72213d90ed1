"""What a file is by its bytes and its name."""

import pytest

from corpuskit.sources import detect_media_type

LICENCE = b"Files: *\nCopyright: 1999 A. Lee\n<!-- as the upstream says -->\n<p>There is no warranty.</p>\n"
PAGE = b"\n<!DOCTYPE html>\n<html><title>x</title><p>y"


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        (LICENCE, "copyright.txt", "text/plain"),
        (PAGE, "saved.txt", "text/html"),
        (b"\xef\xbb\xbf <html><body>", "saved.txt", "text/html"),
        (LICENCE, "copyright", "text/html"),
        (PAGE, "", "text/html"),
    ],
)
def test_a_text_that_quotes_markup_stays_a_text(content, name, expected):
    assert detect_media_type(content, name) == expected


RECORDS = b'[{"id": 1, "text": "<p>Hello</p> <div class=x>there"}]'


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        (RECORDS, "a.json", "application/json"),
        (RECORDS + b"\n" + RECORDS, "a.jsonl", "application/jsonlines"),
        (b"id,text\n1,<p>Hello</p>\n", "A.CSV", "text/csv"),
        (b"id\ttext\n", "a.tsv", "text/tab-separated-values"),
        (PAGE, "saved.json", "text/html"),
        (b"\x80\x04\x95\x10\0\0\0\0\0\0\0\x8c\x0c" + b"some long text " * 40, "a.pkl", "application/octet-stream"),
        ("\ufeffHello".encode("utf-16-le"), "a", "text/plain"),
        (b"<html><p>a \0 b and some more words of it", "a", "text/html"),
        (b"a line\0 of an old log\n", "a.txt", "text/plain"),
    ],
)
def test_records_and_bytes_are_no_texts(content, name, expected):
    assert detect_media_type(content, name) == expected
