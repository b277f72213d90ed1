"""Layers by a pipeline of spaCy: its own tokens, and of each of ours the values of the one in which it begins."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError, MissingExtraError
from corpuskit.tokens.layers import Piece, encoded, languages_of
from corpuskit.tokens.part import Part

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[Any]
    Bools = npt.NDArray[np.bool_]

_LAYERS: Final = {
    "lemma": ("LEMMA", "lemma_"),
    "pos": ("POS", "pos_"),
    "tag": ("TAG", "tag_"),
    "dep": ("DEP", "dep_"),
    "ent": ("ENT_IOB", "ent_type_"),
}
_NONE: Final = "_"  # a token that the pipeline says nothing of; without it, it would be asked again
_LONGEST: Final = 100_000  # characters of a text; its parsers take a GB for ten times as many
_TEXTS: Final = 500  # whose words spaCy remembers together


class Spacy:
    """Asks a pipeline of spaCy.

    Args:
        model: what ``spacy.load`` takes: the name of an installed model, or a folder.

    Raises:
        ConfigurationError: there is no such model.
        MissingExtraError: spaCy is not installed.
    """

    def __init__(self, model: str) -> None:
        try:
            import spacy
        except ImportError as error:
            raise MissingExtraError("spacy", "spacy") from error
        self.name = f"spacy:{model}"
        try:
            self._nlp = spacy.load(model)
        except (OSError, ValueError) as error:
            raise ConfigurationError(
                f"no model {model!r} of spaCy; python -m spacy download {model} installs it ({str(error)[:200]})"
            ) from error

    def documents(self, part: Part) -> Bools:
        """Those in the language of the model."""
        lang = self._nlp.lang
        return np.array([lang in ("xx", found) for found in languages_of(part.documents)], np.bool_)

    def pieces(self, part: Part, documents: Bools) -> Iterator[Piece]:
        """What the pipeline says, some texts at a time."""
        texts = _texts(part, documents)
        while some := list(islice(texts, _TEXTS)):
            with self._nlp.memory_zone():
                found = [
                    (places, self._values(doc, starts))
                    for doc, (places, starts) in self._nlp.pipe(
                        ((text, about) for text, *about in some), as_tuples=True
                    )
                ]
            yield from found

    def _values(self, doc: Any, starts: Numbers) -> dict[str, Any]:
        of = np.searchsorted([token.idx for token in doc], starts, side="right") - 1
        tokens = [doc[i] for i in of.tolist()]
        nothing = {"ent": "O"}
        return {
            layer: encoded([getattr(token, attribute) or nothing.get(layer, _NONE) for token in tokens])
            for layer, (annotation, attribute) in _LAYERS.items()
            if doc.has_annotation(annotation)
        }


def _texts(part: Part, documents: Bools) -> Iterator[tuple[str, Numbers, Numbers]]:
    """The texts of elements, cut where they are too long; the places of their tokens, and where each begins in them."""
    of_documents: Numbers = part.column("document_start").astype(np.int64)
    elements = np.repeat(documents, of_documents[1:] - of_documents[:-1])
    words = np.array([len(word) for word in part.lexicon("word").to_pylist()], np.int64)
    gaps = np.array([len(gap) for gap in part.lexicon("gap").to_pylist()], np.int64)
    bounds = part.column("element_start").astype(np.int64)
    for element in np.flatnonzero(elements).tolist():
        text, places = part.text(element), np.arange(bounds[element], bounds[element + 1])
        sizes = words[part.column("word")[places]]
        starts = np.cumsum(gaps[part.column("gap")[places]] + sizes) - sizes
        piece = starts // _LONGEST
        for number in np.unique(piece).tolist():
            chosen = piece == number
            first, last = starts[chosen][0], (starts + sizes)[chosen][-1]
            whole = piece[-1] == 0
            yield (text, places, starts) if whole else (text[first:last], places[chosen], starts[chosen] - first)
