"""Layers of annotation: a value for each token, beside its word."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError, MissingExtraError
from corpuskit.tokens.chunks import Chunk

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[Any]

Values = Callable[[Sequence[str]], Sequence[str]]
"""The words of a sentence → a value for each."""

_SAME: Final = {"no": "nb", "hr": "hbs", "sr": "hbs", "bs": "hbs", "sh": "hbs"}  # what simplemma calls them
_TAKEN: Final = ("word", "lower", "gap")


def check_name(name: str) -> None:
    """Looks whether a layer can have a name.

    Raises:
        ConfigurationError: it is taken, or no name of queries.
    """
    if name in _TAKEN or not name.isidentifier() or not name.isascii() or len(name) > 50:
        raise ConfigurationError(f"a layer called {name!r}: expected a name of letters, digits and _, not {_TAKEN[0]}")


def lemmas(chunk: Chunk) -> tuple[Numbers, pa.Array]:
    """The lemma of each token by simplemma, from the language of its document; elsewhere the word in lower case.

    Raises:
        MissingExtraError: the extra ``lemma`` is not installed.
    """
    import pyarrow as pa

    languages = _languages(chunk)
    words = chunk.lexica["word"].to_pylist()
    numbers = np.zeros(len(chunk.columns["word"]), np.uint32)
    strings: dict[str, int] = {}
    of_token = np.repeat(languages, _document_tokens(chunk))
    for language in np.unique(languages).tolist():
        places = np.flatnonzero(of_token == language)
        lemma = _lemmatizer(language)
        found = np.zeros(len(words), np.uint32)
        for number in np.unique(chunk.columns["word"][places]).tolist():
            found[number] = strings.setdefault(lemma(words[number]), len(strings))
        numbers[places] = found[chunk.columns["word"][places]]
    return numbers, pa.array(list(strings), pa.large_string())


def _languages(chunk: Chunk) -> Numbers:
    known = "lang" in chunk.documents.column_names
    langs = chunk.documents.column("lang").to_pylist() if known else [None] * len(chunk.documents)
    return np.array([_SAME.get(lang, lang) if lang else "" for lang in langs], dtype=object).astype(str)


def _lemmatizer(language: str) -> Callable[[str], str]:
    try:
        from simplemma import lemmatize
        from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES
    except ImportError as error:
        raise MissingExtraError("simplemma", "lemma") from error
    if language not in SUPPORTED_LANGUAGES:
        return str.casefold
    longest = 100  # characters; longer words are in no dictionary

    def lemma(word: str) -> str:
        return str(lemmatize(word, lang=language)) if len(word) <= longest else word.casefold()

    return lemma


def valued(chunk: Chunk, sentences: Iterator[tuple[int, int]], name: str, function: Values) -> tuple[Numbers, pa.Array]:
    """What a function says of each token, sentence by sentence.

    Raises:
        ConfigurationError: it gives another number of values than there are words.
    """
    import pyarrow as pa

    words, numbers = chunk.lexica["word"].to_pylist(), np.zeros(len(chunk.columns["word"]), np.uint32)
    strings: dict[str, int] = {}
    for start, end in sentences:
        sentence = [words[number] for number in chunk.columns["word"][start:end].tolist()]
        values = [str(value) for value in function(sentence)]
        if len(values) != len(sentence):
            raise ConfigurationError(
                f"layer {name!r}: {len(values)} values for the {len(sentence)} words {' '.join(sentence)[:100]!r}; "
                "expected one for each"
            )
        numbers[start:end] = [strings.setdefault(value, len(strings)) for value in values]
    return numbers, pa.array(list(strings), pa.large_string())


def _document_tokens(chunk: Chunk) -> Numbers:
    """How many tokens each document has."""
    elements = np.concatenate([[0], np.cumsum(chunk.columns["document_size"], dtype=np.int64)])
    tokens = np.concatenate([[0], np.cumsum(chunk.columns["element_size"], dtype=np.int64)])
    found: Numbers = np.diff(tokens[elements])
    return found
