"""Labels and a space to a model: three linear classifiers, folded into one word table.

Logistic regression on tf-idf knows single words, logistic regression on word vectors of the pool knows their
neighbours, fastText started from these vectors bends them to the task. All three are linear in the same weighted
tokens, so their mean is one number a token.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from corpuskit.errors import MissingExtraError, RelevanceError
from corpuskit.relevance.counts import Floats
from corpuskit.relevance.embedding import fold_fasttext
from corpuskit.relevance.examples import Examples, examples, label_hash
from corpuskit.relevance.model import ModelCard, RelevanceModel
from corpuskit.relevance.places import Places
from corpuskit.relevance.space import Kind, Space, Words, matrix, one_thread
from corpuskit.relevance.table import Bags, WordTable
from corpuskit.relevance.tokens import TOKENIZER_VERSION
from corpuskit.relevance.urls import host_of

__all__ = ["train"]

_LOG = logging.getLogger(__name__)
_PENALTY = 10.0
_FASTTEXT_TOKENS = 40
_SPACES: OrderedDict[tuple[Kind, int, tuple[str, ...]], Space] = OrderedDict()


def train(
    texts: Sequence[str],
    labels: Sequence[str],
    *,
    pool: Sequence[str] | None = None,
    kind: Kind = "document",
    seed: int = 0,
    space: Space | None = None,
    positive: str = "relevant",
) -> RelevanceModel:
    """Train a model that tells relevant texts or URLs from others.

    Args:
        texts: the labelled documents or URLs.
        labels: ``relevant``, ``other`` or ``unsure`` (left out); the same length as `texts`.
        pool: texts of the corpus, labelled or not; the more it resembles what will be scored, the better.
        kind: ``document`` or ``url``.
        seed: same input and seed, same model, byte for byte.
        space: a space fitted before, instead of a pool.
        positive: for labels of more than two classes: the one to tell from all others.

    Raises:
        RelevanceError: no model can be trained from these labels.
        MissingExtraError: fastText or scikit-learn is not installed.

    Example:
        >>> model = train(["sea fish", "sea ship", "tax law", "tax form"], ["relevant"] * 2 + ["other"] * 2)
        >>> model.score(["a fish in the sea"])[0] > 0.5
        np.True_
    """
    given = examples(texts, labels, positive=positive)
    if given.contradicted:
        _LOG.warning("%d labels contradict each other on the same text and are left out", len(given.contradicted))
    with one_thread():
        space = space or space_of(given.texts, pool, kind, seed)
    if space.kind != kind:
        raise RelevanceError(f"found a space for kind={space.kind!r}, expected one for {kind!r}")
    with one_thread():
        return _trained(texts, labels, given, space)


def _trained(texts: Sequence[str], labels: Sequence[str], given: Examples, space: Space) -> RelevanceModel:
    kind, relevant = space.kind, np.array(given.relevant)
    fold = _fold_documents if kind == "document" else _fold_urls
    tables = fold(given.texts, relevant, space)
    places = places_of(tables, space, given.texts) if kind == "url" else None
    card = ModelCard(
        kind=kind,
        relevant=int(relevant.sum()),
        other=int((~relevant).sum()),
        contradicted=len(given.contradicted),
        unsure=given.unsure,
        pool=space.texts,
        seed=space.seed,
        tokenizer_version=TOKENIZER_VERSION,
        labels=label_hash(texts, labels),
        hosts=tuple(sorted({host_of(text) for text in given.texts})) if kind == "url" else (),
    )
    return RelevanceModel(tables, card, places)


def space_of(texts: Sequence[str], pool: Sequence[str] | None, kind: Kind, seed: int) -> Space:
    """The space of a pool and the labelled texts beside it; the last two are kept for the next training."""
    every = tuple(dict.fromkeys([*(pool or ()), *texts]))
    key = (kind, seed, every)
    if key not in _SPACES:
        _SPACES[key] = Space.fit(every, kind=kind, seed=seed)
        while len(_SPACES) > 2:
            _SPACES.popitem(last=False)
    _SPACES.move_to_end(key)
    return _SPACES[key]


def _table(words: Words, weight: Floats, bias: float) -> WordTable:
    idf = words.idf.astype(np.float32)
    return WordTable(words.tokenizer, words.words, idf, weight.astype(np.float32), bias, words.best)


def _fold_documents(texts: Sequence[str], relevant: Any, space: Space) -> tuple[WordTable, ...]:
    """The mean of three classifiers' logits."""
    words, vectors = space.tables[0], space.vectors
    found = words.bags(texts)
    parts = (
        _regression(found, words, relevant),
        _vector_regression(found, relevant, vectors),
        _fasttext(found, relevant, vectors, space.seed),
    )
    weight = np.mean([part for part, _ in parts], axis=0)
    return (_table(words, weight, float(np.mean([bias for _, bias in parts]))),)


def _fold_urls(urls: Sequence[str], relevant: Any, space: Space) -> tuple[WordTable, ...]:
    """Structured tokens for hosts that the pool has, n-grams for all."""
    return tuple(_table(words, *_regression(words.bags(urls), words, relevant)) for words in space.tables)


def places_of(tables: tuple[WordTable, ...], space: Space, labelled: Sequence[str]) -> Places:
    """What the pool says about hosts, as the tables of a URL model score it."""
    logits = [found @ table.weight + table.bias for found, table in zip(space.url_matrices, tables, strict=True)]
    return Places.fit(space.urls, np.mean(logits, axis=0).astype(np.float64), labelled)


def _logistic(matrix: Any, relevant: Any) -> tuple[Floats, float]:
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "relevance") from error
    fitted = LogisticRegression(C=_PENALTY, class_weight="balanced", max_iter=300).fit(matrix, relevant)
    return fitted.coef_[0], float(fitted.intercept_[0])


def _regression(found: Bags, words: Words, relevant: Any) -> tuple[Floats, float]:
    used, column = np.unique(found.column, return_inverse=True)
    weight = np.zeros(len(words.words))
    values, bias = _logistic(matrix(replace(found, column=column), len(used)), relevant)
    weight[used] = values[: len(used)]
    return weight, bias


def _vector_regression(found: Bags, relevant: Any, vectors: Floats) -> tuple[Floats, float]:
    means = np.zeros((len(found.tokens), vectors.shape[1]))
    np.add.at(means, found.row, found.weight[:, None] * vectors[found.column])
    scale = max(float(np.linalg.norm(means, axis=1).mean()), 1e-9)
    values, bias = _logistic(means / scale, relevant)
    return vectors @ values / scale, bias


def _fasttext(found: Bags, relevant: Any, vectors: Floats, seed: int) -> tuple[Floats, float]:
    starts = np.searchsorted(found.row, np.arange(len(found.tokens) + 1))
    texts, sums = [], []
    for first, last in pairwise(starts.tolist()):
        weight = found.weight[first:last]
        best = np.argsort(-weight, kind="stable")[:_FASTTEXT_TOKENS]
        mean = weight[best].mean() if len(best) else 1.0
        times = np.clip(np.round(2.0 * weight[best] / mean), 1, 6).astype(np.int64)
        texts.append(np.repeat(found.column[first:last][best], times))
        sums.append(float(weight.sum()))
    folded = fold_fasttext(texts, relevant.tolist(), vectors, seed=seed)
    end = folded.end / (1.0 + float(np.mean([len(text) for text in texts])))
    return folded.share / max(float(np.mean(sums)), 1e-9), end
