"""Hashes of word n-grams, and similarities of texts estimated from them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any, Final

from corpuskit.text.tokens import WORD
from corpuskit.validation import check_count

SKETCH: Final = 512
"""Maximum number of hashes of a text; the smallest are retained."""
_UNSPACED: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_MAX_CACHED_WORDS: Final = 2_000_000
_MULTIPLIER: Final = 0x9E3779B97F4A7C15


class Shingles:
    """Texts as sets of 64-bit hashes of ``size`` words in a row; a text of fewer words is one run.

    Words are compared without case and punctuation; scripts written without blanks count every character as a word. The
    hashes are the same on every machine and in every run.
    """

    def __init__(self, size: int = 3) -> None:
        self.size = check_count(size, "size", minimum=1)
        self._words: dict[str, int] = {}

    def of(self, text: str) -> Any:
        """Return the sorted hashes of a text (uint64 array)."""
        import numpy as np

        words = WORD.findall(text.casefold())
        if _UNSPACED.search(text):
            words = [part for word in words for part in (word if _UNSPACED.search(word) else (word,))]
        if not words:
            return np.empty(0, np.uint64)
        known = self._words
        if len(known) > _MAX_CACHED_WORDS:
            known.clear()
        codes = np.empty(len(words), np.uint64)
        for position, word in enumerate(words):
            code = known.get(word)
            if code is None:
                code = int.from_bytes(
                    hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "little"
                )
                known[word] = code
            codes[position] = code
        size = min(self.size, len(codes))
        length = len(codes) - size + 1
        total = np.full(length, size, np.uint64)
        for offset in range(size):
            total = total * np.uint64(_MULTIPLIER) + codes[offset : offset + length]
        return np.unique(_mixed(total))


def _mixed(values: Any) -> Any:
    """Return hashes mixed by the finaliser of SplitMix64 (Steele, Lea, Flood 2014)."""
    import numpy as np

    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def sketch(hashes: Any) -> Any:
    """Return the :data:`SKETCH` smallest hashes of a set as sorted uint32."""
    return (hashes[:SKETCH] >> 32).astype("uint32")


def likeness(first: Any, second: Any) -> float:
    """Return the Jaccard index of two sets from their sketches: exact for small sets, else estimated (bottom-k, Cohen 1997)."""
    import numpy as np

    shared = len(np.intersect1d(first, second, assume_unique=False))
    if len(first) < SKETCH and len(second) < SKETCH:
        union = len(first) + len(second) - shared
        return shared / union if union else 0.0
    smallest = np.union1d(first, second)[:SKETCH]
    both = np.intersect1d(np.intersect1d(smallest, first), second)
    return len(both) / len(smallest)


def jaccard(first: str, second: str, *, size: int = 3) -> float:
    """Return the Jaccard index of two texts: runs of ``size`` words they share, by those that either has; 0 without words.

    Args:
        first: A text.
        second: Another text.
        size: Number of words of a run.
    """
    import numpy as np

    shingles = Shingles(size)
    a, b = shingles.of(first), shingles.of(second)
    union = len(np.union1d(a, b))
    return len(np.intersect1d(a, b)) / union if union else 0.0


def signatures(sets: Sequence[Any], bands: int, rows: int) -> Any:
    """Return one hash per band of each set's MinHash (uint64 array, sets by bands). Equal hashes are candidates.

    The permutations are rensa's. Two texts of Jaccard index j share a band with probability 1 - (1 - j**rows)**bands.
    """
    import numpy as np
    from rensa import RMinHash

    if not sets:
        return np.empty((0, bands), np.uint64)
    flat = np.concatenate(sets)
    ends = np.concatenate([[0], np.cumsum([len(hashes) for hashes in sets])]).astype(np.uint64)
    matrix = RMinHash.digest_matrix_from_flat_token_hashes(flat, ends, bands * rows, 42)
    values = np.array(matrix.to_rows(), np.uint64).reshape(len(sets), bands, rows)
    total = np.tile(np.arange(1, bands + 1, dtype=np.uint64), (len(sets), 1))
    for row in range(rows):
        total = total * np.uint64(_MULTIPLIER) + values[:, :, row]
    return _mixed(total)
