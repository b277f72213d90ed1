"""The words of a topic: those that more of its documents have than of the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Final

import numpy as np

from corpuskit.errors import ConfigurationError
from corpuskit.relevance.vector_space import Vocabulary
from corpuskit.text import stop_words

__all__ = ["name_of", "says_something", "stop_words_of", "together", "words_of"]

_NAMED: Final = 3  # words in a name
# What tokens leave of "don't"; the list of English has the whole only.
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
    """Return the words that say what texts are about, those first that say it best.

    The share of the texts that have a word, times the logarithm of how many times the share in all texts that is. Numbers,
    single letters and stop words are left out.

    Args:
        words: of the space, with their frequency in all texts.
        texts: of the topic.
        stop: words that are not named.
        n: at most so many.
    """
    if not texts or not len(words.words):
        return ()
    found = words.count(texts)
    here = np.bincount(found.column, minlength=len(words.words)) / len(texts)
    everywhere = np.maximum(words.frequency, 1) / max(words.texts, 1)
    with np.errstate(divide="ignore"):
        score = np.where(here > 0, here * np.log(np.maximum(here, 1e-12) / everywhere), 0.0)
    chosen: list[str] = []
    for at in np.argsort(-score, kind="stable"):
        if score[at] <= 0 or len(chosen) == n:
            break
        word = words.words[at]
        if word not in stop and says_something(word):
            chosen.append(word)
    return tuple(chosen)


def together(parts: Iterable[Sequence[str]], n: int = 10) -> tuple[str, ...]:
    """Return the words of several topics as those of one: the first of each, then the second of each, and so on."""
    rows = zip_longest(*parts)
    return tuple(dict.fromkeys(word for row in rows for word in row if word is not None))[:n]


def says_something(word: str) -> bool:
    """Return whether a word could name something: numbers and single letters do not."""
    return not any(character.isdigit() for character in word) and (len(word) > 2 or not word.isascii())


def stop_words_of(languages: Iterable[str | None]) -> frozenset[str]:
    """Return the stop words of languages; of those without a list none."""
    languages = set(languages)
    found = set(_CUT) if "en" in languages else set()
    for lang in filter(None, languages):
        try:
            found |= stop_words(lang)
        except ConfigurationError:
            continue
    return frozenset(found)


def name_of(words: Sequence[str]) -> str:
    """Return a name made of the first words."""
    return ", ".join(words[:_NAMED]) or "without words"
