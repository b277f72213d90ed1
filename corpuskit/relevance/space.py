"""The space: what the unlabelled corpus says about its words.

Document frequencies and, by latent semantic analysis, a vector for every word, from the texts that nobody labelled.
Most of what makes 50 labels enough comes from here. Fitted once for a corpus and given to every training.
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
from corpuskit.relevance import storage
from corpuskit.relevance.counts import Counts, Floats, Ints, inverse_frequency
from corpuskit.relevance.lexicon import Lexicon, frequencies
from corpuskit.relevance.storage import pack_words, unpack_words
from corpuskit.relevance.table import BEST_TOKENS, Bags, bags
from corpuskit.safe_folder import Folder, as_safe_folder, ensure_folder

Kind = Literal["document", "url"]

_TOKENIZERS: dict[str, tuple[str, ...]] = {"document": ("document",), "url": ("url", "url_ngrams")}
_MAX_WORDS = 60_000
_SMALL = 40
_SIZE = 50
_SAMPLE = 20_000
_DISPLACEMENT = 1e-6
_LEAST_SINGULAR = 1e-6  # of the largest singular value


@dataclass(frozen=True)
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

    @property
    def idf(self) -> Floats:
        """The weight of every token; of a URL's tokens the root, rare ones are too many there."""
        idf = inverse_frequency(self.frequency, self.texts)
        return idf if self.tokenizer == "document" else np.sqrt(idf)

    @property
    def best(self) -> int | None:
        """How many tokens of a text count."""
        return BEST_TOKENS if self.tokenizer == "document" else None

    @cached_property
    def _lexicon(self) -> Lexicon:
        return Lexicon(self.tokenizer, self.words)

    def bags(self, texts: Sequence[str]) -> Bags:
        """Return the weighted tokens of every text."""
        return bags(self.count(texts), self.idf, self.best)

    def count(self, texts: Sequence[str]) -> Counts:
        """Return how often each token stands in each text."""
        return self._lexicon.count(texts)

    @classmethod
    def fit(cls, texts: Sequence[str], name: str) -> Words:
        """Count the texts with each token; tokens of a single text are left out of large pools."""
        least = 1 if len(texts) < _SMALL else 2
        found = frequencies(texts, name)
        kept = sorted((-number, word) for word, number in found.items() if number >= least)[:_MAX_WORDS]
        words = sorted((word, -number) for number, word in kept)
        return cls(name, tuple(word for word, _ in words), np.array([n for _, n in words], np.int64), len(texts))


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for linear algebra: sums come out the same whatever the number of cores, and small ones faster."""
    with _thread_pools(len(sys.modules)).limit(limits=1):
        yield


@lru_cache(maxsize=1)
def _thread_pools(modules: int) -> Any:
    """Return the controller of all loaded libraries; modules imported since the last call may have loaded more of them."""
    try:
        return import_module("threadpoolctl").ThreadpoolController()
    except ImportError as error:  # comes with scikit-learn
        raise MissingExtraError("scikit-learn", "relevance") from error


def comparable(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return values rounded to six decimals, for sorting and for choosing the largest: ties are decided by position.

    The last bits of a matrix product depend on the kernel that the linear algebra library selects for the processor.
    """
    return values.round(6)


def untied(rows: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return rows in double precision with a fixed displacement of about 1e-6 each; equal rows stay equal.

    Symmetrical rows have clusters and axes that are equally good. The displacement, which depends on the position, decides
    between them; without it the last bit of a matrix product does, which depends on the processor.
    """
    _, first, group = np.unique(rows.round(5), axis=0, return_index=True, return_inverse=True)
    pattern = np.random.RandomState(0).standard_normal(rows.shape)[first[group.ravel()]]
    moved: npt.NDArray[np.float64] = rows.astype(np.float64) + _DISPLACEMENT * pattern
    return moved


def matrix(found: Bags, columns: int) -> Any:
    """Weighted tokens as a sparse matrix, one row a text."""
    from scipy import sparse

    return sparse.csr_matrix((found.weight, (found.row, found.column)), shape=(len(found.tokens), max(columns, 1)))


def _basis(texts: Sequence[str], words: Words, seed: int) -> Floats:
    """Latent semantic analysis: for every word its right singular vector times the root of the singular values."""
    try:
        from sklearn.decomposition import TruncatedSVD
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "relevance") from error
    basis = np.zeros((len(words.words), _SIZE))
    found = words.bags(texts)
    size = min(_SIZE, len(texts) - 1, len(words.words) - 1)
    if size >= 1 and len(found.row):
        with one_thread():
            # Double precision: in single precision 1,293 of 3,000,000 codes differed between processors (2026-11-25). Of
            # texts that weigh the same, singular values are equal and their vectors arbitrary: no two weigh the same.
            factor = 1.0 + 1e-4 * np.random.RandomState(0).random_sample(len(texts))
            weighted = replace(found, weight=found.weight * factor[found.row])
            lsa = TruncatedSVD(size, n_iter=3, random_state=seed).fit(matrix(weighted, len(words.words)))
        values = lsa.singular_values_
        # The vectors of singular values near zero are rounding errors.
        values = np.where(values > _LEAST_SINGULAR * values.max(initial=0.0), values, 0.0)
        basis[:, :size] = (lsa.components_ * np.sqrt(values)[:, None]).T
    return basis


@dataclass(frozen=True)
class Space:
    """Document frequencies and word vectors of a pool of texts.

    Attributes:
        kind: ``document`` or ``url``.
        tables: the tokens of each tokenizer.
        basis: a vector for each token of a document space; its direction matters.
        texts: how many texts the frequencies are from.
        urls: of a URL space: a sample of its URLs.
        seed: of the analysis.
    """

    kind: Kind
    tables: tuple[Words, ...]
    basis: Floats
    texts: int
    urls: tuple[str, ...] = ()
    seed: int = 0

    @classmethod
    def fit(cls, texts: Sequence[str], *, kind: Kind = "document", seed: int = 0) -> Space:
        """Fit a space on the texts of a pool, labelled or not; the vectors on at most 20,000 of them, evenly spaced.

        Args:
            texts: The texts, labelled or not.
            kind: What they are, documents or URLs.
            seed: Of the vectors.

        Raises:
            RelevanceError: there is no text, or no word in any of them.
        """
        if kind not in _TOKENIZERS:
            raise RelevanceError(f"found kind={kind!r}, expected 'document' or 'url'")
        tables = tuple(Words.fit(texts, name) for name in _TOKENIZERS[kind])
        if not tables[0].words:
            raise RelevanceError(f"found no word in {len(texts)} texts; a space needs texts with words")
        sample = texts[:: max(1, -(-len(texts) // _SAMPLE))]
        if kind == "url":
            return cls(kind, tables, np.zeros((0, 0)), len(texts), tuple(sample), seed)
        return cls(kind, tables, _basis(sample, tables[0], seed), len(texts), (), seed)

    @property
    def vectors(self) -> Floats:
        """The word vectors, each of length one."""
        length: Floats = np.linalg.norm(self.basis, axis=1, keepdims=True)
        return self.basis / np.maximum(length, 1e-9)

    @cached_property
    def codes(self) -> npt.NDArray[np.int8]:
        """The word vectors in steps of 1/127: what a model keeps of them."""
        return np.round(self.vectors * 127.0).astype(np.int8)

    @cached_property
    def url_matrices(self) -> tuple[Any, ...]:
        """The weighted tokens of the sampled URLs, one matrix a tokenizer: they are scored at every training."""
        return tuple(matrix(words.bags(self.urls), len(words.words)).astype(np.float32) for words in self.tables)

    def save(self, folder: Folder) -> None:
        """Write the space into a folder, in one atomic step.

        Args:
            folder: The folder.
        """
        arrays: dict[str, Any] = {"basis": self.basis, **pack_words(self.urls, "urls")}
        for number, words in enumerate(self.tables):
            arrays |= {**pack_words(words.words, str(number)), f"{number}_frequency": words.frequency}
        names = [words.tokenizer for words in self.tables]
        numbers = {"texts": self.texts, "seed": self.seed}
        storage.save(ensure_folder(folder), "space", {"kind": self.kind, "tables": names, **numbers}, arrays)

    @classmethod
    def load(cls, folder: Folder) -> Space:
        """Read a saved space.

        Args:
            folder: The folder.

        Raises:
            RelevanceError: the folder is missing, damaged, or made by another version.
        """
        safe = as_safe_folder(folder)
        meta, arrays = storage.load(safe, "space")
        with storage.damage(safe):
            texts, frequencies = int(meta["texts"]), [arrays[f"{n}_frequency"] for n in range(len(meta["tables"]))]
            tables = tuple(
                Words(str(name), unpack_words(arrays, str(n)), frequencies[n], texts)
                for n, name in enumerate(meta["tables"])
            )
            urls = unpack_words(arrays, "urls")
            return cls(meta["kind"], tables, arrays["basis"], texts, urls, int(meta["seed"]))
        raise AssertionError  # the context raises

    def __repr__(self) -> str:
        return f"Space({self.kind}, {self.texts:,} texts, {len(self.tables[0].words):,} words)"
