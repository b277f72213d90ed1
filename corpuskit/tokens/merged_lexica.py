"""Merged lexicon of all parts of an index. It is stored on disk, because merging millions of strings takes seconds."""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import CorpusError
from corpuskit.safe_folder import SafeFolder
from corpuskit.tokens.index_part import IndexPart
from corpuskit.tokens.part_storage import Stamps, read_merged, write_merged

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[Any]

PREFIX: Final = "merged-"
_MIN_STRINGS: Final = 10_000  # smaller lexica are merged instantly and are not stored


def merged_lexicon(lexica: Sequence[pa.Array]) -> tuple[pa.Array, tuple[Numbers, ...]]:
    """Return the distinct strings of the lexica, sorted, and for each lexicon the numbers of its strings in the result."""
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = pc.dictionary_encode(pa.chunked_array(lexica)).unify_dictionaries()
    strings = encoded.chunk(0).dictionary
    order = pc.array_sort_indices(strings).to_numpy()
    ranks = np.empty(len(order), np.uint32)
    ranks[order] = np.arange(len(order), dtype=np.uint32)
    numbers = tuple(ranks[chunk.indices.to_numpy()] for chunk in encoded.chunks)
    return strings.take(pa.array(order)), numbers


class MergedLexica:
    """Merged lexica of the parts of an index, stored on disk.

    Args:
        tokens: The directory of the index.
        stamps: Stamps of the files of each part, in order. They identify the lexica.
    """

    def __init__(self, tokens: SafeFolder, stamps: dict[str, Stamps]) -> None:
        self._tokens, self._stamps = tokens, stamps

    def name(self, attribute: str) -> str:
        """Return the name of the directory of an attribute."""
        stamps = [[name, files.get(f"{attribute}.arrow")] for name, files in self._stamps.items()]
        return PREFIX + hashlib.sha256(json.dumps([attribute, stamps]).encode()).hexdigest()[:16]

    def lexicon(self, attribute: str, parts: Sequence[IndexPart]) -> tuple[pa.Array, tuple[Numbers, ...]]:
        """Return the result of :func:`merged_lexicon`, from disk if stored."""
        name = self.name(attribute)
        merged = read_merged(self._tokens.subfolder(name), len(parts))
        if merged is None:
            lexica = [part.lexicon(attribute) for part in parts]
            merged = merged_lexicon(lexica)
            if len(merged[0]) >= _MIN_STRINGS:
                self._save(name, *merged)
        return merged

    def _save(self, name: str, strings: pa.Array, numbers: Sequence[Numbers]) -> None:
        """Store a merged lexicon. If writing fails, it is merged again next time."""
        new = f"{name}-{secrets.token_hex(4)}.tmp"
        try:
            write_merged(self._tokens.subfolder(new), strings, numbers)
            if self._tokens.exists(name):
                self._tokens.remove_folder(name)
            self._tokens.rename(new, name)
        except (CorpusError, OSError):
            with contextlib.suppress(CorpusError, OSError):
                self._tokens.remove_folder(new)
