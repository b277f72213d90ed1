"""Layers by a spaCy pipeline. A corpus token gets the values of the spaCy token in which it begins."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError, MissingExtraError
from corpuskit.tokens.index_part import IndexPart
from corpuskit.tokens.layer_sources import LayerValues, encoded, languages_of

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
_NO_VALUE: Final = "_"  # value of a token without annotation; an empty value would be requested again
_MAX_TEXT_LENGTH: Final = 100_000  # characters; a parser needs 1 GB for a text ten times as long
_BATCH_SIZE: Final = 500  # texts per memory zone of spaCy


class SpacySource:
    """Layers by a spaCy pipeline.

    Args:
        model: Argument of ``spacy.load``: name of an installed model, or a directory.

    Raises:
        ConfigurationError: The model does not exist.
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
                f"spaCy has no model {model!r}; install it by python -m spacy download {model} ({str(error)[:200]})"
            ) from error

    def documents(self, part: IndexPart) -> Bools:
        """Return which documents are in the language of the model."""
        lang = self._nlp.lang
        return np.array([lang in ("xx", of_document) for of_document in languages_of(part.documents)], np.bool_)

    def layer_values(self, part: IndexPart, documents: Bools) -> Iterator[LayerValues]:
        """Yield the values of texts in batches."""
        texts = _texts(part, documents)
        while batch := list(islice(texts, _BATCH_SIZE)):
            with self._nlp.memory_zone():
                values = [
                    (positions, self._values(doc, starts))
                    for doc, (positions, starts) in self._nlp.pipe(
                        ((text, context) for text, *context in batch), as_tuples=True
                    )
                ]
            yield from values

    def _values(self, doc: Any, starts: Numbers) -> dict[str, Any]:
        token_of = np.searchsorted([token.idx for token in doc], starts, side="right") - 1
        tokens = [doc[i] for i in token_of.tolist()]
        no_value = {"ent": "O"}
        return {
            layer: encoded([getattr(token, attribute) or no_value.get(layer, _NO_VALUE) for token in tokens])
            for layer, (annotation, attribute) in _LAYERS.items()
            if doc.has_annotation(annotation)
        }


def _texts(part: IndexPart, documents: Bools) -> Iterator[tuple[str, Numbers, Numbers]]:
    """Yield texts of elements, split if too long, with the positions and character offsets of their tokens."""
    document_starts: Numbers = part.column("document_start").astype(np.int64)
    elements = np.repeat(documents, document_starts[1:] - document_starts[:-1])
    words = np.array([len(word) for word in part.lexicon("word").to_pylist()], np.int64)
    gaps = np.array([len(gap) for gap in part.lexicon("gap").to_pylist()], np.int64)
    bounds = part.column("element_start").astype(np.int64)
    for element in np.flatnonzero(elements).tolist():
        text, positions = part.text(element), np.arange(bounds[element], bounds[element + 1])
        sizes = words[part.column("word")[positions]]
        starts = np.cumsum(gaps[part.column("gap")[positions]] + sizes) - sizes
        piece = starts // _MAX_TEXT_LENGTH
        for number in np.unique(piece).tolist():
            chosen = piece == number
            first, last = starts[chosen][0], (starts + sizes)[chosen][-1]
            is_unsplit = piece[-1] == 0
            yield (
                (text, positions, starts)
                if is_unsplit
                else (text[first:last], positions[chosen], starts[chosen] - first)
            )
