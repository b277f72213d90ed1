"""The space: what the unlabelled corpus says about its words.

Document frequencies and, by latent semantic analysis, a vector for every word, from the texts that nobody labelled.
Most of what makes 50 labels enough comes from here. Fitted once for a corpus and given to every training.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from corpuskit.errors import MissingExtraError, RelevanceError
from corpuskit.relevance.counts import Floats, Ints, count, inverse_frequency
from corpuskit.relevance.table import Bags, bags
from corpuskit.relevance.tokens import tokenizer

__all__ = ["Kind", "Space", "Words"]

Kind = Literal["document", "url"]

_TOKENIZERS: dict[str, tuple[str, ...]] = {"document": ("document",), "url": ("url", "url_ngrams")}
_MAX_WORDS = 60_000
_SMALL = 40
_SIZE = 50
_LSA_TEXTS = 20_000


@dataclass(frozen=True, slots=True)
class Words:
    """The tokens of one tokenizer in a pool.

    Attributes:
        tokenizer: its name.
        words: the tokens, sorted.
        frequency: in how many texts each stands.
        texts: of how many texts.
    """

    tokenizer: str
    words: tuple[str, ...]
    frequency: Ints
    texts: int
    index: dict[str, int]

    @property
    def idf(self) -> Floats:
        """The inverse document frequency of every word."""
        return inverse_frequency(self.frequency, self.texts)

    def bags(self, texts: Sequence[str]) -> Bags:
        """The weighted tokens of every text."""
        return bags(count(texts, self.index, tokenizer(self.tokenizer)), self.idf)

    @classmethod
    def fit(cls, texts: Sequence[str], name: str) -> Words:
        """Count in how many texts each token stands; those of a single text are left out."""
        tokenize = tokenizer(name)
        found: Counter[str] = Counter()
        for text in texts:
            found.update(set(tokenize(text)))
        least = 1 if len(texts) < _SMALL else 2
        kept = sorted(((-n, word) for word, n in found.items() if n >= least))[:_MAX_WORDS]
        words = sorted((word, -n) for n, word in kept)
        names = tuple(word for word, _ in words)
        return cls(
            name, names, np.array([n for _, n in words], np.int64), len(texts), {w: i for i, w in enumerate(names)}
        )


def _matrix(found: Bags, columns: int) -> Any:
    from scipy import sparse

    return sparse.csr_matrix((found.weight, (found.row, found.column)), shape=(len(found.tokens), columns))


def _vectors(texts: Sequence[str], words: Words, seed: int) -> Floats:
    """A vector of length one for every word: latent semantic analysis of the texts."""
    try:
        from sklearn.decomposition import TruncatedSVD
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "relevance") from error
    vectors = np.zeros((len(words.words), _SIZE))
    found = words.bags(texts)
    size = min(_SIZE, len(texts) - 1, len(words.words) - 1)
    if size >= 1 and len(found.row):
        lsa = TruncatedSVD(size, n_iter=3, random_state=seed).fit(_matrix(found, len(words.words)))
        raw = (lsa.components_ * np.sqrt(np.maximum(lsa.singular_values_, 0.0))[:, None]).T
        vectors[:, :size] = raw / np.maximum(np.linalg.norm(raw, axis=1, keepdims=True), 1e-9)
    return vectors


@dataclass(frozen=True, slots=True)
class Space:
    """Document frequencies and word vectors of a pool of texts."""

    kind: Kind
    tables: tuple[Words, ...]
    vectors: Floats
    fitted_on: int
    seed: int = 0

    @classmethod
    def fit(cls, texts: Sequence[str], *, kind: Kind = "document", seed: int = 0) -> Space:
        """Fit a space on the texts of a pool, labelled or not.

        Raises:
            RelevanceError: there is no text, or no word in any of them.
        """
        if kind not in _TOKENIZERS:
            raise RelevanceError(f"found kind={kind!r}, expected 'document' or 'url'")
        tables = tuple(Words.fit(texts, name) for name in _TOKENIZERS[kind])
        if not tables[0].words:
            raise RelevanceError(f"found no word in {len(texts)} texts; a space needs texts with words")
        return cls(kind, tables, _vectors(texts[:_LSA_TEXTS], tables[0], seed), len(texts), seed)

    def __repr__(self) -> str:
        return f"Space({self.kind}, {self.fitted_on:,} texts, {len(self.tables[0].words):,} words)"
