"""Encodings, broken and hostile pages."""

from __future__ import annotations

import time

import ftfy.bad_codecs  # noqa: F401
import pytest

from corpuskit.errors import ExtractionError
from corpuskit.extraction import ExtractOptions, extract_bytes

TREE_ONLY = ExtractOptions(classify=False)
TEXT = "Grüße aus Köln für 5 €"


def text_of(content: bytes, charset: str | None = None) -> str:
    return extract_bytes(content, media_type="text/html", options=TREE_ONLY, charset=charset).to_text()


@pytest.mark.parametrize(
    ("content", "charset"),
    [
        (f"<p>{TEXT}</p>".encode(), None),
        (f"<p>{TEXT}</p>".encode("utf-8-sig"), "iso-8859-1"),
        (f"<p>{TEXT}</p>".encode("utf-16"), None),
        (f"<html><body><p>{TEXT}</p></body></html>".encode("utf-16-le"), None),
        (f"<html><body><p>{TEXT}</p></body></html>".encode("utf-16-be"), None),
        (f"<meta charset=windows-1252><p>{TEXT}</p>".encode("cp1252"), None),
        (f"<meta http-equiv=Content-Type content='text/html; charset=iso-8859-1'><p>{TEXT}</p>".encode("cp1252"), None),
        (f"<p>{TEXT}</p>".encode("cp1252"), "ISO-8859-1"),
        (f"<meta charset=iso-8859-15><p>{TEXT}</p>".encode(), None),
        (f"<?xml version='1.0' encoding='ISO-8859-15'?><html><p>{TEXT}</p></html>".encode("iso-8859-15"), None),
    ],
)
def test_encodings_are_found(content: bytes, charset: str | None) -> None:
    assert text_of(content, charset) == TEXT


def test_a_detector_finds_an_undeclared_encoding() -> None:
    text = "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 6
    assert text_of(f"<p>{text}</p>".encode("cp1251")) == text.strip()


def test_shift_jis_by_its_declaration() -> None:
    assert text_of("<meta charset=shift_jis><p>牧場の牛</p>".encode("shift_jis")) == "牧場の牛"


@pytest.mark.parametrize("end", ["</body></html>", "</BODY>\n</HTML>\n", "</html>"])
def test_what_stands_behind_the_end_of_a_page_belongs_to_it(end: str) -> None:
    assert (
        text_of(f"<html><body><h1>A</h1><p>one</p>{end}<p>two</p>{end}<p>three</p>{end}\n".encode())
        == "A\none\ntwo\nthree"
    )


def test_null_bytes_are_left_out() -> None:
    assert text_of(b"<p>a\0b</p>") == "ab"


def test_xhtml_with_empty_script_elements_is_read_as_xml() -> None:
    page = (
        b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title>'
        b'<script src="s.js"/></head><body><div/><p>a &amp; b</p></body></html>'
    )
    assert text_of(page) == "a & b"


def test_xhtml_that_is_not_well_formed_is_read_as_html() -> None:
    assert (
        text_of(b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><p>a&nbsp;b<br></html>') == "a\xa0b"
    )


def test_entities_of_a_doctype_are_not_expanded() -> None:
    page = (
        b'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        b'<html xmlns="http://www.w3.org/1999/xhtml"><body><p>a&x;</p></body></html>'
    )
    assert "root" not in text_of(page)


@pytest.mark.parametrize("content", [b"", b" \n ", b"\xef\xbb\xbf", b"\0\0"])
def test_an_empty_page_is_an_error(content: bytes) -> None:
    with pytest.raises(ExtractionError):
        text_of(content)


@pytest.mark.parametrize(
    "content",
    [
        b"<div>" * 100_000 + b"x",
        b"<ul><li>" * 50_000,
        b"<b><p>" * 20_000 + b"x",
        b"<table><tr><td>" * 20_000,
        b"<h1>" * 50_000,
        b"<dl><dt>" * 30_000,
    ],
    ids=["div", "list", "inline", "table", "heading", "definitions"],
)
def test_deep_nesting_neither_fails_nor_hangs(content: bytes) -> None:
    start = time.monotonic()
    extract_bytes(content, media_type="text/html")
    assert time.monotonic() - start < 20


def test_tables_of_large_spans_do_not_hang() -> None:
    page = b"<table>" + b"<tr><td rowspan=60000 colspan=1000>x</td></tr>" * 3000 + b"</table>"
    start = time.monotonic()
    extract_bytes(page, media_type="text/html", options=TREE_ONLY)
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("text", ["Le café est à côté – « d’accord »", "Жизнь и судьба", "naïve “quotes” œuvre"])
def test_a_page_that_was_encoded_twice_is_decoded_twice(text: str) -> None:
    twice = f"<p>{text}</p>".encode().decode("sloppy-windows-1252").encode()
    assert extract_bytes(twice, media_type="text/html", uri=None).table.text == [text]


@pytest.mark.parametrize("text", ["é was written as Ã©, ’ as â€™", "Ã©"])
def test_a_page_about_such_text_stays_as_it_is(text: str) -> None:
    page = f"<p>{text} — 日本</p>".encode()
    assert extract_bytes(page, media_type="text/html", uri=None).table.text == [f"{text} — 日本"]
