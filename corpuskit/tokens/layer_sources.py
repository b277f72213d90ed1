"""Token layers: one value per token. Protocol of layer sources, and the sources for lemmas and functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from corpuskit.errors import ConfigurationError, MissingExtraError
from corpuskit.tokens.index_part import IndexPart, spans
from corpuskit.tokens.token_table import TokenTable

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[Any]
    Bools = npt.NDArray[np.bool_]

LayerFunction = Callable[[Sequence[str]], Sequence[str]]
"""Words of a sentence → one value per word."""

Encoded = tuple["Numbers", Sequence[str]]
"""Values as numbers into a list of strings."""

LayerValues = tuple["Numbers", Mapping[str, Encoded]]
"""Token positions, and their values per layer."""

_SIMPLEMMA_CODES: Final = {"no": "nb", "hr": "hbs", "sr": "hbs", "bs": "hbs", "sh": "hbs"}
_RESERVED: Final = ("word", "lower", "gap")
_BATCH_SIZE: Final = 2_000  # tokens per batch of values


class LayerSource(Protocol):
    """Source of layer values."""

    @property
    def name(self) -> str:
        """Name of the source, recorded for each of its layers."""

    def documents(self, part: IndexPart) -> Bools:
        """Return which documents of a part it can annotate."""

    def layer_values(self, part: IndexPart, documents: Bools) -> Iterator[LayerValues]:
        """Yield values in batches. If the source fails, completed values are yielded before the exception propagates."""


def check_layer_name(name: str) -> None:
    """Raise if a layer cannot have a name.

    Raises:
        ConfigurationError: The name is reserved or cannot be used in queries.
    """
    if name in _RESERVED or not name.isidentifier() or not name.isascii() or len(name) > 50:
        raise ConfigurationError(
            f"layer {name!r}: expected a name of letters, digits and _, other than {', '.join(_RESERVED)}"
        )


def encoded(values: Sequence[str]) -> Encoded:
    """Return values as numbers into a list of strings."""
    strings: dict[str, int] = {}
    numbers = np.array([strings.setdefault(value, len(strings)) for value in values], np.uint32)
    return numbers, list(strings)


def token_positions(part: IndexPart, documents: Bools) -> Numbers:
    """Return the token positions of documents."""
    bounds = part.document_bounds()
    return spans(bounds[:-1][documents], bounds[1:][documents])


@dataclass(frozen=True, slots=True)
class LemmaSource:
    """Lemmas by simplemma."""

    name: str = "lemma"

    def documents(self, part: IndexPart) -> Bools:
        """Return all documents."""
        return np.ones(len(part.documents), np.bool_)

    def layer_values(self, part: IndexPart, documents: Bools) -> Iterator[LayerValues]:
        """Yield the lemmas of all tokens, see :func:`lemmas`."""
        numbers, strings = lemmas(part.table(documents))
        yield token_positions(part, documents), {"lemma": (numbers, strings.to_pylist())}


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """Values that a function returns for the words of a sentence."""

    name: str
    function: LayerFunction

    def documents(self, part: IndexPart) -> Bools:
        """Return all documents."""
        return np.ones(len(part.documents), np.bool_)

    def layer_values(self, part: IndexPart, documents: Bools) -> Iterator[LayerValues]:
        """Yield the values of sentences in batches. If the function fails or is interrupted, yield completed values first.

        Raises:
            ConfigurationError: The function returned another number of values than words.
        """
        words, bounds = part.lexicon("word").to_pylist(), part.sentence_bounds()
        document_of = np.searchsorted(part.document_bounds(), bounds[:-1], side="right") - 1
        positions: list[int] = []
        values: list[str] = []
        interruption: BaseException | None = None
        for (start, end), document in zip(pairwise(bounds.tolist()), document_of.tolist(), strict=True):
            if not documents[document]:
                continue
            sentence = [words[number] for number in part.column("word")[start:end].tolist()]
            try:
                values += self._values(sentence, part, document)
            except BaseException as error:  # Ctrl-C too: completed values are stored
                interruption = error
                break
            positions += range(start, end)
            if len(positions) >= _BATCH_SIZE:
                yield np.array(positions), {self.name: encoded(values)}
                positions, values = [], []
        if positions or interruption is None:  # a failure at the first sentence must not leave an empty layer
            yield np.array(positions, np.int64), {self.name: encoded(values)}
        if interruption is not None:
            raise interruption

    def _values(self, sentence: Sequence[str], part: IndexPart, document: int) -> list[str]:
        location = f"{' '.join(sentence)[:100]!r} of document {part.documents.column('doc_id')[document].as_py()}"
        try:
            values = [str(value) for value in self.function(sentence)]
        except Exception as error:
            error.add_note(f"layer {self.name!r}: the function failed at the {len(sentence)} words {location}")
            raise
        if len(values) != len(sentence):
            raise ConfigurationError(
                f"layer {self.name!r}: found {len(values)} values for the {len(sentence)} words {location}; "
                "expected one per word"
            )
        return values


def without_lemmas(documents: pa.Table) -> dict[str, int]:
    """Return language → number of documents, for languages without lemmas in simplemma. ``?`` is an unknown language."""
    known = {_SIMPLEMMA_CODES.get(lang or "", lang) or "?" for lang in languages_of(documents)}
    unknown = {lang for lang in known if _lemmatizer(lang) is str.casefold}
    langs = Counter(_SIMPLEMMA_CODES.get(lang or "", lang) or "?" for lang in languages_of(documents))
    return {lang: count for lang, count in langs.items() if lang in unknown}


def lemmas(table: TokenTable) -> tuple[Numbers, pa.Array]:
    """Return the lemma of each token by simplemma. In other languages the lemma is the lower-case word.

    Raises:
        MissingExtraError: The extra ``lemma`` is not installed.
    """
    import pyarrow as pa

    languages = _languages(table)
    words = table.lexica["word"].to_pylist()
    numbers = np.zeros(len(table.columns["word"]), np.uint32)
    strings: dict[str, int] = {}
    of_token = np.repeat(languages, _document_tokens(table))
    for language in np.unique(languages).tolist():
        positions = np.flatnonzero(of_token == language)
        lemma = _lemmatizer(language)
        lemma_of_word = np.zeros(len(words), np.uint32)
        for number in np.unique(table.columns["word"][positions]).tolist():
            lemma_of_word[number] = strings.setdefault(lemma(words[number]), len(strings))
        numbers[positions] = lemma_of_word[table.columns["word"][positions]]
    return numbers, pa.array(list(strings), pa.large_string())


def languages_of(documents: pa.Table) -> list[str | None]:
    """Return the language of each document."""
    known: list[str | None] = documents.column("lang").to_pylist() if "lang" in documents.column_names else []
    return known or [None] * len(documents)


def _languages(table: TokenTable) -> Numbers:
    langs = languages_of(table.documents)
    return np.array([_SIMPLEMMA_CODES.get(lang, lang) if lang else "" for lang in langs], dtype=object).astype(str)


def _lemmatizer(language: str) -> Callable[[str], str]:
    try:
        from simplemma import lemmatize
        from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES
    except ImportError as error:
        raise MissingExtraError("simplemma", "lemma") from error
    if language not in SUPPORTED_LANGUAGES:
        return str.casefold
    max_length = 100  # characters; no dictionary has longer words

    def lemma(word: str) -> str:
        return str(lemmatize(word, lang=language)) if len(word) <= max_length else word.casefold()

    return lemma


def _document_tokens(table: TokenTable) -> Numbers:
    """Return the number of tokens per document."""
    elements = np.concatenate([[0], np.cumsum(table.columns["document_size"], dtype=np.int64)])
    tokens = np.concatenate([[0], np.cumsum(table.columns["element_size"], dtype=np.int64)])
    sizes: Numbers = np.diff(tokens[elements])
    return sizes
