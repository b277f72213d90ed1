"""Tokenizers, shared by training and scoring.

``TOKENIZER_VERSION`` is stored in every model. A model of another version is rejected, because its tokens would differ.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from corpuskit.errors import RelevanceError
from corpuskit.relevance.url_tokenizers import pdf_trio_url_tokens, url_ngrams, url_tokens

TOKENIZER_VERSION = 1

#: Longer documents are cut before tokenization: one extreme file must not cost more than a thousand others.
MAX_CHARACTERS = 1_000_000

# The shell pipeline works on bytes: only ASCII is lowered and split, so É is unchanged and an em dash is part of a word.
_ASCII_TABLE = bytes(
    byte + 32 if 0x41 <= byte <= 0x5A else byte if byte >= 0x80 or chr(byte).isalnum() else 0x20 for byte in range(256)
)
_ASCII_CHARACTERS = {code: chr(_ASCII_TABLE[code]) for code in range(128)}
# Code points below 128: letters and digits stay, everything else is a blank. The text is lowered before.
_LOWERED_TABLE = {code: " " for code in range(128) if not chr(code).isalnum()}
# Thai and Lao, Burmese, Khmer, kana, ideographs: scripts without blanks between words.
_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3040, 0x30FF),
    (0x3400, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)


def ascii_tokens(text: str | bytes) -> str:
    """Return the same line of tokens as the shell pipeline of pdf_trio, byte for byte.

    Line feeds, control characters and ASCII punctuation become blanks, ``A-Z`` become ``a-z``, runs of blanks become one
    blank. Leading and trailing blanks are preserved.

    Args:
        text: The text. Bytes are used unchanged.

    Example:
        >>> ascii_tokens("Hello, World!")
        'hello world '
    """
    if isinstance(text, bytes):
        return re.sub(b" +", b" ", text.translate(_ASCII_TABLE)).decode("utf-8", "surrogateescape")
    return re.sub(" +", " ", text.translate(_ASCII_CHARACTERS))


@lru_cache(maxsize=1)
def _kinds() -> npt.NDArray[np.uint8]:
    """Return the class of each code point: 0 in words (letters, digits, marks such as Hindi vowel signs), 1 not, 2 unspaced."""
    kinds = np.zeros(sys.maxunicode + 1, np.uint8)
    for code in range(0x80, 0x20000):  # higher ones are ideographs or unassigned
        character = chr(code)
        if not character.isalnum() and unicodedata.category(character) not in ("Mn", "Mc", "Cs"):
            kinds[code] = 1
    for first, last in _UNSPACED:
        kinds[first : last + 1][kinds[first : last + 1] == 0] = 2
    return kinds


@lru_cache(maxsize=1)
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in _UNSPACED)}]+")


def _pairs(match: re.Match[str]) -> str:
    run = match.group()
    return f" {' '.join(run[i : i + 2] for i in range(max(1, len(run) - 1)))} "


def normalize_document(text: str) -> str:
    """Return a document in lower case and NFC, with blanks for non-ASCII separators. Then only ASCII has to be split."""
    lowered = text[:MAX_CHARACTERS].lower()
    if lowered.isascii():
        return lowered
    if not unicodedata.is_normalized("NFC", lowered):
        lowered = unicodedata.normalize("NFC", lowered)
    codes = np.frombuffer(bytearray(lowered.encode("utf-32-le", "surrogatepass")), np.uint32)
    kinds = _kinds()[codes]
    codes[kinds == 1] = 0x20
    spaced = codes.tobytes().decode("utf-32-le", "surrogatepass")
    return _unspaced().sub(_pairs, spaced) if (kinds == 2).any() else spaced


def document_tokens(text: str) -> list[str]:
    """Return the words of a document: lower case, split at everything but Unicode letters, digits and marks.

    The text is composed (NFC), so that both spellings of é are one word. Scripts without blanks (Chinese, Japanese, Thai,
    Lao, Burmese, Khmer) give overlapping pairs of characters.

    Args:
        text: The text.

    Example:
        >>> document_tokens("L'Économie, 2024_é")
        ['l', 'économie', '2024', 'é']
    """
    return normalize_document(text).translate(_LOWERED_TABLE).split()


_TOKENIZERS: dict[str, Callable[[str], list[str]]] = {
    "document": document_tokens,
    "pdf_trio": lambda text: ascii_tokens(text).split(),
    "url": url_tokens,
    "url_ngrams": url_ngrams,
    "pdf_trio_url": lambda text: pdf_trio_url_tokens(text).split(),
}


def tokenizer(name: str) -> Callable[[str], list[str]]:
    """Return a tokenizer by name.

    Args:
        name: ``document``, ``url``, ``url_ngrams``, or for parity ``pdf_trio`` and ``pdf_trio_url``.

    Raises:
        RelevanceError: The name is unknown.
    """
    try:
        return _TOKENIZERS[name]
    except KeyError:
        known = ", ".join(sorted(_TOKENIZERS))
        raise RelevanceError(f"no tokenizer {name!r}, expected one of {known}") from None
