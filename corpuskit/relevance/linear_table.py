"""Linear tables: the weights of a trained model per token.

A text is represented by its top tokens by tf-idf, scaled to length one. Its logit is the sum of weight times feature. A table
of documents also has an LSA vector per token; the LSA vector of the text adds to the logit. Plain NumPy: scoring and
explanations do not depend on scikit-learn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from corpuskit.relevance.token_counter import TokenCounter
from corpuskit.relevance.token_counts import Floats, Ints, TokenCounts

#: Maximum number of tokens used per document, by tf-idf. With all tokens, long documents are ranked worse.
TOP_K_TOKENS = 100
#: Weight of an unknown token in the length of a text, as a share of the squared idf of the rarest known token. It makes one
#: topic word among many unknown ones (another language, nonsense) weak evidence. Average precision is the same up to 0.25.
UNKNOWN = 0.1
_BATCH_SIZE = 64  # texts; their vectors fit into the processor's cache


@dataclass(frozen=True, slots=True)
class TfidfFeatures:
    """Tf-idf features of texts, as a sparse matrix sorted by text.

    Attributes:
        row: Position of the text.
        column: Number of the token.
        weight: Tf-idf, scaled so that each text has a length of at most one.
        tokens: Number of tokens per text, known or unknown.
        known: Number of known tokens per text.
    """

    row: Ints
    column: Ints
    weight: Floats
    tokens: Ints
    known: Ints


def tfidf(counts: TokenCounts, idf: Floats, top_k: int | None = TOP_K_TOKENS) -> TfidfFeatures:
    """Select the `top_k` tokens of each text by (1 + ln times) * idf and scale the text to length one.

    With `top_k`, unknown tokens count in the length of the text, so that known tokens alone are shorter than one.
    """
    weight = (1.0 + np.log(counts.times)) * idf[counts.column]
    row, column = counts.row, counts.column
    if top_k is not None:
        keep = _top_entries(weight, counts.starts, top_k)
        row, column, weight = row[keep], column[keep], weight[keep]
    square = np.bincount(row, weight * weight, minlength=len(counts.tokens))
    if top_k is not None and len(idf):
        square = square + np.minimum(counts.tokens - counts.known, top_k) * UNKNOWN * float(idf.max()) ** 2
    length = np.sqrt(square)
    return TfidfFeatures(row, column, weight / length[row], counts.tokens, counts.known)


def _top_entries(weight: Floats, starts: Ints, top_k: int) -> npt.NDArray[np.bool_]:
    """Return a mask of the top entries of each text. Ties are decided by position, on every machine."""
    keep = np.ones(len(weight), np.bool_)
    for text in np.flatnonzero(np.diff(starts) > top_k).tolist():
        part = weight[starts[text] : starts[text + 1]]
        minimum = np.partition(part, len(part) - top_k)[len(part) - top_k]
        above = part > minimum
        equal = np.flatnonzero(part == minimum)
        above[equal[: top_k - np.count_nonzero(above)]] = True
        keep[starts[text] : starts[text + 1]] = above
    return keep


def lsa_vectors(features: TfidfFeatures, vectors: npt.NDArray[np.int8]) -> tuple[Floats, Floats]:
    """Return the LSA vectors of texts.

    Args:
        features: Tf-idf features of the texts.
        vectors: Vector per token.

    Returns:
        The weighted sum of the vectors of each text's tokens, scaled to the length of its features (at most one), and the
        scaling factor. Zeros for a text without known tokens.
    """
    sums = np.zeros((len(features.tokens), vectors.shape[1]))
    starts = np.searchsorted(features.row, np.arange(len(features.tokens) + 1))
    for first in range(0, len(features.tokens), _BATCH_SIZE):
        edges = starts[first : first + _BATCH_SIZE + 1]
        part = slice(edges[0], edges[-1])
        filled = np.flatnonzero(np.diff(edges))
        if len(filled):
            entries = vectors[features.column[part]] * features.weight[part, None]
            sums[first + filled] = np.add.reduceat(entries, edges[:-1][filled] - edges[0], axis=0)
    length = np.sqrt(np.bincount(features.row, features.weight**2, minlength=len(features.tokens)))
    factor: Floats = length / np.maximum(np.linalg.norm(sums, axis=1), 1e-9)
    return sums * factor[:, None], factor


@dataclass(frozen=True)
class LsaTerm:
    """Contribution of the LSA vector of a text to its logit.

    Attributes:
        vectors: LSA vector per token. Only its direction is used.
        weight: Weight of each dimension.
    """

    vectors: npt.NDArray[np.int8]
    weight: Floats


@dataclass(frozen=True)
class LinearTable:
    """Tokens with idf and weight in the logit.

    Attributes:
        tokenizer: Name of the tokenizer.
        words: The tokens.
        idf: Inverse document frequency of each token in the pool.
        weight: Weight of each token's tf-idf in the logit.
        bias: Intercept.
        top_k: Maximum number of tokens used per text. None: all.
        lsa: Contribution of LSA vectors, or None.
    """

    tokenizer: str
    words: tuple[str, ...]
    idf: npt.NDArray[np.float32]
    weight: npt.NDArray[np.float32]
    bias: float
    top_k: int | None = TOP_K_TOKENS
    lsa: LsaTerm | None = None

    @cached_property
    def _counter(self) -> TokenCounter:
        return TokenCounter(self.tokenizer, self.words)

    def tfidf(self, texts: Sequence[str]) -> TfidfFeatures:
        """Return the tf-idf features of the texts."""
        return tfidf(self._counter.count(texts), self.idf.astype(np.float64), self.top_k)

    def logits(self, texts: Sequence[str]) -> tuple[Floats, TfidfFeatures]:
        """Return the logit and the features of each text."""
        features = self.tfidf(texts)
        parts = features.weight * self.weight[features.column]
        sums: Floats = np.bincount(features.row, parts, minlength=len(features.tokens)).astype(np.float64)
        if self.lsa is not None:
            # A sum per text, not a matrix product: the score must not depend on the batch.
            sums += (lsa_vectors(features, self.lsa.vectors)[0] * self.lsa.weight).sum(axis=1)
        return sums + self.bias, features

    def contributions(self, text: str) -> list[tuple[str, float]]:
        """Return the contribution of each token to the logit."""
        features = self.tfidf([text])
        parts = features.weight * self.weight[features.column]
        if self.lsa is not None and len(parts):
            [factor] = lsa_vectors(features, self.lsa.vectors)[1]
            by_lsa = self.lsa.vectors[features.column] @ self.lsa.weight
            parts = parts + features.weight * by_lsa * factor
        return [(self.words[column], float(part)) for column, part in zip(features.column, parts, strict=True)]
