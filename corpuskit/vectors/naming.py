"""Topic words and names: words more frequent in the documents of a topic than in the corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Final

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.relevance.vector_space import Vocabulary
from corpuskit.text import stop_words

__all__ = ["interleave_words", "is_meaningful", "name_of", "stop_words_of", "words_of"]

_NAMED: Final = 3  # words in a name
# First tokens of contractions such as "don't". The English stop list only has the complete forms.
_CUT: Final = [
    "ain",
    "aren",
    "couldn",
    "didn",
    "doesn",
    "don",
    "hadn",
    "hasn",
    "haven",
    "isn",
    "mustn",
    "shouldn",
    "wasn",
    "weren",
    "won",
    "wouldn",
]


def words_of(
    words: Vocabulary, texts: Sequence[str], *, stop: frozenset[str] = frozenset(), n: int = 10
) -> tuple[str, ...]:
    """Return the most characteristic words of texts, the highest score first.

    The score is the share of the texts with the word, multiplied by the logarithm of its ratio to the share in all texts.
    Numbers, single letters and stop words are excluded.

    Args:
        words: Vocabulary of the space with document frequencies.
        texts: Texts of the topic.
        stop: Stop words.
        n: Maximum number of words.
    """
    if not texts or not len(words.words):
        return ()
    counts = words.count(texts)
    document_share = np.bincount(counts.column, minlength=len(words.words)) / len(texts)
    everywhere = np.maximum(words.frequency, 1) / max(words.texts, 1)
    with np.errstate(divide="ignore"):
        score = np.where(
            document_share > 0, document_share * np.log(np.maximum(document_share, 1e-12) / everywhere), 0.0
        )
    selected: list[str] = []
    for at in np.argsort(-score, kind="stable"):
        if score[at] <= 0 or len(selected) == n:
            break
        word = words.words[at]
        if word not in stop and is_meaningful(word):
            selected.append(word)
    return tuple(selected)


def interleave_words(parts: Iterable[Sequence[str]], n: int = 10) -> tuple[str, ...]:
    """Merge the words of several topics: the first of each, then the second of each, and so on."""
    rows = zip_longest(*parts)
    return tuple(dict.fromkeys(word for row in rows for word in row if word is not None))[:n]


def is_meaningful(word: str) -> bool:
    """Return whether a word can be part of a topic name. Words with digits and short ASCII words cannot."""
    return not any(character.isdigit() for character in word) and (len(word) > 2 or not word.isascii())


def stop_words_of(languages: Iterable[str | None]) -> frozenset[str]:
    """Return the stop words of languages. Languages without a stop list are ignored."""
    languages = set(languages)
    words = set(_CUT) if "en" in languages else set()
    for lang in filter(None, languages):
        try:
            words |= stop_words(lang)
        except ConfigurationError:
            continue
    return frozenset(words)


def name_of(words: Sequence[str]) -> str:
    """Return a topic name: its first words."""
    return ", ".join(words[:_NAMED]) or "without words"
