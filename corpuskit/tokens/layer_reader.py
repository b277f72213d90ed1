"""Reader of token layers per document, for exports."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from corpuskit.store import CorpusFolder
from corpuskit.tokens.index import TokenIndex, layers_on_disk, open_index
from corpuskit.tokens.index_builder import LAYER_ORIGINS

if TYPE_CHECKING:
    from collections.abc import Sequence

Words = tuple["Sequence[str]", "Sequence[Sequence[str]]"]
"""Words of an element, and for each word its value per layer."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """Layers of the documents of a corpus.

    Attributes:
        names: Names of the layers.
        state: Changes if the layers change.
    """

    names: tuple[str, ...]
    state: str
    _index: TokenIndex = field(repr=False)
    _rows: dict[str, tuple[int, int]] = field(repr=False)

    def of(self, doc_id: str) -> dict[int, Words]:
        """Return element_id → words and their values. Empty for a document that is not in the index.

        Args:
            doc_id: The document.
        """
        import pyarrow as pa

        if doc_id not in self._rows:
            return {}
        number, row = self._rows[doc_id]
        part = self._index.parts[number]
        first, last = (int(element) for element in part.column("document_start")[row : row + 2])
        bounds = part.column("element_start")[first : last + 1].astype(np.int64)
        tokens = slice(int(bounds[0]), int(bounds[-1]))
        words, *layers = (
            part.lexicon(name).take(pa.array(part.numbers(name, tokens))).to_pylist() for name in ("word", *self.names)
        )
        values = list(zip(*layers, strict=True))
        ids = part.column("element_id")[first:last].tolist()
        offsets = (bounds - bounds[0]).tolist()
        return {
            element_id: (words[start:end], values[start:end])
            for element_id, start, end in zip(ids, offsets[:-1], offsets[1:], strict=True)
        }


def annotation_of(folder: CorpusFolder) -> Annotation | None:
    """Return the layers of a corpus, or None if it has none. In that case no index is built.

    Args:
        folder: The corpus folder.
    """
    if not layers_on_disk(folder):
        return None
    index = open_index(folder)
    rows = {
        doc_id: (number, row)
        for number, (part, alive) in enumerate(zip(index.parts, index.alive, strict=True))
        for row, (doc_id, is_alive) in enumerate(
            zip(part.documents.column("doc_id").to_pylist(), alive.tolist(), strict=True)
        )
        if is_alive
    }
    state = json.dumps([index.layers, folder.catalog.meta(LAYER_ORIGINS)])
    return Annotation(index.layers, state, index, rows) if index.layers else None
