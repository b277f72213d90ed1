"""Layers of annotation: a value for each token, beside its word; here those of simplemma and of functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from corpuskit.errors import ConfigurationError, MissingExtraError
from corpuskit.tokens.chunks import Chunk
from corpuskit.tokens.part import Part, spans

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[Any]
    Bools = npt.NDArray[np.bool_]

Values = Callable[[Sequence[str]], Sequence[str]]
"""The words of a sentence → a value for each."""

Encoded = tuple["Numbers", Sequence[str]]
"""Values as numbers of strings."""

Piece = tuple["Numbers", Mapping[str, Encoded]]
"""Places of tokens, and their values in some layers."""

_SAME: Final = {"no": "nb", "hr": "hbs", "sr": "hbs", "bs": "hbs", "sh": "hbs"}  # what simplemma calls them
_TAKEN: Final = ("word", "lower", "gap")
_AT_ONCE: Final = 2_000  # tokens whose values are kept together


class Annotator(Protocol):
    """Says what stands in layers."""

    @property
    def name(self) -> str:
        """What it is called, to know which layers it made."""

    def documents(self, part: Part) -> Bools:
        """The documents of a part that it can say something of."""

    def pieces(self, part: Part, documents: Bools) -> Iterator[Piece]:
        """What it says of the tokens of some documents; where it fails, first of those before."""


def check_name(name: str) -> None:
    """Looks whether a layer can have a name.

    Raises:
        ConfigurationError: it is taken, or no name of queries.
    """
    if name in _TAKEN or not name.isidentifier() or not name.isascii() or len(name) > 50:
        raise ConfigurationError(f"a layer called {name!r}: expected a name of letters, digits and _, not {_TAKEN[0]}")


def encoded(values: Sequence[str]) -> Encoded:
    """Values as numbers of strings."""
    strings: dict[str, int] = {}
    numbers = np.array([strings.setdefault(value, len(strings)) for value in values], np.uint32)
    return numbers, list(strings)


def places_of(part: Part, documents: Bools) -> Numbers:
    """The places of the tokens of some documents."""
    bounds = part.document_bounds()
    return spans(bounds[:-1][documents], bounds[1:][documents])


@dataclass(frozen=True, slots=True)
class Lemmas:
    """The lemma of each token by simplemma."""

    name: str = "lemma"

    def documents(self, part: Part) -> Bools:
        """All of them."""
        return np.ones(len(part.documents), np.bool_)

    def pieces(self, part: Part, documents: Bools) -> Iterator[Piece]:
        """The lemmas of all tokens at once; see :func:`lemmas`."""
        numbers, strings = lemmas(part.chunk(documents))
        yield places_of(part, documents), {"lemma": (numbers, strings.to_pylist())}


@dataclass(frozen=True, slots=True)
class Function:
    """What a function says of the words of a sentence."""

    name: str
    function: Values

    def documents(self, part: Part) -> Bools:
        """All of them."""
        return np.ones(len(part.documents), np.bool_)

    def pieces(self, part: Part, documents: Bools) -> Iterator[Piece]:
        """The values of some sentences at a time; of all that it was asked, when it fails or is stopped.

        Raises:
            ConfigurationError: it gives another number of values than there are words.
        """
        words, bounds = part.lexicon("word").to_pylist(), part.sentence_bounds()
        of = np.searchsorted(part.document_bounds(), bounds[:-1], side="right") - 1
        places: list[int] = []
        values: list[str] = []
        stopped: BaseException | None = None
        for (start, end), document in zip(pairwise(bounds.tolist()), of.tolist(), strict=True):
            if not documents[document]:
                continue
            sentence = [words[number] for number in part.column("word")[start:end].tolist()]
            try:
                values += self._values(sentence, part, document)
            except BaseException as error:  # Ctrl-C too: what was said before is kept
                stopped = error
                break
            places += range(start, end)
            if len(places) >= _AT_ONCE:
                yield np.array(places), {self.name: encoded(values)}
                places, values = [], []
        if places or stopped is None:  # what fails at the first words leaves no layer, which queries would find empty
            yield np.array(places, np.int64), {self.name: encoded(values)}
        if stopped is not None:
            raise stopped

    def _values(self, sentence: Sequence[str], part: Part, document: int) -> list[str]:
        where = f"{' '.join(sentence)[:100]!r} of document {part.documents.column('doc_id')[document].as_py()}"
        try:
            values = [str(value) for value in self.function(sentence)]
        except Exception as error:
            error.add_note(f"layer {self.name!r}: the function failed at the {len(sentence)} words {where}")
            raise
        if len(values) != len(sentence):
            raise ConfigurationError(
                f"layer {self.name!r}: {len(values)} values for the {len(sentence)} words {where}; "
                "expected one for each"
            )
        return values


def without_lemmas(documents: pa.Table) -> dict[str, int]:
    """Language → how many documents have it, of those of whose words simplemma knows no lemma; ``?`` where it is unknown."""
    known = {_SAME.get(lang or "", lang) or "?" for lang in languages_of(documents)}
    unknown = {lang for lang in known if _lemmatizer(lang) is str.casefold}
    langs = Counter(_SAME.get(lang or "", lang) or "?" for lang in languages_of(documents))
    return {lang: count for lang, count in langs.items() if lang in unknown}


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


def languages_of(documents: pa.Table) -> list[str | None]:
    """The language of each document."""
    known: list[str | None] = documents.column("lang").to_pylist() if "lang" in documents.column_names else []
    return known or [None] * len(documents)


def _languages(chunk: Chunk) -> Numbers:
    langs = languages_of(chunk.documents)
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


def _document_tokens(chunk: Chunk) -> Numbers:
    """How many tokens each document has."""
    elements = np.concatenate([[0], np.cumsum(chunk.columns["document_size"], dtype=np.int64)])
    tokens = np.concatenate([[0], np.cumsum(chunk.columns["element_size"], dtype=np.int64)])
    found: Numbers = np.diff(tokens[elements])
    return found
