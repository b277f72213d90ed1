"""Cross-validation: scores of labelled texts by models that were not trained on them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from corpuskit.errors import RelevanceError
from corpuskit.relevance.model import probability
from corpuskit.relevance.token_counts import Floats
from corpuskit.relevance.training import train
from corpuskit.relevance.vector_space import VectorSpace


def cross_val_scores(
    texts: Sequence[str],
    labels: Sequence[str],
    *,
    space: VectorSpace,
    groups: Sequence[Hashable] | None = None,
    parts: int = 4,
    seed: int = 0,
) -> tuple[Floats, list[bool]]:
    """Return cross-validated scores, and for each text whether its host was in the training data (URLs only).

    See :func:`cross_val_logits`.
    """
    logits, seen = cross_val_logits(texts, labels, space=space, groups=groups, parts=parts, seed=seed)
    return probability(logits), seen


def cross_val_logits(
    texts: Sequence[str],
    labels: Sequence[str],
    *,
    space: VectorSpace,
    groups: Sequence[Hashable] | None = None,
    parts: int = 4,
    seed: int = 0,
) -> tuple[Floats, list[bool]]:
    """Return cross-validated logits, and for each text whether its host was in the training data (URLs only).

    Args:
        texts: Labelled texts.
        labels: ``relevant`` or ``other``.
        space: Vector space of the corpus.
        groups: Groups of texts that are never split, for example hosts.
        parts: Number of folds.
        seed: Seed of the folds.

    Returns:
        Logits, NaN if a class has fewer labels than folds or a fold could not be trained. For each text whether its host was
        in the training data, False for documents.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    logits, seen = np.full(len(texts), np.nan), np.zeros(len(texts), np.bool_)
    group_of = list(groups) if groups is not None else list(range(len(texts)))
    parts = min(parts, len(set(group_of)))
    relevant = [label == "relevant" for label in labels]
    if parts < 2 or min(sum(relevant), len(relevant) - sum(relevant)) < parts:
        return logits, seen.tolist()
    folds = StratifiedGroupKFold(parts, shuffle=True, random_state=seed)
    number = {group: i for i, group in enumerate(dict.fromkeys(group_of))}
    for rest, held in folds.split(np.zeros(len(texts)), relevant, [number[m] for m in group_of]):
        try:
            model = train(
                [texts[i] for i in rest],
                [labels[i] for i in rest],
                kind=space.kind,
                space=space,
                groups=[group_of[i] for i in rest],
            )
        except RelevanceError:
            continue
        chosen = [texts[i] for i in held.tolist()]
        logits[held] = model.logits(chosen)
        if space.kind == "url":
            seen[held] = model.is_seen(chosen)
    return logits, seen.tolist()
