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
