"""The lexicon of all parts together, kept on disk: to merge millions of strings takes seconds."""

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
from corpuskit.tokens.part import Part
from corpuskit.tokens.storage import Stamps, read_merged, write_merged

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[Any]

PREFIX: Final = "merged-"
_KEPT_FROM: Final = 10_000  # strings; fewer are merged in no time


def merged_lexicon(lexica: Sequence[pa.Array]) -> tuple[pa.Array, tuple[Numbers, ...]]:
    """The strings of some lexica, each once and in order; and for each lexicon, the numbers of its strings in it."""
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
    """The merged lexica of some parts on disk.

    Args:
        tokens: the folder of the index.
        stamps: of each part, in order, those of its files: other lexica have other ones.
    """

    def __init__(self, tokens: SafeFolder, stamps: dict[str, Stamps]) -> None:
        self._tokens, self._stamps = tokens, stamps

    def name(self, attribute: str) -> str:
        """The folder of an attribute."""
        of = [[name, files.get(f"{attribute}.arrow")] for name, files in self._stamps.items()]
        return PREFIX + hashlib.sha256(json.dumps([attribute, of]).encode()).hexdigest()[:16]

    def lexicon(self, attribute: str, parts: Sequence[Part]) -> tuple[pa.Array, tuple[Numbers, ...]]:
        """What :func:`merged_lexicon` gives, from the disk where it is there."""
        name = self.name(attribute)
        found = read_merged(self._tokens.subfolder(name), len(parts))
        if found is None:
            lexica = [part.lexicon(attribute) for part in parts]
            found = merged_lexicon(lexica)
            if len(found[0]) >= _KEPT_FROM:
                self._keep(name, *found)
        return found

    def _keep(self, name: str, strings: pa.Array, numbers: Sequence[Numbers]) -> None:
        """Writes it; where the disk does not let it, it is merged again the next time."""
        new = f"{name}-{secrets.token_hex(4)}.tmp"
        try:
            write_merged(self._tokens.subfolder(new), strings, numbers)
            if self._tokens.exists(name):
                self._tokens.remove_folder(name)
            self._tokens.rename(new, name)
        except (CorpusError, OSError):
            with contextlib.suppress(CorpusError, OSError):
                self._tokens.remove_folder(new)
