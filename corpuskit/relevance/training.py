"""Training: L2-regularised logistic regression on tf-idf features and the LSA vector of a text.

Few labels are enough to learn LSA weights, many labels are needed for word weights. The regression balances both by its
labels.
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
from corpuskit.relevance.host_prior import HostPrior
from corpuskit.relevance.linear_table import LinearTable, LsaTerm, TfidfFeatures, lsa_vectors
from corpuskit.relevance.model import ModelCard, RelevanceModel
from corpuskit.relevance.token_counts import Floats
from corpuskit.relevance.tokenizers import TOKENIZER_VERSION
from corpuskit.relevance.training_set import TrainingSet, label_hash, prepare_labels
from corpuskit.relevance.url_tokenizers import bare_host
from corpuskit.relevance.vector_space import Kind, VectorSpace, Vocabulary, matrix, one_thread

_LOG = logging.getLogger(__name__)
_PENALTY = 10.0
_PARTS = 5
_LSA_SCALE = 0.5  # length of the LSA vector relative to the tf-idf features; a larger one gives it more weight
_SPACES: OrderedDict[tuple[Kind, int, tuple[str, ...]], VectorSpace] = OrderedDict()


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
    space: VectorSpace | None = None,
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
    space: VectorSpace | None = None,
    positive: str = "relevant",
    groups: Sequence[Hashable] | None = None,
    weights: Sequence[float] | None = None,
    preset: str | None = None,
) -> RelevanceModel | Any:
    """Train a model that separates relevant texts or URLs from others.

    Args:
        texts: Labelled documents or URLs.
        labels: ``relevant``, ``other`` or ``unsure`` (left out), one per text.
        pool: Texts of the corpus, labelled or not. They should be similar to the texts that will be scored.
        kind: ``document`` or ``url``.
        seed: Same input and seed, same model, byte for byte.
        space: A fitted vector space, instead of a pool.
        positive: The positive class, for labels of more than two classes.
        groups: Group of each document, for example its host. The class boundary is then estimated for unseen groups.
        weights: Weight of each example, above 0. None: 1.
        preset: ``pdf_trio`` trains the fastText classifier of its recipe as a baseline, without pool, space, groups and
            weights.

    Raises:
        RelevanceError: No model can be trained from these labels.
        MissingExtraError: scikit-learn is not installed.
    Example:
        >>> model = train(["sea fish", "sea ship", "tax law", "tax form"], ["relevant"] * 2 + ["other"] * 2)
        >>> model.score(["a fish in the sea"])[0] > 0.5
        np.True_
    """
    if preset is not None:
        if preset != "pdf_trio":
            raise RelevanceError(f"found preset={preset!r}, expected 'pdf_trio'")
        if any(argument is not None for argument in (pool, space, groups, weights)):
            raise RelevanceError("preset='pdf_trio' trains on labels only: leave out pool, space, groups and weights")
        return hook("train pdf_trio")(texts, labels, kind=kind, seed=seed, positive=positive)
    examples = prepare_labels(texts, labels, positive=positive)
    if groups is not None and len(groups) != len(texts):
        raise RelevanceError(f"found {len(texts)} texts and {len(groups)} groups, expected the same number")
    group_of = dict(zip(texts, groups, strict=True)) if groups is not None else {}
    example_groups = [group_of.get(text, text) for text in examples.texts]
    sample_weights = _sample_weights(texts, weights, examples.texts)
    if examples.contradicted:
        _LOG.warning("%d labels contradict each other on the same text and are left out", len(examples.contradicted))
    with one_thread():
        space = space or space_of(examples.texts, pool, kind, seed)
    if space.kind != kind:
        raise RelevanceError(f"found a vector space of kind {space.kind!r}, expected {kind!r}")
    with one_thread():
        return _train(texts, labels, examples, space, example_groups, sample_weights)


def _sample_weights(texts: Sequence[str], weights: Sequence[float] | None, examples: Sequence[str]) -> Floats | None:
    """Return the weight of each example, or None if all weights are 1."""
    if weights is None:
        return None
    if len(weights) != len(texts):
        raise RelevanceError(f"found {len(texts)} texts and {len(weights)} weights, expected the same number")
    weight_of: dict[str, float] = {}
    for text, weight in zip(texts, weights, strict=True):
        if not 0.0 < weight < float("inf"):
            raise RelevanceError(f"found {weight} among the weights, expected numbers above 0")
        weight_of[text] = max(weight, weight_of.get(text, 0.0))
    sample_weights = np.array([weight_of[text] for text in examples])
    return None if (sample_weights == 1.0).all() else sample_weights


def _train(
    texts: Sequence[str],
    labels: Sequence[str],
    examples: TrainingSet,
    space: VectorSpace,
    groups: Sequence[Hashable],
    weights: Floats | None,
) -> RelevanceModel:
    kind, relevant = space.kind, np.array(examples.relevant)
    if kind == "document":
        tables, boundary = _fit_documents(examples.texts, relevant, space, groups, weights)
    else:
        tables, boundary = _fit_urls(examples.texts, relevant, space, weights), 0.0
    prior = fit_host_prior(tables, space, examples.texts) if kind == "url" else None
    card = ModelCard(
        kind=kind,
        relevant=int(relevant.sum()),
        other=int((~relevant).sum()),
        contradicted=len(examples.contradicted),
        unsure=examples.unsure,
        pool=space.texts,
        seed=space.seed,
        tokenizer_version=TOKENIZER_VERSION,
        labels=label_hash(texts, labels),
        hosts=tuple(sorted({bare_host(text) for text in examples.texts})) if kind == "url" else (),
    )
    return RelevanceModel(tables, card, prior, query_boundary=boundary)


def space_of(texts: Sequence[str], pool: Sequence[str] | None, kind: Kind, seed: int) -> VectorSpace:
    """Return the vector space of a pool and the labelled texts. The last two spaces are cached."""
    all_texts = tuple(dict.fromkeys([*(pool or ()), *texts]))
    key = (kind, seed, all_texts)
    if key not in _SPACES:
        _SPACES[key] = VectorSpace.fit(all_texts, kind=kind, seed=seed)
        while len(_SPACES) > 2:
            _SPACES.popitem(last=False)
    _SPACES.move_to_end(key)
    return _SPACES[key]


def _table(words: Vocabulary, weight: Floats, bias: float, lsa: LsaTerm | None = None) -> LinearTable:
    idf = words.idf.astype(np.float32)
    return LinearTable(words.tokenizer, words.words, idf, weight.astype(np.float32), bias, words.top_k, lsa)


def _fit_documents(
    texts: Sequence[str], relevant: Any, space: VectorSpace, groups: Sequence[Hashable], weights: Floats | None
) -> tuple[tuple[LinearTable, ...], float]:
    """Return the table of documents, and the logit of the class boundary on the training texts."""
    from scipy import sparse

    words = space.tables[0]
    tfidf = words.tfidf(texts)
    lsa = sparse.csr_matrix(_LSA_SCALE * lsa_vectors(tfidf, space.codes)[0])
    used, column = np.unique(tfidf.column, return_inverse=True)
    features = sparse.hstack([matrix(replace(tfidf, column=column), len(used)), lsa], format="csr")
    values, bias = _logistic(features, relevant, weights)
    weight = np.zeros(len(words.words))
    weight[used] = values[: len(used)]
    lsa_term = LsaTerm(space.codes, _LSA_SCALE * values[-lsa.shape[1] :])
    shift = _calibration_shift(features, relevant, groups, space.seed, weights)
    return (_table(words, weight, bias + shift, lsa_term),), shift


def _calibration_shift(
    features: Any, relevant: Any, groups: Sequence[Hashable], seed: int, weights: Floats | None = None
) -> float:
    """Return the intercept shift that centres logits of unseen texts at the class boundary.

    Logits of training texts are over-confident, because the model has learned words that only they have. Unseen texts get
    lower scores, most of all relevant ones chosen near the boundary. The shift is fitted on logits of grouped
    cross-validation. A ridge penalty keeps it small if there are few labels.
    """
    from scipy.optimize import brentq
    from scipy.special import expit
    from sklearn.model_selection import StratifiedGroupKFold

    number = {group: i for i, group in enumerate(dict.fromkeys(groups))}
    group = np.array([number[name] for name in groups])
    parts = min(_PARTS, *(len(set(group[relevant == side])) for side in (True, False)))
    if parts < 2:
        if len(number) == len(groups):
            return 0.0
        return _calibration_shift(features, relevant, range(len(groups)), seed, weights)
    logits = np.full(len(groups), np.nan)
    for rest, held in StratifiedGroupKFold(parts, shuffle=True, random_state=seed).split(group, relevant, group):
        if 0 < relevant[rest].sum() < len(rest):
            values, bias = _logistic(features[rest], relevant[rest], None if weights is None else weights[rest])
            logits[held] = features[held] @ values + bias
    known = np.isfinite(logits)
    signed, sign = np.where(relevant, logits, -logits)[known], np.where(relevant, 1.0, -1.0)[known]
    count = np.ones(len(sign)) if weights is None else weights[known]
    sizes = np.array([max(1.0, count[sign > 0].sum()), max(1.0, count[sign < 0].sum())])
    weight = count * count.sum() / 2.0 / np.where(sign > 0, sizes[0], sizes[1])

    def slope(shift: float) -> float:
        """Return the derivative of the class-balanced loss plus the ridge penalty."""
        return float(2.0 * shift - (weight * sign * expit(-signed - sign * shift)).sum())

    return float(brentq(slope, -float(len(groups)), float(len(groups)), xtol=1e-9))


def _fit_urls(
    urls: Sequence[str], relevant: Any, space: VectorSpace, weights: Floats | None
) -> tuple[LinearTable, ...]:
    """Return a table of structured tokens, used for hosts of the pool, and one of n-grams, used for all hosts."""
    return tuple(_table(words, *_regression(words.tfidf(urls), words, relevant, weights)) for words in space.tables)


def fit_host_prior(tables: tuple[LinearTable, ...], space: VectorSpace, labelled: Sequence[str]) -> HostPrior:
    """Fit the host prior on the scores of the sampled URLs of a space by the tables of a URL model."""
    logits = [features @ table.weight + table.bias for features, table in zip(space.url_matrices, tables, strict=True)]
    return HostPrior.fit(space.urls, np.mean(logits, axis=0).astype(np.float64), labelled)


def _logistic(matrix: Any, relevant: Any, weights: Floats | None = None) -> tuple[Floats, float]:
    """Fit a class-balanced logistic regression. Return coefficients and intercept."""
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "relevance") from error
    if weights is None:
        fitted = LogisticRegression(C=_PENALTY, class_weight="balanced", max_iter=300).fit(matrix, relevant)
    else:  # "balanced" ignores sample weights in some versions of scikit-learn
        class_weight = np.where(relevant, weights[relevant].sum(), weights[~relevant].sum())
        balanced = weights * weights.sum() / (2.0 * class_weight)
        fitted = LogisticRegression(C=_PENALTY, max_iter=300).fit(matrix, relevant, sample_weight=balanced)
    return fitted.coef_[0], float(fitted.intercept_[0])


def _regression(
    features: TfidfFeatures, words: Vocabulary, relevant: Any, weights: Floats | None
) -> tuple[Floats, float]:
    used, column = np.unique(features.column, return_inverse=True)
    weight = np.zeros(len(words.words))
    values, bias = _logistic(matrix(replace(features, column=column), len(used)), relevant, weights)
    weight[used] = values[: len(used)]
    return weight, bias
