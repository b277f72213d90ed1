from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpuskit.errors import RelevanceError
from corpuskit.relevance import ascii_tokens, document_tokens, tokenizer

# The pipeline of pdf_trio's data preparation, as its shell script has it.
PIPELINE = (
    r"""tr '\n' ' ' | sed -e "s|\([.\!?,'/()]\)| \1 |g" | tr '[:upper:]' '[:lower:]' | tr '[:cntrl:]' ' ' """
    r"""| tr '[:punct:]' ' ' | tr -s ' '"""
)
HARD = (
    'Hello, Wörld! É (a/b)\r\n\tX_Y: "z"--end\x7f\n\nlast.',
    "  two  blanks  ",
    "",
    "\n",
    "ÀÉ “quoted” — dash…",
    "".join(map(chr, range(1, 256))),
    "a\u2028b\u0085c",
)


def shell(text: str, locale: str) -> bytes:
    return subprocess.run(
        ["/bin/sh", "-c", PIPELINE], input=text.encode(), capture_output=True, check=True, env={"LC_ALL": locale}
    ).stdout


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
@pytest.mark.parametrize("text", HARD)
def test_ascii_mode_gives_the_bytes_of_the_shell_pipeline(text: str, locale: str) -> None:
    assert ascii_tokens(text).encode() == shell(text, locale)


@given(st.binary(max_size=200))
def test_ascii_mode_keeps_every_byte_from_128_on(raw: bytes) -> None:
    kept = bytes(b for b in ascii_tokens(raw).encode("utf-8", "surrogateescape") if b >= 128)
    assert kept == bytes(b for b in raw if b >= 128)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("L'Économie, 2024_é", ["l", "économie", "2024", "é"]),
        ("ÉCOLE e\u0301cole", ["école", "école"]),  # composed and decomposed are one word
        ("“Gut” – Straße…", ["gut", "straße"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),  # vowel signs are marks, not letters
        ("東京都 a", ["東京", "京都", "a"]),
        ("a\u00a0b\u2028c\u200bd", ["a", "b", "c", "d"]),
        ("", []),
        (" \n\t!?", []),
    ],
)
def test_document_tokens_split_by_unicode(text: str, words: list[str]) -> None:
    assert document_tokens(text) == words


@given(st.text(max_size=100))
def test_a_document_token_is_never_empty_and_has_no_blank(text: str) -> None:
    assert all(token and not any(map(str.isspace, token)) for token in document_tokens(text))


def test_an_unknown_tokenizer_is_named_with_the_known_ones() -> None:
    with pytest.raises(RelevanceError, match=r"'words'.*pdf_trio_url"):
        tokenizer("words")
