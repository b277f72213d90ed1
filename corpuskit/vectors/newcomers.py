"""Outliers among documents added after topics were fitted: documents dissimilar to every topic."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from corpuskit.relevance.corpus_training import scoring_texts
from corpuskit.relevance.linear_table import lsa_vectors
from corpuskit.relevance.vector_space import VectorSpace
from corpuskit.store import CorpusFolder
from corpuskit.vectors.clustering import centres_of
from corpuskit.vectors.making import OWN, Vectors, corpus_space
from corpuskit.vectors.neighbours import cosines_of

__all__ = ["outliers"]

Bools = npt.NDArray[np.bool_]

_SHARE: Final = 0.02  # share of the fitted documents beyond the threshold
# Upper limit of the threshold: a small corpus knows nearly all words of its own documents.
_MAX_KNOWN_SHARE: Final = 0.9
_SAMPLE: Final = 500  # fitted documents that determine the threshold
_DOCUMENTS_PER_BATCH: Final = 2_000  # documents whose texts are in memory


def outliers(
    folder: CorpusFolder, vectors: Vectors, labels: npt.NDArray[Any], is_new: Bools, is_fitted: Bools
) -> Bools:
    """Return a mask of documents that are less similar to every topic than 98 % of the fitted documents.

    The similarity is the cosine with the nearest topic centre. It is not sufficient in the LSA space of the corpus, which
    represents an unrelated document by its common words only: of 300 posts of an unseen newsgroup none was an outlier. In that
    space a document is also an outlier if most of its words are unknown: 14 to 25 % of these posts, and 6 to 8 % of posts of
    known newsgroups (2026-11-23).

    Args:
        folder: The corpus.
        vectors: Vectors of the documents.
        labels: Topic of each document.
        is_new: Mask of the documents to examine.
        is_fitted: Mask of the documents that the topics were fitted on.
    """
    is_outlier = np.zeros(len(vectors), np.bool_)
    if not (is_new.any() and is_fitted.any()):
        return is_outlier
    centres = centres_of(vectors.matrix[is_fitted], labels[is_fitted], int(labels.max()) + 1)
    likeness = cosines_of(vectors.matrix, centres).max(axis=1)
    is_outlier[is_new] = likeness[is_new] < np.quantile(likeness[is_fitted], _SHARE)
    space = corpus_space(folder) if vectors.name == OWN else None
    if space is not None:
        fitted_rows = np.flatnonzero(is_fitted)
        usual = _known(folder, space, vectors, fitted_rows[:: max(1, len(fitted_rows) // _SAMPLE)])
        rows = np.flatnonzero(is_new)
        is_outlier[rows] |= _known(folder, space, vectors, rows) < min(np.quantile(usual, _SHARE), _MAX_KNOWN_SHARE)
    return is_outlier


def _known(folder: CorpusFolder, space: VectorSpace, vectors: Vectors, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the share of each document represented in the space, 0 to 1: the length of its projection."""
    shares = []
    for start in range(0, len(rows), _DOCUMENTS_PER_BATCH):
        ids = [vectors.doc_ids[row] for row in rows[start : start + _DOCUMENTS_PER_BATCH]]
        texts = scoring_texts(folder, ids)
        vectors_of_texts, _ = lsa_vectors(space.tables[0].tfidf([texts[doc_id] for doc_id in ids]), space.codes)
        shares.append(np.linalg.norm(vectors_of_texts, axis=1))
    return np.concatenate(shares) if shares else np.zeros(0)
