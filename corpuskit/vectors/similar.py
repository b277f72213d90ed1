"""Similarity search by documents or text, with shared words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from corpuskit.errors import ConfigurationError, UnknownDocumentError
from corpuskit.relevance.corpus_training import scoring_texts
from corpuskit.relevance.vector_space import Vocabulary, comparable
from corpuskit.store import CorpusFolder
from corpuskit.store.document_lookup import document_names, find_doc_id, find_doc_ids
from corpuskit.store.document_rows import duplicate_ids
from corpuskit.vectors.making import OWN, Vectors, corpus_space, embedded, unit, vectors_of
from corpuskit.vectors.naming import is_meaningful, stop_words_of
from corpuskit.vectors.neighbours import nearest

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["similar"]

_SHARED: Final = 5  # words
_FEW: Final = 3  # words of a short query; these are also searched in the documents
_LOOKED: Final = 300  # nearest documents to search for the words of a short query
_OFTEN: Final = 1.2  # occurrences of a word at which its score is half of the maximum
_TYPES: Final = {"doc_id": "str", "title": "str", "uri": "str", "score": "float64", "shared": "str"}


def similar(folder: CorpusFolder, to: str | Sequence[str] | Any, n: int = 20, name: str = OWN) -> pd.DataFrame:
    """Return the documents most similar to one document, several documents or a text; see ``corpus.vectors.similar()``.

    Args:
        folder: The corpus.
        to: A document, several documents or a text.
        n: Maximum number of documents.
        name: Name of the vectors.

    For a text of up to three words, score is the mean of the cosine and a saturated frequency of these words in the document
    without its title.

    Raises:
        ConfigurationError: The query is empty, ``n`` is below 1, or no word of the text is known.
        UnknownDocumentError: A document is not in the corpus.
        TypeError: The query is not a document, a text or a collection of documents.
    """
    import pandas as pd

    if not hasattr(n, "__index__") or n < 1:
        raise ConfigurationError(f"n={n!r}: expected a whole number, at least 1")
    vectors = vectors_of(folder, name)
    query_ids, texts, centre = _resolve_query(folder, to, vectors, name)
    copies = duplicate_ids(folder)
    excluded = {copies.get(doc_id, doc_id) for doc_id in query_ids}
    free = [
        row
        for row, doc_id in enumerate(vectors.doc_ids)
        if copies.get(doc_id, doc_id) not in excluded and doc_id not in copies
    ]
    if not free:
        return pd.DataFrame(columns=list(_TYPES)).astype(_TYPES)
    space = corpus_space(folder)
    few = space is not None and not query_ids and len(set(space.tables[0].count(texts).column.tolist())) <= _FEW
    neighbours, cosines = nearest(centre, vectors.matrix[free], max(n, _LOOKED) if few else n)
    doc_ids, scores = [vectors.doc_ids[free[at]] for at in neighbours[0]], cosines[0]
    if few and space is not None:
        scores = (scores + _share_of_words(folder, space.tables[0], texts[0], doc_ids)) / 2
        order = np.argsort(-comparable(scores), kind="stable")[:n]
        doc_ids, scores = [doc_ids[at] for at in order], scores[order]
    shared = _shared(folder, space.tables[0], texts, doc_ids) if space is not None else [""] * len(doc_ids)
    known = {row[0]: row for row in folder.catalog.tuples("SELECT doc_id, title, uri FROM current")}
    rows = [
        (*known[doc_id], round(float(score), 6), words)
        for doc_id, score, words in zip(doc_ids, scores, shared, strict=True)
    ]
    return pd.DataFrame(rows, columns=list(_TYPES)).astype(_TYPES)


def _resolve_query(folder: CorpusFolder, to: Any, vectors: Vectors, name: str) -> tuple[list[str], list[str], Any]:
    """Return the query documents, their texts, and their mean vector as one row."""
    if isinstance(to, str):
        try:
            ids = [find_doc_id(folder, to)]
        except UnknownDocumentError:
            if not any(character.isspace() for character in to.strip()) and ("/" in to or "." in to):
                raise  # probably the name of a document
            return [], [to], _direction(folder, to, name)
    else:
        if not isinstance(to, Iterable) or isinstance(to, bytes | Mapping):
            raise TypeError(
                f"similar to a {type(to).__name__}: expected a document (id, URI or file name), a text, or documents"
            )
        ids = list(dict.fromkeys(find_doc_ids(folder, document_names(folder, to)).values()))
    if not ids:
        raise ConfigurationError("the query is empty: expected a document, a text, or documents")
    row_of = {doc_id: row for row, doc_id in enumerate(vectors.doc_ids)}
    rows = [row_of[doc_id] for doc_id in ids if doc_id in row_of]
    if not rows:
        raise ConfigurationError(f"{ids[0]} has no vector named {name!r}: call embed() for new documents first")
    centre = unit(np.asarray(vectors.matrix[rows]).mean(axis=0, keepdims=True))
    return ids, list(scoring_texts(folder, ids).values()), centre


def _direction(folder: CorpusFolder, text: str, name: str) -> Any:
    if name != OWN:
        raise ConfigurationError(
            f"a text cannot be a query for the vectors {name!r}: use a document, or the vectors 'corpus'"
        )
    space = corpus_space(folder)
    vector = None if space is None else embedded(space, [text])
    if vector is None or not vector.any():
        raise ConfigurationError(
            f"there is no document named {text[:80]!r}, and none of its words occurs in the corpus"
        )
    return vector


def _share_of_words(folder: CorpusFolder, words: Vocabulary, text: str, doc_ids: Sequence[str]) -> Any:
    """Return a saturated frequency of the query words per document, 0 to 1. Titles are excluded: short pages repeat them."""
    columns = np.unique(words.count([text]).column)
    titles = dict(folder.catalog.tuples("SELECT doc_id, title FROM current"))
    texts = scoring_texts(folder, doc_ids)
    bodies = []
    for doc_id in doc_ids:
        title = " ".join((titles[doc_id] or "").split())
        lines = texts[doc_id].split("\n")[1:]  # the first is the title
        bodies.append("\n".join(line for line in lines if " ".join(line.split()) != title))
    counted = words.count(bodies)
    of = np.isin(counted.column, columns)
    share = counted.times[of] / (counted.times[of] + _OFTEN)
    return np.bincount(counted.row[of], share, minlength=len(doc_ids)) / len(columns)


def _shared(folder: CorpusFolder, words: Vocabulary, texts: Sequence[str], doc_ids: Sequence[str]) -> list[str]:
    """Return per document the words with the largest product of tf-idf weights in the document and the query."""
    mine = words.tfidf(texts)
    weight = np.zeros(len(words.words))
    np.add.at(weight, mine.column, mine.weight)
    theirs = scoring_texts(folder, doc_ids)
    bags = words.tfidf([theirs[doc_id] for doc_id in doc_ids])
    languages = dict(folder.catalog.tuples("SELECT doc_id, lang FROM current"))
    stop = stop_words_of(languages.get(doc_id) for doc_id in doc_ids)
    product = bags.weight * weight[bags.column]
    shared = []
    for row in range(len(doc_ids)):
        positions = np.flatnonzero((bags.row == row) & (product > 0))
        order = positions[np.argsort(-product[positions], kind="stable")]
        named = [
            word for word in (words.words[bags.column[at]] for at in order) if word not in stop and is_meaningful(word)
        ]
        shared.append(", ".join(named[:_SHARED]))
    return shared
