"""The documents that are most like some documents, or like a text, and the words that they share."""

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
from corpuskit.vectors.naming import says_something, stop_words_of
from corpuskit.vectors.neighbours import nearest

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["similar"]

_SHARED: Final = 5  # words
_FEW: Final = 3  # words of a text; so few are looked for in the documents too
_LOOKED: Final = 300  # documents, the nearest, in which they are looked for
_OFTEN: Final = 1.2  # times that a word stands in a document count half as much as any number of times
_TYPES: Final = {"doc_id": "str", "title": "str", "uri": "str", "score": "float64", "shared": "str"}


def similar(folder: CorpusFolder, to: str | Sequence[str] | Any, n: int = 20, name: str = OWN) -> pd.DataFrame:
    """Return the documents that are most like one, several, or a text.

    Args:
        folder: the corpus.
        to: an id, a URI or a file name; a text, if there is no such document; ids, or a frame with doc_id: what is like
            them on the whole.
        n: at most so many. Of equal texts one is given; what is asked with and its copies are left out.
        name: of the vectors; a text can be asked with by those of the corpus only.

    Returns:
        Columns doc_id, title, uri (str), score (float64: the cosine, at most 1; of a text of up to three words the mean of it
        and of how often these stand in the document, but for its title), shared (str: up to five words that say most of
        what both are about, with commas between), the most like first.

    Raises:
        ConfigurationError: nothing to ask with, ``n`` is below 1, or no word of the text is known.
        UnknownDocumentError: a document is not in the corpus.
        TypeError: what is asked with is none of these.
    """
    import pandas as pd

    if not hasattr(n, "__index__") or n < 1:
        raise ConfigurationError(f"n={n!r}: expected a whole number, at least 1")
    vectors = vectors_of(folder, name)
    asked, texts, middle = _asked(folder, to, vectors, name)
    copies = duplicate_ids(folder)
    told = {copies.get(doc_id, doc_id) for doc_id in asked}
    free = [
        row
        for row, doc_id in enumerate(vectors.doc_ids)
        if copies.get(doc_id, doc_id) not in told and doc_id not in copies
    ]
    if not free:
        return pd.DataFrame(columns=list(_TYPES)).astype(_TYPES)
    space = corpus_space(folder)
    few = space is not None and not asked and len(set(space.tables[0].count(texts).column.tolist())) <= _FEW
    places, cosines = nearest(middle, vectors.matrix[free], max(n, _LOOKED) if few else n)
    found, scores = [vectors.doc_ids[free[at]] for at in places[0]], cosines[0]
    if few and space is not None:
        scores = (scores + _said(folder, space.tables[0], texts[0], found)) / 2
        order = np.argsort(-comparable(scores), kind="stable")[:n]
        found, scores = [found[at] for at in order], scores[order]
    shared = _shared(folder, space.tables[0], texts, found) if space is not None else [""] * len(found)
    known = {row[0]: row for row in folder.catalog.tuples("SELECT doc_id, title, uri FROM current")}
    rows = [
        (*known[doc_id], round(float(score), 6), words)
        for doc_id, score, words in zip(found, scores, shared, strict=True)
    ]
    return pd.DataFrame(rows, columns=list(_TYPES)).astype(_TYPES)


def _asked(folder: CorpusFolder, to: Any, vectors: Vectors, name: str) -> tuple[list[str], list[str], Any]:
    """The documents asked with, their texts, and the direction of all together as one row."""
    if isinstance(to, str):
        try:
            ids = [find_doc_id(folder, to)]
        except UnknownDocumentError:
            if not any(character.isspace() for character in to.strip()) and ("/" in to or "." in to):
                raise  # the name of a document rather than a text
            return [], [to], _direction(folder, to, name)
    else:
        if not isinstance(to, Iterable) or isinstance(to, bytes | Mapping):
            raise TypeError(
                f"similar to a {type(to).__name__}: expected a document (id, URI or file name), a text, or documents"
            )
        ids = list(dict.fromkeys(find_doc_ids(folder, document_names(folder, to)).values()))
    if not ids:
        raise ConfigurationError("similar to nothing: expected a document, a text, or documents")
    place = {doc_id: row for row, doc_id in enumerate(vectors.doc_ids)}
    rows = [place[doc_id] for doc_id in ids if doc_id in place]
    if not rows:
        raise ConfigurationError(f"{ids[0]} has no vector called {name!r}: embed the new documents first")
    middle = unit(np.asarray(vectors.matrix[rows]).mean(axis=0, keepdims=True))
    return ids, list(scoring_texts(folder, ids).values()), middle


def _direction(folder: CorpusFolder, text: str, name: str) -> Any:
    if name != OWN:
        raise ConfigurationError(
            f"a text has no vector called {name!r}: ask with a document, or with the corpus' own vectors"
        )
    space = corpus_space(folder)
    found = None if space is None else embedded(space, [text])
    if found is None or not found.any():
        raise ConfigurationError(
            f"no document is called {text[:80]!r}, and as a text none of its words is in the corpus"
        )
    return found


def _said(folder: CorpusFolder, words: Vocabulary, text: str, found: Sequence[str]) -> Any:
    """How often documents say the words of a text, 0 to 1; their titles do not count, a short page is half title."""
    wanted = np.unique(words.count([text]).column)
    titles = dict(folder.catalog.tuples("SELECT doc_id, title FROM current"))
    texts = scoring_texts(folder, found)
    bodies = []
    for doc_id in found:
        title = " ".join((titles[doc_id] or "").split())
        lines = texts[doc_id].split("\n")[1:]  # the first is the title
        bodies.append("\n".join(line for line in lines if " ".join(line.split()) != title))
    counted = words.count(bodies)
    of = np.isin(counted.column, wanted)
    share = counted.times[of] / (counted.times[of] + _OFTEN)
    return np.bincount(counted.row[of], share, minlength=len(found)) / len(wanted)


def _shared(folder: CorpusFolder, words: Vocabulary, texts: Sequence[str], found: Sequence[str]) -> list[str]:
    """Of each document found the words with the largest product of weights in it and in what was asked with."""
    mine = words.tfidf(texts)
    weight = np.zeros(len(words.words))
    np.add.at(weight, mine.column, mine.weight)
    theirs = scoring_texts(folder, found)
    bags = words.tfidf([theirs[doc_id] for doc_id in found])
    languages = dict(folder.catalog.tuples("SELECT doc_id, lang FROM current"))
    stop = stop_words_of(languages.get(doc_id) for doc_id in found)
    product = bags.weight * weight[bags.column]
    shared = []
    for row in range(len(found)):
        inside = np.flatnonzero((bags.row == row) & (product > 0))
        order = inside[np.argsort(-product[inside], kind="stable")]
        named = [
            word for word in (words.words[bags.column[at]] for at in order) if word not in stop and says_something(word)
        ]
        shared.append(", ".join(named[:_SHARED]))
    return shared
