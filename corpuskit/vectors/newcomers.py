"""Which documents that came after the topics were made are like none of them: they are in one all the same."""

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

__all__ = ["far_from_topics"]

Bools = npt.NDArray[np.bool_]

_SHARE: Final = 0.02  # of the documents that topics were made of are as far from these as what is told to be far
_WELL_KNOWN: Final = 0.9  # of a document: a small corpus knows its own documents whole
_SAMPLE: Final = 500  # documents that tell how far that is
_AT_ONCE: Final = 2_000  # documents whose texts are in memory


def far_from_topics(
    folder: CorpusFolder, vectors: Vectors, labels: npt.NDArray[Any], asked: Bools, made: Bools
) -> Bools:
    """Return which documents are farther from all topics than 98 in 100 of those that the topics were made of.

    Far is a document whose vector is like the middle of no topic. In the corpus' own space this alone tells nothing: it
    knows the words of the documents it was made of, and others are for it what their common words say (of 300 posts of a
    newsgroup that no topic was made of, none was farther than 98 in 100 of the others). There a document is far whose words
    it hardly knows: of these posts 14 to 25 in 100, of posts of known groups 6 to 8 (2026-11-23).

    Args:
        folder: the corpus.
        vectors: of the documents.
        labels: the topic of each.
        asked: the documents that are asked of.
        made: the documents that the topics were made of.
    """
    far = np.zeros(len(vectors), np.bool_)
    if not (asked.any() and made.any()):
        return far
    centres = centres_of(vectors.matrix[made], labels[made], int(labels.max()) + 1)
    likeness = cosines_of(vectors.matrix, centres).max(axis=1)
    far[asked] = likeness[asked] < np.quantile(likeness[made], _SHARE)
    space = corpus_space(folder) if vectors.name == OWN else None
    if space is not None:
        some = np.flatnonzero(made)
        usual = _known(folder, space, vectors, some[:: max(1, len(some) // _SAMPLE)])
        rows = np.flatnonzero(asked)
        far[rows] |= _known(folder, space, vectors, rows) < min(np.quantile(usual, _SHARE), _WELL_KNOWN)
    return far


def _known(folder: CorpusFolder, space: VectorSpace, vectors: Vectors, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """How much of each document the space can say, 0 to 1: the length of its direction."""
    found = []
    for start in range(0, len(rows), _AT_ONCE):
        ids = [vectors.doc_ids[row] for row in rows[start : start + _AT_ONCE]]
        texts = scoring_texts(folder, ids)
        said, _ = lsa_vectors(space.tables[0].tfidf([texts[doc_id] for doc_id in ids]), space.codes)
        found.append(np.linalg.norm(said, axis=1))
    return np.concatenate(found) if found else np.zeros(0)
