"""The word table: everything a trained model is, once folded.

A text becomes its best tokens by tf-idf, scaled to length one; its logit is the sum of weight times table entry. A table
of documents also has a vector a token: the direction of a text's weighted sum adds to its logit. Plain NumPy: scoring
and explaining need no scikit-learn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from corpuskit.relevance.counts import Counts, Floats, Ints
from corpuskit.relevance.lexicon import Lexicon

#: Tokens of a document that count, the best by tf-idf; with all of them, long documents are ranked worse.
BEST_TOKENS = 100
#: What an unknown token weighs in a text's length, as a share of the rarest known one's square: one topic word among
#: many unknown ones (another language, nonsense) is weak evidence. Average precision does not change up to 0.25.
UNKNOWN = 0.1
_TEXTS_AT_ONCE = 64  # their vectors fit into the processor's cache


@dataclass(frozen=True, slots=True)
class Bags:
    """The weighted tokens of every text: entries sorted by text.

    Attributes:
        row: the text's position.
        column: the token's number.
        weight: tf-idf, scaled so that each text has length one at most.
        tokens: tokens of each text, known or not.
        known: of these, how many are known.
    """

    row: Ints
    column: Ints
    weight: Floats
    tokens: Ints
    known: Ints


def bags(counts: Counts, idf: Floats, best: int | None = BEST_TOKENS) -> Bags:
    """Keep the `best` tokens of each text by (1 + ln times) * idf and scale the text to length one.

    Unknown tokens count in the length where `best` limits the tokens; so known ones alone are shorter than one.
    """
    weight = (1.0 + np.log(counts.times)) * idf[counts.column]
    row, column = counts.row, counts.column
    if best is not None:
        keep = _heaviest(weight, counts.starts, best)
        row, column, weight = row[keep], column[keep], weight[keep]
    square = np.bincount(row, weight * weight, minlength=len(counts.tokens))
    if best is not None and len(idf):
        square = square + np.minimum(counts.tokens - counts.known, best) * UNKNOWN * float(idf.max()) ** 2
    length = np.sqrt(square)
    return Bags(row, column, weight / length[row], counts.tokens, counts.known)


def _heaviest(weight: Floats, starts: Ints, best: int) -> npt.NDArray[np.bool_]:
    """Which entries are among the best of their text; of equal weights the first ones are, on every machine."""
    keep = np.ones(len(weight), np.bool_)
    for text in np.flatnonzero(np.diff(starts) > best).tolist():
        part = weight[starts[text] : starts[text + 1]]
        least = np.partition(part, len(part) - best)[len(part) - best]
        above = part > least
        equal = np.flatnonzero(part == least)
        above[equal[: best - np.count_nonzero(above)]] = True
        keep[starts[text] : starts[text + 1]] = above
    return keep


def directions(found: Bags, vectors: npt.NDArray[np.int8]) -> tuple[Floats, Floats]:
    """Return where each text points in a space.

    Args:
        found: the weighted tokens of the texts.
        vectors: one a token.

    Returns:
        Of each text the weighted sum of its tokens' vectors, scaled to the length of its weighted tokens (one, less
        where tokens are unknown), and the factor that scaled it; zeros for a text without a known token.
    """
    sums = np.zeros((len(found.tokens), vectors.shape[1]))
    starts = np.searchsorted(found.row, np.arange(len(found.tokens) + 1))
    for first in range(0, len(found.tokens), _TEXTS_AT_ONCE):
        edges = starts[first : first + _TEXTS_AT_ONCE + 1]
        part = slice(edges[0], edges[-1])
        filled = np.flatnonzero(np.diff(edges))
        if len(filled):
            entries = vectors[found.column[part]] * found.weight[part, None]
            sums[first + filled] = np.add.reduceat(entries, edges[:-1][filled] - edges[0], axis=0)
    length = np.sqrt(np.bincount(found.row, found.weight**2, minlength=len(found.tokens)))
    factor: Floats = length / np.maximum(np.linalg.norm(sums, axis=1), 1e-9)
    return sums * factor[:, None], factor


@dataclass(frozen=True)
class Meaning:
    """What the direction of a text says.

    Attributes:
        vectors: of each token in the space of the pool; its direction matters.
        weight: what each dimension of a text's direction adds to the logit.
    """

    vectors: npt.NDArray[np.int8]
    weight: Floats


@dataclass(frozen=True)
class WordTable:
    """Tokens with their idf and their share in the logit.

    Attributes:
        tokenizer: name of the tokenizer that makes the tokens.
        words: the tokens.
        idf: inverse document frequency of each, from the pool.
        weight: what each adds to the logit, times its tf-idf in the text.
        bias: what every text gets.
        best: how many tokens of a text count; None for all.
        meaning: what the tokens' vectors add, or None.
    """

    tokenizer: str
    words: tuple[str, ...]
    idf: npt.NDArray[np.float32]
    weight: npt.NDArray[np.float32]
    bias: float
    best: int | None = BEST_TOKENS
    meaning: Meaning | None = None

    @cached_property
    def _lexicon(self) -> Lexicon:
        return Lexicon(self.tokenizer, self.words)

    def bags(self, texts: Sequence[str]) -> Bags:
        """Return the weighted tokens of every text."""
        return bags(self._lexicon.count(texts), self.idf.astype(np.float64), self.best)

    def logits(self, texts: Sequence[str]) -> tuple[Floats, Bags]:
        """Return the bias and all contributions of each text, and its weighted tokens."""
        found = self.bags(texts)
        parts = found.weight * self.weight[found.column]
        sums: Floats = np.bincount(found.row, parts, minlength=len(found.tokens)).astype(np.float64)
        if self.meaning is not None:
            # a sum a text, not a product of matrices: the same score in whatever batch
            sums += (directions(found, self.meaning.vectors)[0] * self.meaning.weight).sum(axis=1)
        return sums + self.bias, found

    def contributions(self, text: str) -> list[tuple[str, float]]:
        """Each token's share in the logit."""
        found = self.bags([text])
        parts = found.weight * self.weight[found.column]
        if self.meaning is not None and len(parts):
            [factor] = directions(found, self.meaning.vectors)[1]
            near = self.meaning.vectors[found.column] @ self.meaning.weight
            parts = parts + found.weight * near * factor
        return [(self.words[column], float(part)) for column, part in zip(found.column, parts, strict=True)]
