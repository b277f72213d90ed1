"""Vector space of a corpus: document frequencies and LSA word vectors fitted on the unlabelled pool.

It is the main reason why 50 labels are enough. It is fitted once per corpus and used by every training.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from corpuskit.errors import MissingExtraError, RelevanceError
from corpuskit.relevance import model_storage
from corpuskit.relevance.linear_table import TOP_K_TOKENS, TfidfFeatures, tfidf
from corpuskit.relevance.model_storage import pack_words, unpack_words
from corpuskit.relevance.token_counter import TokenCounter, frequencies
from corpuskit.relevance.token_counts import Floats, Ints, TokenCounts, inverse_frequency
from corpuskit.safe_folder import Folder, as_safe_folder, ensure_folder

Kind = Literal["document", "url"]

_TOKENIZERS: dict[str, tuple[str, ...]] = {"document": ("document",), "url": ("url", "url_ngrams")}
_MAX_WORDS = 60_000
_SMALL_POOL = 40  # texts; in larger pools, tokens of a single text are left out
_DIMENSIONS = 50
_SAMPLE = 20_000
_DISPLACEMENT = 1e-6
_MIN_SINGULAR_VALUE = 1e-6  # relative to the largest one


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of a pool by one tokenizer.

    Attributes:
        tokenizer: Name of the tokenizer.
        words: The tokens, sorted.
        frequency: Document frequency of each token.
        texts: Number of texts.
    """

    tokenizer: str
    words: tuple[str, ...]
    frequency: Ints
    texts: int

    @property
    def idf(self) -> Floats:
        """Inverse document frequency. For URLs its square root, because most tokens of a URL are rare."""
        idf = inverse_frequency(self.frequency, self.texts)
        return idf if self.tokenizer == "document" else np.sqrt(idf)

    @property
    def top_k(self) -> int | None:
        """Maximum number of tokens used per text. None: all."""
        return TOP_K_TOKENS if self.tokenizer == "document" else None

    @cached_property
    def _counter(self) -> TokenCounter:
        return TokenCounter(self.tokenizer, self.words)

    def tfidf(self, texts: Sequence[str]) -> TfidfFeatures:
        """Return the tf-idf features of the texts."""
        return tfidf(self.count(texts), self.idf, self.top_k)

    def count(self, texts: Sequence[str]) -> TokenCounts:
        """Return the frequency of each token in each text."""
        return self._counter.count(texts)

    @classmethod
    def fit(cls, texts: Sequence[str], name: str) -> Vocabulary:
        """Count document frequencies. In large pools tokens of a single text are left out."""
        minimum = 1 if len(texts) < _SMALL_POOL else 2
        counts = frequencies(texts, name)
        frequent = sorted((-number, word) for word, number in counts.items() if number >= minimum)[:_MAX_WORDS]
        words = sorted((word, -number) for number, word in frequent)
        return cls(name, tuple(word for word, _ in words), np.array([n for _, n in words], np.int64), len(texts))


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread for linear algebra: sums do not depend on the number of cores, and small ones are faster."""
    with _thread_pools(len(sys.modules)).limit(limits=1):
        yield


@lru_cache(maxsize=1)
def _thread_pools(modules: int) -> Any:
    """Return the controller of all loaded libraries. The argument invalidates the cache when modules were imported."""
    try:
        return import_module("threadpoolctl").ThreadpoolController()
    except ImportError as error:  # installed with scikit-learn
        raise MissingExtraError("scikit-learn", "relevance") from error


def comparable(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return values rounded to six decimals, for sorting and for maxima. Ties are then decided by position.

    The last bits of a matrix product depend on the kernel that the linear algebra library selects for the processor.
    """
    return values.round(6)


def untied(rows: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return rows in double precision, each with a fixed displacement of about 1e-6. Equal rows stay equal.

    Symmetrical rows have equally good clusters and axes. The displacement, which depends on the position, decides between
    them. Without it the last bit of a matrix product would decide, which depends on the processor.
    """
    _, first, group = np.unique(rows.round(5), axis=0, return_index=True, return_inverse=True)
    pattern = np.random.RandomState(0).standard_normal(rows.shape)[first[group.ravel()]]
    moved: npt.NDArray[np.float64] = rows.astype(np.float64) + _DISPLACEMENT * pattern
    return moved


def matrix(features: TfidfFeatures, columns: int) -> Any:
    """Return tf-idf features as a sparse matrix with one row per text."""
    from scipy import sparse

    shape = (len(features.tokens), max(columns, 1))
    return sparse.csr_matrix((features.weight, (features.row, features.column)), shape=shape)


def _word_vectors(texts: Sequence[str], words: Vocabulary, seed: int) -> Floats:
    """Return the LSA vectors of the words: right singular vectors times the square root of the singular values."""
    try:
        from sklearn.decomposition import TruncatedSVD
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "relevance") from error
    basis = np.zeros((len(words.words), _DIMENSIONS))
    features = words.tfidf(texts)
    size = min(_DIMENSIONS, len(texts) - 1, len(words.words) - 1)
    if size >= 1 and len(features.row):
        with one_thread():
            # Double precision: in single precision 1,293 of 3,000,000 codes differed between processors (2026-11-25).
            # Texts of equal weight have equal singular values with arbitrary vectors, so each text is scaled a bit.
            factor = 1.0 + 1e-4 * np.random.RandomState(0).random_sample(len(texts))
            weighted = replace(features, weight=features.weight * factor[features.row])
            lsa = TruncatedSVD(size, n_iter=3, random_state=seed).fit(matrix(weighted, len(words.words)))
        values = lsa.singular_values_
        # The vectors of singular values close to zero are rounding errors.
        values = np.where(values > _MIN_SINGULAR_VALUE * values.max(initial=0.0), values, 0.0)
        basis[:, :size] = (lsa.components_ * np.sqrt(values)[:, None]).T
    return basis


@dataclass(frozen=True)
class VectorSpace:
    """Document frequencies and word vectors of a pool of texts.

    Attributes:
        kind: ``document`` or ``url``.
        tables: Vocabulary of each tokenizer.
        basis: Vector per token of a document space. Only its direction is used.
        texts: Number of texts of the pool.
        urls: Sample of the URLs of a URL space.
        seed: Seed of the LSA.
    """

    kind: Kind
    tables: tuple[Vocabulary, ...]
    basis: Floats
    texts: int
    urls: tuple[str, ...] = ()
    seed: int = 0

    @classmethod
    def fit(cls, texts: Sequence[str], *, kind: Kind = "document", seed: int = 0) -> VectorSpace:
        """Fit a space on a pool of texts. Word vectors are fitted on at most 20,000 of them, evenly spaced.

        Args:
            texts: The texts, labelled or not.
            kind: ``document`` or ``url``.
            seed: Seed of the LSA.

        Raises:
            RelevanceError: The pool is empty, or no text has a word.
        """
        if kind not in _TOKENIZERS:
            raise RelevanceError(f"found kind={kind!r}, expected 'document' or 'url'")
        tables = tuple(Vocabulary.fit(texts, name) for name in _TOKENIZERS[kind])
        if not tables[0].words:
            raise RelevanceError(f"found no word in {len(texts)} texts; a vector space needs texts with words")
        sample = texts[:: max(1, -(-len(texts) // _SAMPLE))]
        if kind == "url":
            return cls(kind, tables, np.zeros((0, 0)), len(texts), tuple(sample), seed)
        return cls(kind, tables, _word_vectors(sample, tables[0], seed), len(texts), (), seed)

    @property
    def vectors(self) -> Floats:
        """Word vectors of length one."""
        length: Floats = np.linalg.norm(self.basis, axis=1, keepdims=True)
        return self.basis / np.maximum(length, 1e-9)

    @cached_property
    def codes(self) -> npt.NDArray[np.int8]:
        """Word vectors quantized to steps of 1/127, as stored in models."""
        return np.round(self.vectors * 127.0).astype(np.int8)

    @cached_property
    def url_matrices(self) -> tuple[Any, ...]:
        """The tf-idf matrix of the sampled URLs per tokenizer. Cached, because every training scores them."""
        return tuple(matrix(words.tfidf(self.urls), len(words.words)).astype(np.float32) for words in self.tables)

    def save(self, folder: Folder) -> None:
        """Write the space into a directory, in one atomic step.

        Args:
            folder: The directory.
        """
        arrays: dict[str, Any] = {"basis": self.basis, **pack_words(self.urls, "urls")}
        for number, words in enumerate(self.tables):
            arrays |= {**pack_words(words.words, str(number)), f"{number}_frequency": words.frequency}
        names = [words.tokenizer for words in self.tables]
        numbers = {"texts": self.texts, "seed": self.seed}
        model_storage.save(ensure_folder(folder), "space", {"kind": self.kind, "tables": names, **numbers}, arrays)

    @classmethod
    def load(cls, folder: Folder) -> VectorSpace:
        """Read a saved space.

        Args:
            folder: The directory.

        Raises:
            RelevanceError: The directory is missing, damaged, or was written by another version.
        """
        safe = as_safe_folder(folder)
        meta, arrays = model_storage.load(safe, "space")
        with model_storage.damage(safe):
            texts, frequencies = int(meta["texts"]), [arrays[f"{n}_frequency"] for n in range(len(meta["tables"]))]
            tables = tuple(
                Vocabulary(str(name), unpack_words(arrays, str(n)), frequencies[n], texts)
                for n, name in enumerate(meta["tables"])
            )
            urls = unpack_words(arrays, "urls")
            return cls(meta["kind"], tables, arrays["basis"], texts, urls, int(meta["seed"]))
        raise AssertionError  # the context raises

    def __repr__(self) -> str:
        return f"VectorSpace({self.kind}, {self.texts:,} texts, {len(self.tables[0].words):,} words)"
