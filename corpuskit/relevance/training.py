"""Labels and a space to a model: one logistic regression on what is known of a text.

A document is its weighted tokens, each of its own, and beside them the direction of their sum in the space of the pool,
where words that stand in like texts are near. Few labels teach a direction, many teach words: the regression weighs one
against the other by what its labels say.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Literal, overload

import numpy as np

from corpuskit.errors import MissingExtraError, RelevanceError
from corpuskit.hooks import hook
from corpuskit.relevance.counts import Floats
from corpuskit.relevance.examples import Examples, examples, label_hash
from corpuskit.relevance.host_means import Places
from corpuskit.relevance.model import ModelCard, RelevanceModel
from corpuskit.relevance.space import Kind, Space, Words, matrix, one_thread
from corpuskit.relevance.table import Bags, Meaning, WordTable, directions
from corpuskit.relevance.tokens import TOKENIZER_VERSION
from corpuskit.relevance.urls import bare_host

_LOG = logging.getLogger(__name__)
_PENALTY = 10.0
_PARTS = 5
_DIRECTION = 0.5  # how much longer than its weighted tokens a text's direction is: the larger, the more it is trusted
_SPACES: OrderedDict[tuple[Kind, int, tuple[str, ...]], Space] = OrderedDict()


@overload
def train(
    texts: Sequence[str],
    labels: Sequence[str],
    *,
    preset: Literal["pdf_trio"],
    kind: Kind = "document",
    seed: int = 0,
    positive: str = "relevant",
) -> Any: ...


@overload
def train(
    texts: Sequence[str],
    labels: Sequence[str],
    *,
    pool: Sequence[str] | None = None,
    kind: Kind = "document",
    seed: int = 0,
    space: Space | None = None,
    positive: str = "relevant",
    groups: Sequence[Hashable] | None = None,
    weights: Sequence[float] | None = None,
    preset: None = None,
) -> RelevanceModel: ...


def train(  # noqa: PLR0913 - the public signature
    texts: Sequence[str],
    labels: Sequence[str],
    *,
    pool: Sequence[str] | None = None,
    kind: Kind = "document",
    seed: int = 0,
    space: Space | None = None,
    positive: str = "relevant",
    groups: Sequence[Hashable] | None = None,
    weights: Sequence[float] | None = None,
    preset: str | None = None,
) -> RelevanceModel | Any:
    """Train a model that tells relevant texts or URLs from others.

    Args:
        texts: the labelled documents or URLs.
        labels: ``relevant``, ``other`` or ``unsure`` (left out); the same length as `texts`.
        pool: texts of the corpus, labelled or not; the more it resembles what will be scored, the better.
        kind: ``document`` or ``url``.
        seed: same input and seed, same model, byte for byte.
        space: a space fitted before, instead of a pool.
        positive: for labels of more than two classes: the one to tell from all others.
        groups: of each document, what it shares with others besides its topic, as its host; the border between the classes is
            then drawn for groups without labels.
        weights: what each example counts, above 0; None: 1 each.
        preset: ``pdf_trio`` trains the fastText classifier of its recipe, as a baseline; it knows of no pool, space, groups or weights.

    Raises:
        RelevanceError: no model can be trained from these labels.
        MissingExtraError: scikit-learn is not installed.

    Example:
        >>> model = train(["sea fish", "sea ship", "tax law", "tax form"], ["relevant"] * 2 + ["other"] * 2)
        >>> model.score(["a fish in the sea"])[0] > 0.5
        np.True_
    """
    if preset is not None:
        if preset != "pdf_trio":
            raise RelevanceError(f"found preset={preset!r}, expected 'pdf_trio'")
        if any(given is not None for given in (pool, space, groups, weights)):
            raise RelevanceError(
                "the preset pdf_trio learns from labels alone: pool, space, groups and weights go without it"
            )
        return hook("train pdf_trio")(texts, labels, kind=kind, seed=seed, positive=positive)
    given = examples(texts, labels, positive=positive)
    if groups is not None and len(groups) != len(texts):
        raise RelevanceError(f"found {len(texts)} texts and {len(groups)} groups, expected as many of each")
    group_of = dict(zip(texts, groups, strict=True)) if groups is not None else {}
    members = [group_of.get(text, text) for text in given.texts]
    counts = _counts(texts, weights, given.texts)
    if given.contradicted:
        _LOG.warning("%d labels contradict each other on the same text and are left out", len(given.contradicted))
    with one_thread():
        space = space or space_of(given.texts, pool, kind, seed)
    if space.kind != kind:
        raise RelevanceError(f"found a space for kind={space.kind!r}, expected one for {kind!r}")
    with one_thread():
        return _trained(texts, labels, given, space, members, counts)


def _counts(texts: Sequence[str], weights: Sequence[float] | None, kept: Sequence[str]) -> Floats | None:
    """What each of the texts kept counts; None where all count the same."""
    if weights is None:
        return None
    if len(weights) != len(texts):
        raise RelevanceError(f"found {len(texts)} texts and {len(weights)} weights, expected as many of each")
    weight_of: dict[str, float] = {}
    for text, weight in zip(texts, weights, strict=True):
        if not 0.0 < weight < float("inf"):
            raise RelevanceError(f"found {weight} among the weights, expected numbers above 0")
        weight_of[text] = max(weight, weight_of.get(text, 0.0))
    counts = np.array([weight_of[text] for text in kept])
    return None if (counts == 1.0).all() else counts


def _trained(
    texts: Sequence[str],
    labels: Sequence[str],
    given: Examples,
    space: Space,
    members: Sequence[Hashable],
    counts: Floats | None,
) -> RelevanceModel:
    kind, relevant = space.kind, np.array(given.relevant)
    if kind == "document":
        tables, doubt = _fold_documents(given.texts, relevant, space, members, counts)
    else:
        tables, doubt = _fold_urls(given.texts, relevant, space, counts), 0.0
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
        hosts=tuple(sorted({bare_host(text) for text in given.texts})) if kind == "url" else (),
    )
    return RelevanceModel(tables, card, places, doubt=doubt)


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


def _table(words: Words, weight: Floats, bias: float, meaning: Meaning | None = None) -> WordTable:
    idf = words.idf.astype(np.float32)
    return WordTable(words.tokenizer, words.words, idf, weight.astype(np.float32), bias, words.best, meaning)


def _fold_documents(
    texts: Sequence[str], relevant: Any, space: Space, members: Sequence[Hashable], counts: Floats | None
) -> tuple[tuple[WordTable, ...], float]:
    """Words and direction together; and where the labelled texts are divided."""
    from scipy import sparse

    words = space.tables[0]
    found = words.bags(texts)
    direction = sparse.csr_matrix(_DIRECTION * directions(found, space.codes)[0])
    used, column = np.unique(found.column, return_inverse=True)
    features = sparse.hstack([matrix(replace(found, column=column), len(used)), direction], format="csr")
    values, bias = _logistic(features, relevant, counts)
    weight = np.zeros(len(words.words))
    weight[used] = values[: len(used)]
    meaning = Meaning(space.codes, _DIRECTION * values[-direction.shape[1] :])
    border = _border(features, relevant, members, space.seed, counts)
    return (_table(words, weight, bias + border, meaning),), border


def _border(
    features: Any, relevant: Any, members: Sequence[Hashable], seed: int, counts: Floats | None = None
) -> float:
    """What is added to logits for zero to be the border of texts that were not trained on.

    Labelled texts are told apart too well by the words they alone have, so others come out too low: most of all the
    relevant ones, which were asked for at the border. Each text is scored by a model that knows none of its group; of
    the shift that fits these scores best a short one is taken where few labels speak for a long one.
    """
    from scipy.optimize import brentq
    from scipy.special import expit
    from sklearn.model_selection import StratifiedGroupKFold

    number = {member: i for i, member in enumerate(dict.fromkeys(members))}
    group = np.array([number[member] for member in members])
    parts = min(_PARTS, *(len(set(group[relevant == side])) for side in (True, False)))
    if parts < 2:
        if len(number) == len(members):
            return 0.0
        return _border(features, relevant, range(len(members)), seed, counts)
    logits = np.full(len(members), np.nan)
    for rest, held in StratifiedGroupKFold(parts, shuffle=True, random_state=seed).split(group, relevant, group):
        if 0 < relevant[rest].sum() < len(rest):
            values, bias = _logistic(features[rest], relevant[rest], None if counts is None else counts[rest])
            logits[held] = features[held] @ values + bias
    known = np.isfinite(logits)
    signed, sign = np.where(relevant, logits, -logits)[known], np.where(relevant, 1.0, -1.0)[known]
    count = np.ones(len(sign)) if counts is None else counts[known]
    sizes = np.array([max(1.0, count[sign > 0].sum()), max(1.0, count[sign < 0].sum())])
    weight = count * count.sum() / 2.0 / np.where(sign > 0, sizes[0], sizes[1])

    def slope(shift: float) -> float:
        """The derivative of the loss of both classes, as if they were equally frequent, and of a price of the shift."""
        return float(2.0 * shift - (weight * sign * expit(-signed - sign * shift)).sum())

    return float(brentq(slope, -float(len(members)), float(len(members)), xtol=1e-9))


def _fold_urls(urls: Sequence[str], relevant: Any, space: Space, counts: Floats | None) -> tuple[WordTable, ...]:
    """Structured tokens for hosts that the pool has, n-grams for all."""
    return tuple(_table(words, *_regression(words.bags(urls), words, relevant, counts)) for words in space.tables)


def places_of(tables: tuple[WordTable, ...], space: Space, labelled: Sequence[str]) -> Places:
    """What the pool says about hosts, as the tables of a URL model score it."""
    logits = [found @ table.weight + table.bias for found, table in zip(space.url_matrices, tables, strict=True)]
    return Places.fit(space.urls, np.mean(logits, axis=0).astype(np.float64), labelled)


def _logistic(matrix: Any, relevant: Any, counts: Floats | None = None) -> tuple[Floats, float]:
    """Both classes as if they were equally frequent: of as many examples, or of as much weight."""
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "relevance") from error
    if counts is None:
        fitted = LogisticRegression(C=_PENALTY, class_weight="balanced", max_iter=300).fit(matrix, relevant)
    else:  # "balanced" counts heads in some versions and weights in others
        each = np.where(relevant, counts[relevant].sum(), counts[~relevant].sum())
        weight = counts * counts.sum() / (2.0 * each)
        fitted = LogisticRegression(C=_PENALTY, max_iter=300).fit(matrix, relevant, sample_weight=weight)
    return fitted.coef_[0], float(fitted.intercept_[0])


def _regression(found: Bags, words: Words, relevant: Any, counts: Floats | None) -> tuple[Floats, float]:
    used, column = np.unique(found.column, return_inverse=True)
    weight = np.zeros(len(words.words))
    values, bias = _logistic(matrix(replace(found, column=column), len(used)), relevant, counts)
    weight[used] = values[: len(used)]
    return weight, bias
